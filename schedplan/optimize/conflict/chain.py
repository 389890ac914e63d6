"""Chains: jobs that no plan can place because of others, those that they wait for or start together with.

Arithmetic on the windows of the jobs alone, without their nodes: what is shown here needs no solver.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from schedplan.model.problem import Problem
from schedplan.model.sequence import Unit, in_order
from schedplan.model.workload import Job, JobState
from schedplan.optimize.layout import Layout
from schedplan.packing.screen import Screened
from schedplan.timegrid import format_local


def chained(layout: Layout, alone: tuple[Screened, ...]) -> tuple[Screened, ...]:
    """Return `alone`, the jobs without any place of their own, with those that can't be placed because of others, by name.

    The layout must have a class of its own for every job whose start hangs on another's.
    """
    chain = _Chain(layout.problem, _choices(layout), {found.job.name: found for found in alone})
    ordered = in_order(layout.problem.jobs, lambda unit: (unit[0].name,))
    for unit in ordered:
        chain.go_on(unit)
    chain.close({job.name for unit in ordered for job in unit})
    return tuple(sorted(chain.out.values(), key=lambda found: found.job.name))


def _choices(layout: Layout) -> dict[str, set[tuple[int, int]]]:
    """Return the (start slot, end edge) that each linked job may have."""
    found: dict[str, set[tuple[int, int]]] = defaultdict(set)
    for column in layout.columns:
        name = layout.classes[column.class_idx].job.name
        if name in layout.problem.linked:
            found[name].add((column.start_slot, column.end_edge))
    return found


@dataclass
class _Chain:
    """What is known so far: who is out, and when the others are over at the earliest (edges)."""

    problem: Problem
    choices: dict[str, set[tuple[int, int]]]
    out: dict[str, Screened]
    over: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for job in self.problem.jobs:
            if job.state is JobState.RUNNING and job.name in self.problem.linked:
                self.over[job.name] = min(end for _, end in self.choices[job.name])

    def go_on(self, unit: Unit) -> None:
        """Decide jobs that start together, when all that they wait for is decided."""
        if not any(job.name in self.problem.linked for job in unit):
            return
        for job in unit:
            if job.name not in self.out:
                self._wait(job)
        starts = [{start for start, _ in self._open(job)} for job in unit]
        common = set.intersection(*starts)
        if not common and all(job.name not in self.out for job in unit):
            evidence = f"the rows of gang {unit[0].gang} have no start in common within their windows"
            self.out.update({job.name: Screened(job, "gang", evidence) for job in unit})
        self._together(unit)
        for job in unit:
            if job.name not in self.out:
                self.over[job.name] = min(end for start, end in self._open(job) if start in common)

    def close(self, decided: set[str]) -> None:
        """Take out what was never decided: it waits for itself by way of others."""
        for job in self.problem.jobs:
            if job.state is not JobState.RUNNING and job.name not in decided and job.name not in self.out:
                self.out[job.name] = Screened(job, "after", "what it waits for can only start after itself")

    def _open(self, job: Job) -> set[tuple[int, int]]:
        first = max((self.over.get(name, 0) for name in self.problem.waits_for[job.name]), default=0)
        return {(start, end) for start, end in self.choices[job.name] if start >= first}

    def _wait(self, job: Job) -> None:
        before = self.problem.waits_for[job.name]
        missing = tuple(name for name in before if name in self.out)
        if missing:
            evidence = f"waits for {', '.join(missing)}, which no plan can place"
            self.out[job.name] = Screened(job, "after", evidence, missing)
        elif not self._open(job):
            last = max(before, key=lambda name: (self.over[name], name))
            edges_s, zone = self.problem.grid.edges_s, self.problem.zone
            latest_s = edges_s[max(start for start, _ in self.choices[job.name])]
            evidence = (
                f"waits for {last}, which ends at {format_local(edges_s[self.over[last]], zone)} at the earliest;"
                f" it must start by {format_local(latest_s, zone)}"
            )
            self.out[job.name] = Screened(job, "after", evidence)

    def _together(self, unit: Unit) -> None:
        """Take all rows of a gang out with the first that is."""
        lost = next((job for job in unit if job.name in self.out), None)
        for job in unit:
            if lost is not None and job.name not in self.out:
                evidence = f"starts together with {lost.name} (gang {job.gang}), which no plan can place"
                self.out[job.name] = Screened(job, "gang", evidence, (lost.name,))
