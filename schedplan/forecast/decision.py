"""What forecasts would have made a planner buy: devices ordered by each model and quantile, ahead by their start-up.

At each origin of the backtest the orders for the next stretch are made, as far ahead as a device takes to start, from what was
known then; so every interval is ordered once, and the orders of a model make one record that can be held against what came.
Beside it stands the least that perfect foresight would have bought. It prices nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedplan.forecast.backtest import Folds
from schedplan.forecast.carrier import Carrier, steps_of
from schedplan.measures.provisioning import Provisioned, provisioned
from schedplan.model.breaker import Breaker

LEVELS = (0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.975, 0.99, 0.995)
"""The quantiles tried; our choice."""
TARGETS = (0.95, 0.99)
"""The shares of the load, in time, at which models are compared; our choice."""
HINDSIGHT = "hindsight"
MEAN = "mean"
MOST_HEADROOM = 9.0
HEADROOM_DIGITS = 1e-4


@dataclass(frozen=True, slots=True)
class Provision:
    """How devices are ordered. startup_s: from the order to service; replan_s: between orders, None: as often as origins lie.

    planned_level: the quantile that a plan provides for, whose record is kept.
    """

    carrier: Carrier
    startup_s: int = 0
    replan_s: int | None = None
    planned_level: float = 0.95


@dataclass(frozen=True, slots=True)
class Decision:
    """Orders by one model at one quantile (level None: at its mean; model `hindsight`: what was needed), and what they did.

    has_breaker: more is ordered while the load that was measured lies above that quantile (`model.breaker`).
    """

    model: str
    level: float | None
    outcome: Provisioned
    has_breaker: bool = False


@dataclass(frozen=True, slots=True)
class EqualSlo:
    """The least a model pays where `target` of the load is served in time, by a quantile or by its mean and a headroom.

    Both are chosen knowing the outcome, for every model alike. paid_device_h None: no quantile or headroom tried is enough.
    """

    target: float
    model: str
    level: float | None
    headroom: float | None
    paid_device_h: float | None


@dataclass(frozen=True, slots=True)
class Decided:
    """The decision backtest of one series: n intervals of step_s from start_s on, ordered every replan_s.

    decisions: hindsight first, then the models in the order given, each at its mean and at rising quantiles; last the first model
    at the planned quantile with a breaker. needed, ordered:
    float64 [n], devices; ordered by the first model at the planned quantile. why_not: what stood in the way, empty else.
    """

    start_s: int = 0
    step_s: int = 1
    startup_s: int = 0
    replan_s: int = 0
    decisions: tuple[Decision, ...] = ()
    at_equal_slo: tuple[EqualSlo, ...] = ()
    needed: NDArray[np.float64] | None = None
    ordered: NDArray[np.float64] | None = None
    why_not: str = ""

    @property
    def bound(self) -> Provisioned | None:
        """Return what perfect foresight would have done."""
        return next((each.outcome for each in self.decisions if each.model == HINDSIGHT), None)


@dataclass(frozen=True, slots=True)
class _Schedule:
    """Which fold orders which of its steps: rows [orders], and the first and last + 1 step ahead that each orders."""

    rows: NDArray[np.int64]
    first: int
    last: int

    def record(self, forecast: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what was ordered for one interval after the other, float64 [orders * (last - first)], of [F, h]."""
        return np.asarray(forecast[self.rows, self.first : self.last].reshape(-1))


