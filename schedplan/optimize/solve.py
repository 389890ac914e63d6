"""From a problem to a plan with its proof: screen, reference, the model on pools, packing, and the model on single nodes.

A plan is handed out only after the solver-free check of `measures` has accepted it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from schedplan.errors import SolverError
from schedplan.measures.accounting import account, goal_values
from schedplan.measures.feasibility import violations
from schedplan.measures.objective import Normalisation, terms, total
from schedplan.measures.work import endless_wait, importance
from schedplan.model.plan import Decisions, Plan, PlanStatus, Proof
from schedplan.model.problem import Problem
from schedplan.model.workload import Job
from schedplan.optimize.branch import branch
from schedplan.optimize.conflict import conflict
from schedplan.optimize.formulation import Formulation, formulate
from schedplan.optimize.keep import carried_over
from schedplan.optimize.layout import Layout, Level, layout
from schedplan.optimize.least_carbon import sunk_carbon
from schedplan.optimize.on_nodes import on_nodes
from schedplan.optimize.options import SolveOptions
from schedplan.optimize.proof import EXACT, prove
from schedplan.optimize.reference import normalisation as scales
from schedplan.optimize.reference import reference
from schedplan.optimize.repair import repairs
from schedplan.optimize.satisfaction import Answer, satisfaction
from schedplan.optimize.screening import screened_jobs
from schedplan.optimize.search import Found, Outcome, search
from schedplan.packing.settling import replica_starts, settlings

NEARLY = 0.001


@dataclass(frozen=True, slots=True)
class Incumbent:
    """Decisions that the check accepts, with their value of F."""

    decisions: Decisions
    objective: float


def optimize(problem: Problem, options: SolveOptions | None = None, normalisation: Normalisation | None = None) -> Plan:
    """Return the plan of a problem with its bound, or its conflict where nothing is feasible.

    `normalisation` replaces the scales of the reference plan, so that plans of two problems can be compared in one F.
    Raises SolverError where no plan was found within the limits, or `require_optimal` is set and the proof is missing.
    """
    return _Solve(problem, options or SolveOptions(), normalisation).plan()


class _Solve:
    """One solve: what all its steps share. It lives for one call."""

    def __init__(
        self, problem: Problem, options: SolveOptions, normalisation: Normalisation | None, *, with_repairs: bool = True
    ) -> None:
        self.with_repairs = with_repairs
        self.problem = problem
        self.options = options
        self.reference = reference(problem)
        self.normalisation = normalisation or scales(problem, self.reference)
        self.screened = screened_jobs(problem)
        self.excluded: tuple[Job, ...] = tuple(found.job for found in self.screened)
        self.jobs = tuple(job for job in problem.jobs if job not in self.excluded)
        self.best: Incumbent | None = None
        self.bounds: list[float] = []
        self.route: list[str] = []
        self.work: list[tuple[str, float]] = []
        self.hit_clock = False
        self.known = ""

    def plan(self) -> Plan:
        """Run the steps and return the plan."""
        if any(found.job.required for found in self.screened):
            return self._infeasible()
        self._offer(self.reference)
        kept = carried_over(self.problem)
        if kept is not None:
            self._offer(kept)
        if self.best is None and self._must_have_no_plan():
            return self._infeasible()
        for level, limit in ((Level.POOLS, self.options.pool_columns), (Level.NODES, self.options.node_columns)):
            shape = layout(self.problem, self.jobs, level)
            if shape.n_columns > limit:
                self.route.append(f"model on {level.value} not tried: {shape.n_columns} columns, limit {limit}")
            elif self._rules_out(shape):
                return self._infeasible()
            if self._is_closed(shape):
                break
        if self.best is None:
            raise SolverError(
                f"no plan was found within the limits{f': {self.known}' if self.known else ''}",
                hint="Raise the limits of the solver, or relax a limit of the project.",
            )
        return self._finish(self._settled(self.best))

    def _must_have_no_plan(self) -> bool:
        """Ask whether what must hold has a plan, keeping the one that is found; whether there is none."""
        found = satisfaction(self.problem, self.options)
        self.known = found.known
        self.route.append("what must hold, alone" + (f": {found.known}" if found.known else ": has a plan"))
        if found.decisions is not None:
            self._offer(found.decisions)
        return found.answer is Answer.IMPOSSIBLE

    def _rules_out(self, shape: Layout) -> bool:
        """Search the model of one layout, keeping plans and bounds; whether it was proven to have no plan."""
        formulation = formulate(shape, self.normalisation, self.excluded)
        self.route.append(f"{shape.n_columns} columns on {shape.level.value}, {len(shape.classes)} classes")
        found = self._search(formulation, self.options.glance_limit)
        if found.outcome is Outcome.INFEASIBLE:
            return True
        if not self._is_closed(shape):
            nodes = self.options.branch_nodes(shape.n_columns)
            found = branch(formulation, self.options, nodes)
            self.route.append("HiGHS branch and bound" if nodes else "HiGHS relaxation")
            self.work.append((f"{shape.level.value}_branch_nodes", found.work))
            self._keep(found)
        is_whole = shape.level is Level.NODES or shape.n_columns <= self.options.whole_columns
        if self._is_closed(shape) or not is_whole:
            return False
        return self._search(formulation, self.options.work_limit).outcome is Outcome.INFEASIBLE

    def _search(self, formulation: Formulation, work_limit: float) -> Found:
        """Run CP-SAT from the best plan so far, and keep what it finds."""
        found = search(formulation, self.options, work_limit, self.best.decisions if self.best else None)
        level = formulation.variables.layout.level.value
        self.route.append(f"CP-SAT, {work_limit:g} units of work at most")
        self.work.append((f"{level}_deterministic_time", round(found.work, 6)))
        self._keep(found)
        return found

    def _keep(self, found: Found) -> None:
        self.hit_clock = self.hit_clock or found.hit_clock
        if found.bound is not None:
            self.bounds.append(found.bound)
        if found.outcome is Outcome.SOLVED:
            for decisions in on_nodes(self.problem, found.gangs, found.fleets):
                self._offer(decisions)

    def _offer(self, decisions: Decisions) -> None:
        """Keep decisions that the check accepts and that are better than what is kept."""
        if violations(self.problem, decisions):
            return
        value = total(terms(self.problem, goal_values(self.problem, decisions), self.normalisation))
        if self.best is None or value < self.best.objective:
            self.best = Incumbent(decisions, value)

    def _is_closed(self, shape: Layout) -> bool:
        if self.best is None or not self.bounds:
            return False
        proof = prove(self.best.objective, max(self.bounds))
        gap = self.options.gap_for(shape.n_columns)
        return proof.status is PlanStatus.OPTIMAL or (proof.gap is not None and proof.gap <= gap)

    def _settled(self, best: Incumbent) -> Incumbent:
        """Return the plan with fewer moves of replicas, where that costs nothing."""
        starts = replica_starts(best.decisions)
        for decisions in settlings(self.problem, best.decisions) if starts else ():
            value = total(terms(self.problem, goal_values(self.problem, decisions), self.normalisation))
            is_as_good = value <= best.objective + EXACT * max(1.0, abs(best.objective)) / 10
            if is_as_good and replica_starts(decisions) < starts and not violations(self.problem, decisions):
                best, starts = Incumbent(decisions, value), replica_starts(decisions)
        return best

    def _finish(self, best: Incumbent) -> Plan:
        found = account(self.problem, best.decisions)
        parts = terms(self.problem, found.goals, self.normalisation)
        proof = prove(
            total(parts), max(self.bounds) if self.bounds else None, sunk(self.problem, self.normalisation, self.excluded)
        )
        if self.options.require_optimal and proof.status is not PlanStatus.OPTIMAL:
            raise SolverError(
                f"the plan is not proven optimal: its gap is {proof.gap}",
                code="SP4002",
                hint="The search ends by counted work, not by the clock; make the problem smaller, or accept the gap.",
            )
        clock = ("the clock ended the search, so another run may find another plan",) if self.hit_clock else ()
        return Plan(
            decisions=best.decisions,
            proof=replace(proof, route="; ".join(self.route), work=tuple(self.work)),
            terms=parts,
            measures=found.measures,
            placements=found.placements,
            replicas=found.replicas,
            node_use=found.node_use,
            warnings=found.warnings + clock,
            seed=self.options.seed,
        )

    def _cheapest(self, changed: Problem) -> Plan:
        """Return a plan of a changed problem that little search was spent on."""
        options = replace(self.options, gap=NEARLY, work_limit=self.options.glance_limit, branch_work=0, require_optimal=False)
        try:
            return _Solve(changed, options, None, with_repairs=False).plan()
        except SolverError:
            return self._empty(Proof(PlanStatus.UNKNOWN, None, None, None, None, ""))

    def _empty(self, proof: Proof) -> Plan:
        nothing = Decisions((), (), np.zeros((len(self.problem.cluster.nodes), self.problem.grid.n_slots), dtype=np.bool_))
        return Plan(decisions=nothing, proof=proof, seed=self.options.seed)

    def _infeasible(self) -> Plan:
        items = conflict(self.problem, self.screened, self.options)
        if len({item.group for item in items}) > sum(found.job.required for found in self.screened):
            self.route.append("confirmed by CP-SAT without presolve and by HiGHS")
        found = repairs(self.problem, items, self.options, self._cheapest) if self.with_repairs else ()
        proof = Proof(PlanStatus.INFEASIBLE, None, None, None, None, "; ".join(self.route) or "arithmetic", (), items, found)
        return self._empty(proof)


def sunk(problem: Problem, normalisation: Normalisation, excluded: tuple[Job, ...]) -> float:
    """Return the part of F that no plan can avoid: what is paid for anyway, and the work that no plan can place."""
    always = sum(
        pool.always_on * float(problem.price_per_h(pool) @ problem.grid.hours) for pool in problem.cluster.pools if pool.always_on
    )
    whole = sum(importance(problem, job) for job in problem.jobs)
    lost = sum(importance(problem, job) for job in excluded) / whole * problem.objective.unplaced if whole else 0.0
    waits = sum(endless_wait(problem, job) for job in excluded)
    shares = {"cost": always, "latency": waits, "carbon": sunk_carbon(problem)}
    weight = problem.objective.weight
    return sum(weight(goal) * value / normalisation.of(goal).divisor for goal, value in shares.items()) + lost
