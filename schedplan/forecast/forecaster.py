"""What every forecaster promises. It knows none of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from schedplan.forecast.gaussian import quantiles as normal_quantiles
from schedplan.model.forecast import Series


class NotFitted(Exception):  # noqa: N818 - an answer to "can you?", caught by the fallback, never shown as an error
    """A forecaster cannot be fitted to this series; the message says why. The fallback ladder goes on."""


def refuse_short(name: str, n_steps: int, least: int, season: int) -> None:
    """Raise NotFitted where a history is shorter than `least` seasons of so many steps."""
    if n_steps < least * season:
        raise NotFitted(f"{name} was not tried: it needs {least} seasons of {season} steps, there are {n_steps} to fit on")


@dataclass(frozen=True, slots=True)
class Outlook:
    """What a fitted forecaster expects: mean and standard error float64 [h], quantiles float64 [len(levels), h]."""

    mean: NDArray[np.float64]
    se: NDArray[np.float64]
    quantiles: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Rolled:
    """Forecasts from several origins at the parameters fitted: mean float64 [origins, h], standard error float64 [h]."""

    mean: NDArray[np.float64]
    se: NDArray[np.float64]


class Fitted(Protocol):
    """A forecaster whose parameters are set."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know of the fit: warnings, bounds met."""
        ...

    def forecast(self, horizon: int, quantiles: tuple[float, ...]) -> Outlook:
        """Return what follows the series it was fitted on."""
        ...

    def roll(self, series: Series, origins: NDArray[np.int64], horizon: int) -> Rolled:
        """Return forecasts of series[o], series[o+1], ... for each origin o, each from series[:o] alone.

        `series` begins like the one fitted on and may go on after it; the parameters stay.
        """
        ...


def fit_anew(forecaster: Forecaster, series: Series, previous: Fitted | None) -> Fitted:
    """Return a forecaster fitted to a history, beginning at the parameters of an earlier part of it where it can do that."""
    if previous is not None and isinstance(forecaster, Refittable):
        return forecaster.refit(series, previous)
    return forecaster.fit(series)


def from_the_end(fitted: Fitted, series: Series, horizon: int, quantiles: tuple[float, ...]) -> Outlook:
    """Return what follows a series: the forecast from its end as `roll` gives it, with normal quantiles."""
    rolled = fitted.roll(series, np.array([len(series.values)]), horizon)
    return Outlook(rolled.mean[0], rolled.se, normal_quantiles(rolled.mean[0], rolled.se, quantiles))


class Forecaster(Protocol):
    """Something that can be fitted to a history without gaps, of unit deviation."""

    @property
    def name(self) -> str: ...

    def fit(self, series: Series) -> Fitted:
        """Return the forecaster with its parameters set; NotFitted where the series does not allow it."""
        ...


@runtime_checkable
class Refittable(Protocol):
    """A forecaster whose fit is shorter where it begins at parameters found before."""

    def refit(self, series: Series, previous: Fitted) -> Fitted:
        """Return the forecaster fitted to `series`, of which the history of `previous` is the beginning."""
        ...
