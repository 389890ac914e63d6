"""A load whose cycle has days of two kinds, such as working days and weekends: each follows the last day of its own kind.

y(t) = level(t) + u(t): the level is the mean of the same hour on earlier days of the kind, the newer the more, and u an ARMA(1,1)
that carries today's departure on. Which days are alike is read off the history, not off a calendar, so any cycle and any weekend
will do. Our choice; with one kind alone it would be the airline SARIMA (1,0,1)(0,1,1)m.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import ceil

import numpy as np
from numpy.typing import NDArray

from schedplan.forecast.css import errors_of, fit_css
from schedplan.forecast.forecaster import NotFitted, Outlook, Rolled, from_the_end
from schedplan.forecast.lags import over
from schedplan.forecast.orders import Orders
from schedplan.forecast.rolling import error_growth, roll_forward
from schedplan.model.forecast import Series

NAME = "day-kinds"
LEAST_CYCLES = 1.5
FITTED_CYCLES = 6
REST_DAYS = (1, 2)
SMOOTHING = (0.0, -0.3, -0.5, -0.7, -0.9)
DEPARTURE = Orders(1, 0, 1)
_START = np.array([0.6, 0.0])


@dataclass(frozen=True, slots=True)
class DayKinds:
    """Two kinds of day, `day` steps long, in a cycle of `cycle` days; one or two of them in a row are of the rarer kind."""

    day: int
    cycle: int
    name: str = NAME

    @property
    def least_steps(self) -> int:
        return ceil(LEAST_CYCLES * self.cycle) * self.day

    def fit(self, series: Series) -> FittedDayKinds:
        if len(series.values) < self.least_steps:
            raise NotFitted(
                f"{self.name} was not tried: it needs {self.least_steps} steps, there are {len(series.values)} to fit on"
            )
        kinds = _kinds(series.values, self.day, self.cycle)
        recent = FITTED_CYCLES * self.cycle * self.day
        found = (self._departure(series.values, kinds, smoothing, recent) for smoothing in SMOOTHING)
        sigma, smoothing, parameters = min(found, key=lambda each: each[0])
        if not (np.isfinite(parameters).all() and np.isfinite(sigma)):
            raise NotFitted(f"{self.name} gave no finite forecast")
        return FittedDayKinds(series, self.day, kinds, smoothing, parameters, sigma)

    def _departure(
        self, values: NDArray[np.float64], kinds: NDArray[np.int64], smoothing: float, recent: int
    ) -> tuple[float, float, NDArray[np.float64]]:
        """Return (deviation of the one-step error, smoothing, parameters of the ARMA)."""
        settled = departures(values, self.day, kinds, smoothing)[self.cycle * self.day :][-recent:]
        with np.errstate(all="ignore"):
            parameters = fit_css(settled, DEPARTURE, _START)
            return float(np.sqrt(np.mean(errors_of(settled, DEPARTURE, parameters) ** 2))), smoothing, parameters


@dataclass(frozen=True, slots=True)
class FittedDayKinds:
    """kinds: int64 [cycle], 0 or 1, that of each day counted from the first; smoothing: Theta of the level, 0 = the last day."""

    series: Series
    day: int
    kinds: NDArray[np.int64]
    smoothing: float
    parameters: NDArray[np.float64]
    sigma: float
    notes: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """Return how many days of the cycle are of either kind, such as 5+2 days alike."""
        rare = int(self.kinds.sum())
        return f"{len(self.kinds) - rare}+{rare} days alike"

    def forecast(self, horizon: int, quantiles: tuple[float, ...]) -> Outlook:
        return from_the_end(self, self.series, horizon, quantiles)

    def roll(self, series: Series, origins: NDArray[np.int64], horizon: int) -> Rolled:
        values = series.values
        departed = departures(values, self.day, self.kinds, self.smoothing)
        errors = errors_of(departed, DEPARTURE, self.parameters)
        left, right = DEPARTURE.left(self.parameters), DEPARTURE.right(self.parameters)
        level = values + self.smoothing * departed
        alike = self._last_alike(origins, horizon)
        expected = np.where(alike >= 0, level[np.maximum(alike, 0)], np.nan)
        carried = roll_forward(departed, errors, left, right, origins, horizon)
        return Rolled(expected + carried, self.standard_error(horizon))

    def standard_error(self, horizon: int) -> NDArray[np.float64]:
        """Return the deviation of the error 1, 2, ... steps ahead, float64 [horizon]."""
        return error_growth(DEPARTURE.left(self.parameters), DEPARTURE.right(self.parameters), self.sigma, horizon)

    def _last_alike(self, origins: NDArray[np.int64], horizon: int) -> NDArray[np.int64]:
        """Return the newest step before each origin of the hour and kind of each target, int64 [origins, h]; negative: none."""
        cycle = len(self.kinds)
        targets = origins[:, None] + np.arange(horizon)
        newest_day = (origins[:, None] - 1 - targets % self.day) // self.day
        back = np.array([[_days_back(self.kinds, kind, at) for at in range(cycle)] for kind in (0, 1)])
        kind = self.kinds[targets // self.day % cycle]
        return np.asarray((newest_day - back[kind, newest_day % cycle]) * self.day + targets % self.day)


def departures(values: NDArray[np.float64], day: int, kinds: NDArray[np.int64], smoothing: float) -> NDArray[np.float64]:
    """Return what each value differs by from the level of its hour and kind before it, float64 [n]; 0 on a kind's first day."""
    n_days = -(-len(values) // day)
    days = np.concatenate((values, np.zeros(n_days * day - len(values)))).reshape(n_days, day)
    departed = np.zeros_like(days)
    kind_of_day = kinds[np.arange(n_days) % len(kinds)]
    for kind in (0, 1):
        own = np.flatnonzero(kind_of_day == kind)
        if len(own) > 1:
            change = np.diff(days[own], axis=0, prepend=days[own[:1]])
            departed[own] = over(change.T, smoothing, 1).T
    return departed.reshape(-1)[: len(values)]


def _kinds(values: NDArray[np.float64], day: int, cycle: int) -> NDArray[np.int64]:
    """Return the parting of a cycle's days into two kinds that leaves least variance among the mean days, int64 [cycle]."""
    n_days = len(values) // day
    days = values[: n_days * day].reshape(n_days, day)
    mean_days = np.array([days[at::cycle].mean(axis=0) for at in range(cycle)])
    partings = []
    for length, begin in product(REST_DAYS, range(cycle)):
        kinds = np.zeros(cycle, dtype=np.int64)
        kinds[(begin + np.arange(length)) % cycle] = 1
        partings.append(kinds)
    return min(partings, key=lambda kinds: round(_within(mean_days, kinds), 9))


def _within(mean_days: NDArray[np.float64], kinds: NDArray[np.int64]) -> float:
    groups = (mean_days[kinds == kind] for kind in (0, 1))
    return float(sum(np.sum((group - group.mean(axis=0)) ** 2) for group in groups))


def _days_back(kinds: NDArray[np.int64], kind: int, at: int) -> int:
    """Return how many days before day `at` of the cycle, itself counted as 0, the newest of a kind lies."""
    return next(back for back in range(len(kinds)) if kinds[at - back] == kind)
