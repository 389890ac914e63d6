"""The search over a long horizon: a bound by prices of all its slots, then a plan from these prices, slot by slot, or window by
window where the models of windows are small; the better one is renewed on its nodes. It adds to what is best.
"""

from __future__ import annotations

from schedplan.model.plan import Decisions
from schedplan.model.workload import JobState
from schedplan.optimize.best import Best
from schedplan.optimize.constraints.window import windows
from schedplan.optimize.dispatch.on_floor import OnFloor, may_be_renewed
from schedplan.optimize.lagrangian.ascent import Ascent
from schedplan.optimize.lagrangian.proven import proven_by_prices
from schedplan.optimize.nodes.rates import Rates
from schedplan.optimize.on_nodes import on_nodes
from schedplan.optimize.route import told_size
from schedplan.optimize.windows.roll import Roll, Rolled
from schedplan.packing.assignment import GangStart, has_work
from schedplan.packing.supply import close_supply


class LongSearch:
    """One search over a long horizon. It lives for one call."""

    def __init__(self, best: Best) -> None:
        self.best = best
        self.problem, self.options = best.problem, best.options

    def run(self) -> None:
        """Prove a bound, plan slot by slot, or window by window where that may be, and renew what is best."""
        self.best.route.append(told_size(self.best.size))
        rates = Rates.of(self.problem, self.best.normalisation)
        ascent = proven_by_prices(self.best, rates)
        on_floor = OnFloor(self.best, ascent, rates) if may_be_renewed(self.problem) else None
        if on_floor is not None:
            on_floor.dispatch()
        if on_floor is None or self.best.size.columns <= self.options.window_columns:
            self._roll(ascent)
        if on_floor is not None and not self.best.is_late():
            on_floor.renew()

    def _roll(self, ascent: Ascent) -> None:
        """Plan window by window, and keep the whole where the check accepts it."""
        excluded = {job.name for job in self.best.excluded}
        jobs = tuple(job for job in self.problem.jobs if job.name not in excluded)
        roll = Roll(ascent.relaxation, ascent.best_prices, self.best.normalisation, self.options, jobs, self._standing())
        parts = 0
        rolled: Rolled | None = None
        for rolled in roll.parts():
            if rolled is None:
                self.best.route.append(f"window {parts + 1} has no plan, so the windows make none")
                return
            parts += 1
            self.best.tell(f"window {parts}")
            if self.best.is_late():
                self.best.route.append("the clock ended the windows")
                return
        self.best.work.append(("nodes_box_time", round(roll.work, 6)))
        before = self.best.incumbent
        for decisions in () if rolled is None else self._landed(roll, rolled):
            self.best.offer(decisions)
        options = self.options
        kept = "" if self.best.incumbent is not before else "; their plan is no better than what was known"
        self.best.route.append(f"{parts} windows of {options.window_slots} slots with {options.overlap_slots} more in view{kept}")

    def _landed(self, roll: Roll, rolled: Rolled) -> list[Decisions]:
        """Return the plans on nodes of what all windows start."""
        if not roll.lands:
            return on_nodes(self.problem, rolled.gangs, rolled.fleets)
        parts = tuple(sorted(gang.part(nodes[0], workers) for gang in rolled.gangs for nodes, workers in gang.groups))
        replicas = tuple(sorted(rolled.replicas))
        on = close_supply(self.problem, has_work(self.problem, parts, replicas))
        return [] if on is None else [Decisions(parts, replicas, on)]

    def _standing(self) -> tuple[GangStart, ...]:
        """Return what runs when the horizon begins, on its nodes."""
        cluster = self.problem.cluster
        return tuple(
            GangStart(
                job,
                0,
                windows(self.problem, job, cluster.pool_of_node[job.placement[0].node])[0][1],
                tuple(((placed.node,), placed.workers) for placed in job.placement),
                one_node=False,
            )
            for job in self.problem.jobs
            if job.state is JobState.RUNNING
        )
