"""The search of one solve: models on pools, then on single nodes, each by the way that its size asks for. One way in, no choice
for the user; the route says in words which ways were taken.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property

from schedplan.model.plan import Decisions
from schedplan.optimize.best import Best
from schedplan.optimize.cells import Level
from schedplan.optimize.dispatch.at_prices import SearchAtPrices
from schedplan.optimize.formulation import Formulation
from schedplan.optimize.layout import Layout
from schedplan.optimize.models import Models
from schedplan.optimize.near import Near
from schedplan.optimize.nodes.climb import Climb, columns_on_nodes
from schedplan.optimize.on_nodes import on_nodes
from schedplan.optimize.refine.prices import StartPrices
from schedplan.optimize.refine.pruned import Pruned
from schedplan.optimize.refine.refinement import Refinement
from schedplan.optimize.route import is_beyond_memory, is_long, kept_whole_because
from schedplan.optimize.solvers.branch import branch
from schedplan.optimize.solvers.cp_sat import Found, Outcome, search
from schedplan.optimize.windows.long_search import LongSearch
from schedplan.packing.assignment import FleetSlot, GangStart

NODE_ROUNDS = 2
"""Rounds of boxes on nodes; after the first one the bound that is proven beside is waited for."""
GUIDED = 3
"""How many more boxes there are where a relaxation guides them: they are small."""
CHEAP = 3
"""How much less than their limit boxes may take on average for all of them to be solved."""


class Search:
    """The steps of one search, which add to `best`. unbroken: returns a plan with every job in one piece, if there is one."""

    def __init__(self, best: Best, models: Models, unbroken: Callable[[], Decisions | None]) -> None:
        self.best = best
        self.problem = best.problem
        self.options = best.options
        self.normalisation = best.normalisation
        self.models = models
        self.unbroken = unbroken
        self.prices: StartPrices | None = None
        self.beside: tuple[Refinement, Pruned] | None = None
        self.landed: tuple[tuple[GangStart, ...], Decisions] | None = None
        self.pooled: tuple[tuple[GangStart, ...], tuple[FleetSlot, ...]] | None = None
        self.dropped: tuple[str, ...] = ()

    def has_plan(self) -> bool:
        """Search near an earlier plan where there is one, else on pools, then on nodes; False where it is proven that there is no
        plan."""
        if is_long(self.problem, self.options, self.best.size):
            LongSearch(self.best).run()
            return True
        if is_beyond_memory(self.problem, self.options, self.best.size):
            SearchAtPrices(self.best).run()
            return True
        if self.problem.grid.n_slots > self.options.long_slots and (rule := kept_whole_because(self.problem)) is not None:
            self.best.route.append(f"all slots at once: {rule}")
        near = Near(self.best, self.models)
        if near.is_asked_for() and near.has_plan():
            return True
        for level, limit in ((Level.POOLS, None), (Level.NODES, self.options.node_columns)):
            if level is Level.NODES and self._is_beyond_boxes:
                self._climb()
                break
            shape = self.models.shape(level)
            if limit is not None and limit < shape.n_columns <= self.options.box_columns:
                self._refine_nodes(shape)
            elif (refusal := self._too_large(shape, limit)) is not None:
                self.best.route.append(f"model on {level.value} not tried: {shape.n_columns} columns{refusal}")
            elif self._rules_out(shape):
                return False
            if self.best.is_closed(shape) or (self.best.incumbent is not None and self.best.is_late()):
                break
        self._join()
        return True

    def _rules_out(self, shape: Layout) -> bool:
        """Search the model of one layout, keeping plans and bounds; whether it was proven to have no plan."""
        self.best.tell(f"model on {shape.level.value}")
        formulation = self.models.aimed(shape.level, self.problem.objective, self.normalisation)
        self.best.route.append(f"{shape.n_columns} columns on {shape.level.value}, {len(shape.classes)} classes")
        if formulation.arrays is not None:
            self.best.route.append("rows as sums over slots")
        elif self._search(formulation, self.options.glance_limit).outcome is Outcome.INFEASIBLE:
            return True
        is_whole = shape.level is Level.NODES or shape.n_columns <= self.options.whole_columns
        if not is_whole and not self.best.is_closed(shape):
            self._refine_pools(formulation)
        is_branched = formulation.arrays is None and (is_whole or shape.n_columns <= self.options.branched_columns)
        if is_branched and not self.best.is_closed(shape) and not self.best.is_late():
            self._branch(formulation)
        if self.best.is_closed(shape) or not is_whole or (self.best.incumbent is not None and self.best.is_late()):
            return False
        return self._search(formulation, self.options.work_limit).outcome is Outcome.INFEASIBLE

    def _too_large(self, shape: Layout, limit: int | None) -> str | None:
        """Return why a model is not built: its columns beyond a limit, or without one its memory; None where it is built."""
        if limit is not None:
            return f", limit {limit}" if shape.n_columns > limit else None
        needed_mb, most_mb = self.models.memory_mb(shape.level, self.problem.objective), self.options.memory_mb
        return f" would take about {needed_mb:.0f} MB, limit {most_mb} MB" if needed_mb > most_mb else None

    def _branch(self, formulation: Formulation) -> None:
        layout = formulation.variables.layout
        nodes = self.options.branch_nodes(layout.n_columns)
        self.best.tell(f"branch and bound on {layout.level.value}")
        found = branch(formulation, self.options, nodes)
        self.best.route.append("HiGHS branch and bound" if nodes else "HiGHS relaxation")
        self.best.work.append((f"{layout.level.value}_branch_nodes", found.work))
        self._keep(found)

    def _refine_pools(self, formulation: Formulation) -> None:
        """Dive from the relaxation and improve what is found by boxes."""
        self.best.tell("relaxation and dives")
        refinement = Refinement(formulation, self.options)
        bound = refinement.relax()
        if bound is not None:
            self.best.bounds.append(bound)
        if self.problem.may_pause:
            self._offer_unbroken(refinement)
        self._keep(refinement.found())
        self.prices = refinement.prices()
        if self.prices is not None:
            refinement.look_at(self.prices)
        boxes = 0 if refinement.is_large else self.options.pool_boxes
        self._improve(refinement, Level.POOLS, boxes * GUIDED if refinement.is_guided else boxes)
        self.best.route.append(f"HiGHS relaxation with rounding rows, dives and {refinement.boxes} boxes")
        shape = formulation.variables.layout
        is_beside = self.options.branched_columns < shape.n_columns <= self.options.beside_columns
        if is_beside and not self.best.is_closed(shape) and not self.best.is_late():
            begun = refinement.prune(self.options.beside_work // max(shape.n_columns, 1), self.best.left_s())
            self.beside = None if begun is None else (refinement, begun)

    def _join(self) -> None:
        """Wait for the branch and bound that goes on beside, and keep what it proves and finds."""
        if self.beside is None:
            return
        self.best.tell("branch and bound on pools")
        refinement, begun = self.beside
        self.beside = None
        result = begun.result()
        self.best.route.append("HiGHS branch and bound on what the plan on pools leaves open")
        self.best.work.append(("pools_branch_nodes", result.nodes))
        found = refinement.found_in(result.values)
        self._keep(replace(found, bound=result.bound, hit_clock=result.hit_clock))

    def _offer_unbroken(self, refinement: Refinement) -> None:
        """Plan with every job in one piece, and go on from that: its model is so much smaller that it is solved better."""
        decisions = self.unbroken()
        if decisions is not None:
            self.best.offer(decisions)
            refinement.take(decisions)
            self.best.route.append("the same with all jobs in one piece")

    def _refine_nodes(self, shape: Layout) -> None:
        """Pack the best plan on pools anew on single nodes, and improve the outcome by boxes."""
        if self.best.incumbent is None or not self.options.node_boxes:
            return
        self.best.tell("packing on nodes")
        refinement = Refinement(self.models.aimed(shape.level, self.problem.objective, self.normalisation), self.options)
        if self.landed is not None:
            refinement.pack(*self.landed)
        refinement.take(self.best.incumbent.decisions)
        if self.prices is not None:
            refinement.look_at(self.prices)
        self._keep(refinement.found())
        for _ in range(NODE_ROUNDS):
            if not self.best.is_closed(shape) and not self.best.is_late():
                self._improve(refinement, Level.NODES, self.options.node_boxes // NODE_ROUNDS)
            self._join()
        self.best.route.append(f"{shape.n_columns} columns on nodes; packing and {refinement.boxes} boxes")

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
            self.best.offer(landed)

    def _climb(self) -> None:
        """Put the best plan on pools on single nodes and improve the outcome, without a model of all of them."""
        if self.pooled is None:
            return
        self.best.tell("packing on nodes")
        climb = self._new_climb()
        self._offer_landed(climb, *self.pooled, is_exact=True)
        if self.best.incumbent is not None:
            climb.take(self.best.incumbent.decisions)
        self.best.tell("boxes on nodes")
        for decisions in climb.improve(self.options.node_frames, self.options.frame_work):
            self.best.offer(decisions)
            self.best.tell()
            if self.best.is_late() or self.best.is_closed(self.models.shape(Level.POOLS)):
                break
        self.best.work.append(("nodes_box_time", round(climb.work, 6)))
        self.best.route.append(f"packing of {len(climb.planned)} gangs on nodes and {climb.boxes} boxes")
        self.dropped = climb.dropped

    def _improve(self, refinement: Refinement, level: Level, boxes: int) -> None:
        """Improve a refinement by boxes until they are used up, the clock has ended it or the gap is closed."""
        self.best.tell(f"boxes on {level.value}")
        for _ in refinement.improve(boxes, boxes * self.options.box_work / CHEAP):
            self._keep(refinement.found())
            self.best.tell()
            if self.best.is_late() or self.best.is_closed(refinement.formulation.variables.layout):
                break
        self.best.work.append((f"{level.value}_box_time", round(refinement.work, 6)))

    def _search(self, formulation: Formulation, work_limit: float) -> Found:
        """Run CP-SAT from the best plan so far, and keep what it finds."""
        level = formulation.variables.layout.level.value
        self.best.tell(f"search on {level}")
        found = search(formulation, self.options, work_limit, self.best.incumbent.decisions if self.best.incumbent else None)
        self.best.route.append(f"CP-SAT, {work_limit:g} units of work at most")
        self.best.work.append((f"{level}_deterministic_time", round(found.work, 6)))
        self._keep(found)
        return found

    def _keep(self, found: Found) -> None:
        self.best.hit_clock = self.best.hit_clock or found.hit_clock
        if found.bound is not None:
            self.best.bounds.append(found.bound)
        if found.outcome is not Outcome.SOLVED or self.best.is_proven():
            return
        if self._is_beyond_boxes:
            self._land(found)
        else:
            for decisions in on_nodes(self.problem, found.gangs, found.fleets):
                self.landed = (found.gangs, decisions)
                self.best.offer(decisions)
