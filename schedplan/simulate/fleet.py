"""Services in a replay: replicas that come and go with a load that flows. It starts no job.

A replica takes its room when it is asked for and serves after its start-up. Of several services that ask, the higher priority is
first, then the name. Fewer: what does not serve yet goes first, then what was taken last.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from heapq import heappop, heappush

from schedplan.engines.part import PreemptionKind, Scaling
from schedplan.model.cluster import Cluster
from schedplan.model.service_run import ReplicaEnd, ReplicaRun, ServicesRun
from schedplan.model.timeline import StopCause
from schedplan.model.workload import Service, Topology
from schedplan.simulate.autoscaler import Autoscaler, Steps
from schedplan.simulate.capacity import Held
from schedplan.simulate.decider import Decider
from schedplan.simulate.fluid import Fluid, Serving
from schedplan.simulate.kernel import Kernel
from schedplan.simulate.lane import NEVER
from schedplan.simulate.machine import Machine
from schedplan.simulate.work import Ask

_LOOK, _RATE, _READY, _WAKE, _END = 0, 1, 2, 3, 4


@dataclass(frozen=True, slots=True)
class ServiceLoad:
    """A service and the requests/s that it is sent, before cache hits. expected: as it was forecast, None where nothing asks."""

    service: Service
    load: Steps
    expected: Steps | None = None


@dataclass(frozen=True, slots=True)
class FleetWork:
    """All services of a replay, from start_s until end_s."""

    loads: tuple[ServiceLoad, ...]
    start_s: int
    end_s: int

    def asks(self) -> tuple[Ask, ...]:
        """Return what a replica of each service asks for."""
        return tuple(Ask(one.service.shape, 1, Topology.CLUSTER, True, one.service.markets) for one in self.loads)


@dataclass(slots=True)
class _Replica:
    service: int
    number: int
    held: Held
    service_ms: float
    asked_s: int
    taken_s: int
    ready_s: int
    serves: bool = False


@dataclass(slots=True)
class _Group:
    """The replicas of one service. asked: instants at which those that are missing were asked for, earliest first."""

    idx: int
    load: ServiceLoad
    fluid: Fluid
    scaler: Autoscaler
    ask: int
    tenant: int
    lag_s: int
    replicas: list[_Replica] = field(default_factory=list)
    asked: list[int] = field(default_factory=list)
    look_s: int = NEVER


class Fleet:
    """Groups by service, and what will happen to them: (instant, what, service, number of a replica)."""

    can_stop = False

    def __init__(self, work: FleetWork, machine: Machine, cluster: Cluster, scaling: Scaling, tenants: tuple[str, ...]) -> None:
        self._work = work
        self._machine = machine
        self._cluster = cluster
        self._scaling = scaling
        self._kernel: Kernel | None = None
        self._events: list[tuple[int, int, int, int]] = []
        self._gone: list[ReplicaRun] = []
        self._count = 0
        self._cached: set[tuple[int, str]] = set()
        self._is_over = False
        self._groups: list[_Group] = []
        for idx, load in enumerate(work.loads):
            service = load.service
            lag_s = round((service.startup_minutes + (service.load_minutes if service.affinity is not None else 0.0)) * 60)
            expected = None if load.expected is None else _reaching(load.expected, service)
            scaler = Autoscaler(scaling, service, lag_s, expected)
            self._groups.append(
                _Group(idx, load, Fluid(idx, service, work.start_s), scaler, -1, tenants.index(service.tenant), lag_s)
            )
        self._order = sorted(
            range(len(work.loads)), key=lambda idx: (-work.loads[idx].service.priority, work.loads[idx].service.name)
        )
        heappush(self._events, (work.start_s, _WAKE, -1, -1))

    def meet(self, kernel: Kernel, asks: tuple[int, ...]) -> None:
        """Get to know the kernel and the asks (indices) of replicas, per service."""
        self._kernel = kernel
        for group, ask in zip(self._groups, asks, strict=True):
            group.ask = ask

    def next_s(self) -> int:
        return self._events[0][0] if self._events else NEVER

    def is_due(self, now_s: int) -> bool:
        return self.next_s() <= now_s or any(group.asked for group in self._groups)

    def last_return_s(self) -> int:
        return -1

    def until_s(self) -> int:
        return self._work.end_s

    def happen(self, kernel: Kernel, decider: Decider) -> None:
        now_s, before = kernel.now_s, kernel.changes
        while self._events and self._events[0][0] <= now_s:
            _, what, idx, number = heappop(self._events)
            if idx < 0:
                self._begin_or_end(what, now_s)
            elif not self._is_over:
                self._happen_to(self._groups[idx], what, number, now_s)
        for idx in self._order:
            self._fill(self._groups[idx], now_s, decider)
        if kernel.changes != before:
            decider.supplied()

    def node_gone(self, node: int, kernel: Kernel) -> None:
        """Lose the replicas of a node that goes; they are asked for again at once."""
        for group in self._groups:
            for replica in [one for one in group.replicas if one.held.node == node]:
                if not self._is_over:
                    group.fluid.advance(kernel.now_s)
                    group.asked.append(kernel.now_s)
                self._remove(group, replica, ReplicaEnd.NODE_GONE)
            self._serve(group)

    def finish(self) -> ServicesRun:
        """Give back all that is held and return what happened."""
        kernel, work = self._kernel, self._work
        assert kernel is not None
        for group in self._groups:
            for replica in list(group.replicas):
                self._remove(group, replica, ReplicaEnd.REPLAY_OVER)
        return ServicesRun(
            names=tuple(load.service.name for load in work.loads),
            tenants=tuple(load.service.tenant for load in work.loads),
            start_s=work.start_s,
            end_s=work.end_s,
            spans=tuple(span for group in self._groups for span in group.fluid.spans),
            replicas=tuple(sorted(self._gone, key=lambda run: (run.service, run.taken_s, run.node, run.gone_s))),
        )

    def _begin_or_end(self, what: int, now_s: int) -> None:
        if what == _END:
            self._is_over = True
            for group in self._groups:
                group.fluid.advance(now_s)
                group.asked.clear()
            self._events.clear()
            return
        heappush(self._events, (self._work.end_s, _END, -1, -1))
        for idx, group in enumerate(self._groups):
            service = group.load.service
            group.fluid.rate_rps = _reached(service, group.load.load.at(now_s))
            group.fluid.wanted = group.scaler.first(group.fluid.rate_rps, now_s)
            group.asked = [now_s] * group.fluid.wanted
            group.look_s = now_s + self._scaling.period_s
            heappush(self._events, (group.look_s, _LOOK, idx, -1))
            for at_s in group.load.load.at_s:
                if now_s < at_s < self._work.end_s:
                    heappush(self._events, (at_s, _RATE, idx, -1))
            if self._scaling.kind.asks_for_a_forecast and group.load.expected is not None:
                for at_s in group.load.expected.at_s:
                    for wake_s in (at_s - group.lag_s - self._scaling.period_s, at_s):
                        if now_s < wake_s < self._work.end_s:
                            heappush(self._events, (wake_s, _WAKE, idx, -1))

    def _happen_to(self, group: _Group, what: int, number: int, now_s: int) -> None:
        group.fluid.advance(now_s)
        group.scaler.measure(group.fluid, now_s)
        if what == _RATE:
            group.fluid.rate_rps = _reached(group.load.service, group.load.load.at(now_s))
        elif what == _READY:
            found = next((one for one in group.replicas if one.number == number), None)
            if found is None:
                return
            found.serves = True
            if group.load.service.affinity is not None:
                self._cached.add((found.held.node, group.load.service.affinity))
            self._serve(group)
        elif what == _LOOK:
            if group.look_s == now_s:
                self._look(group, now_s)
            return
        self._wake(group, now_s)

    def _wake(self, group: _Group, now_s: int) -> None:
        """Have the autoscaler look at its next turn."""
        period_s = self._scaling.period_s
        at_s = now_s + period_s - (now_s - self._work.start_s) % period_s
        if group.look_s > at_s or group.look_s <= now_s:
            group.look_s = at_s
            heappush(self._events, (at_s, _LOOK, group.idx, -1))

    def _look(self, group: _Group, now_s: int) -> None:
        there = len(group.replicas) + len(group.asked)
        wanted = group.fluid.wanted = group.scaler.wanted(group.fluid, there, now_s)
        if wanted > there:
            group.asked += [now_s] * (wanted - there)
        while there > wanted and group.asked:
            group.asked.pop()
            there -= 1
        if there > wanted:
            newest = sorted(group.replicas, key=lambda one: (one.serves, -one.taken_s, -one.number))
            for replica in newest[: there - wanted]:
                self._remove(group, replica, ReplicaEnd.SCALED_DOWN)
            self._serve(group)
        is_calm = group.fluid.is_steady and not group.asked and all(one.serves for one in group.replicas)
        if is_calm and group.scaler.is_settled(wanted):
            group.look_s = NEVER
        else:
            self._wake(group, now_s)

    def _fill(self, group: _Group, now_s: int, decider: Decider) -> None:
        """Take room for what is missing, as far as there is any."""
        kernel = self._kernel
        assert kernel is not None
        while group.asked:
            is_within = kernel.quota is None or kernel.quota.allows(group.tenant, group.ask, 1)
            if not is_within or not (kernel.capacity.fits(group.ask) or self._makes_room(group, decider)):
                return
            (held,) = kernel.capacity.place(group.ask, -1 - group.idx, 1, self._count)
            self._take(group, held, group.asked.pop(0), now_s)

    def _take(self, group: _Group, held: Held, asked_s: int, now_s: int) -> None:
        kernel, service = self._kernel, group.load.service
        assert kernel is not None
        kernel.stand(self._count, group.tenant, group.ask, (held,))
        pool = self._machine.pools[held.node]
        is_cached = service.affinity is None or service.affinity in pool.caches or (held.node, service.affinity) in self._cached
        lag_s = round((service.startup_minutes + (0.0 if is_cached else service.load_minutes)) * 60)
        if now_s == self._work.start_s:
            lag_s = 0
        speed_ms = service.service_ms / self._cluster.speed(pool.accelerator, service.name, "service")
        replica = _Replica(group.idx, self._count, held, speed_ms, asked_s, now_s, now_s + lag_s, serves=lag_s == 0)
        self._count += 1
        group.replicas.append(replica)
        if lag_s:
            heappush(self._events, (replica.ready_s, _READY, group.idx, replica.number))
            return
        if service.affinity is not None:
            self._cached.add((held.node, service.affinity))
        group.fluid.advance(now_s)
        self._serve(group)

    def _remove(self, group: _Group, replica: _Replica, end: ReplicaEnd) -> None:
        kernel = self._kernel
        assert kernel is not None
        kernel.leave(replica.number, group.tenant)
        group.replicas.remove(replica)
        shape = group.load.service.shape
        self._gone.append(
            ReplicaRun(
                replica.service,
                replica.held.node,
                shape.gpus if self._machine.has_devices else shape.cpus,
                replica.held.device_numbers(),
                replica.asked_s,
                replica.taken_s,
                replica.ready_s if replica.serves else None,
                max(kernel.now_s, self._work.end_s) if end is ReplicaEnd.REPLAY_OVER else kernel.now_s,
                end,
            )
        )

    def _serve(self, group: _Group) -> None:
        """Let the replicas that are ready serve, in proportion to their speed."""
        times = [one.service_ms for one in group.replicas if one.serves]
        mean_ms = len(times) / sum(1.0 / one for one in times) if times else 0.0
        group.fluid.serving = Serving(len(times), times[0] if times and len(set(times)) == 1 else mean_ms)

    def _makes_room(self, group: _Group, decider: Decider) -> bool:
        """Whether a replica fits after stopping jobs of lower priority, which are stopped: as few as do, by lowest priority, then
        latest start.
        """
        kernel = self._kernel
        assert kernel is not None
        if kernel.policy.preemption.kind is not PreemptionKind.PRIORITY:
            return False
        work, least = kernel.work, group.load.service.priority
        running = [job for job in kernel.held if kernel.end_s[job] >= 0 and work.preemptible[job] and work.priority[job] < least]
        running.sort(key=lambda job: (work.priority[job], -kernel.begun_s[job], job))

        def fits_without(jobs: list[int]) -> bool:
            releases = [(1, work.ask[job], kernel.held[job]) for job in jobs]
            return kernel.capacity.reserve(group.ask, 0, releases) is not None

        if not running or not fits_without(running):
            return False
        victims = list(running)
        for job in reversed(running):
            without = [one for one in victims if one != job]
            if without and fits_without(without):
                victims = without
        for job in victims:
            kernel.stop(job, StopCause.PREEMPTED, decider)
        return True


def _reached(service: Service, rate_rps: float) -> float:
    return rate_rps * (1.0 - service.cache_hit_ratio)


def _reaching(steps: Steps, service: Service) -> Steps:
    return Steps(steps.at_s, tuple(_reached(service, rate) for rate in steps.rates))
