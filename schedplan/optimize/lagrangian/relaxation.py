"""A bound on F over all of a horizon, from prices of the nodes' room alone: no model is built, so its size hangs on no column.

Sets: jobs j, their choices c (a pool p and a number of workers), starts t with their ends e; slots t; services s.
Formula: for any prices λ[p,t] >= 0 of a unit of the counted resource, ω[q,t] >= 0 of what a tenant holds,
F >= constant + Σ_j min(left out_j, min_{c,t} start_jct + a_c Σ_{t <= τ < e} (λ[p,τ] + ω[q,τ]))
+ Σ_pt min_y (node_pt y − λ[p,t] G_p y)
+ Σ_st max(min_p λ[p,t] g_s r_spt, min_p λ[p,t] g_s min_s) − Σ_qt (ω[q,t] most that ω may be worth).
Intuition: room has a price and everybody buys what is cheapest; what is bought beyond the room there is makes prices rise.
Every rule but room and plain quotas is left aside, so it is a relaxation whatever the rules are; it is no coarser than the slots.
Rounding: as in `solvers/priced`, a sum of n floats is off by γ_n Σ |terms|, taken off twice over; the last sum is exact.
Source: Lagrangian relaxation, Geoffrion 1974, doi.org/10.1007/BFb0120690.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum

import numpy as np
from numpy.typing import NDArray

from schedplan.measures.emissions import emission_of
from schedplan.measures.work import counted, reference_work_h
from schedplan.model.cluster import NodeStatus, Pool
from schedplan.model.problem import Problem
from schedplan.optimize.lagrangian.asks import Ask, asks
from schedplan.optimize.lagrangian.limits import plain_limits
from schedplan.optimize.lagrangian.menu import Course, Floats, Ints, menu
from schedplan.optimize.nodes.rates import Rates

ROUNDOFF = 2.0**-53
ROOM_FORGIVEN = 1e-5
"""What the check may forgive of room, as a share of it: cores and shares of devices are counted in whole millionths."""
LEFT_OUT = -1


@dataclass(frozen=True)
class Prices:
    """room: F per unit of the counted resource, [pool, slot]; tenant: F per unit a tenant holds, [tenant, slot]; none below 0."""

    room: Floats
    tenant: Floats


@dataclass(frozen=True)
class Bought:
    """What is cheapest at some prices: the bound they prove, and by how much room and quotas are overdrawn, as in `Prices`.

    course: which one each job takes, LEFT_OUT for none; start: its slot; both int64 [job].
    """

    bound: float
    room: Floats
    tenant: Floats
    course: Ints
    start: Ints


@dataclass(frozen=True)
class _Profiles:
    """The rows of a course that differ in more than release and name: wait, held, late, due_h, last; and the row of each choice."""

    rows: Floats
    row_of: NDArray[np.intp]


class Relaxation:
    """The relaxation of one problem. It holds arrays over jobs, pools and slots, and no variable."""

    def __init__(self, problem: Problem, rates: Rates) -> None:
        self.problem, self.rates = problem, rates
        self.limits = plain_limits(problem)
        self.tenants = tuple(self.limits)
        self.menu = menu(problem, rates, self.tenants)
        self.profiles = tuple(_profiles(course) for course in self.menu.courses)
        self.asks: tuple[Ask, ...] = asks(problem, rates)
        self.hours = np.asarray(problem.grid.hours, dtype=np.float64)
        edges_s = np.array(problem.grid.edges_s, dtype=np.float64)
        self.edges_h = (edges_s - edges_s[0]) / 3600.0
        pools = problem.cluster.pools
        self.node = np.array([rates.node(pool) for pool in pools]).reshape(len(pools), -1)
        self.size = np.array([_size(pool, problem) for pool in pools])
        self.open = _open_nodes(problem)
        self.numbers = _numbers(problem, self.open)
        self.emitted = [_emitted(problem, rates, pool) for pool in pools]
        self.constant = -rates.utilization * reference_work_h(problem)

    def nothing(self) -> Prices:
        """Return prices of 0."""
        return Prices(np.zeros(self.node.shape), np.zeros((len(self.tenants), len(self.hours))))

    def payable(self, prices: Prices) -> Prices:
        """Return the nearest prices that prove something: of known room alone, no dearer than borrowing where nothing caps it."""
        room = np.where(np.isfinite(self.size)[:, None], np.maximum(prices.room, 0.0), 0.0)
        tenant = np.maximum(prices.tenant, 0.0)
        for row, limit in enumerate(self.limits.values()):
            if not limit.is_capped:
                tenant[row] = np.minimum(tenant[row], self._borrowing(limit.borrow_price))
        return Prices(room, tenant)

    def bought(self, prices: Prices) -> Bought:
        """Return what is cheapest at some prices, and the bound on F that they prove."""
        paid = self.payable(prices)
        costs, course, start = self._cheapest(paid)
        used, held = self._used(course, start)
        parts = [self.constant, *costs.tolist()]
        parts += self._nodes(paid.room, used) + self._services(paid, used, held) + self._quotas(paid.tenant, held)
        lost = 4 * ROUNDOFF * (fsum(map(abs, parts)) + (len(self.hours) + 8) * self._moved(paid))
        return Bought(fsum(parts) - lost, used, held, course, start)

    def later(self, prices: Prices, slot: int) -> Floats:
        """Return what each job costs at least at some prices where it starts with a slot or later, or is left out; F, [job]."""
        return self._cheapest(self.payable(prices), slot)[0]

    def priced(self, prices: Prices) -> list[Floats]:
        """Return of every course what its starts cost at prices, [profile, slot], as if all were released when the grid begins;
        what hangs on a choice alone is left aside."""
        room, tenant = _summed(prices.room), _summed(prices.tenant)
        return [self._costs(course, of, room, tenant) for course, of in zip(self.menu.courses, self.profiles, strict=True)]

    def likely(self, prices: Prices, jobs: Ints, slots: range, most: int, most_on_pool: int) -> dict[int, dict[int, list[int]]]:
        """Return by job and pool the slots, of some, in which starts are cheapest at some prices: so many of each job, and so many
        of it on each pool."""
        found = self._starts(prices, jobs, slots)
        flat = found.reshape(len(jobs), len(self.size) * len(slots))
        is_cheap = np.zeros(flat.shape, dtype=np.bool_)
        np.put_along_axis(is_cheap, np.argsort(flat, axis=1, kind="stable")[:, :most], True, axis=1)
        of_pool = is_cheap.reshape(found.shape)
        np.put_along_axis(of_pool, np.argsort(found, axis=2, kind="stable")[:, :, :most_on_pool], True, axis=2)
        chosen: dict[int, dict[int, list[int]]] = {int(job): {} for job in jobs}
        for row, pool, slot in np.argwhere(of_pool & np.isfinite(found)).tolist():
            chosen[int(jobs[row])].setdefault(pool, []).append(slot)
        return chosen

    def cheapest_starts(self, prices: Prices, jobs: Ints, slots: range, most: int) -> list[list[tuple[int, int]]]:
        """Return so many of the cheapest starts, at some prices, of each of some jobs: (pool, slot), the cheapest first."""
        flat = self._starts(prices, jobs, slots).reshape(len(jobs), len(self.size) * len(slots))
        cheapest = np.argsort(flat, axis=1, kind="stable")[:, :most]
        return [
            [(where // len(slots), slots.start + where % len(slots)) for where in row[np.isfinite(flat[number, row])].tolist()]
            for number, row in enumerate(cheapest)
        ]

    def _starts(self, prices: Prices, jobs: Ints, slots: range) -> Floats:
        """Return what starts of some jobs in some slots cost at some prices, [job, pool, slot]; infinite where there is none."""
        paid = self.payable(prices)
        room, tenant = _summed(paid.room), _summed(paid.tenant)
        row_of = np.full(len(self.menu.left_out), LEFT_OUT, dtype=np.int64)
        row_of[jobs] = np.arange(len(jobs))
        found = np.full((len(jobs), len(self.size), len(slots)), np.inf)
        for course, profiles in zip(self.menu.courses, self.profiles, strict=True):
            here = np.flatnonzero(row_of[course.job] != LEFT_OUT)
            costs = self._costs(course, profiles, room, tenant)[profiles.row_of[here], slots.start : slots.stop]
            costs[np.arange(slots.start, slots.start + costs.shape[1]) < course.release[here, None]] = np.inf
            found[row_of[course.job[here]], course.pool, : costs.shape[1]] = costs + course.plain[here, None]
        return found

    def _moved(self, prices: Prices) -> float:
        """Return the sum of what is added up for the costs of all choices at most: what rounding may be off by is a share of it."""
        dearest = sum(float(part.sum(axis=1).max(initial=0.0)) for part in (prices.room, prices.tenant))
        dearest += float(self.edges_h[-1]) * self.rates.utilization
        dearest += max((float(one[-1]) for one in self.emitted if one is not None), default=0.0)
        of_courses = (
            dearest * float(one.held.sum())
            + float(self.edges_h[-1]) * float((one.wait + one.late).sum())
            + float(np.abs(one.plain).sum())
            for one in self.menu.courses
        )
        return fsum(of_courses)

    def _cheapest(self, prices: Prices, not_before: int = 0) -> tuple[Floats, Ints, Ints]:
        """Return what each job costs at least, which course it takes for that and when it starts."""
        best = self.menu.left_out.copy()
        chosen = np.full(len(best), LEFT_OUT, dtype=np.int64)
        start = np.zeros(len(best), dtype=np.int64)
        room, tenant = _summed(prices.room), _summed(prices.tenant)
        for number, (course, profiles) in enumerate(zip(self.menu.courses, self.profiles, strict=True)):
            costs, starts = self._course(course, profiles, room, tenant, not_before)
            is_better = costs < best[course.job]
            np.minimum.at(best, course.job, costs)
            is_better &= costs == best[course.job]
            chosen[course.job[is_better]], start[course.job[is_better]] = number, starts[is_better]
        return best, chosen, start

    def _course(self, course: Course, profiles: _Profiles, room: Floats, tenant: Floats, not_before: int) -> tuple[Floats, Ints]:
        """Return the least cost of each choice of a course, infinite without a start, and the earliest start that has it."""
        n = len(course.ends)
        if not_before >= n:
            return np.full(len(course.job), np.inf), np.zeros(len(course.job), dtype=np.int64)
        costs, slots = self._costs(course, profiles, room, tenant), np.arange(n)
        least = np.minimum.accumulate(costs[:, ::-1], axis=1)[:, ::-1]
        first = np.minimum.accumulate(np.where(costs == least, slots, n)[:, ::-1], axis=1)[:, ::-1]
        where = profiles.row_of, np.maximum(course.release, not_before)
        return np.asarray(least[where] - course.wait * course.release_h + course.plain), first[where]

    def _costs(self, course: Course, profiles: _Profiles, room: Floats, tenant: Floats) -> Floats:
        """Return what starts of a course cost, by profile and slot, as if all were released when the grid begins."""
        n, ends = len(course.ends), course.ends
        begin_h, end_h = self.edges_h[:n], self.edges_h[ends]
        per_unit = room[course.pool][ends] - room[course.pool][:n]
        if course.tenant >= 0:
            per_unit = per_unit + tenant[course.tenant][ends] - tenant[course.tenant][:n]
        if course.is_booked:
            per_unit = per_unit - self.rates.utilization * (end_h - begin_h)
            emitted = self.emitted[course.pool]
            per_unit = per_unit if emitted is None else per_unit + emitted[ends] - emitted[:n]
        wait, held, late, due_h, last = (part[:, None] for part in profiles.rows.T)
        costs = wait * begin_h + held * per_unit
        if late.any():
            costs += late * np.maximum(end_h - due_h, 0.0)
        return np.asarray(np.where(np.arange(n) > last, np.inf, costs), dtype=np.float64)

    def _used(self, chosen: Ints, start: Ints) -> tuple[Floats, Floats]:
        """Return what the chosen starts hold of each pool and of each quota, per slot."""
        used = np.zeros((len(self.size), len(self.hours) + 1))
        held = np.zeros((len(self.tenants), len(self.hours) + 1))
        for number, course in enumerate(self.menu.courses):
            takes = chosen[course.job] == number
            begins = start[course.job[takes]]
            for row in [used[course.pool]] + ([held[course.tenant]] if course.tenant >= 0 else []):
                np.add.at(row, begins, course.held[takes])
                np.add.at(row, course.ends[begins], -course.held[takes])
        return used.cumsum(axis=1)[:, :-1], held.cumsum(axis=1)[:, :-1]

    def _nodes(self, room: Floats, used: Floats) -> list[float]:
        """Return what nodes cost less what their room is worth, per pool and slot, and take that room off what is used."""
        size = np.where(np.isfinite(self.size), self.size, 0.0)[:, None] * (1 + ROOM_FORGIVEN)
        usable = size * np.minimum(self.numbers, self.open)
        values = self.node * self.numbers - room * usable
        best = values.argmin(axis=0)[None]
        used -= np.take_along_axis(usable, best, 0)[0]
        return [float(value) for value in np.take_along_axis(values, best, 0).ravel()]

    def _services(self, prices: Prices, used: Floats, held: Floats) -> list[float]:
        """Return what services cost at least per slot, and add what they take for that."""
        found: list[float] = []
        slots = np.arange(len(self.hours))
        for ask in self.asks:
            row = self.tenants.index(ask.service.tenant) if ask.service.tenant in self.limits else None
            price = prices.room + ask.emitted + (0.0 if row is None else prices.tenant[row])
            for_all, for_number = (_priced(price, units) for units in (ask.by_demand, ask.by_number))
            is_number = for_all.min(axis=0) < for_number.min(axis=0)
            costs = np.where(is_number, for_number, for_all)
            where = costs.argmin(axis=0)
            value = costs[where, slots]
            units = np.where(is_number, ask.by_number[where, slots], ask.by_demand[where, slots])
            is_asked = np.isfinite(value)
            np.add.at(used, (where[is_asked], slots[is_asked]), units[is_asked])
            if row is not None:
                held[row, is_asked] += units[is_asked]
            found += value[is_asked].tolist()
        return found

    def _quotas(self, tenant: Floats, held: Floats) -> list[float]:
        """Return what quotas let tenants hold is worth, none above 0, and take it off what they hold."""
        found: list[float] = []
        for row, limit in enumerate(self.limits.values()):
            most = np.where(np.isfinite(limit.most), limit.most, 0.0)
            borrowing = np.minimum(tenant[row], self._borrowing(limit.borrow_price))
            found += (-borrowing * limit.free - (tenant[row] - borrowing) * most).tolist()
            is_dearer = (tenant[row] >= self._borrowing(limit.borrow_price)) & limit.is_capped
            held[row] -= np.where(is_dearer, most, limit.free)
        return found

    def _borrowing(self, price_per_h: float) -> Floats:
        """Return what a unit that is borrowed adds to F in each slot."""
        return self.rates.cost * price_per_h * self.hours


def is_bounded(problem: Problem) -> bool:
    """Whether the relaxation knows all that a plan may do: no job in pieces, none stopped, no node that is paid for taking it."""
    has_gifts = any(float(problem.price_per_h(pool).min()) < 0 for pool in problem.cluster.pools)
    return not (problem.may_pause or problem.stops or problem.is_static or has_gifts)


def _profiles(course: Course) -> _Profiles:
    rows = np.column_stack([course.wait, course.held, course.late, course.due_h, course.last.astype(np.float64)])
    unlike, row_of = np.unique(rows, axis=0, return_inverse=True)
    return _Profiles(unlike, row_of.ravel())


def _size(pool: Pool, problem: Problem) -> float:
    """Return the counted resource of a node, infinite where it is not known."""
    is_unknown = not problem.cluster.has_devices and pool.cpus is None
    return float("inf") if is_unknown else counted(pool, problem.cluster)


def _open_nodes(problem: Problem) -> Floats:
    """Return how many nodes of each pool no outage closes, [pool, slot]."""
    nodes = problem.cluster.nodes_of_pool
    rows = [(~problem.is_down[list(nodes[pool.name])]).sum(axis=0) for pool in problem.cluster.pools]
    return np.array(rows, dtype=np.float64).reshape(len(rows), problem.grid.n_slots)


def _numbers(problem: Problem, is_open: Floats) -> Floats:
    """Return the numbers of nodes among which the cheapest is: the least that is paid for, all open ones, all; [3, pool, slot].

    A pool that is not ready may be paid for, and holds nothing new: it counts for nothing.
    """
    pools = problem.cluster.pools
    least = np.array([[pool.always_on if pool.status is NodeStatus.READY else 0] for pool in pools], dtype=np.float64)
    most = np.array([[pool.nodes] for pool in pools], dtype=np.float64)
    least, most = (np.broadcast_to(part.reshape(len(pools), 1), is_open.shape) for part in (least, most))
    return np.stack([least, np.maximum(is_open, least), np.maximum(most, least)])


def _emitted(problem: Problem, rates: Rates, pool: Pool) -> Floats | None:
    """Return what a unit of the counted resource that is busy on a pool from the first slot to each edge emits, as F."""
    emission = emission_of(problem, pool) if rates.carbon else None
    units = counted(pool, problem.cluster)
    if emission is None or not units:
        return None
    return np.concatenate([[0.0], rates.carbon * np.cumsum(emission.duty) / units])


def _summed(prices: Floats) -> Floats:
    return np.concatenate([np.zeros((len(prices), 1)), prices.cumsum(axis=1)], axis=1)


def _priced(price: Floats, units: Floats) -> Floats:
    return np.where(np.isfinite(units), price * np.where(np.isfinite(units), units, 0.0), np.inf)
