"""The machine of the oracle: what is free of each node, where one more worker stands, how good a node is. It knows no queue."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil

FULL = 1 << 40

Places = list[tuple[int, tuple[tuple[int, int], ...]]]


@dataclass(frozen=True)
class Machine:
    """devices, slices per device, cores (None = not stated), rack per node."""

    devices: tuple[int, ...]
    slices: tuple[int, ...]
    cpus: tuple[int | None, ...]
    rack: tuple[str | None, ...]


@dataclass(frozen=True)
class Task:
    """One job; gpus below 1: a share. rack: all workers in one. interval 0: no checkpoints."""

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
    preemptible: bool = True
    interval: int = 0
    cost: int = 0
    restart: int = 0


@dataclass
class State:
    """Free slices per device and free cores, per node."""

    machine: Machine
    slices: list[list[int]]
    cpus: list[int]
    down: set[int] = field(default_factory=set)

    @classmethod
    def empty(cls, machine: Machine) -> State:
        slices = [[per] * count for count, per in zip(machine.devices, machine.slices, strict=True)]
        return cls(machine, slices, [FULL if cpus is None else cpus for cpus in machine.cpus])

    def copy(self) -> State:
        return State(self.machine, [list(devices) for devices in self.slices], list(self.cpus), self.down)

    def use(self, task: Task, places: Places) -> None:
        for node, devices in places:
            for device, slices in devices:
                self.slices[node][device] -= slices
                assert self.slices[node][device] >= 0
            self.cpus[node] -= task.cpus
            assert self.cpus[node] >= 0

    def score(self, task: Task, node: int, rule: str) -> float:
        """best-fit: - 1/2 sum of what is left of devices and cores over the largest node; worst-fit: 100 x devices + cores left."""
        machine = self.machine
        devices = sum(self.slices[node]) / machine.slices[node] - task.gpus if machine.devices[node] else 0.0
        cpus = self.cpus[node] - task.cpus if machine.cpus[node] else 0.0
        if rule == "first-fit":
            return 0.0
        if rule == "worst-fit":
            return 100 * devices + cpus
        largest = max((cpus or 0 for cpus in machine.cpus), default=0)
        return -0.5 * (devices / max(machine.devices) + (cpus / largest if largest else 0.0))


def place_of_worker(machine: Machine, task: Task, node: int, state: State) -> tuple[tuple[int, int], ...] | None:
    """The devices that a worker takes: the first whole ones, a share on the fullest that holds it."""
    if node in state.down or state.cpus[node] < task.cpus or (task.rack and machine.rack[node] is None):
        return None
    if task.gpus == 0:
        return ()
    per = machine.slices[node]
    if task.gpus >= 1:
        whole = [device for device, free in enumerate(state.slices[node]) if free == per]
        return tuple((device, per) for device in whole[: int(task.gpus)]) if len(whole) >= task.gpus else None
    asked = ceil(task.gpus * per - 1e-9)
    fitting = [(free, device) for device, free in enumerate(state.slices[node]) if free >= asked]
    return ((min(fitting)[1], asked),) if fitting else None


def take(machine: Machine, task: Task, node: int, state: State) -> tuple[int, tuple[tuple[int, int], ...]]:
    devices = place_of_worker(machine, task, node, state)
    assert devices is not None
    state.use(task, [(node, devices)])
    return node, devices


def workers_on(machine: Machine, task: Task, node: int, state: State) -> int:
    state, count = state.copy(), 0
    while count < task.workers and place_of_worker(machine, task, node, state) is not None:
        take(machine, task, node, state)
        count += 1
    return count


def groups(machine: Machine, task: Task) -> list[list[int]]:
    """The groups of nodes of which one must hold all workers."""
    nodes = list(range(len(machine.devices)))
    if not task.rack:
        return [nodes]
    racks = sorted({rack for rack in machine.rack if rack is not None})
    return [[node for node in nodes if machine.rack[node] == rack] for rack in racks]


def placed(machine: Machine, task: Task, workers: int, state: State, group: list[int], rule: str) -> Places:
    """Worker by worker, the best node of a group that holds them all."""
    state, places = state.copy(), []
    for _ in range(workers):
        fitting = [node for node in group if place_of_worker(machine, task, node, state) is not None]
        best = max(fitting, key=lambda node: (state.score(task, node, rule), -node))
        places.append(take(machine, task, best, state))
    return places
