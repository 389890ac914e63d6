"""A berth: where and when one gang stands, node by node. It does not know whether there is room."""

from __future__ import annotations

from dataclasses import dataclass

from schedplan.model.plan import JobPart
from schedplan.model.workload import Job

Taken = tuple[tuple[int, int], ...]
"""(node index, workers on it) of one gang."""


@dataclass(frozen=True, slots=True)
class Berth:
    """A job from a slot to an edge; nodes: (index in Cluster.nodes, workers), each node once."""

    job: Job
    start_slot: int
    end_edge: int
    nodes: Taken

    @property
    def workers(self) -> int:
        return sum(workers for _, workers in self.nodes)

    @property
    def slots(self) -> slice:
        return slice(self.start_slot, self.end_edge)

    def parts(self, names: tuple[str, ...]) -> tuple[JobPart, ...]:
        """Return its parts, by the names of all nodes."""
        return tuple(JobPart(self.job.name, names[node], self.start_slot, workers) for node, workers in self.nodes)
