"""An oracle: a replay that keeps nothing between two decisions and looks at every job and every node each time.

It knows the rules in words only: no lanes, no caches, no kept reservations. Nodes have devices (each of some slices) and cores.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil

FULL = 1 << 40


@dataclass(frozen=True)
class Machine:
    """devices, slices per device, cores (None = not stated), rack per node."""

    devices: tuple[int, ...]
    slices: tuple[int, ...]
    cpus: tuple[int | None, ...]
    rack: tuple[str | None, ...]


@dataclass(frozen=True)
class Task:
    """One job; gpus below 1: a share. rack: all workers in one."""

    name: str
    submit: int
    run: int
    estimate: int
    workers: int = 1
    gpus: float = 1
    cpus: int = 0
    priority: int = 0
    rack: bool = False
    tenant: str = "default"


@dataclass(frozen=True)
class Rules:
    """quotas: tenant -> (devices promised, most); all tenants of it are one cohort."""

    quotas: tuple[tuple[str, int, int], ...] = ()
    backfill: bool = False
    skip: bool = False
    by_priority: bool = False
    per_worker: bool = False
    overcommit: float | None = None
    per_event: bool = False
    ends_first: bool = False
    period: int = 1


@dataclass
class State:
    """Free slices per device and free cores, per node."""

    slices: list[list[int]]
    cpus: list[int]

    def copy(self) -> State:
        return State([list(devices) for devices in self.slices], list(self.cpus))


@dataclass
class Run:
    """A job with its places: (node, ((device, slices), ...)) per worker; end None while it only holds."""

    task: Task
    places: list[tuple[int, tuple[tuple[int, int], ...]]] = field(default_factory=list)
    start: int | None = None


class Scanning:
    def __init__(self, machine: Machine, tasks: list[Task], rules: Rules) -> None:
        self.machine, self.rules = machine, rules
        self.tasks = sorted(tasks, key=lambda task: (task.submit, task.name))
        self.waiting: list[Run] = []
        self.admitted: set[str] = set()
        self.active: list[Run] = []
        self.starts: dict[str, int] = {}
        self.now = 0

    def starts_of_all(self) -> dict[str, int]:
        coming = [Run(task) for task in self.tasks]
        dirty = False
        while True:
            times = [run.task.submit for run in coming[:1]]
            times += [run.start + run.task.run for run in self.active if run.start is not None]
            if dirty:
                times.append((self.now // self.rules.period + 1) * self.rules.period)
            if not times:
                return self.starts
            self.now = min(times)
            for kind in ("end", "submit") if self.rules.ends_first else ("submit", "end"):
                if kind == "submit":
                    while coming and coming[0].task.submit == self.now:
                        self.waiting.append(coming.pop(0))
                        if self.rules.per_event:
                            self.decide()
                else:
                    ended = [run for run in self.active if run.start is not None and run.start + run.task.run == self.now]
                    for run in sorted(ended, key=lambda run: self.tasks.index(run.task)):
                        self.active.remove(run)
                        if self.rules.per_event:
                            self.decide()
            dirty = self.now % self.rules.period != 0
            if not dirty:
                self.decide()

    # What is free, from scratch.

    def empty(self) -> State:
        machine = self.machine
        slices = [[per] * count for count, per in zip(machine.devices, machine.slices, strict=True)]
        return State(slices, [FULL if cpus is None else cpus for cpus in machine.cpus])

    def free(self, runs: list[Run]) -> State:
        state = self.empty()
        for run in runs:
            for node, devices in run.places:
                for device, slices in devices:
                    state.slices[node][device] -= slices
                    assert state.slices[node][device] >= 0
                state.cpus[node] -= run.task.cpus
                assert state.cpus[node] >= 0
        return state

    def place_of_worker(self, task: Task, node: int, state: State) -> tuple[tuple[int, int], ...] | None:
        if state.cpus[node] < task.cpus or (task.rack and self.machine.rack[node] is None):
            return None
        if task.gpus == 0:
            return ()
        per = self.machine.slices[node]
        if task.gpus >= 1:
            whole = [device for device, free in enumerate(state.slices[node]) if free == per]
            return tuple((device, per) for device in whole[: int(task.gpus)]) if len(whole) >= task.gpus else None
        asked = ceil(task.gpus * per - 1e-9)
        fitting = [(free, device) for device, free in enumerate(state.slices[node]) if free >= asked]
        return ((min(fitting)[1], asked),) if fitting else None

    def score(self, task: Task, node: int, state: State) -> float:
        """Minus half the sum of what is left of devices and cores over the largest node."""
        per = self.machine.slices[node]
        left = 0.0
        if self.machine.devices[node]:
            left += (sum(state.slices[node]) / per - task.gpus) / max(self.machine.devices)
        cpus = self.machine.cpus[node]
        if cpus:
            left += (state.cpus[node] - task.cpus) / max(cpus or 0 for cpus in self.machine.cpus)
        return -0.5 * left

    def take(self, task: Task, node: int, state: State) -> tuple[int, tuple[tuple[int, int], ...]]:
        devices = self.place_of_worker(task, node, state)
        assert devices is not None
        for device, slices in devices:
            state.slices[node][device] -= slices
        state.cpus[node] -= task.cpus
        return node, devices

    def workers_on(self, task: Task, node: int, state: State) -> int:
        state, count = state.copy(), 0
        while count < task.workers and self.place_of_worker(task, node, state) is not None:
            self.take(task, node, state)
            count += 1
        return count

    def groups(self, task: Task) -> list[list[int]]:
        nodes = list(range(len(self.machine.devices)))
        if not task.rack:
            return [nodes]
        racks = sorted({rack for rack in self.machine.rack if rack is not None})
        return [[node for node in nodes if self.machine.rack[node] == rack] for rack in racks]

    def group_for(self, task: Task, workers: int, state: State) -> list[int] | None:
        """The tightest group of nodes that holds so many workers."""
        rooms = [(sum(self.workers_on(task, node, state) for node in group), idx) for idx, group in enumerate(self.groups(task))]
        holding = [(room, idx) for room, idx in rooms if room >= workers]
        return self.groups(task)[min(holding)[1]] if holding else None

    def placed(self, task: Task, workers: int, state: State) -> list[tuple[int, tuple[tuple[int, int], ...]]] | None:
        group = self.group_for(task, workers, state)
        if group is None:
            return None
        state, places = state.copy(), []
        for _ in range(workers):
            fitting = [node for node in group if self.place_of_worker(task, node, state) is not None]
            best = max(fitting, key=lambda node: (self.score(task, node, state), -node))
            places.append(self.take(task, best, state))
        return places

    # What is decided.

    def decide(self) -> None:
        self.waiting.sort(key=lambda run: (-run.task.priority if self.rules.by_priority else 0, self.tasks.index(run.task)))
        self.admit()
        if self.rules.skip:
            for run in list(self.waiting):
                if (self.rules.overcommit is None or run.task.name in self.admitted) and self.is_within_quota(run):
                    self.try_to_start(run)
            return
        for run in list(self.waiting):
            if self.is_within_quota(run) and not self.try_to_start(run):
                if self.rules.backfill:
                    self.go_by(run)
                return

    def is_within_quota(self, run: Run) -> bool:
        if not self.rules.quotas:
            return True
        held = {tenant: 0.0 for tenant, _, _ in self.rules.quotas}
        for other in self.active:
            held[other.task.tenant] += len(other.places) * other.task.gpus
        held[run.task.tenant] += (run.task.workers - len(run.places)) * run.task.gpus
        most = {tenant: most for tenant, _, most in self.rules.quotas}
        promised = sum(nominal for _, nominal, _ in self.rules.quotas)
        return held[run.task.tenant] <= most[run.task.tenant] + 1e-6 and sum(held.values()) <= promised + 1e-6

    def try_to_start(self, run: Run) -> bool:
        if self.rules.per_worker:
            return self.bind(run)
        places = self.placed(run.task, run.task.workers, self.free(self.active))
        if places is None:
            return False
        self.begin(run, places)
        return True

    def begin(self, run: Run, places: list[tuple[int, tuple[tuple[int, int], ...]]]) -> None:
        run.places += places
        run.start = self.starts[run.task.name] = self.now
        self.waiting.remove(run)
        if run not in self.active:
            self.active.append(run)

    def bind(self, run: Run) -> bool:
        while len(run.places) < run.task.workers:
            place = self.placed(run.task, 1, self.free(self.active))
            if place is None:
                return False
            if run not in self.active:
                self.active.append(run)
            run.places += place
        self.begin(run, [])
        return True

    def admit(self) -> None:
        if self.rules.overcommit is None:
            return
        for run in self.waiting:
            if run.task.name not in self.admitted and self.has_room_for_admission(run.task, self.rules.overcommit):
                self.admitted.add(run.task.name)

    def has_room_for_admission(self, task: Task, overcommit: float) -> bool:
        """What runs, what is admitted and the task stay within the overcommitted machine; cores count where all state them."""
        inside = [run.task for run in self.active] + [run.task for run in self.waiting if run.task.name in self.admitted]
        asked = [(sum(self.machine.devices), lambda one: one.workers * one.gpus)]
        if None not in self.machine.cpus:
            asked.append((sum(cpus or 0 for cpus in self.machine.cpus), lambda one: one.workers * one.cpus))
        return all(
            not amount(task) or sum(amount(one) for one in (*inside, task)) <= total * overcommit + 1e-6 for total, amount in asked
        )

    def go_by(self, head: Run) -> None:
        """EASY: the reservation is found once, by the estimates of what runs before anything goes by."""
        instants = sorted({self.estimated_end(run) for run in self.active})
        reserved = next(at for at in instants if self.group_for(head.task, head.task.workers, self.free_at(at)) is not None)
        group = self.group_for(head.task, head.task.workers, self.free_at(reserved))
        assert group is not None
        by_arrival = sorted(self.waiting, key=lambda run: self.tasks.index(run.task))
        for run in by_arrival:
            if run is head or not self.is_within_quota(run):
                continue
            places = self.placed(run.task, run.task.workers, self.free(self.active))
            if places is None:
                continue
            if self.now + run.task.estimate > reserved:
                run.places = places
                self.active.append(run)
                run.start = self.now
                room = sum(self.workers_on(head.task, node, self.free_at(reserved)) for node in group)
                self.active.remove(run)
                run.places, run.start = [], None
                if room < head.task.workers:
                    continue
            self.begin(run, places)

    def estimated_end(self, run: Run) -> int:
        assert run.start is not None
        return max(run.start + run.task.estimate, self.now + 1)

    def free_at(self, at: int) -> State:
        return self.free([run for run in self.active if self.estimated_end(run) > at])
