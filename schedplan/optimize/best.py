"""The best plan of one solve so far, what is proven of it, the way that led there, and who is told. It searches for nothing."""

from __future__ import annotations

from dataclasses import replace
from time import monotonic

from schedplan.measures.accounting import goal_values
from schedplan.measures.feasibility import violations
from schedplan.measures.held import exceeded
from schedplan.measures.objective import GoalValues, terms, total
from schedplan.model.plan import Decisions, PlanStatus, Proof
from schedplan.model.problem import Problem
from schedplan.model.progress import Progress, Watch
from schedplan.optimize.ground import Ground, Incumbent, unavoidable
from schedplan.optimize.layout import Layout
from schedplan.optimize.options import SolveOptions
from schedplan.optimize.proof import prove


class Best:
    """What the steps of one solve add to: plans that the check accepts, bounds, the route in words, and counted work."""

    def __init__(self, problem: Problem, options: SolveOptions, ground: Ground, watch: Watch) -> None:
        self.problem = problem
        self.options = options
        self.normalisation = ground.normalisation
        self.excluded = ground.excluded
        self.size = ground.size
        self.watch = watch
        self.phase = ""
        self.begin_s = monotonic()
        self.incumbent: Incumbent | None = None
        self.bounds: list[float] = []
        self.route: list[str] = []
        self.work: list[tuple[str, float]] = []
        self.hit_clock = False

    def tell(self, phase: str | None = None) -> None:
        """Tell the watcher where the search stands."""
        self.phase = phase or self.phase
        bound = max(self.bounds, default=None)
        if self.incumbent is None:
            self.watch(Progress(self.phase, bound=bound))
            return
        gap = None if bound is None else prove(self.incumbent.objective, bound).gap
        self.watch(Progress(self.phase, self.incumbent.objective, bound, gap, self.incumbent.decisions))

    def offer(self, decisions: Decisions) -> bool:
        """Keep decisions that the check accepts and that are better than what is kept; whether the check accepts them."""
        if violations(self.problem, decisions):
            return False
        self.take(decisions, goal_values(self.problem, decisions))
        return True

    def take(self, decisions: Decisions, goals: GoalValues) -> None:
        """Keep decisions that keep every rule, if they also keep what is held and are better than what is kept."""
        value = total(terms(self.problem, goals, self.normalisation))
        if exceeded(self.problem, goals) == () and (self.incumbent is None or value < self.incumbent.objective):
            self.incumbent = Incumbent(decisions, goals, value)
            self.tell()

    def is_late(self) -> bool:
        """Whether the safety stop is reached; from then on the plan says that it can't be repeated."""
        limit_s = self.options.time_limit_s
        if limit_s is not None and monotonic() - self.begin_s >= limit_s:
            self.hit_clock = True
        return self.hit_clock

    def left_s(self) -> float | None:
        """Return what is left until the safety stop, None without one."""
        limit_s = self.options.time_limit_s
        return None if limit_s is None else limit_s - (monotonic() - self.begin_s)

    def is_proven(self) -> bool:
        """Whether the best plan is as good as a bound says any can be: what a solver found beside it need not be packed."""
        if self.incumbent is None or not self.bounds:
            return False
        return prove(self.incumbent.objective, max(self.bounds)).status is PlanStatus.OPTIMAL

    def is_closed(self, shape: Layout) -> bool:
        """Whether the gap is as small as a model of this size asks for."""
        if self.incumbent is None or not self.bounds:
            return False
        proof = prove(self.incumbent.objective, max(self.bounds))
        gap = self.options.gap_for(shape.n_columns)
        return proof.status is PlanStatus.OPTIMAL or (proof.gap is not None and proof.gap <= gap)

    def proof(self, of: Incumbent) -> Proof:
        """Return the proof of a plan by the best bound, with the way that led to it."""
        bound = max(self.bounds) if self.bounds else None
        proof = prove(of.objective, bound, unavoidable(self.problem, self.normalisation, self.excluded))
        return replace(proof, route="; ".join(self.route), work=tuple(self.work))
