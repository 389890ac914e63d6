"""From a problem to a plan with its proof: screen, reference, the model on pools, packing, and the model on single nodes.

A plan is handed out only after the solver-free check of `measures` has accepted it.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from schedplan.errors import SolverError
from schedplan.measures.accounting import account, goal_values
from schedplan.measures.exchange import exchange_rates
from schedplan.measures.feasibility import violations
from schedplan.measures.objective import Normalisation, terms, total
from schedplan.model.plan import ConflictItem, Decisions, Plan, PlanStatus, Proof
from schedplan.model.problem import AtMost, Problem
from schedplan.model.progress import Progress, Watch, unwatched
from schedplan.optimize.best import Best
from schedplan.optimize.conflict.core import conflict
from schedplan.optimize.conflict.satisfaction import Answer, satisfaction
from schedplan.optimize.decompose.apart import is_apart
from schedplan.optimize.decompose.in_parts import SearchInParts
from schedplan.optimize.decompose.in_shares import SearchInShares
from schedplan.optimize.decompose.shares import number_of_shares
from schedplan.optimize.ground import Ground, Incumbent, ground_of
from schedplan.optimize.options import SolveOptions
from schedplan.optimize.proof import EXACT
from schedplan.optimize.reference.keep import carried_over
from schedplan.optimize.reference.policy import ListPolicy
from schedplan.optimize.reference.standard import listed, values
from schedplan.optimize.repair.repairs import repairs
from schedplan.optimize.search import Search
from schedplan.packing.settling import replica_starts, settlings

NEARLY = 0.001
MOST_NAMED = 20


def optimize(
    problem: Problem,
    options: SolveOptions | None = None,
    normalisation: Normalisation | None = None,
    watch: Watch = unwatched,
) -> Plan:
    """Return the plan of a problem with its bound, or its conflict where nothing is feasible.

    `normalisation` replaces the scales of the reference plan, so that plans of two problems can be compared in one F. `watch` is
    told how far the search is.
    Raises SolverError where no plan was found within the limits, or `require_optimal` is set and the proof is missing.
    """
    chosen = options or SolveOptions()
    return _Solve(problem, chosen, ground_of(problem, normalisation, chosen), watch=watch).plan()


def solve_on(
    ground: Ground, problem: Problem, options: SolveOptions, starts: tuple[Incumbent, ...] = (), watch: Watch = unwatched
) -> Plan:
    """Return the plan of a problem that differs from the ground's in weights and held goals alone.

    starts: plans to begin from, where they keep what is held; the check has accepted them. Raises SolverError as `optimize` does.
    """
    return _Solve(problem, options, ground, starts=starts, watch=watch).plan()


def solve_briefly(
    ground: Ground, problem: Problem, options: SolveOptions, starts: tuple[Incumbent, ...], watch: Watch = unwatched
) -> tuple[Incumbent, Proof] | None:
    """Return the best decisions of such a problem with their proof, without the rows and numbers of a plan; None where none are."""
    return _Solve(problem, options, ground, starts=starts, watch=watch).brief()


def plan_of(ground: Ground, problem: Problem, options: SolveOptions, found: Incumbent, proof: Proof) -> Plan:
    """Return the plan of what `solve_briefly` found for a problem."""
    return _plan(problem, options, ground.normalisation, found.decisions, proof)


def refuse_unproven(proof: Proof, options: SolveOptions) -> None:
    """Raise SolverError where `require_optimal` is set and the proof is missing."""
    if options.require_optimal and proof.status is not PlanStatus.OPTIMAL:
        raise SolverError(
            f"the plan is not proven optimal: its gap is {proof.gap}",
            code="SP4002",
            hint="The search ends by counted work, not by the clock; make the problem smaller, or accept the gap.",
        )


def interrupted(ground: Ground, problem: Problem, options: SolveOptions, reached: Progress) -> Plan:
    """Return the plan that a search had reached when it was ended from outside. ValueError where it had none."""
    if reached.decisions is None:
        raise ValueError("no plan was reached")
    return _Solve(problem, replace(options, require_optimal=False), ground).kept(reached.decisions, reached.bound)


class _Solve:
    """One solve: what all its steps share. It lives for one call."""

    def __init__(
        self,
        problem: Problem,
        options: SolveOptions,
        ground: Ground,
        *,
        starts: tuple[Incumbent, ...] = (),
        with_repairs: bool = True,
        watch: Watch = unwatched,
    ) -> None:
        self.with_repairs = with_repairs
        self.problem = problem
        self.options = options
        self.normalisation = ground.normalisation
        self.screened = ground.screened
        self.reference = ground.reference
        self.starts = starts
        self.listed: tuple[tuple[ListPolicy, Decisions], ...] = ()
        self.known = ""
        self.best = Best(problem, options, ground, watch)
        self.search = Search(self.best, ground.models, partial(_unbroken, problem, options, ground.normalisation))

    def plan(self) -> Plan:
        """Run the steps and return the plan."""
        best = self._found()
        return self._infeasible() if best is None else self._finish(self._settled(best))

    def brief(self) -> tuple[Incumbent, Proof] | None:
        """Run the steps and return the best decisions with their proof; None where there is no plan."""
        best = self._found()
        return None if best is None else (best, self.best.proof(best))

    def _found(self) -> Incumbent | None:
        """Run the steps and return the best decisions found, None where it is proven that there are none."""
        if any(found.job.required for found in self.screened):
            return None
        self.best.tell("reference plan")
        self._begin()
        if self.best.incumbent is None and self._must_have_no_plan():
            return None
        if is_apart(self.problem, self.options, self.best.size):
            SearchInParts(self.best, self._apart).run()
        elif (count := number_of_shares(self.problem, self.options, self.best.size)) > 1:
            SearchInShares(self.best, self._apart, count).run()
        elif not self.search.has_plan():
            return None
        if self.best.incumbent is None:
            raise SolverError(
                f"no plan was found within the limits{f': {self.known}' if self.known else ''}",
                hint="Raise the limits of the solver, or relax a limit of the project.",
            )
        return self.best.incumbent

    def _begin(self) -> None:
        """Begin from what is given, else from what arithmetic alone gives: the list policies' plans and the earlier one."""
        for known in self.starts:
            self.best.take(known.decisions, known.goals)
        if self.best.incumbent is None:
            self.listed = listed(self.problem, self.reference) if self.with_repairs else ()
            for decisions in (self.reference, *(decisions for _, decisions in self.listed[1:])):
                self.best.offer(decisions)
            kept = carried_over(self.problem)
            if kept is not None:
                self.best.offer(kept)

    def kept(self, decisions: Decisions, bound: float | None) -> Plan:
        """Return a plan as it stands, without any search."""
        self.best.bounds += [] if bound is None else [bound]
        self.best.route.append("interrupted")
        goals = goal_values(self.problem, decisions)
        plan = self._finish(Incumbent(decisions, goals, total(terms(self.problem, goals, self.normalisation))))
        return replace(plan, warnings=(*plan.warnings, "the search was interrupted; a whole one may find a better plan"))

    def _apart(self, part: Problem) -> tuple[Incumbent, Proof] | None:
        """Return the best decisions of a part of the problem with their proof, by the scales of the whole; None without any."""
        chosen = replace(self.options, require_optimal=False)
        try:
            return _Solve(part, chosen, ground_of(part, self.normalisation, chosen), with_repairs=False).brief()
        except SolverError:
            return None

    def _must_have_no_plan(self) -> bool:
        """Ask whether what must hold has a plan, keeping the one that is found; whether there is none."""
        self.best.tell("what must hold")
        found = satisfaction(_unheld(self.problem), self.options)
        self.known = found.known
        self.best.route.append("what must hold, alone" + (f": {found.known}" if found.known else ": has a plan"))
        if found.decisions is not None:
            self.best.offer(found.decisions)
        return found.answer is Answer.IMPOSSIBLE

    def _settled(self, best: Incumbent) -> Incumbent:
        """Return the plan with fewer moves of replicas, where that costs nothing."""
        starts = replica_starts(best.decisions)
        for decisions in settlings(self.problem, best.decisions) if starts else ():
            goals = goal_values(self.problem, decisions)
            value = total(terms(self.problem, goals, self.normalisation))
            is_as_good = value <= best.objective + EXACT * max(1.0, abs(best.objective)) / 10
            if is_as_good and replica_starts(decisions) < starts and not violations(self.problem, decisions):
                best, starts = Incumbent(decisions, goals, value), replica_starts(decisions)
        return best

    def _finish(self, best: Incumbent) -> Plan:
        proof = self.best.proof(best)
        refuse_unproven(proof, self.options)
        plan = _plan(self.problem, self.options, self.normalisation, best.decisions, proof)
        clock = ("the clock ended the search, so another run may find another plan",) if self.best.hit_clock else ()
        policies = values(self.problem, self.listed, self.normalisation)
        return replace(plan, policies=policies, warnings=(*plan.warnings, *self._dropped_on_nodes(best), *clock))

    def _dropped_on_nodes(self, best: Incumbent) -> tuple[str, ...]:
        """Return a warning that names the jobs which the plan on pools has and the one on nodes lacks, where there are any."""
        placed = {part.job for part in best.decisions.parts}
        lacking = [name for name in self.search.dropped if name not in placed]
        if not lacking:
            return ()
        more = f" and {len(lacking) - MOST_NAMED} more" if len(lacking) > MOST_NAMED else ""
        names = ", ".join(lacking[:MOST_NAMED])
        return (f"planned on pools, but dropped when packed on single nodes: {names}{more} ({len(lacking)} jobs)",)

    def _cheapest(self, changed: Problem) -> Plan:
        """Return a plan of a changed problem that little search was spent on."""
        options = replace(
            self.options,
            gap=NEARLY,
            work_limit=self.options.glance_limit,
            branch_work=0,
            pool_boxes=0,
            node_boxes=0,
            require_optimal=False,
        )
        try:
            return _Solve(changed, options, ground_of(changed), with_repairs=False).plan()
        except SolverError:
            return self._empty(Proof(PlanStatus.UNKNOWN, None, None, None, None, ""))

    def _empty(self, proof: Proof) -> Plan:
        nothing = Decisions((), (), np.zeros((len(self.problem.cluster.nodes), self.problem.grid.n_slots), dtype=np.bool_))
        return Plan(decisions=nothing, proof=proof, seed=self.options.seed)

    def _infeasible(self) -> Plan:
        self.best.tell("conflict and repairs")
        held = self.problem.objective.at_most
        if held and satisfaction(_unheld(self.problem), self.options).answer is Answer.POSSIBLE:
            return self._empty(
                Proof(PlanStatus.INFEASIBLE, None, None, None, None, "; ".join(self.best.route), (), _held_too_low(held))
            )
        items = conflict(self.problem, self.screened, self.options)
        if len({item.group for item in items}) > sum(found.job.required for found in self.screened):
            self.best.route.append("confirmed by CP-SAT without presolve and by HiGHS")
        found = repairs(self.problem, items, self.options, self._cheapest) if self.with_repairs else ()
        proof = Proof(PlanStatus.INFEASIBLE, None, None, None, None, "; ".join(self.best.route) or "arithmetic", (), items, found)
        return self._empty(proof)


