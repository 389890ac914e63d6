"""A problem with the decisions to be checked, and what several rules look up in it. It knows no rule."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from schedplan.measures.coverage import mix_of
from schedplan.measures.devices import Unassigned, unassigned_nodes
from schedplan.measures.pieces import pieces_of
from schedplan.measures.runs import Run, runs_of
from schedplan.measures.warm_up import serving_parts
from schedplan.measures.work import placed_workers, run_minutes
from schedplan.model.cluster import Pool
from schedplan.model.findings import Finding, Severity
from schedplan.model.plan import Decisions, JobPart, ReplicaPart
from schedplan.model.problem import Problem
from schedplan.timegrid import format_local

FORGIVEN = 1e-6
CODES = {
    "place": "SP3101",
    "capacity": "SP3102",
    "gang": "SP3103",
    "topology": "SP3104",
    "window": "SP3105",
    "spot": "SP3106",
    "service": "SP3107",
    "budget": "SP3108",
    "supply": "SP3109",
    "required": "SP3110",
    "running": "SP3111",
    "eligible": "SP3112",
    "quota": "SP3113",
    "after": "SP3114",
    "slices": "SP3115",
    "min_on_time": "SP3116",
    "rules": "SP3117",
    "reserve": "SP3118",
    "pieces": "SP3119",
    "outage": "SP3130",
    "pin": "SP3131",
    "preempt": "SP3132",
    "at_most": "SP3150",
}


def broken(rule: str, subject: str, message: str, hint: str | None = None) -> Finding:
    """Return an error finding of one of the rules of CODES."""
    return Finding(CODES[rule], Severity.ERROR, subject, message, hint)


@dataclass(frozen=True)
class Case:
    problem: Problem
    decisions: Decisions

    @cached_property
    def parts_of(self) -> dict[str, list[JobPart]]:
        found: dict[str, list[JobPart]] = {}
        for part in sorted(self.decisions.parts):
            found.setdefault(part.job, []).append(part)
        return found

    @cached_property
    def pieces_of(self) -> dict[str, list[list[JobPart]]]:
        """Parts of each job by piece, in order of time; most jobs run in one."""
        return {name: pieces_of(parts) for name, parts in self.parts_of.items()}

    @cached_property
    def workers_of(self) -> dict[str, int]:
        return placed_workers(self.decisions.parts)

    @cached_property
    def replicas_of(self) -> dict[str, dict[int, list[ReplicaPart]]]:
        """Parts per service and slot."""
        found: dict[str, dict[int, list[ReplicaPart]]] = {service.name: {} for service in self.problem.services}
        for part in sorted(self.decisions.replicas):
            found[part.service].setdefault(part.slot, []).append(part)
        return found

    @cached_property
    def runs(self) -> tuple[Run, ...]:
        """What the parts of each placed job mean in time, by name, one for each piece of it."""
        return runs_of(self.problem, self.decisions)

    @cached_property
    def unassigned(self) -> tuple[Unassigned, ...]:
        """Nodes whose work finds no single devices, each with the rule in the way."""
        return unassigned_nodes(self.problem, self.runs, self.decisions.replicas)

    @cached_property
    def serving_of(self) -> dict[str, tuple[tuple[ReplicaPart, ...], ...]]:
        """Parts of a service per slot that serve in it: those that stand, less what still warms up."""
        stands: dict[str, list[ReplicaPart]] = {service.name: [] for service in self.problem.services}
        for part in sorted(self.decisions.replicas):
            stands[part.service].append(part)
        return {service.name: serving_parts(self.problem, service, stands[service.name]) for service in self.problem.services}

    def mix(self, stands: Iterable[ReplicaPart]) -> dict[str | None, int]:
        """Return the replicas on each device model, in the order in which they come."""
        return mix_of(self.problem.cluster, stands)

    def pool(self, node: str) -> Pool:
        return self.problem.cluster.pool_of_node[node]

    def row(self, node: str) -> int:
        return self.problem.cluster.node_idx[node]

    def when(self, slot: int) -> str:
        return self.at(self.problem.grid.edges_s[slot])

    def at(self, instant_s: int) -> str:
        return format_local(instant_s, self.problem.zone)

    def minutes(self, part: JobPart) -> float:
        """The run time of a part, by the workers that its job has in all."""
        job = self.problem.job_by_name[part.job]
        return run_minutes(self.problem, job, self.pool(part.node), self.workers_of[part.job])

    def end_edge(self, part: JobPart) -> int | None:
        if part.end_edge is not None:
            return part.end_edge
        return self.problem.grid.end_edge(part.start_slot, self.minutes(part))

    def slots(self, part: JobPart) -> slice:
        end = self.end_edge(part)
        return slice(part.start_slot, self.problem.grid.n_slots if end is None else end)

    @cached_property
    def usable(self) -> NDArray[np.bool_]:
        """Whether a node is on and past its start-up, bool [node, slot]."""
        found = np.zeros_like(self.decisions.on)
        for pool in self.problem.cluster.pools:
            for number, name in enumerate(pool.node_names()):
                row = self.row(name)
                is_warm = pool.market.is_sunk or number < pool.count
                found[row] = self._up(self.decisions.on[row], pool, is_warm)
        return found

    def _up(self, on: NDArray[np.bool_], pool: Pool, is_warm: bool) -> NDArray[np.bool_]:
        edges_s = self.problem.grid.edges_s
        up = np.zeros_like(on)
        ready_s = float(edges_s[0]) if is_warm else None
        for slot, is_on in enumerate(on):
            if not is_on:
                ready_s = None
                continue
            if ready_s is None:
                ready_s = edges_s[slot] + pool.startup_minutes * 60.0
            up[slot] = edges_s[slot] >= ready_s - FORGIVEN
        return up
