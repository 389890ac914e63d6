"""From a problem to a plan with its proof: screen, reference, the model on pools, packing, and the model on single nodes.

A plan is handed out only after the solver-free check of `measures` has accepted it.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from time import monotonic

import numpy as np

from schedplan.errors import SolverError
from schedplan.measures.accounting import account, goal_values
from schedplan.measures.exchange import exchange_rates
from schedplan.measures.feasibility import violations
from schedplan.measures.held import exceeded
from schedplan.measures.objective import GoalValues, Normalisation, terms, total
from schedplan.model.plan import ConflictItem, Decisions, Plan, PlanStatus, Proof
from schedplan.model.problem import AtMost, Problem
from schedplan.model.progress import Progress, Watch, unwatched
from schedplan.optimize.conflict.core import conflict
from schedplan.optimize.conflict.satisfaction import Answer, satisfaction
from schedplan.optimize.formulation import Formulation
from schedplan.optimize.ground import Ground, Incumbent, ground_of, unavoidable
from schedplan.optimize.layout import Layout, Level
from schedplan.optimize.nodes.climb import Climb, columns_on_nodes
from schedplan.optimize.on_nodes import on_nodes
from schedplan.optimize.options import SolveOptions
from schedplan.optimize.proof import EXACT, prove
from schedplan.optimize.reference.keep import carried_over
from schedplan.optimize.reference.policy import ListPolicy
from schedplan.optimize.reference.standard import listed, values
from schedplan.optimize.refine.prices import StartPrices
from schedplan.optimize.refine.pruned import Pruned
from schedplan.optimize.refine.refinement import Refinement
from schedplan.optimize.repair.repairs import repairs
from schedplan.optimize.solvers.branch import branch
from schedplan.optimize.solvers.cp_sat import Found, Outcome, search
from schedplan.packing.assignment import FleetSlot, GangStart
from schedplan.packing.settling import replica_starts, settlings

NEARLY = 0.001
MOST_NAMED = 20
NODE_ROUNDS = 2
"""Rounds of boxes on nodes; after the first one the bound that is proven beside is waited for."""
CHEAP = 3
"""How much less than their limit boxes may take on average for all of them to be solved."""


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
    return _Solve(problem, options or SolveOptions(), ground_of(problem, normalisation), watch=watch).plan()


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
        self.watch = watch
        self.phase = ""
        self.begin_s = monotonic()
        self.problem = problem
        self.options = options
        self.models = ground.models
        self.normalisation = ground.normalisation
        self.screened = ground.screened
        self.excluded = ground.excluded
        self.reference = ground.reference
        self.starts = starts
        self.listed: tuple[tuple[ListPolicy, Decisions], ...] = ()
        self.best: Incumbent | None = None
        self.bounds: list[float] = []
        self.route: list[str] = []
        self.work: list[tuple[str, float]] = []
        self.hit_clock = False
        self.prices: StartPrices | None = None
        self.beside: tuple[Refinement, Pruned] | None = None
        self.landed: tuple[tuple[GangStart, ...], Decisions] | None = None
        self.pooled: tuple[tuple[GangStart, ...], tuple[FleetSlot, ...]] | None = None
        self.dropped: tuple[str, ...] = ()
        self.known = ""

    def plan(self) -> Plan:
        """Run the steps and return the plan."""
        best = self._best()
        return self._infeasible() if best is None else self._finish(self._settled(best))

    def brief(self) -> tuple[Incumbent, Proof] | None:
        """Run the steps and return the best decisions with their proof; None where there is no plan."""
        best = self._best()
        return None if best is None else (best, self._proof(best))

    def _best(self) -> Incumbent | None:
        """Run the steps and return the best decisions found, None where it is proven that there are none."""
        if any(found.job.required for found in self.screened):
            return None
        self._tell("reference plan")
        self._begin()
        if self.best is None and self._must_have_no_plan():
            return None
        for level, limit in ((Level.POOLS, None), (Level.NODES, self.options.node_columns)):
            if level is Level.NODES and self._is_beyond_boxes:
                self._climb()
                break
            shape = self.models.shape(level)
            if limit is not None and limit < shape.n_columns <= self.options.box_columns:
                self._refine_nodes(shape)
            elif (refusal := self._too_large(shape, limit)) is not None:
                self.route.append(f"model on {level.value} not tried: {shape.n_columns} columns{refusal}")
            elif self._rules_out(shape):
                return None
            if self._is_closed(shape) or (self.best is not None and self._is_late()):
                break
        self._join()
        if self.best is None:
            raise SolverError(
                f"no plan was found within the limits{f': {self.known}' if self.known else ''}",
                hint="Raise the limits of the solver, or relax a limit of the project.",
            )
        return self.best

    def _too_large(self, shape: Layout, limit: int | None) -> str | None:
        """Return why a model is not built: its columns beyond a limit, or without one its memory; None where it is built."""
        if limit is not None:
            return f", limit {limit}" if shape.n_columns > limit else None
        needed_mb, most_mb = self.models.memory_mb(shape.level, self.problem.objective), self.options.memory_mb
        return f" would take about {needed_mb:.0f} MB, limit {most_mb} MB" if needed_mb > most_mb else None

    def _begin(self) -> None:
        """Begin from what is given, else from what arithmetic alone gives: the list policies' plans and the earlier one."""
        for known in self.starts:
            self._take(known.decisions, known.goals)
        if self.best is None:
            self.listed = listed(self.problem, self.reference) if self.with_repairs else ()
            for decisions in (self.reference, *(decisions for _, decisions in self.listed[1:])):
                self._offer(decisions)
            kept = carried_over(self.problem)
            if kept is not None:
                self._offer(kept)

    def kept(self, decisions: Decisions, bound: float | None) -> Plan:
        """Return a plan as it stands, without any search."""
        self.bounds += [] if bound is None else [bound]
        self.route.append("interrupted")
        goals = goal_values(self.problem, decisions)
        plan = self._finish(Incumbent(decisions, goals, total(terms(self.problem, goals, self.normalisation))))
        return replace(plan, warnings=(*plan.warnings, "the search was interrupted; a whole one may find a better plan"))

    def _is_late(self) -> bool:
        """Whether the safety stop is reached; from then on the plan says that it can't be repeated."""
        limit_s = self.options.time_limit_s
        if limit_s is not None and monotonic() - self.begin_s >= limit_s:
            self.hit_clock = True
        return self.hit_clock

    def _left_s(self) -> float | None:
        """Return what is left until the safety stop, None without one."""
        limit_s = self.options.time_limit_s
        return None if limit_s is None else limit_s - (monotonic() - self.begin_s)

    def _tell(self, phase: str | None = None) -> None:
        """Tell the watcher where the search stands."""
        self.phase = phase or self.phase
        bound = max(self.bounds, default=None)
        if self.best is None:
            self.watch(Progress(self.phase, bound=bound))
            return
        gap = None if bound is None else prove(self.best.objective, bound).gap
        self.watch(Progress(self.phase, self.best.objective, bound, gap, self.best.decisions))

    def _must_have_no_plan(self) -> bool:
        """Ask whether what must hold has a plan, keeping the one that is found; whether there is none."""
        self._tell("what must hold")
        found = satisfaction(_unheld(self.problem), self.options)
        self.known = found.known
        self.route.append("what must hold, alone" + (f": {found.known}" if found.known else ": has a plan"))
        if found.decisions is not None:
            self._offer(found.decisions)
        return found.answer is Answer.IMPOSSIBLE

    def _rules_out(self, shape: Layout) -> bool:
        """Search the model of one layout, keeping plans and bounds; whether it was proven to have no plan."""
        self._tell(f"model on {shape.level.value}")
        formulation = self.models.aimed(shape.level, self.problem.objective, self.normalisation)
        self.route.append(f"{shape.n_columns} columns on {shape.level.value}, {len(shape.classes)} classes")
        if formulation.arrays is not None:
            self.route.append("rows as sums over slots")
        elif self._search(formulation, self.options.glance_limit).outcome is Outcome.INFEASIBLE:
            return True
        is_whole = shape.level is Level.NODES or shape.n_columns <= self.options.whole_columns
        if not is_whole and not self._is_closed(shape):
            self._refine_pools(formulation)
        if is_whole and not self._is_closed(shape) and not self._is_late():
            self._branch(formulation)
        if self._is_closed(shape) or not is_whole or (self.best is not None and self._is_late()):
            return False
        return self._search(formulation, self.options.work_limit).outcome is Outcome.INFEASIBLE

    def _branch(self, formulation: Formulation) -> None:
        layout = formulation.variables.layout
        nodes = self.options.branch_nodes(layout.n_columns)
        self._tell(f"branch and bound on {layout.level.value}")
        found = branch(formulation, self.options, nodes)
        self.route.append("HiGHS branch and bound" if nodes else "HiGHS relaxation")
        self.work.append((f"{layout.level.value}_branch_nodes", found.work))
        self._keep(found)

    def _refine_pools(self, formulation: Formulation) -> None:
        """Dive from the relaxation and improve what is found by boxes."""
        self._tell("relaxation and dives")
        refinement = Refinement(formulation, self.options)
        bound = refinement.relax()
        if bound is not None:
            self.bounds.append(bound)
        if self.problem.may_pause:
            self._offer_unbroken(refinement)
        self._keep(refinement.found())
        self.prices = refinement.prices()
        if self.prices is not None:
            refinement.look_at(self.prices)
        self._improve(refinement, Level.POOLS, self.options.pool_boxes)
        self.route.append(f"HiGHS relaxation with rounding rows, dives and {refinement.boxes} boxes")
        shape = formulation.variables.layout
        if shape.n_columns <= self.options.beside_columns and not self._is_closed(shape) and not self._is_late():
            begun = refinement.prune(self.options.beside_work // max(shape.n_columns, 1), self._left_s())
            self.beside = None if begun is None else (refinement, begun)

    def _join(self) -> None:
        """Wait for the branch and bound that goes on beside, and keep what it proves and finds."""
        if self.beside is None:
            return
        self._tell("branch and bound on pools")
        refinement, begun = self.beside
        self.beside = None
        result = begun.result()
        self.route.append("HiGHS branch and bound on what the plan on pools leaves open")
        self.work.append(("pools_branch_nodes", result.nodes))
        found = refinement.found_in(result.values)
        self._keep(replace(found, bound=result.bound, hit_clock=result.hit_clock))

    def _offer_unbroken(self, refinement: Refinement) -> None:
        """Plan with every job in one piece, and go on from that: its model is so much smaller that it is solved better."""
        problem = replace(self.problem, best_effort=())
        options = replace(self.options, require_optimal=False)
        try:
            found = _Solve(problem, options, ground_of(problem, self.normalisation), with_repairs=False).brief()
        except SolverError:  # a job that must be placed may have room in pieces alone
            return
        if found is not None:
            self._offer(found[0].decisions)
            refinement.take(found[0].decisions)
            self.route.append("the same with all jobs in one piece")

    def _refine_nodes(self, shape: Layout) -> None:
        """Pack the best plan on pools anew on single nodes, and improve the outcome by boxes."""
        if self.best is None or not self.options.node_boxes:
            return
        self._tell("packing on nodes")
        refinement = Refinement(self.models.aimed(shape.level, self.problem.objective, self.normalisation), self.options)
        if self.landed is not None:
            refinement.pack(*self.landed)
        refinement.take(self.best.decisions)
        if self.prices is not None:
            refinement.look_at(self.prices)
        self._keep(refinement.found())
        for _ in range(NODE_ROUNDS):
            if not self._is_closed(shape) and not self._is_late():
                self._improve(refinement, Level.NODES, self.options.node_boxes // NODE_ROUNDS)
            self._join()
        self.route.append(f"{shape.n_columns} columns on nodes; packing and {refinement.boxes} boxes")

    @cached_property
    def _is_beyond_boxes(self) -> bool:
        """Whether the model on single nodes is too large to be built, by its size on pools."""
        shape = self.models.shape(Level.POOLS)
        return shape.n_columns > self.options.node_columns and columns_on_nodes(shape) > self.options.box_columns

    def _land(self, found: Found) -> None:
        """Put a plan on pools on single nodes: the first one at once, so that there is a plan; later ones when the search ends."""
        is_first, self.pooled = self.pooled is None, (found.gangs, found.fleets)
        if is_first:
            self._offer_landed(self._new_climb(), *self.pooled, is_exact=False)

    def _new_climb(self) -> Climb:
        return Climb(self.problem, self.models.shape(Level.POOLS), self.normalisation, self.options.seed, self.prices)

    def _offer_landed(self, climb: Climb, gangs: tuple[GangStart, ...], fleets: tuple[FleetSlot, ...], *, is_exact: bool) -> None:
        landed = climb.land(gangs, fleets, is_exact=is_exact)
        if landed is not None:
            self._offer(landed)

    def _climb(self) -> None:
        """Put the best plan on pools on single nodes and improve the outcome, without a model of all of them."""
        if self.pooled is None:
            return
        self._tell("packing on nodes")
        climb = self._new_climb()
        self._offer_landed(climb, *self.pooled, is_exact=True)
        if self.best is not None:
            climb.take(self.best.decisions)
        self._tell("boxes on nodes")
        for decisions in climb.improve(self.options.node_frames, self.options.frame_work):
            self._offer(decisions)
            self._tell()
            if self._is_late() or self._is_closed(self.models.shape(Level.POOLS)):
                break
        self.work.append(("nodes_box_time", round(climb.work, 6)))
        self.route.append(f"packing of {len(climb.planned)} gangs on nodes and {climb.boxes} boxes")
        self.dropped = climb.dropped

    def _improve(self, refinement: Refinement, level: Level, boxes: int) -> None:
        """Improve a refinement by boxes until they are used up, the clock has ended it or the gap is closed."""
        self._tell(f"boxes on {level.value}")
        for _ in refinement.improve(boxes, boxes * self.options.box_work / CHEAP):
            self._keep(refinement.found())
            self._tell()
            if self._is_late() or self._is_closed(refinement.formulation.variables.layout):
                break
        self.work.append((f"{level.value}_box_time", round(refinement.work, 6)))

    def _search(self, formulation: Formulation, work_limit: float) -> Found:
        """Run CP-SAT from the best plan so far, and keep what it finds."""
        level = formulation.variables.layout.level.value
        self._tell(f"search on {level}")
        found = search(formulation, self.options, work_limit, self.best.decisions if self.best else None)
        self.route.append(f"CP-SAT, {work_limit:g} units of work at most")
        self.work.append((f"{level}_deterministic_time", round(found.work, 6)))
        self._keep(found)
        return found

    def _keep(self, found: Found) -> None:
        self.hit_clock = self.hit_clock or found.hit_clock
        if found.bound is not None:
            self.bounds.append(found.bound)
        if found.outcome is not Outcome.SOLVED or self._is_proven():
            return
        if self._is_beyond_boxes:
            self._land(found)
        else:
            for decisions in on_nodes(self.problem, found.gangs, found.fleets):
                self.landed = (found.gangs, decisions)
                self._offer(decisions)

    def _offer(self, decisions: Decisions) -> None:
        """Keep decisions that the check accepts and that are better than what is kept."""
        if not violations(self.problem, decisions):
            self._take(decisions, goal_values(self.problem, decisions))

    def _take(self, decisions: Decisions, goals: GoalValues) -> None:
        """Keep decisions that keep every rule, if they also keep what is held and are better than what is kept."""
        value = total(terms(self.problem, goals, self.normalisation))
        if exceeded(self.problem, goals) == () and (self.best is None or value < self.best.objective):
            self.best = Incumbent(decisions, goals, value)
            self._tell()

    def _is_proven(self) -> bool:
        """Whether the best plan is as good as a bound says any can be: what a solver found beside it need not be packed."""
        if self.best is None or not self.bounds:
            return False
        return prove(self.best.objective, max(self.bounds)).status is PlanStatus.OPTIMAL

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
            goals = goal_values(self.problem, decisions)
            value = total(terms(self.problem, goals, self.normalisation))
            is_as_good = value <= best.objective + EXACT * max(1.0, abs(best.objective)) / 10
            if is_as_good and replica_starts(decisions) < starts and not violations(self.problem, decisions):
                best, starts = Incumbent(decisions, goals, value), replica_starts(decisions)
        return best

    def _finish(self, best: Incumbent) -> Plan:
        proof = self._proof(best)
        refuse_unproven(proof, self.options)
        plan = _plan(self.problem, self.options, self.normalisation, best.decisions, proof)
        clock = ("the clock ended the search, so another run may find another plan",) if self.hit_clock else ()
        policies = values(self.problem, self.listed, self.normalisation)
        return replace(plan, policies=policies, warnings=(*plan.warnings, *self._dropped_on_nodes(best), *clock))

    def _dropped_on_nodes(self, best: Incumbent) -> tuple[str, ...]:
        """Return a warning that names the jobs which the plan on pools has and the one on nodes lacks, where there are any."""
        placed = {part.job for part in best.decisions.parts}
        lacking = [name for name in self.dropped if name not in placed]
        if not lacking:
            return ()
        more = f" and {len(lacking) - MOST_NAMED} more" if len(lacking) > MOST_NAMED else ""
        names = ", ".join(lacking[:MOST_NAMED])
        return (f"planned on pools, but dropped when packed on single nodes: {names}{more} ({len(lacking)} jobs)",)

    def _proof(self, best: Incumbent) -> Proof:
        bound = max(self.bounds) if self.bounds else None
        proof = prove(best.objective, bound, unavoidable(self.problem, self.normalisation, self.excluded))
        return replace(proof, route="; ".join(self.route), work=tuple(self.work))

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
        self._tell("conflict and repairs")
        held = self.problem.objective.at_most
        if held and satisfaction(_unheld(self.problem), self.options).answer is Answer.POSSIBLE:
            return self._empty(Proof(PlanStatus.INFEASIBLE, None, None, None, None, "; ".join(self.route), (), _held_too_low(held)))
        items = conflict(self.problem, self.screened, self.options)
        if len({item.group for item in items}) > sum(found.job.required for found in self.screened):
            self.route.append("confirmed by CP-SAT without presolve and by HiGHS")
        found = repairs(self.problem, items, self.options, self._cheapest) if self.with_repairs else ()
        proof = Proof(PlanStatus.INFEASIBLE, None, None, None, None, "; ".join(self.route) or "arithmetic", (), items, found)
        return self._empty(proof)


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
