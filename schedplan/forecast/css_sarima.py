"""One SARIMA fitted by least conditional sum of squares, with a season of any length, or two."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedplan.forecast.css import errors_of, fit_css
from schedplan.forecast.forecaster import NotFitted, Outlook, Rolled, from_the_end
from schedplan.forecast.orders import Orders
from schedplan.forecast.rolling import error_growth, roll_forward
from schedplan.model.forecast import Series

LEAST_SEASONS = 3


@dataclass(frozen=True, slots=True)
class CssSarima:
    """A SARIMA of given orders, fitted on `steps_fitted` of the newest values."""

    name: str
    orders: Orders
    steps_fitted: int

    @property
    def least_steps(self) -> int:
        """Return how many values a fit needs: as many again as its terms look back over, three times its longest season."""
        longest = max((each.season for each in self.orders.seasonal), default=0)
        return max(2 * self.orders.burn_in + self.orders.n_parameters, LEAST_SEASONS * longest)

    def fit(self, series: Series, start: NDArray[np.float64] | None = None) -> FittedCssSarima:
        """Return the parameters of the newest values; `start` are parameters to begin the search from."""
        recent = series.values[-self.steps_fitted :]
        if len(recent) < self.least_steps:
            raise NotFitted(f"{self.name} was not tried: it needs {self.least_steps} steps, there are {len(recent)} to fit on")
        with np.errstate(all="ignore"):
            try:
                parameters = fit_css(recent, self.orders, start)
            except np.linalg.LinAlgError as problem:
                raise NotFitted(f"{self.name} could not be fitted ({problem})") from None
            sigma = float(np.sqrt(np.mean(errors_of(recent, self.orders, parameters)[self.orders.burn_in :] ** 2)))
        if not (np.isfinite(parameters).all() and np.isfinite(sigma)):
            raise NotFitted(f"{self.name} gave no finite forecast")
        return FittedCssSarima(series, self.orders, parameters, sigma)


@dataclass(frozen=True, slots=True)
class FittedCssSarima:
    """sigma: deviation of the one-step error in the values fitted on."""

    series: Series
    orders: Orders
    parameters: NDArray[np.float64]
    sigma: float
    notes: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        return self.orders.name

    def forecast(self, horizon: int, quantiles: tuple[float, ...]) -> Outlook:
        return from_the_end(self, self.series, horizon, quantiles)

    def roll(self, series: Series, origins: NDArray[np.int64], horizon: int) -> Rolled:
        left, right = self.orders.left(self.parameters), self.orders.right(self.parameters)
        errors = errors_of(series.values, self.orders, self.parameters)
        means = roll_forward(series.values, errors, left, right, origins, horizon)
        return Rolled(means, self.standard_error(horizon))

    def standard_error(self, horizon: int) -> NDArray[np.float64]:
        """Return the deviation of the error 1, 2, ... steps ahead, float64 [horizon]."""
        left, right = self.orders.left(self.parameters), self.orders.right(self.parameters)
        return error_growth(left, right, self.sigma, horizon)