def _unbroken(problem: Problem, options: SolveOptions, normalisation: Normalisation) -> Decisions | None:
    """Return the plan of a problem with every job in one piece; its model is so much smaller that it is solved better."""
    whole = replace(problem, best_effort=())
    try:
        found = _Solve(whole, replace(options, require_optimal=False), ground_of(whole, normalisation), with_repairs=False).brief()
    except SolverError:  # a job that must be placed may have room in pieces alone
        return None
    return None if found is None else found[0].decisions


def _plan(problem: Problem, options: SolveOptions, normalisation: Normalisation, decisions: Decisions, proof: Proof) -> Plan:
    """Return decisions with every number that follows from them."""
    found = account(problem, decisions)
    parts = terms(problem, found.goals, normalisation)
    return Plan(
        decisions=decisions,
        proof=proof,
        terms=parts,
        rates=exchange_rates(parts),
        measures=found.measures,
        placements=found.placements,
        replicas=found.replicas,
        node_use=found.node_use,
        warnings=found.warnings,
        seed=options.seed,
    )


def _unheld(problem: Problem) -> Problem:
    return replace(problem, objective=replace(problem.objective, at_most=()))


def _held_too_low(held: tuple[AtMost, ...]) -> tuple[ConflictItem, ...]:
    """Return the goals that no plan keeps at what they are held at, where all else has a plan."""
    return tuple(ConflictItem("at_most", f"goal {one.goal}", f"no plan keeps it at or below {one.value:.9g}") for one in held)
