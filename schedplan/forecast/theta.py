"""A smoothed level, half of the slope and a season that stays: the theta method, estimated by statsmodels.

    y(n + h) = level(n) + b / 2 (h - 1 + (1 - (1 - alpha)^n) / alpha) + season(n + h)

After Assimakopoulos and Nikolopoulos, "The theta model", 2000, https://doi.org/10.1016/S0169-2070(00)00066-2, and Hyndman
and Billah, "Unmasking the Theta method", 2003, https://doi.org/10.1016/S0169-2070(01)00143-1.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.signal import lfilter

from schedplan.forecast.forecaster import NotFitted, Outlook, Rolled, from_the_end, refuse_short
from schedplan.model.forecast import Series

NAME = "theta"
LEAST_SEASONS = 3
FITTED_SEASONS = 28
THETA = 2.0
_LEAST_ALPHA = 1e-6
_REFUSED = (np.linalg.LinAlgError, ValueError, IndexError, ArithmeticError)


@dataclass(frozen=True, slots=True)
class Theta:
    """Slope, season and weight from the newest 28 seasons."""

    season: int
    name: str = NAME

    def fit(self, series: Series) -> FittedTheta:
        n = len(series.values)
        refuse_short(self.name, n, LEAST_SEASONS, self.season)
        begin = max(0, n - FITTED_SEASONS * self.season)
        slope, alpha, seasonal = _estimated(series.values[begin:], self.season)
        # seasonal[0] is of step `begin`; it is kept by the phase of the whole history
        fitted = FittedTheta(series, slope, alpha, np.roll(seasonal, begin % self.season), 0.0)
        errors = fitted.errors_of(series.values[begin:], begin)
        sigma = float(np.sqrt(np.mean(errors[self.season :] ** 2)))
        if not (np.isfinite([slope, alpha, sigma]).all() and np.isfinite(seasonal).all()):
            raise NotFitted(f"{self.name} gave no finite forecast")
        return FittedTheta(series, slope, alpha, fitted.seasonal, sigma)


@dataclass(frozen=True, slots=True)
class FittedTheta:
    """slope: per step; alpha: share of an error that the level takes; seasonal: float64 [m]; sigma: one step ahead."""

    series: Series
    slope: float
    alpha: float
    seasonal: NDArray[np.float64]
    sigma: float
    notes: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        return NAME

    def forecast(self, horizon: int, quantiles: tuple[float, ...]) -> Outlook:
        return from_the_end(self, self.series, horizon, quantiles)

    def roll(self, series: Series, origins: NDArray[np.int64], horizon: int) -> Rolled:
        levels = self._levels(series.values, 0)[origins]
        targets = origins[:, None] + np.arange(horizon)
        settled = (1 - (1 - self.alpha) ** origins) / self.alpha
        trend = (THETA - 1) / THETA * self.slope * (settled[:, None] + np.arange(horizon))
        return Rolled(levels[:, None] + trend + self.seasonal[targets % len(self.seasonal)], self.standard_error(horizon))

    def errors_of(self, values: NDArray[np.float64], begin: int) -> NDArray[np.float64]:
        """Return the errors one step ahead of values from step `begin` on, float64 [n]."""
        return (
            np.asarray(values - self.seasonal[np.arange(begin, begin + len(values)) % len(self.seasonal)])
            - (self._levels(values, begin)[:-1])
        )

    def standard_error(self, horizon: int) -> NDArray[np.float64]:
        """Return the deviation of the error 1, 2, ... steps ahead, float64 [horizon]."""
        return np.asarray(self.sigma * np.sqrt(1 + np.arange(horizon) * self.alpha**2))

    def _levels(self, values: NDArray[np.float64], begin: int) -> NDArray[np.float64]:
        """Return the smoothed level before each value and after the last, float64 [n + 1]; it begins at the first value."""
        plain = values - self.seasonal[np.arange(begin, begin + len(values)) % len(self.seasonal)]
        kept = 1 - self.alpha
        smoothed, _ = lfilter([self.alpha], [1.0, -kept], plain, zi=[kept * plain[0]])
        return np.concatenate((plain[:1], smoothed))


def _estimated(values: NDArray[np.float64], season: int) -> tuple[float, float, NDArray[np.float64]]:
    """Return slope, alpha and season by phase of the values given."""
    from statsmodels.tsa.forecasting.theta import ThetaModel

    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            found = ThetaModel(values, period=season, deseasonalize=True, use_test=False, method="additive").fit()
            ahead = found.forecast_components(season)["seasonal"].to_numpy(dtype=np.float64)
            slope, alpha = float(found.params["b0"]), float(found.params["alpha"])
    except _REFUSED as problem:
        raise NotFitted(f"{NAME} could not be fitted ({type(problem).__name__}: {problem})") from None
    return slope, max(alpha, _LEAST_ALPHA), np.roll(ahead, len(values) % season)
