"""Plans for models that are too large to be solved whole: dives and boxes on pools, then boxes on single nodes.

It hands out gangs and fleets, or decisions as its caller takes them; whether they hold is for the check to say.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

import numpy as np

from schedplan.measures.gang_family import gang_family
from schedplan.model.plan import Decisions
from schedplan.model.workload import JobState
from schedplan.optimize.extraction import fleets_of, gangs_of
from schedplan.optimize.formulation import Formulation
from schedplan.optimize.layout import Layout
from schedplan.optimize.options import SolveOptions
from schedplan.optimize.plan_values import plan_values
from schedplan.optimize.refine.atlas import NONE, atlas
from schedplan.optimize.refine.box import Box, solve_box
from schedplan.optimize.refine.branched_box import branch_box
from schedplan.optimize.refine.chooser import Chooser, Guide
from schedplan.optimize.refine.dive import STYLES, WHOLE_COLUMNS, dive
from schedplan.optimize.refine.prices import StartPrices
from schedplan.optimize.refine.pruned import Pruned
from schedplan.optimize.refine.rounding import Relaxed
from schedplan.optimize.solvers.cp_sat import Found, Outcome
from schedplan.optimize.solvers.master import Master
from schedplan.optimize.solvers.program import Program, Values, program
from schedplan.packing.assignment import GangStart

COMPLETION_WORK, PACKING_WORK = 2.0, 1.5
BETTER = 1e-9
PRUNED_GAP = 0.25
"""Share of the gap at which the bound on pools is good enough: what packing loses comes on top."""
ALL_STYLES = 10_000
"""Models of more columns are dived into in one style alone."""
GUIDED_COLUMNS = range(ALL_STYLES + 1, 100_001)
"""Models of so many columns are improved by guided boxes: smaller ones are searched well as it is, larger ones lose little."""
BOXES_A_ROUND = 6
"""After so many boxes the plan is handed to the caller."""


class Refinement:
    """A formulation as arrays, with the best values known of it."""

    def __init__(self, formulation: Formulation, options: SolveOptions) -> None:
        self.formulation = formulation
        self.options = options
        self.program: Program = program(formulation)
        self.atlas = atlas(formulation)
        self.values: Values | None = None
        self.chooser = Chooser(self.atlas, Random(options.seed))
        self.looked_at: Box = np.ones(self.program.n_columns, dtype=np.bool_)
        self.master: Master | None = None
        self.work = 0.0
        self.boxes = 0

    def take(self, decisions: Decisions) -> None:
        """Stand where a plan stands, if it keeps the rows and is better than what is known; what it does not tell is solved."""
        values = self.program.lower.copy()
        known = plan_values(self.formulation.variables, decisions)
        values[list(known)] = list(known.values())
        free = np.ones(self.program.n_columns, dtype=np.bool_)
        free[list(known)] = False
        if free.any():
            self._solve(values, free, COMPLETION_WORK)
        else:
            self._keep(values)

    def relax(self, *, dives: bool = True) -> float | None:
        """Solve the relaxation with rounding rows and dive from it in every style; return the bound it proves, None without any."""
        relaxed = Relaxed(self.program, self.formulation, self.atlas)
        relaxed.tighten()
        styles = STYLES if self.program.n_columns <= ALL_STYLES else STYLES[:1]
        for style in styles if dives and relaxed.bound is not None else ():
            self._keep(dive(relaxed.master, self.formulation, self.atlas, style))
        is_solved = relaxed.bound is not None and relaxed.master.solve()
        self.master = relaxed.master if is_solved else None
        return relaxed.bound

    @property
    def is_large(self) -> bool:
        """Whether only kernels are dived into: boxes find next to nothing then."""
        return self.program.n_columns > WHOLE_COLUMNS

    def prices(self) -> StartPrices | None:
        """Return the prices of the starts in the relaxation; None where it is not solved."""
        if self.master is None:
            return None
        return StartPrices.of(self.formulation, self.master.links.with_workers(self.master.reduced_costs()))

    def look_at(self, prices: StartPrices) -> None:
        """Choose from the starts that are worth a look alone, and from those of the plan, in all boxes from here on.

        Of a wide model whose relaxation is solved, boxes are drawn where the plan costs more than the relaxation.
        """
        self.looked_at = prices.worth_a_look(self.formulation)
        if self.master is not None and self.master.values is not None and self.program.n_columns in GUIDED_COLUMNS:
            reduced = self.master.links.with_workers(self.master.reduced_costs())
            self.chooser.guide = Guide(self.master.values, reduced, self.looked_at)

    @property
    def is_guided(self) -> bool:
        """Whether boxes are drawn where the plan costs more than the relaxation."""
        return self.chooser.guide is not None

    def prune(self, max_nodes: int, limit_s: float | None) -> Pruned | None:
        """Begin a branch and bound on what the best values leave open; None where nothing is known to begin from."""
        if self.master is None or self.values is None or self.program.n_columns == 0:
            return None
        gap = self.options.gap_for(self.program.n_columns) * PRUNED_GAP
        return Pruned(self.master, self.values, max_nodes, gap, self.options.seed, limit_s)

    def pack(self, gangs: tuple[GangStart, ...], landed: Decisions) -> None:
        """Put gangs on nodes in the slots and families that a plan on pools has for them, from where they have landed.

        What has landed elsewhere is taken off first. One family at a time is packed anew, then all at once.
        """
        self.take(_where_wished(self.formulation.variables.layout, gangs, landed))
        if self.values is None:
            self.take(landed)
        if self.values is None:
            return
        wished = self._wished(gangs)
        without_job = (self.atlas.job_class == NONE) & self.atlas.is_known
        families = sorted(set(self.atlas.family[wished].tolist()))
        for chosen in (*([one] for one in families), families):
            here = np.isin(self.atlas.family, chosen)
            moving = np.unique(self.atlas.job_class[wished & here])
            of_jobs = np.isin(self.atlas.job_class, moving) & (wished | (self.values > 0) | (self.atlas.first_slot == NONE))
            self._solve(
                self.values, self.atlas.closed(self.program, of_jobs | (without_job & here)), PACKING_WORK, is_symmetric=True
            )

    def _wished(self, gangs: tuple[GangStart, ...]) -> Box:
        layout = self.formulation.variables.layout
        class_of = {job.name: job_class.idx for job_class in layout.classes for job in job_class.jobs}
        cell_of = {name: cell.idx for cell in layout.cells for name in cell.nodes}
        found = np.zeros(self.program.n_columns, dtype=np.bool_)
        for gang in gangs:
            families = {self.atlas.family_of_cell[cell_of[nodes[0]]] for nodes, _ in gang.groups if nodes[0] in cell_of}
            is_class = self.atlas.job_class == class_of[gang.job.name]
            found |= is_class & (self.atlas.first_slot == gang.start_slot) & np.isin(self.atlas.family, sorted(families))
        return found

    def improve(self, boxes: int, work_limit: float) -> Iterator[float]:
        """Improve by so many boxes, or until they have taken so much work, giving the value of F after every round of them."""
        if self.values is None:
            return
        last = self.work + work_limit
        for number in range(boxes):
            chosen = self.chooser.box(self.values) & (self.looked_at | (self.values > 0))
            free = self.atlas.closed(self.program, chosen)
            self._solve_drawn(self.values, free)
            self.boxes += 1
            is_over = number == boxes - 1 or self.work >= last
            if is_over or self.boxes % BOXES_A_ROUND == 0:
                yield self.program.objective(self.values)
            if is_over:
                return

    def _solve_drawn(self, values: Values, free: Box) -> None:
        """Solve a box that the chooser has drawn: by search, or by branch and bound where the relaxation guides it."""
        if not self.is_guided:
            self._solve(values, free, self.options.box_work)
            return
        solved, is_best = branch_box(self.program, values, free, self.options.seed)
        self.work += solved.work
        self.chooser.learn(is_solved=is_best)
        self._keep(solved.values)

    def _solve(self, values: Values, free: Box, work_limit: float, *, is_symmetric: bool = False) -> None:
        solved = solve_box(self.program, values, free, work_limit, self.options.seed, is_symmetric=is_symmetric)
        self.work += solved.work
        self._keep(solved.values)

    def found(self) -> Found:
        """Return gangs and fleets of the best values."""
        return self.found_in(self.values)

    def found_in(self, values: Values | None) -> Found:
        """Return gangs and fleets of some values, nothing of None."""
        if values is None:
            return Found(Outcome.UNKNOWN, (), (), None, self.work, hit_clock=False)
        begun = np.flatnonzero(values[self.formulation.variables.indices.gangs]).tolist()
        gangs = gangs_of(self.formulation, lambda variable: int(values[variable.index]), begun)
        fleets = fleets_of(self.formulation, lambda variable: int(values[variable.index]))
        return Found(Outcome.SOLVED, gangs, fleets, None, self.work, hit_clock=False)

    def _keep(self, values: Values | None) -> None:
        if values is None or not self.program.is_kept_by(values):
            return
        if self.values is None or self.program.objective(values) < self.program.objective(self.values) - BETTER:
            self.values = values


def _where_wished(layout: Layout, gangs: tuple[GangStart, ...], landed: Decisions) -> Decisions:
    """Return the plan without the parts that stand in another slot, or on nodes of another family, than wished; of a job in pieces
    without all of them."""
    problem = layout.problem

    def family(node: str) -> tuple[str, ...]:
        return gang_family(problem, problem.cluster.pool_of_node[node])

    wishes = {(gang.job.name, gang.start_slot, family(nodes[0])) for gang in gangs for nodes, _ in gang.groups}
    fixed = {gang.job.name for gang in gangs if gang.job.state is JobState.RUNNING}
    away = {part.job for part in landed.parts if (part.job, part.start_slot, family(part.node)) not in wishes}
    broken = away & {part.job for part in landed.parts if part.end_edge is not None}
    kept = tuple(
        part
        for part in landed.parts
        if part.job in fixed or ((part.job, part.start_slot, family(part.node)) in wishes and part.job not in broken)
    )
    return replace(landed, parts=kept)
