"""The front of two goals: plans of which none is better in one of them without being worse in the other.

All points leave out as little work as any plan must. The first and the last have the least of one goal, and of the other beside
that. Then the widest gap between two neighbours comes first. It is asked by the weights under which both are worth the same, which
is as easy as a plain solve. Where no plan is better than they are by these, the gap is straight, and the second goal is held at
the middle of theirs, with the first made as small as it can be. Where that gives nothing new, or the gap is narrow, the neighbour
itself is asked for: the best plan with less of the second goal, by a hair, than the upper end. If that is the lower end, the gap is
closed: no point is in it.

    each point minimises  first / divisor + TIE second / divisor + FURTHER (other goals with a weight), or both by those weights

and is checked, with bound and gap of that. The model is built once; a point adds the row of what is held.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from schedplan.measures.objective import goal_unit, terms, total
from schedplan.model.front import Front, FrontPoint, PointStatus
from schedplan.model.plan import Plan, PlanStatus, Proof
from schedplan.model.problem import GOALS, AtMost, Problem
from schedplan.model.progress import NOTHING, Progress, Watch, unwatched
from schedplan.optimize.cells import Level
from schedplan.optimize.goals.apart import SAME, known_goals, pulling_apart, why_one_point
from schedplan.optimize.goals.lexicographic import incumbent_of, least_of, leaves_out_least, stage_of, weighed
from schedplan.optimize.ground import Ground, Incumbent, ground_of
from schedplan.optimize.objective import UNPLACED
from schedplan.optimize.options import SolveOptions
from schedplan.optimize.solve import interrupted, plan_of, solve_briefly, solve_on
from schedplan.optimize.solved import FrontPlan, Solved

TIE = 1e-3
FURTHER = 1e-6
POINT_GAP = 1e-4
PART = 8
SOLVES_PER_POINT = 3
"""Solves at most for each point that is asked for: a gap without a plan costs two, too."""


@dataclass(frozen=True)
class _Found:
    """A point: decisions with their proof, its values of the two goals, and what the second was held at (None: nothing)."""

    problem: Problem
    best: Incumbent
    proof: Proof
    first: float
    second: float
    held_at: float | None


@dataclass(frozen=True)
class _Gap:
    """Between two neighbours; plans with the second goal in (low, high) may still be there. `below` has the lower second goal.

    is_straight: no plan lies on the near side of the line between the two, as far as that is proven.
    """

    above: _Found
    below: _Found
    low: float
    high: float
    is_straight: bool = False

    @property
    def is_open(self) -> bool:
        """Whether two plans that differ have room in it: a hair below its upper end is not yet below its lower one."""
        return not _close(self.below.first, self.above.first) and self.just_below > self.low

    @property
    def just_below(self) -> float:
        """Return the second goal, a hair below the upper end."""
        return self.high - 2 * SAME * max(1.0, abs(self.high))

    def holds(self, one: _Found) -> bool:
        """Whether a point lies in it, apart from both neighbours."""
        firsts, seconds = (self.above.first, one.first, self.below.first), (self.below.second, one.second, self.above.second)
        return all(low < mine < high and not _close(low, mine) and not _close(mine, high) for low, mine, high in (firsts, seconds))

    @property
    def area(self) -> float:
        """Return how much of the plane a further point may lie in: the far side of a straight gap alone."""
        return (self.below.first - self.above.first) * (self.high - self.low) * (0.5 if self.is_straight else 1.0)


def pareto(
    problem: Problem, pair: tuple[str, str], n_points: int, options: SolveOptions | None = None
) -> tuple[Plan, tuple[FrontPlan, ...]]:
    """Return the plan of a problem with at most `n_points` (at least 2) of the front of two goals, and the plans of the points.

    Without a plan there is no front: the plan then says why. Raises SolverError as `optimize` does.
    """
    found = FrontOfTwo(problem, pair, n_points, options or SolveOptions()).solve()
    return found.plan, found.front


class FrontOfTwo:
    """A solve of a problem by its weights, and for the front of two goals beside that."""

    def __init__(
        self, problem: Problem, pair: tuple[str, str], n_points: int, options: SolveOptions, watch: Watch = unwatched
    ) -> None:
        self.problem = problem
        self.pair = pair
        self.n_points = n_points
        self.options = options
        self.watch = watch
        self.ground = ground_of(problem, is_reused=True)
        self._reached = NOTHING
        self._plan: Plan | None = None
        self._search: _Search | None = None
        self._solved: Solved | None = None

    def solve(self) -> Solved:
        """Return the plan by the weights with the numbers of the front, and the plans of its points."""
        plan = solve_on(self.ground, self.problem, self.options, watch=self._follow)
        if plan.proof.status is PlanStatus.INFEASIBLE:
            return Solved(self.problem, plan)
        self._plan = plan
        self._search = _Search(self.problem, self.pair, self.n_points, _brief(self.options), self.ground, self._follow)
        self._search.look(plan)
        self._solved = self._with_front(plan, self._search)
        return self._solved

    def reached(self) -> Solved | None:
        """Return the plan by the weights with the points that are done, or the best such plan so far where none is."""
        if self._solved is not None:
            return self._solved
        if self._plan is None or self._search is None:
            if self._reached.decisions is None:
                return None
            return Solved(self.problem, interrupted(self.ground, self.problem, self.options, self._reached))
        n_points = len(self._search.points())
        told = f"the search was interrupted after {n_points} of {self.n_points} points of the front; a whole one may find more"
        plan = replace(self._plan, warnings=(*self._plan.warnings, told))
        return self._with_front(plan, self._search) if n_points else Solved(self.problem, plan)

    def _with_front(self, plan: Plan, search: _Search) -> Solved:
        points = search.points()
        told = (FrontPlan(one.problem, plan_of(self.ground, one.problem, self.options, one.best, one.proof)) for one in points)
        return Solved(self.problem, replace(plan, front=search.front(points)), tuple(told))

    def _follow(self, progress: Progress) -> None:
        if self._search is None:
            self._reached = progress if progress.decisions is not None else self._reached
            words = "plan by the weights"
        else:
            words = f"point {self._search.asked_for} of {self.n_points}"
        self.watch(replace(progress, phase=f"{words}: {progress.phase}"))


def _brief(options: SolveOptions) -> SolveOptions:
    """Return the options of one point: a gap that nobody sees in a plot, and a part of the work, for a front is many solves."""
    return replace(
        options,
        require_optimal=False,
        gap=POINT_GAP if options.gap is None else options.gap,
        work_limit=options.work_limit / PART,
        branch_work=options.branch_work // PART,
        is_probed=False,
    )


class _Search:
    def __init__(
        self, problem: Problem, pair: tuple[str, str], n_points: int, options: SolveOptions, ground: Ground, watch: Watch
    ) -> None:
        self.problem = problem
        self.first, self.second = pair
        self.n_points = n_points
        self.options = options
        self.ground = ground
        self.watch = watch
        self.found: tuple[_Found, ...] = ()
        self.held: tuple[AtMost, ...] = problem.objective.at_most
        self.solves = 0
        self.is_whole = False
        self.narrow = 0.0
        self.told = ""

    def look(self, plan: Plan) -> None:
        """Look for the points, beginning from a plan, until there are no more or as many as are asked for."""
        begin = incumbent_of(self.problem, plan)
        self.held = (*self.held, self._work_held(plan, begin))
        above = self._solved(None, begin)
        self.found = (above,)
        below = self._solved(None, begin, is_turned=True)
        self.found = (above,) if _is_same(above, below) else (above, below)
        self.narrow = 2 * (above.second - below.second) / self.n_points
        gaps = [gap for gap in (_Gap(above, below, below.second, above.second),) if gap.is_open]
        while gaps and len(self.found) < self.n_points and self.solves + 2 <= SOLVES_PER_POINT * self.n_points:
            gap = gaps.pop(max(range(len(gaps)), key=lambda idx: (gaps[idx].area, -idx)))
            between, following = self._between(gap)
            self.found = self.found if between is None else (*self.found, between)
            gaps += [one for one in following if one.is_open]
        self.is_whole = not gaps
        if self.is_whole and len(self.points()) == 1:
            self.told = self._why_one(above)

    def _why_one(self, only: _Found) -> str:
        """Return why there is one point, having looked for the best of every other goal."""
        best = {self.first: only.best.goals, self.second: only.best.goals}
        for goal in known_goals(self.problem):
            if goal not in best:
                best[goal] = self._least(dict.fromkeys(best, TIE) | {goal: 1.0}, self.held, None, only.best).best.goals
        return why_one_point(self.ground.models.shape(Level.POOLS), tuple(best), pulling_apart(best))

    def points(self) -> list[_Found]:
        """Return the points found so far, by the first goal; none is dominated by another."""
        kept = [one for one in self.found if not any(_dominates(other, one) for other in self.found)]
        return sorted(kept, key=lambda one: (one.first, one.second))

    @property
    def asked_for(self) -> int:
        """Return the number of the point that is looked for."""
        return min(len(self.found) + 1, self.n_points)

    def front(self, points: list[_Found]) -> Front:
        """Return the numbers of points."""
        following = [*points[1:], None]
        return Front(
            goals=(self.first, self.second),
            units=(goal_unit(self.problem, self.first), goal_unit(self.problem, self.second)),
            points=tuple(self._point(one, after) for one, after in zip(points, following, strict=True)),
            asked=self.n_points,
            is_whole=self.is_whole,
            solves=self.solves,
            told=self.told,
        )

    def _between(self, gap: _Gap) -> tuple[_Found | None, list[_Gap]]:
        """Return a point in a gap, None where there is none, and what is open after it."""
        if not gap.is_straight:
            found = self._weighed(gap)
            if not gap.holds(found):
                return None, [replace(gap, is_straight=True)]
            return found, [_Gap(found, gap.below, gap.low, found.second), _Gap(gap.above, found, found.second, gap.high)]
        middle = (gap.low + gap.high) / 2
        if gap.high - gap.low > self.narrow:
            found = self._solved(middle, gap.below.best)
            if not _is_same(found, gap.below):
                upper = _Gap(gap.above, found, middle, gap.high, is_straight=True)
                return found, [_Gap(found, gap.below, gap.low, found.second, is_straight=True), upper]
            gap = replace(gap, low=middle)
        found = self._solved(gap.just_below, gap.below.best)
        if _is_same(found, gap.below):
            return None, []
        return found, [_Gap(found, gap.below, gap.low, found.second, is_straight=True)]

    def _work_held(self, plan: Plan, begin: Incumbent) -> AtMost:
        """Return the share of work that every point may leave out at most: the least, solved for where it is not plain."""
        if leaves_out_least(self.problem, plan, self.ground):
            return AtMost(UNPLACED, begin.goals.unplaced + SAME)
        least = least_of(self.ground, self.problem, UNPLACED, self.held, self.options, (begin,), self.watch)
        return AtMost(UNPLACED, stage_of(self.problem, least, UNPLACED, self.ground.normalisation).held_at)

    def _solved(self, held_at: float | None, start: Incumbent, *, is_turned: bool = False) -> _Found:
        """Return the plan with the least of the first goal (turned: of the second) while the second is held."""
        held = self.held if held_at is None else (*self.held, AtMost(self.second, held_at))
        before, after = (self.second, self.first) if is_turned else (self.first, self.second)
        return self._least({before: 1.0, after: TIE}, held, held_at, start)

    def _weighed(self, gap: _Gap) -> _Found:
        """Return the plan that is best by the weights under which the neighbours of a gap are worth the same."""
        first = (gap.below.first - gap.above.first) / self.ground.normalisation.of(self.first).divisor
        second = (gap.above.second - gap.below.second) / self.ground.normalisation.of(self.second).divisor
        largest = max(first, second)
        return self._least({self.first: second / largest, self.second: first / largest}, self.held, None, gap.below.best)

    def _least(self, weights: dict[str, float], held: tuple[AtMost, ...], held_at: float | None, start: Incumbent) -> _Found:
        """Return the plan that is best by weights of the two goals; other goals that have a weight break ties."""
        self.solves += 1
        own = self.problem.objective
        whole = {goal: FURTHER if own.weight(goal) > 0 else 0.0 for goal in GOALS} | weights
        problem = replace(self.problem, objective=weighed(own, whole, own.unplaced, held))
        found = solve_briefly(self.ground, problem, self.options, (start,), self.watch)
        if found is None:
            raise AssertionError("a plan that keeps what is held was there to begin from, and none was found")
        best, proof = found
        return _Found(problem, best, proof, best.goals.of(self.first), best.goals.of(self.second), held_at)

    def _point(self, one: _Found, following: _Found | None) -> FrontPoint:
        return FrontPoint(
            first=one.first,
            second=one.second,
            held_at=one.held_at,
            price=None if following is None else (following.first - one.first) / (one.second - following.second),
            objective=total(terms(self.problem, one.best.goals, self.ground.normalisation)),
            cost=one.best.goals.cost,
            minimised=one.best.objective,
            bound=one.proof.bound,
            gap=one.proof.gap,
            status=PointStatus.OPTIMAL if one.proof.status is PlanStatus.OPTIMAL else PointStatus.FEASIBLE,
        )


def _is_same(one: _Found, other: _Found) -> bool:
    return _close(one.first, other.first) and _close(one.second, other.second)


def _close(one: float, other: float) -> bool:
    return abs(one - other) <= SAME * max(1.0, abs(one), abs(other))


def _dominates(one: _Found, other: _Found) -> bool:
    pairs = ((one.first, other.first), (one.second, other.second))
    return all(mine <= theirs or _close(mine, theirs) for mine, theirs in pairs) and not _is_same(one, other)