def decide(folds_of: tuple[tuple[str, Folds], ...], step_s: int, provision: Provision) -> Decided:
    """Return what each model would have made a planner buy; pairs of (model, its folds), all with the same origins."""
    folds = folds_of[0][1]
    schedule = _schedule(folds, step_s, provision)
    if isinstance(schedule, str):
        return Decided(why_not=schedule)
    load = schedule.record(folds.actual)
    if not np.isfinite(load).any():
        return Decided(why_not="no interval of the backtest was observed")
    needed = provision.carrier.devices(load)
    if np.isinf(needed).any():
        return Decided(why_not="no number of devices carries the load")

    def outcome(serving: NDArray[np.float64]) -> Provisioned:
        return provisioned(serving, needed, load, step_s, provision.startup_s)

    decisions = [Decision(HINDSIGHT, None, outcome(np.nan_to_num(needed)))]
    equal: list[EqualSlo] = []
    for model, own in folds_of:
        means = schedule.record(own.mean)
        ordered = _orders(own, schedule, provision.carrier)
        made = [Decision(model, level, outcome(devices)) for level, devices in ordered]
        decisions += made
        equal += [_least(target, model, made, means, provision.carrier, outcome) for target in TARGETS]
    planned = folds_of[0][1].quantile(provision.planned_level)
    if planned is not None:
        lag = max(steps_of(provision.startup_s, step_s), 1)
        answered = provision.carrier.devices(Breaker().provided(load, schedule.record(planned), lag))
        decisions.append(Decision(folds_of[0][0], provision.planned_level, outcome(answered), has_breaker=True))
    return Decided(
        start_s=int(folds.origins_s[schedule.rows[0]]) + schedule.first * step_s,
        step_s=step_s,
        startup_s=provision.startup_s,
        replan_s=(schedule.last - schedule.first) * step_s,
        decisions=tuple(decisions),
        at_equal_slo=tuple(sorted(equal, key=lambda each: TARGETS.index(each.target))),
        needed=needed,
        ordered=None if planned is None else provision.carrier.devices(schedule.record(planned)),
    )


def _orders(own: Folds, schedule: _Schedule, carrier: Carrier) -> Iterator[tuple[float | None, NDArray[np.float64]]]:
    """Give (level, devices ordered in each interval): of the mean, whose level is None, then of every quantile that is judged."""
    yield None, carrier.devices(schedule.record(own.mean))
    for level in own.levels:
        found = own.quantile(level)
        if found is not None and level >= LEVELS[0]:
            yield level, carrier.devices(schedule.record(found))


def _schedule(folds: Folds, step_s: int, provision: Provision) -> _Schedule | str:
    """Return which fold orders what, or why none can."""
    horizon = folds.actual.shape[1]
    gaps = np.diff(folds.origins_s) // step_s
    spacing = int(gaps[0]) if len(gaps) else horizon
    every = 1 if provision.replan_s is None else max(1, provision.replan_s // (spacing * step_s))
    lag, stretch = steps_of(provision.startup_s, step_s), every * spacing
    if lag + stretch > horizon:
        return (
            f"forecasts of {horizon} intervals are too short for orders {lag} intervals ahead that are made every {stretch};"
            f" ask for a longer horizon"
        )
    # counted from the newest fold back, so that what is left over is the oldest
    rows = np.arange(len(folds.origins_s) - 1, -1, -every)[::-1]
    return _Schedule(rows, lag, lag + stretch)


def _least(
    target: float,
    model: str,
    made: list[Decision],
    means: NDArray[np.float64],
    carrier: Carrier,
    outcome: Callable[[NDArray[np.float64]], Provisioned],
) -> EqualSlo:
    """Return the cheaper of the least quantile and of the least headroom over the mean that reach the target."""
    enough = [each for each in made if _reaches(each.outcome, target)]
    by_level = min(enough, key=lambda each: each.outcome.paid_device_h, default=None)
    headroom = _least_headroom(target, means, carrier, outcome)
    by_headroom = None if headroom is None else outcome(carrier.devices(means * (1 + headroom))).paid_device_h
    if by_level is not None and (by_headroom is None or by_level.outcome.paid_device_h <= by_headroom):
        return EqualSlo(target, model, by_level.level, 0.0 if by_level.level is None else None, by_level.outcome.paid_device_h)
    return EqualSlo(target, model, None, headroom, by_headroom)


def _least_headroom(
    target: float, means: NDArray[np.float64], carrier: Carrier, outcome: Callable[[NDArray[np.float64]], Provisioned]
) -> float | None:
    """Return the least headroom over the mean, to a ten-thousandth, that reaches the target; None above ten times the mean."""
    low, high = 0.0, MOST_HEADROOM
    if not _reaches(outcome(carrier.devices(means * (1 + high))), target):
        return None
    while high - low > HEADROOM_DIGITS:
        middle = (low + high) / 2
        low, high = (low, middle) if _reaches(outcome(carrier.devices(means * (1 + middle))), target) else (middle, high)
    return high


def _reaches(outcome: Provisioned, target: float) -> bool:
    return outcome.slo_attainment is not None and outcome.slo_attainment >= target
