"""Which running jobs to stop: every set of them is a problem, all are solved in one F, and the best plan is taken.

Up to MOST_TRIED_WHOLE jobs that may be stopped all sets are tried, so that the least bound bounds them all. With more, jobs are
stopped one by one, the least urgent first, as long as that helps; then nothing is proven.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import TypeAlias

from schedplan.errors import SolverError
from schedplan.measures.stops import stoppable, with_stopped
from schedplan.model.plan import Plan, PlanStatus
from schedplan.model.problem import Problem
from schedplan.model.progress import Progress, Watch, unwatched
from schedplan.model.workload import Job
from schedplan.optimize.ground import ground_of
from schedplan.optimize.options import SolveOptions
from schedplan.optimize.proof import prove
from schedplan.optimize.solve import interrupted, optimize, refuse_unproven
from schedplan.optimize.solved import Solved

MOST_TRIED_WHOLE = 4
MOST_TRIED = 12

_Tried: TypeAlias = tuple[Problem, Plan | None]
"""A problem with jobs stopped and its plan, None where none was found within the limits."""


class Preempting:
    """A solve of a problem with sets of its running jobs stopped. rows: running jobs as their table has them."""

    def __init__(self, problem: Problem, rows: dict[str, Job], options: SolveOptions, watch: Watch = unwatched) -> None:
        self.problem = problem
        self.rows = rows
        self.options = options
        self.watch = watch
        self.able = tuple(job.name for job in stoppable(problem) if job.name in rows)
        self._best: tuple[Problem, Progress] | None = None
        self._solved: Solved | None = None

    def solve(self) -> Solved:
        """Return the best plan, with the problem in which its jobs are stopped.

        Raises SolverError where no plan was found within the limits, or `require_optimal` is set and the proof is missing.
        """
        first = self._tried(())
        is_whole = len(self.able) <= MOST_TRIED_WHOLE
        tried = [first, *(self._all_sets() if is_whole else self._one_by_one(first))]
        solved = [(changed, plan) for changed, plan in tried if plan is not None and plan.proof.objective is not None]
        if not solved:
            return Solved(self.problem, first[1] or optimize(self.problem, self.options))
        changed, best = min(solved, key=lambda found: (found[1].proof.objective or 0.0, len(found[0].stops)))
        bounds = [plan.proof.bound for _, plan in tried if plan is not None and plan.proof.status is not PlanStatus.INFEASIBLE]
        known = [bound for bound in bounds if bound is not None]
        is_bounded = is_whole and len(known) == len(bounds) and all(plan is not None for _, plan in tried)
        plan = _proven(best, min(known) if is_bounded else None, len(tried))
        refuse_unproven(plan.proof, self.options)
        self._solved = Solved(changed, plan)
        return self._solved

    def reached(self) -> Solved | None:
        """Return the best plan of the sets tried so far; what bounds one set bounds no other, so it has no bound."""
        if self._solved is not None or self._best is None:
            return self._solved
        changed, best = self._best
        return Solved(changed, interrupted(ground_of(changed), changed, self.options, replace(best, bound=None)))

    def _all_sets(self) -> Iterator[_Tried]:
        for size in range(1, len(self.able) + 1):
            for names in combinations(self.able, size):
                yield self._tried(names)

    def _one_by_one(self, first: _Tried) -> Iterator[_Tried]:
        best = None if first[1] is None else first[1].proof.objective
        chosen: tuple[str, ...] = ()
        for name in self.able[:MOST_TRIED]:
            changed, plan = self._tried((*chosen, name))
            value = None if plan is None else plan.proof.objective
            yield changed, plan
            if value is not None and (best is None or value < best):
                best, chosen = value, (*chosen, name)

    def _tried(self, names: tuple[str, ...]) -> _Tried:
        """Return a problem with jobs stopped and its plan, None where none was found within the limits."""
        changed = with_stopped(self.problem, tuple(self.rows[name] for name in names))

        def follow(progress: Progress) -> None:
            if progress.decisions is not None and self._is_better(progress):
                self._best = (changed, progress)
            words = f"{', '.join(names)} stopped" if names else "nothing stopped"
            self.watch(replace(progress, phase=f"{words}: {progress.phase}"))

        try:
            return changed, optimize(changed, replace(self.options, require_optimal=False), watch=follow)
        except SolverError:
            return changed, None

    def _is_better(self, progress: Progress) -> bool:
        best = None if self._best is None else self._best[1].objective
        return best is None or (progress.objective is not None and progress.objective < best)


def _proven(best: Plan, bound: float | None, n_tried: int) -> Plan:
    """Return the best plan with the bound that holds for all sets of stopped jobs."""
    proof = best.proof
    if proof.objective is None:
        return best
    found = prove(proof.objective, None if bound is None else min(bound, proof.objective))
    route = f"{proof.route}; {n_tried} sets of stopped jobs"
    return replace(best, proof=replace(found, route=route, work=proof.work))
