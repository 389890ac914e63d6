"""From a static problem to a plan with its proof: the bound, a plan by the whole model or by the recipe, thrift, and the check.

A plan is handed out only after the solver-free check of `measures` has accepted it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import fsum

import numpy as np

from schedplan.errors import SolverError
from schedplan.measures.accounting import account
from schedplan.measures.feasibility import violations
from schedplan.measures.objective import Normalisation, terms, total
from schedplan.measures.rules.case import CODES
from schedplan.measures.work import importance
from schedplan.model.plan import ConflictItem, Decisions, Plan, PlanStatus, Price, Proof
from schedplan.model.problem import Problem
from schedplan.model.progress import Progress, Watch, unwatched
from schedplan.optimize.options import SolveOptions
from schedplan.optimize.proof import prove
from schedplan.optimize.static.amounts import amounts, weighed_size
from schedplan.optimize.static.assembly import Assembly
from schedplan.optimize.static.bound import ProvenBound, bound_of
from schedplan.optimize.static.certificate import least_objective
from schedplan.optimize.static.dives import weights_of
from schedplan.optimize.static.instance import Instance, instance
from schedplan.optimize.static.leftover import holds_nowhere, left_out_rows
from schedplan.optimize.static.nodes import Nodes
from schedplan.optimize.static.recipe import assemble
from schedplan.optimize.static.reference import first_come, scales_of
from schedplan.optimize.static.relaxation import Relaxation
from schedplan.optimize.static.residual import residual
from schedplan.optimize.static.services import service_needs
from schedplan.optimize.static.standing import assembly_with, decisions_of, nodes_with, standing_of
from schedplan.optimize.static.thrift import on_fewer_nodes
from schedplan.optimize.static.ties import has_ties
from schedplan.optimize.static.whole import is_small, solve_whole
from schedplan.units import MICRO

INTERRUPTED = "the search was interrupted; a whole one may find a better plan"


@dataclass(frozen=True, slots=True)
class _Built:
    """An assembly, how it was found, and the most weighed size that the search itself proved (None: nothing)."""

    assembly: Assembly
    route: str
    work: tuple[tuple[str, float], ...]
    proven: float | None = None


@dataclass(frozen=True, slots=True)
class _Proven:
    """What the prices of a relaxation prove: the most that is placed, and the least objective that follows."""

    relaxation: Relaxation
    bound: ProvenBound
    prices: tuple[Price, ...]
    least: float


class StaticSolve:
    """One solve: what all its steps share. It lives for one call."""

    def __init__(self, problem: Problem, options: SolveOptions, watch: Watch = unwatched) -> None:
        self.problem = problem
        self.options = options
        self.watch = watch
        self.instance = instance(problem)
        self.relaxed = instance(problem, is_relaxed=True)
        self.services = service_needs(problem, self.relaxed)
        self.standing = standing_of(problem)
        self.proven: _Proven | None = None
        self.best: Assembly | None = None
        self.objective: float | None = None
        self.standing_size = weighed_size(problem, sorted({part.job for part in self.standing.parts}))

    def plan(self) -> Plan:
        """Run the steps and return the plan. SolverError as AtOneInstant raises it."""
        if self.standing.refusal is not None:
            return replace(self.standing.refusal, decisions=self._nothing(), seed=self.options.seed)
        conflict = self._conflict()
        if conflict:
            return self._infeasible(conflict)
        self._tell("bound by prices")
        self.proven = proven = self._bound()
        built = self._built()
        self._keep(built.assembly)
        self._tell("fewer nodes")
        built = replace(built, assembly=self._saved(built.assembly))
        by_search = 0.0 if built.proven is None else least_objective(self.problem, built.proven)
        prices = proven.prices if proven.least >= by_search else ()
        plan = self._handed_out(built.assembly, max(proven.least, by_search))
        work = (*built.work, *self._proof_work(proven, plan.decisions))
        plan = replace(plan, proof=replace(plan.proof, route=built.route, work=work, prices=prices))
        if self.options.require_optimal and plan.proof.status is not PlanStatus.OPTIMAL:
            raise SolverError(f"the plan is not proven optimal: gap {plan.proof.gap}", code="SP4002", hint="Accept the gap.")
        return plan

    def placement(self) -> Plan:
        """Return a plan that places as much as `plan` does, on whatever nodes. SolverError as AtOneInstant raises it."""
        assert self.standing.refusal is None, "nothing stands where work is placed for a guide"
        self.proven = self._bound()
        built = self._built()
        return self._handed_out(built.assembly, self.proven.least)

    def kept(self) -> Plan | None:
        """Return the best plan so far as it stands, without any search; None where there is none that keeps every rule."""
        if self.best is None or self.proven is None:
            return None
        if violations(self.problem, decisions_of(self.problem, self.best, self.standing)):
            return None
        plan = self._handed_out(self.best, self.proven.least)
        work = self._proof_work(self.proven, plan.decisions)
        proof = replace(plan.proof, route="interrupted", work=work, prices=self.proven.prices)
        return replace(plan, proof=proof, warnings=(*plan.warnings, INTERRUPTED))

    @cached_property
    def reference(self) -> Assembly:
        """Best fit in the order of submission, which scales what a plan is shown beside."""
        return first_come(self.problem, self.instance, self.standing)

    @cached_property
    def scales(self) -> Normalisation:
        """The scales of the goals."""
        return scales_of(self.problem, decisions_of(self.problem, self.reference, self.standing))

    def _keep(self, assembly: Assembly) -> None:
        """Keep what stands, as it is now."""
        self.best = assembly.copy()

    def _found(self, assembly: Assembly) -> None:
        """Keep what a search found, and tell it: the first once the check has accepted it, later ones as they come."""
        is_first, size = self.best is None, assembly.weight() + self.standing_size
        if is_first and violations(self.problem, decisions_of(self.problem, assembly, self.standing)):
            return
        self._keep(assembly)
        self._tell("a first plan" if is_first else "a better plan", least_objective(self.problem, size))

    def _tell(self, phase: str, objective: float | None = None) -> None:
        """Tell the watcher where the search stands."""
        self.objective = objective if objective is not None else self.objective
        bound = None if self.proven is None else self.proven.least
        gap = None if self.objective is None or bound is None else prove(self.objective, bound).gap
        self.watch(Progress(phase, self.objective, bound, gap))

    def _handed_out(self, assembly: Assembly, bound: float | None) -> Plan:
        """Return the plan that an assembly is, with every number that follows, once the check has accepted it."""
        decisions = decisions_of(self.problem, assembly, self.standing)
        self._refuse(decisions)
        found = account(self.problem, decisions)
        parts = terms(self.problem, found.goals, self.scales)
        return Plan(
            decisions=decisions,
            proof=prove(total(parts), bound, self._unavoidable(assembly.nodes)),
            terms=parts,
            measures=found.measures,
            placements=found.placements,
            replicas=found.replicas,
            node_use=found.node_use,
            unplaced=left_out_rows(assembly, decisions),
            warnings=found.warnings,
            seed=self.options.seed,
        )

    def _bound(self) -> _Proven:
        relaxation = Relaxation(self.relaxed, self.services)
        answer = relaxation.solve(self.relaxed.weights)
        if answer is None:
            raise SolverError(
                "the replicas of the services do not fit the nodes, whatever else is left out",
                hint="Add nodes, or lower the demand planned for by [forecast] quantile.",
            )
        prices = relaxation.prices(answer)
        bound = bound_of(self.relaxed, self.services, prices)
        return _Proven(relaxation, bound, prices, least_objective(self.problem, bound.value))

    def _built(self) -> _Built:
        """Return the better of a search and the reference."""
        left, rows_of = residual(nodes_with(self.problem, self.instance, self.standing))
        is_whole = is_small(left) and not has_ties(self.problem)
        self._tell("every node by itself" if is_whole else "fillings of nodes")
        built = self._by_whole_model(left, rows_of) if is_whole else None
        built = built or self._by_recipe()
        self._keep(built.assembly)
        weights = weights_of(self.instance)
        self._tell("best fit in order of submission")
        if weights @ self.reference.wanted < weights @ built.assembly.wanted:
            return replace(built, assembly=self.reference, route=f"{built.route}; best fit in order of submission was better")
        return built

    def _by_whole_model(self, left: Instance, rows_of: tuple[tuple[int, ...], ...]) -> _Built | None:
        weights = weights_of(self.instance)
        answer = solve_whole(left, weights)
        if answer is None:
            return None
        assembly = assembly_with(self.problem, self.instance, self.standing)
        rows = [row for of_type in rows_of for row in of_type]
        for row, units in zip(rows, answer.stands, strict=True):
            assembly.stand(row, units)
        assembly.complete_gangs()
        required = np.array([one.job.required for one in self.instance.classes], dtype=np.bool_)
        is_whole = answer.is_proven and not self.services and self._is_in_millionths() and not assembly.wanted[required].any()
        boost = float((weights - self.instance.weights) @ self.instance.demand)
        return _Built(
            assembly,
            f"HiGHS branch and bound on every node by itself, {left.n_nodes} nodes",
            (("branched nodes", float(answer.branched)),),
            answer.bound - boost if is_whole else None,
        )

    def _by_recipe(self) -> _Built:
        assembly, done = assemble(self.problem, self.instance, self.standing, self._found)
        on_types = f"device patterns on {len(self.instance.types)} types of nodes"
        route = f"{on_types}, dive over fillings of nodes, best fit of the rest, exchanges"
        work = (
            ("classes", float(len(self.instance.classes))),
            ("fillings", float(done.fillings)),
            ("priced fillings", float(done.priced)),
            ("rounds of the dive", float(done.dive_rounds)),
            ("exchanges that gained", float(done.exchanges)),
        )
        return _Built(assembly, route, work)

    def _saved(self, assembly: Assembly) -> Assembly:
        """Return the same work on fewer nodes, and whatever else finds room then."""
        assembly.save()
        assembly.fill(self._order())
        return on_fewer_nodes(self.problem, self.instance, self.standing, assembly, self._keep)

    def _order(self) -> list[int]:
        weights = weights_of(self.instance)
        return sorted(range(len(weights)), key=lambda k: (-weights[k], k))

    def _proof_work(self, proven: _Proven, decisions: Decisions) -> tuple[tuple[str, float], ...]:
        return amounts(proven.relaxation, self.services, proven.bound, decisions)

    def _is_in_millionths(self) -> bool:
        """Whether integers say exactly what is asked and offered, so that a search in integers is a proof."""
        shapes = dict.fromkeys(job.shape for job in self.problem.jobs)
        asked = [amount for shape in shapes for amount in (shape.cpus, shape.memory_gib, *(named for _, named in shape.resources))]
        pools = [one.pool for one in self.instance.types]
        offered = [
            amount
            for pool in pools
            for amount in (pool.cpus, pool.memory_gib, *(named for _, named in pool.resources))
            if amount is not None
        ]
        has_groups = any(needs != relaxed for needs, relaxed in zip(self.instance.needs, self.relaxed.needs, strict=True))
        return not has_groups and all(
            abs(amount * MICRO - round(amount * MICRO)) < 1e-9 * max(amount, 1) for amount in (*asked, *offered)
        )

    def _unavoidable(self, nodes: Nodes) -> float:
        """The part of the objective that no plan avoids: jobs that even empty nodes do not hold."""
        everything = fsum(importance(self.problem, job) for job in self.problem.jobs)
        lost = sum(float(one.weight) * one.demand for one in self.instance.classes if holds_nowhere(nodes, one))
        return self.problem.objective.unplaced * lost / everything if everything else 0.0

    def _refuse(self, decisions: Decisions) -> None:
        found = violations(self.problem, decisions)
        if not found:
            return
        missing = [finding for finding in found if finding.code in (CODES["required"], CODES["service"])]
        told = missing or list(found)
        raise SolverError(
            f"no placement was found that keeps every rule; {told[0].subject}: {told[0].message} ({len(told)} such)",
            hint="Add nodes, or let fewer jobs be required.",
        )

    def _conflict(self) -> tuple[ConflictItem, ...]:
        nodes = Nodes(self.instance)
        return tuple(
            ConflictItem("required", f"job {one.job.name}", "is required, and even empty nodes do not hold it")
            for one in self.instance.classes
            if one.job.required and holds_nowhere(nodes, one)
        )

    def _nothing(self) -> Decisions:
        return Decisions((), (), np.zeros((len(self.problem.cluster.nodes), 1), dtype=np.bool_))

    def _infeasible(self, conflict: tuple[ConflictItem, ...]) -> Plan:
        proof = Proof(PlanStatus.INFEASIBLE, None, None, None, None, "arithmetic", (), conflict)
        return Plan(self._nothing(), proof, seed=self.options.seed)
