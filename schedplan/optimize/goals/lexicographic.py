"""Goal by goal: each as good as it can be with those before it held at their best, the work left out before all of them.

    unplaced, then each goal of the order, then the weighted objective for whatever freedom is left

A goal that has been solved for is held at the value that was found, plus HELD of it: solvers round, and a hair of room costs
nothing that anyone would notice. Where a stage is not proven, its gap is told, and what follows is held at what was found.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from schedplan.measures.accounting import goal_values
from schedplan.measures.missed import missed_importance
from schedplan.measures.objective import Normalisation, goal_unit
from schedplan.measures.runs import fleets_of, missed_shares
from schedplan.measures.work import importance
from schedplan.model.plan import Plan, PlanStatus, Stage
from schedplan.model.problem import GOALS, AtMost, Objective, Problem
from schedplan.model.progress import NOTHING, Progress, Watch, unwatched
from schedplan.optimize.ground import Ground, Incumbent, ground_of
from schedplan.optimize.objective import UNPLACED
from schedplan.optimize.options import SolveOptions
from schedplan.optimize.solve import interrupted, refuse_unproven, solve_on
from schedplan.optimize.solved import Solved

HELD = 1e-6


def lexicographic(problem: Problem, order: tuple[str, ...], options: SolveOptions | None = None) -> Plan:
    """Return the plan of the last stage, with every stage before it. `order` names goals of GOALS, each once.

    The plan is optimal only if every stage was. Infeasible is an answer of the first stage. SolverError as `optimize` raises it.
    """
    return GoalByGoal(problem, order, options or SolveOptions()).solve().plan


@dataclass(frozen=True, slots=True)
class _Stand:
    """How far a solve is: the stages that are done, and the best plan of the one that follows them."""

    stages: tuple[Stage, ...] = ()
    best: Progress = NOTHING

    @property
    def held(self) -> tuple[AtMost, ...]:
        return tuple(AtMost(stage.goal, stage.held_at) for stage in self.stages)


class GoalByGoal:
    """A solve of a problem for its goals in an order."""

    def __init__(self, problem: Problem, order: tuple[str, ...], options: SolveOptions, watch: Watch = unwatched) -> None:
        self.problem = problem
        self.order = (UNPLACED, *order)
        self.options = options
        self.watch = watch
        self.ground = ground_of(problem, is_reused=True)
        self._stand = _Stand()
        self._solved: Solved | None = None

    def solve(self) -> Solved:
        """Return the plan with its stages, and the problem that holds their goals."""
        starts: tuple[Incumbent, ...] = ()
        for goal in self.order:
            found = least_of(self.ground, self.problem, goal, self._held(), self.options, starts, self._follow)
            if found.proof.status is PlanStatus.INFEASIBLE:
                return Solved(self.problem, found)
            starts = (incumbent_of(self.problem, found),)
            stages = (*self._stand.stages, stage_of(self.problem, found, goal, self.ground.normalisation))
            self._stand = _Stand(stages, replace(NOTHING, decisions=found.decisions))
        answered = self._answered()
        last = solve_on(self.ground, answered, self.options, starts, self._follow)
        plan = _staged(last, self._stand.stages)
        refuse_unproven(plan.proof, self.options)
        self._solved = Solved(answered, plan)
        return self._solved

    def reached(self) -> Solved | None:
        """Return the best plan so far, with the stages that are done; the goals after them have not been solved for."""
        stand = self._stand
        if self._solved is not None or stand.best.decisions is None:
            return self._solved
        missing = self.order[len(stand.stages) :]
        # A bound of a goal alone bounds nothing of the weighted objective.
        best = replace(stand.best, bound=None) if missing else stand.best
        answered = self._answered()
        plan = _staged(interrupted(self.ground, answered, self.options, best), stand.stages)
        told = (f"goal by goal: {', '.join(missing)} had not been solved for",) if missing else ()
        return Solved(answered, replace(plan, warnings=(*plan.warnings, *told)))

    def _answered(self) -> Problem:
        """Return the problem that holds the goals of the stages that are done."""
        return replace(self.problem, objective=replace(self.problem.objective, at_most=self._held()))

    def _held(self) -> tuple[AtMost, ...]:
        return (*self.problem.objective.at_most, *self._stand.held)

    def _follow(self, progress: Progress) -> None:
        if progress.decisions is not None:
            self._stand = replace(self._stand, best=progress)
        n_done, n_all = len(self._stand.stages), len(self.order)
        words = f"goal {n_done + 1} of {n_all}, {self.order[n_done]}" if n_done < n_all else "the weights beside them"
        self.watch(replace(progress, phase=f"{words}: {progress.phase}"))


def least_of(
    ground: Ground,
    problem: Problem,
    goal: str,
    held: tuple[AtMost, ...],
    options: SolveOptions,
    starts: tuple[Incumbent, ...],
    watch: Watch = unwatched,
) -> Plan:
    """Return the plan with the least of one goal alone, or of the work left out, while others are held."""
    weights = {name: float(name == goal) for name in GOALS}
    alone = weighed(problem.objective, weights, float(goal == UNPLACED), held)
    return solve_on(ground, replace(problem, objective=alone), replace(options, require_optimal=False), starts, watch)


def weighed(own: Objective, weights: Mapping[str, float], unplaced: float, held: tuple[AtMost, ...]) -> Objective:
    """Return an objective with other weights, another price of leaving work out and goals held; its rates stay."""
    return replace(
        own,
        latency=weights["latency"],
        utilization=weights["utilization"],
        cost=weights["cost"],
        carbon=weights["carbon"],
        unplaced=unplaced,
        at_most=held,
    )


def stage_of(problem: Problem, found: Plan, goal: str, normalisation: Normalisation) -> Stage:
    """Return what a solve for one goal alone gave, in the goal's own unit."""
    value = next(term.value for term in found.terms if term.name == goal)
    divisor = 1.0 if goal == UNPLACED else normalisation.of(goal).divisor
    bound = None if found.proof.bound is None else min(found.proof.bound * divisor, value)
    held_at = value + HELD * max(1.0, abs(value))
    return Stage(goal, value, goal_unit(problem, goal), bound, found.proof.gap, found.proof.status, held_at)


def incumbent_of(problem: Problem, plan: Plan) -> Incumbent:
    """Return a plan as something to begin from."""
    return Incumbent(plan.decisions, goal_values(problem, plan.decisions), plan.proof.objective or 0.0)


def leaves_out_least(problem: Problem, plan: Plan, ground: Ground) -> bool:
    """Whether a plan places and serves all that any plan can, so that nothing need be solved to know the least left out."""
    placed = {part.job for part in plan.decisions.parts}
    hopeless = {job.name for job in ground.excluded}
    if missed_importance(problem, missed_shares(problem, fleets_of(problem, plan.decisions))) > 0:
        return False
    return all(job.name in placed or job.name in hopeless or importance(problem, job) == 0 for job in problem.jobs)


def _staged(last: Plan, stages: tuple[Stage, ...]) -> Plan:
    """Return the last plan with its stages; it is optimal only if all of them are."""
    proof = last.proof
    if proof.status is PlanStatus.OPTIMAL and any(stage.status is not PlanStatus.OPTIMAL for stage in stages):
        proof = replace(proof, status=PlanStatus.FEASIBLE)
    return replace(last, proof=proof, stages=stages)
