"""What nodes have and hold, resource by resource: a worker fits where the sums leave room. It knows no single devices."""

from __future__ import annotations

from schedplan.model.cluster import NodeStatus
from schedplan.model.problem import Problem
from schedplan.model.workload import Job, WorkerShape
from tests.oracle.arithmetic import Arithmetic, Option
from tests.oracle.devices import counts_in_sum, profiles_of
from tests.oracle.quotas import RESOURCES, amounts

TOLERANCE = 1e-9

Use = tuple[float, ...]
"""Devices, cores, memory, other resources by name; then per tenant and resource of quotas what it holds."""
Occupancy = tuple[Use, ...]
"""What every node holds in one slot."""


class Rooms:
    """The nodes of a problem by their index, with what each of them has."""

    def __init__(self, problem: Problem, facts: Arithmetic) -> None:
        self.facts = facts
        self.nodes = range(len(facts.pools))
        self.resource_names = tuple(
            sorted({name for pool in problem.cluster.pools for name, _ in pool.resources} | _asked(problem))
        )
        self.tenants = tuple(sorted({work.tenant for work in (*problem.jobs, *problem.services)})) if problem.quotas else ()
        self.capacity = tuple(self._capacity(node) for node in self.nodes)

    def takes(self, node: int, shape: WorkerShape) -> bool:
        pool = self.facts.pools[node]
        if pool.status is not NodeStatus.READY or self.facts.number[node] >= pool.nodes:
            return False
        if shape.accelerators and pool.accelerator not in shape.accelerators:
            return False
        if shape.slice_profile is not None and shape.slice_profile not in profiles_of(pool):
            return False
        if shape.gpu_memory_gib is not None and pool.gpu_memory_gib is not None and pool.gpu_memory_gib < shape.gpu_memory_gib:
            return False
        for taint in pool.taints:
            tolerated = any(t.key == taint.key and t.value in ("", taint.value) for t in shape.tolerations)
            if taint.effect in ("NoSchedule", "NoExecute") and not tolerated:
                return False
        return True

    def _capacity(self, node: int) -> Use:
        pool = self.facts.pools[node]
        known = dict(pool.resources)
        unknown = float("inf")
        cpus = unknown if pool.cpus is None else pool.cpus
        memory = unknown if pool.memory_gib is None else pool.memory_gib
        of_tenants = (unknown,) * (len(self.tenants) * len(RESOURCES))
        return (float(pool.gpus), cpus, memory, *(known.get(name, 0.0) for name in self.resource_names), *of_tenants)

    def use(self, shape: WorkerShape, tenant: str | None = None) -> Use:
        """Return what a worker takes of a node; beyond its resources, per tenant and resource, what it takes for that tenant."""
        asked = dict(shape.resources)
        of_tenants = [amount if name == tenant else 0.0 for name in self.tenants for amount in amounts(shape).values()]
        gpus = shape.gpus if counts_in_sum(shape) else 0.0
        return (gpus, shape.cpus, shape.memory_gib, *(asked.get(name, 0.0) for name in self.resource_names), *of_tenants)

    def no_use(self) -> Use:
        return (0.0,) * (3 + len(self.resource_names) + len(self.tenants) * len(RESOURCES))

    def held_by_tenants(self, held: Occupancy) -> dict[tuple[str, str | None, str], float]:
        """Return what tenants hold in a slot by device model and resource."""
        found: dict[tuple[str, str | None, str], float] = {}
        first = 3 + len(self.resource_names)
        for node in self.nodes:
            names = [(tenant, self.facts.pools[node].accelerator, resource) for tenant in self.tenants for resource in RESOURCES]
            for name, amount in zip(names, held[node][first:], strict=True):
                found[name] = found.get(name, 0.0) + amount
        return found

    def most_workers(self, node: int, shape: WorkerShape, held: Use | None = None) -> int:
        """Workers that still fit on a node beside what it holds; a worker that asks for nothing is bounded by 64."""
        room = [have - use for have, use in zip(self.capacity[node], held or self.no_use(), strict=True)]
        counts = [
            int((left + TOLERANCE) // ask) for left, ask in zip(room, self.use(shape), strict=True) if ask > 0 and left < 1e300
        ]
        if not counts_in_sum(shape):
            counts.append(self.facts.pools[node].gpus * self.facts.pools[node].slices_per_gpu)
        return max(0, min([*counts, shape.max_per_node if shape.max_per_node is not None else 64]))

    def filled(self, occupied: tuple[Occupancy, ...], job: Job, option: Option) -> tuple[Occupancy, ...] | None:
        """Return the occupancy with a job in it, None where it does not fit."""
        ask = self.use(job.shape, job.tenant)
        filled = list(occupied)
        for slot, workers in ((slot, workers) for start, end, workers in option.spans for slot in range(start, end)):
            row = list(filled[slot])
            for node, count in enumerate(workers):
                if not count:
                    continue
                row[node] = tuple(round(held + count * use, 9) for held, use in zip(row[node], ask, strict=True))
                if any(held > have + TOLERANCE for held, have in zip(row[node], self.capacity[node], strict=True)):
                    return None
            filled[slot] = tuple(row)
        return tuple(filled)

    def with_work(self, held: Occupancy) -> frozenset[int]:
        return frozenset(node for node in self.nodes if held[node] != self.no_use())


def _asked(problem: Problem) -> set[str]:
    shapes = [job.shape for job in problem.jobs] + [service.shape for service in problem.services]
    return {name for shape in shapes for name, _ in shape.resources}
