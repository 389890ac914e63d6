"""An oracle: a replay that keeps nothing between two decisions and looks at every job and every node each time.

It knows the rules in words only: no lanes, no caches, no kept reservations. Nodes have devices (each of some slices) and cores.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil, log

from tests.simulate.scanning_machine import Machine, Places, State, Task, groups, placed, take, workers_on

HALF_LIFE_S = 10


@dataclass(frozen=True)
class Rules:
    """quotas: tenant -> (devices promised, most); all tenants of it are one cohort. outages: (node, start, end).

    Other names as in composition.
    """

    quotas: tuple[tuple[str, int, int], ...] = ()
    order: str = "arrival"
    share: str = "none"
    backfill: str = "none"
    depth: int | None = None
    compression: str = "rebuild"
    nodes: str = "best-fit"
    preemption: str = "none"
    grace: int = 0
    skip: bool = False
    per_worker: bool = False
    overcommit: float | None = None
    outages: tuple[tuple[int, int, int], ...] = ()
    per_event: bool = False
    ends_first: bool = False
    period: int = 1


@dataclass(eq=False)
class Run:
    """A job with its places: (node, ((device, slices), ...)) per worker; start None while it only holds or waits."""

    task: Task
    idx: int
    left: int
    estimate: int
    places: Places = field(default_factory=list)
    start: int | None = None
    ends: int = 0
    was_stopped: bool = False

    def lasts(self, work: int) -> int:
        restart = self.task.restart if self.was_stopped else 0
        written = (work - 1) // self.task.interval if self.task.interval else 0
        return restart + work + written * self.task.cost


class Scanning:
    def __init__(self, machine: Machine, tasks: list[Task], rules: Rules) -> None:
        self.machine, self.rules = machine, rules
        self.tasks = sorted(tasks, key=lambda task: (task.submit, task.name))
        self.waiting: list[Run] = []
        self.admitted: set[str] = set()
        self.active: list[Run] = []
        self.told: dict[Run, int] = {}
        self.graces: set[int] = set()
        self.awaiting: dict[Run, int] = {}
        self.starts: dict[str, tuple[int, ...]] = {}
        self.past: list[tuple[str, float, int, int]] = []
        self.reserved: dict[Run, tuple[int, list[tuple[int, int]]]] = {}
        self.is_off_plan = False
        self.down: set[int] = set()
        self.now = 0

    def starts_of_all(self) -> dict[str, tuple[int, ...]]:
        """Return every start of every job."""
        coming = [Run(task, idx, task.run, task.estimate) for idx, task in enumerate(self.tasks)]
        dirty = False
        while True:
            times = [run.task.submit for run in coming[:1]]
            times += [run.ends for run in self.active if run.start is not None]
            times += [at for at in self.graces if at > self.now]  # also where the victim has gone before
            times += [start for start, _ in self.reserved.values() if start > self.now and self.rules.compression != "rebuild"]
            if times or self.waiting:
                times += [at for outage in self.rules.outages for at in outage[1:] if at > self.now]
            if dirty:
                times.append((self.now // self.rules.period + 1) * self.rules.period)
            if not times:
                return {name: tuple(dict.fromkeys(starts)) for name, starts in self.starts.items()}
            self.now = min(times)
            for kind in ("end", "submit") if self.rules.ends_first else ("submit", "end"):
                if kind == "submit":
                    while coming and coming[0].task.submit == self.now:
                        self.arrive(coming.pop(0))
                        if self.rules.per_event:
                            self.decide()
                else:
                    self.end_all()
            self.supply()
            dirty = self.now % self.rules.period != 0
            if not dirty:
                self.decide()

    def end_all(self) -> None:
        ended = [run for run in self.active if run.start is not None and run.ends == self.now]
        for run in sorted(ended, key=lambda run: run.idx):
            if run not in self.active or run.ends != self.now:
                continue  # stopped by what ended before it
            self.is_off_plan |= self.now != (run.start or 0) + run.lasts(run.estimate)
            self.leave(run)
            if self.rules.per_event:
                self.decide()

    def supply(self) -> None:
        """What runs on a node that goes is stopped."""
        for node, start, end in self.rules.outages:
            if start == self.now:
                for run in sorted(
                    (run for run in self.active if any(place == node for place, _ in run.places)), key=lambda one: one.idx
                ):
                    self.stop(run)
            if self.now in (start, end) and node < len(self.machine.devices):
                self.is_off_plan = True
        self.down = {node for node, start, end in self.rules.outages if start <= self.now < end}

    def arrive(self, run: Run) -> None:
        self.waiting.append(run)
        if any(self.turn(other) > self.turn(run) for other in self.waiting) and self.rules.compression == "rebuild":
            self.is_off_plan = True

    def leave(self, run: Run) -> None:
        self.active.remove(run)
        self.told.pop(run, None)
        assert run.start is not None
        self.past.append((run.task.tenant, run.task.workers * run.task.gpus, run.start, self.now))

    # What is free, from scratch.

    def free(self, runs: list[Run]) -> State:
        state = State.empty(self.machine)
        state.down = self.down
        for run in runs:
            state.use(run.task, run.places)
        return state

    def group_for(self, task: Task, workers: int, state: State) -> list[int] | None:
        """The tightest group of nodes that holds so many workers."""
        found = groups(self.machine, task)
        rooms = [(sum(workers_on(self.machine, task, node, state) for node in group), idx) for idx, group in enumerate(found)]
        holding = [(room, idx) for room, idx in rooms if room >= workers]
        return found[min(holding)[1]] if holding else None

    def placed(self, task: Task, workers: int, state: State) -> Places | None:
        group = self.group_for(task, workers, state)
        return None if group is None else placed(self.machine, task, workers, state, group, self.rules.nodes)

    # What is decided.

    def turn(self, run: Run) -> tuple[float, ...]:
        task = run.task
        first = {
            "arrival": 0.0,
            "priority": -task.priority,
            "shortest": run.estimate,
            "largest": -task.workers * (task.gpus or task.cpus),
        }
        return first[self.rules.order], run.idx

    def share(self, tenant: str) -> int:
        """The key of a tenant: what it holds, or has held, over what it may."""
        running = [run for run in self.active if run.task.tenant == tenant]
        devices = sum(run.task.workers * run.task.gpus for run in running)
        if self.rules.share == "drf":
            shares = [devices / sum(self.machine.devices)]
            if None not in self.machine.cpus and sum(cpus or 0 for cpus in self.machine.cpus):
                shares.append(sum(run.task.workers * run.task.cpus for run in running) / sum(c or 0 for c in self.machine.cpus))
            return round(max(shares) * 1e9)
        if self.rules.share == "capacity":
            promised = {name: nominal for name, nominal, _ in self.rules.quotas}.get(tenant, 0)
            return round(devices / promised * 1e9) if promised else 1 << 60
        if self.rules.share == "fair-share":
            spans = [span for span in self.past if span[0] == tenant]
            spans += [(tenant, run.task.workers * run.task.gpus, run.start or 0, self.now) for run in running]
            scale = HALF_LIFE_S / log(2)
            return round(
                sum(
                    amount * scale * (0.5 ** ((self.now - end) / HALF_LIFE_S) - 0.5 ** ((self.now - start) / HALF_LIFE_S))
                    for _, amount, start, end in spans
                )
            )
        return 0

    def decide(self) -> None:
        for run, until in list(self.told.items()):
            if until <= self.now:
                self.stop(run)
        if self.rules.backfill == "conservative":
            self.follow_reservations()
            return
        self.waiting.sort(key=self.turn)
        self.admit()
        passed: set[Run] = set()
        while True:
            left = [run for run in self.waiting if run not in passed and self.is_admitted(run)]
            if not left:
                return
            run = min(left, key=lambda run: (self.share(run.task.tenant), self.turn(run)))
            if not self.may_start(run):
                passed.add(run)
                continue
            is_within = self.is_within_quota(run)
            if is_within and self.try_to_start(run):
                continue
            if self.rules.preemption != "none" and self.makes_room(run):
                assert self.try_to_start(run)
                passed.clear()
            elif self.rules.skip or not is_within:
                passed.add(run)
            else:
                if self.rules.backfill != "none":
                    self.go_by(run)
                return

    def is_admitted(self, run: Run) -> bool:
        return self.rules.overcommit is None or run.task.name in self.admitted

    def is_within_quota(self, run: Run, gone: list[Run] | None = None) -> bool:
        if not self.rules.quotas:
            return True
        held = {tenant: 0.0 for tenant, _, _ in self.rules.quotas}
        for other in self.active:
            if other not in (gone or []):
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

    def begin(self, run: Run, places: Places) -> None:
        run.places += places
        run.start = self.now
        run.ends = self.now + run.lasts(run.left)
        self.starts[run.task.name] = (*self.starts.get(run.task.name, ()), self.now)
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

    # Preemption.

    def stop(self, run: Run) -> None:
        """What a checkpoint has saved is kept, and the job waits again."""
        assert run.start is not None
        self.leave(run)
        worked = self.now - run.start - (run.task.restart if run.was_stopped else 0)
        if run.task.interval:
            written = min(max(worked, 0) // (run.task.interval + run.task.cost), (run.left - 1) // run.task.interval)
            run.left -= written * run.task.interval
            run.estimate = max(run.estimate - written * run.task.interval, 1)
        run.places, run.start, run.was_stopped = [], None, True
        self.waiting.append(run)
        self.is_off_plan = True

    def makes_room(self, run: Run) -> bool:
        """Whether the job may start now that others were stopped for it."""
        victims = self.victims(run)
        if victims is None:
            return False
        for victim in victims:
            if self.rules.grace:
                self.told[victim] = self.now + self.rules.grace
                self.graces.add(self.told[victim])
                self.awaiting[run] = self.told[victim]
            else:
                self.stop(victim)
        return not self.rules.grace

    def may_start(self, run: Run) -> bool:
        """While a job waits for the end of a grace, nothing starts that would be stopped for it."""
        waiting = [one for one, until in self.awaiting.items() if until >= self.now and one in self.waiting]
        if self.rules.preemption == "priority":
            return all(run.task.priority >= one.task.priority for one in waiting)
        return not waiting or self.is_within_promise(run)

    def is_within_promise(self, run: Run) -> bool:
        own = run.task.tenant
        held = sum(one.task.workers * one.task.gpus for one in self.active if one.task.tenant == own and one not in self.told)
        promised = {name: nominal for name, nominal, _ in self.rules.quotas}
        return held + run.task.workers * run.task.gpus <= promised[own] + 1e-9

    def victims(self, run: Run) -> list[Run] | None:
        going = list(self.told)
        eligible = self.eligible(run)
        if self.has_room(run, going):
            return [] if going else None
        if not eligible or not self.has_room(run, going + eligible):
            return None
        if self.rules.preemption == "priority" and run.task.workers == 1:
            chosen = self.on_one_node(run, going, eligible)
        else:
            chosen = next(eligible[:count] for count in range(1, len(eligible) + 1) if self.has_room(run, going + eligible[:count]))
        for victim in list(reversed(chosen)):
            without = [one for one in chosen if one is not victim]
            if self.has_room(run, going + without):
                chosen = without
        return chosen

    def eligible(self, run: Run) -> list[Run]:
        running = [one for one in self.active if one.task.preemptible and one not in self.told]
        running.sort(key=lambda one: (one.task.priority, -(one.start or 0), one.idx))
        if self.rules.preemption == "priority":
            return [one for one in running if one.task.priority < run.task.priority]
        promised = {name: nominal for name, nominal, _ in self.rules.quotas}
        held = dict.fromkeys(promised, 0.0)
        for one in self.active:
            if one not in self.told:
                held[one.task.tenant] += one.task.workers * one.task.gpus
        own = run.task.tenant
        if not self.is_within_promise(run):
            return []
        found = []
        for one in running:
            amount = one.task.workers * one.task.gpus
            if one.task.tenant != own and amount > 0 and held[one.task.tenant] - amount >= promised[one.task.tenant] - 1e-9:
                held[one.task.tenant] -= amount
                found.append(one)
        return found

    def has_room(self, run: Run, gone: list[Run]) -> bool:
        if not self.is_within_quota(run, gone):
            return False
        state = self.free([one for one in self.active if one not in gone])
        return self.group_for(run.task, run.task.workers, state) is not None

    def on_one_node(self, run: Run, going: list[Run], eligible: list[Run]) -> list[Run]:
        """The fewest victims of any node, the first node by name of those with as few."""
        best = None
        for node in range(len(self.machine.devices)):
            there = [one for one in eligible if any(place == node for place, _ in one.places)]
            for count in range(1, len(there) + 1):
                if self.has_room(run, going + there[:count]):
                    if best is None or count < len(best):
                        best = there[:count]
                    break
        return eligible if best is None else best

    # Backfilling.

    def go_by(self, head: Run) -> None:
        """EASY: the reservation is found once, by the estimates of what runs before anything goes by."""
        instants = sorted({self.estimated_end(run) for run in self.active})
        fitting = (at for at in instants if self.group_for(head.task, head.task.workers, self.free_at(at)) is not None)
        reserved = next(fitting, None)
        group = [] if reserved is None else self.group_for(head.task, head.task.workers, self.free_at(reserved))
        assert group is not None
        line = sorted(self.waiting, key=lambda run: run.idx)
        if self.rules.depth is not None:
            line = line[: self.rules.depth + 1]
        if self.rules.backfill == "easy-sjbf":
            line.sort(key=lambda run: (run.estimate, run.idx))
        for run in line:
            if run is head or not self.is_within_quota(run):
                continue
            places = self.placed(run.task, run.task.workers, self.free(self.active))
            if places is None:
                continue
            if reserved is not None and self.now + run.lasts(run.estimate) > reserved:
                run.places = places
                self.active.append(run)
                run.start = self.now
                state = self.free_at(reserved)
                room = sum(workers_on(self.machine, head.task, node, state) for node in group)
                self.active.remove(run)
                run.places, run.start = [], None
                if room < head.task.workers:
                    continue
            self.begin(run, places)

    def estimated_end(self, run: Run) -> int:
        assert run.start is not None
        return max(run.start + run.lasts(run.estimate), self.now + 1)

    def free_at(self, at: int) -> State:
        return self.free([run for run in self.active if self.estimated_end(run) > at])

    # Conservative backfilling: reservations as (start, (node, workers) pairs); devices of a node are counted.

    def follow_reservations(self) -> None:
        self.waiting.sort(key=self.turn)
        overruns = any(run.start is not None and run.start + run.lasts(run.estimate) <= self.now for run in self.active)
        if self.is_off_plan or overruns:
            self.compress()
        self.is_off_plan = False
        while True:
            first = self.waiting[: self.rules.depth]
            for run in first:
                if run not in self.reserved and self.is_within_quota(run):
                    self.reserve(run)
            due = [run for run in first if run in self.reserved and self.reserved[run][0] <= self.now]
            for run in due:
                start, spots = self.reserved.pop(run)
                state = self.free(self.active)
                held = all(workers_on(self.machine, run.task, node, state) >= count for node, count in spots)
                if not held or not self.is_within_quota(run):
                    self.is_off_plan = True
                    continue
                self.is_off_plan |= start < self.now
                self.begin(run, [take(self.machine, run.task, node, state) for node, count in spots for _ in range(count)])
            if not due or self.rules.depth is None or self.is_off_plan:
                return

    def compress(self) -> None:
        if self.rules.compression == "rebuild":
            self.reserved.clear()
            return
        self.reserved = {run: (max(start, self.now), spots) for run, (start, spots) in self.reserved.items()}
        if self.rules.compression == "none":
            return
        for run in self.waiting[: self.rules.depth]:
            if run not in self.reserved:
                continue
            start, spots = self.reserved.pop(run)
            found = self.earliest(run)
            if found is not None and found < start and (found == self.now or self.rules.compression == "arrival"):
                self.reserved[run] = (found, self.spots(run, found))
            else:
                self.reserved[run] = (start, spots)

    def reserve(self, run: Run) -> None:
        start = self.earliest(run)
        if start is not None:
            self.reserved[run] = (start, self.spots(run, start))

    def earliest(self, run: Run) -> int | None:
        """Room only grows where something ends, so a job fits first now or at such an instant."""
        instants = {self.now, *(self.estimated_end(one) for one in self.active)}
        instants |= {start + one.lasts(one.estimate) for one, (start, _) in self.reserved.items()}
        for at in sorted(instants):
            if at >= self.now and self.room_by_group(run, at) is not None:
                return at
        return None

    def spots(self, run: Run, start: int) -> list[tuple[int, int]]:
        room = self.room_by_group(run, start)
        assert room is not None
        order = sorted(room, key=lambda node: (room[node], node))
        if start == self.now:
            state = self.free(self.active)
            fitting = [node for node in room if workers_on(self.machine, run.task, node, state)]
            order = sorted(fitting, key=lambda node: (-state.score(run.task, node, self.rules.nodes), node))
        spots, left = [], run.task.workers
        for node in order:
            count = min(room[node], left)
            left -= count
            spots += [(node, count)] if count else []
        assert left == 0
        return sorted(spots)

    def room_by_group(self, run: Run, start: int) -> dict[int, int] | None:
        """Workers per node, from start on for as long as the job is estimated to run, of the tightest group that holds it."""
        until = start + run.lasts(run.estimate)
        instants = {start}
        for one, (at, _) in self.reserved.items():
            instants |= {at, at + one.lasts(one.estimate)}
        instants |= {self.estimated_end(one) for one in self.active}
        within = [at for at in instants if start <= at < until]
        found = groups(self.machine, run.task)
        rooms = [{node: min(self.room_at(run.task, node, at) for at in within) for node in group} for group in found]
        holding = [(sum(room.values()), idx) for idx, room in enumerate(rooms) if sum(room.values()) >= run.task.workers]
        return rooms[min(holding)[1]] if holding else None

    def room_at(self, task: Task, node: int, at: int) -> int:
        """Workers that a node holds at an instant, beside what runs and is reserved then."""
        devices, cpus = self.machine.devices[node], self.machine.cpus[node]
        beside = [(one.task, sum(place == node for place, _ in one.places)) for one in self.active if self.estimated_end(one) > at]
        for one, (start, spots) in self.reserved.items():
            if start <= at < start + one.lasts(one.estimate):
                beside += [(one.task, count) for place, count in spots if place == node]
        if node in self.down or (task.rack and self.machine.rack[node] is None):
            return 0
        room = task.workers
        if task.gpus:
            room = min(room, max(devices - sum(other.gpus * count for other, count in beside), 0) // ceil(task.gpus))
        if task.cpus and cpus is not None:
            room = min(room, max(cpus - sum(other.cpus * count for other, count in beside), 0) // task.cpus)
        return int(room)
