"""Plans on the nodes of all slots at once: from prices alone, and anew from the best plan so far. It proves nothing."""

from __future__ import annotations

from schedplan.model.plan import Decisions
from schedplan.model.problem import Problem
from schedplan.model.workload import JobState, Topology
from schedplan.optimize.best import Best
from schedplan.optimize.cells import Level
from schedplan.optimize.constraints.topology import is_on_one_node
from schedplan.optimize.dispatch.openings import Openings
from schedplan.optimize.dispatch.renewal import Renewal
from schedplan.optimize.dispatch.slot_by_slot import Dispatch
from schedplan.optimize.lagrangian.ascent import Ascent
from schedplan.optimize.layout import without_columns
from schedplan.optimize.nodes.fleets import Demands, refit
from schedplan.optimize.nodes.floor import Floor
from schedplan.optimize.nodes.freedom import may_land
from schedplan.optimize.nodes.rates import Rates


def may_be_renewed(problem: Problem) -> bool:
    """Whether all work waits, on any nodes or on one, by room, windows and quotas alone."""
    is_free = all(
        job.state is not JobState.RUNNING and (job.topology in (Topology.ANY, Topology.CLUSTER) or is_on_one_node(job.topology))
        for job in problem.jobs
    )
    return is_free and may_land(problem)


class OnFloor:
    """What both ways share. It lives for one search."""

    def __init__(self, best: Best, ascent: Ascent, rates: Rates) -> None:
        self.best, self.ascent, self.rates = best, ascent, rates
        self.problem = best.problem
        self.excluded = frozenset(job.name for job in best.excluded)
        self.layout = without_columns(self.problem, self.problem.jobs, Level.POOLS)

    def dispatch(self) -> None:
        """Put jobs where the prices of the whole horizon make them cheapest, slot by slot, beside the replicas of all slots."""
        self.best.tell("packing at prices")
        floor = Floor(self.problem, self.rates)
        demands = Demands.of(self.layout, floor)
        refit(floor, demands)
        openings = Openings(self.ascent.relaxation, floor)
        dispatch = Dispatch(self.ascent.relaxation, self.ascent.best_prices, openings, self.excluded)
        dispatch.run()
        left = [number for number in dispatch.waiting.nonzero()[0].tolist() if openings.rows_of[number]]
        jobs = self.problem.jobs
        for number in sorted(left, key=lambda number: (-self.rates.left_out(jobs[number]), jobs[number].name)):
            berth = openings.best(number)
            if berth is not None:
                floor.put(berth)
        refit(floor, demands)
        self._offer(floor.decisions())
        self.best.route.append("packing at prices, slot by slot")

    def renew(self) -> None:
        """Renew the best plan so far."""
        incumbent, options = self.best.incumbent, self.best.options
        if incumbent is None:
            return
        self.best.tell("renewal on nodes")
        floor = Floor.of(self.problem, self.rates, incumbent.decisions)
        demands = Demands.of(self.layout, floor)
        openings = Openings(self.ascent.relaxation, floor)
        renewal = Renewal(openings, self.excluded, self.ascent.best.bound, options.seed)
        for decisions in renewal.run(options.renewal_work):
            self._offer(decisions)
            if self.best.is_late():
                break
        if refit(floor, demands):
            self._offer(floor.decisions())
        self.best.work.append(("renewal_rounds", float(renewal.rounds)))
        self.best.route.append(f"{renewal.rounds} rounds of renewal on nodes")

    def _offer(self, decisions: Decisions | None) -> None:
        if decisions is not None:
            self.best.offer(decisions)
