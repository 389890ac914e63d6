"""A fitted forecaster kept for new points: parameters stay, the recursion runs on. It decides nothing about refitting (`drift`)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedplan.forecast import intervals
from schedplan.forecast.forecaster import Fitted
from schedplan.forecast.intervals import Recipe, Spread
from schedplan.forecast.naive import LAST_VALUE
from schedplan.forecast.regularise import Regular, regularise
from schedplan.model.forecast import Series

RAISED_SHARE = 0.01


@dataclass(frozen=True, slots=True)
class Ahead:
    """mean float64 [h] and quantiles float64 [levels, h] of the recipe, never negative.

    is_raised: the mean was raised to what the quantiles allow a mean to be.
    """

    mean: NDArray[np.float64]
    quantiles: NDArray[np.float64]
    is_raised: bool = False


@dataclass(frozen=True, slots=True)
class Online:
    """What a forecaster has learnt of a series: its parameters, and the spread that its errors showed.

    begin_s: where the history begins that it was fitted on, `known` intervals of it.
    """

    model: str
    fitted: Fitted
    begin_s: int
    known: int
    season: int
    shape: Spread
    recipe: Recipe

    def ahead(self, series: Series, horizon: int) -> Ahead:
        """Return what follows the end of `series`, which is the one fitted on and whatever has come since; nothing is fitted.

        Gaps at its end are forecast too, and left out of the answer. ValueError where it does not go as far as what was fitted on.
        """
        offset, off = divmod(self.begin_s - series.start_s, series.step_s)
        values = series.values[max(offset, 0) :]
        seen = np.flatnonzero(~np.isnan(values))
        if offset < 0 or off or not seen.size or seen[-1] + 1 < self.known:
            raise ValueError(f"{series.unique_id} does not hold the history that {self.model} was fitted on")
        end = int(seen[-1]) + 1
        lead = len(values) - end
        ahead = self.after(regularise(values[:end], self.season, self.known), horizon + lead)
        return Ahead(ahead.mean[lead:], ahead.quantiles[:, lead:], ahead.is_raised)

    def after(self, regular: Regular, horizon: int) -> Ahead:
        """Return what follows a history made fit, that begins like the one fitted on."""
        end = len(regular.values)
        series = Series(self.model, self.begin_s, 1, regular.values)
        rolled = self.fitted.roll(series, np.array([end]), horizon)
        mean, se = rolled.mean[0] * regular.scale + regular.centre, rolled.se * regular.scale
        phase = (end + np.arange(horizon)) % self.season
        quantiles = intervals.quantiles(mean, se, phase, self.shape, self.recipe)
        own = np.clip(mean, 0.0, None)
        if self.model != LAST_VALUE:
            return Ahead(own, quantiles)
        consistent = intervals.mean_within(own, quantiles, self.recipe.levels)
        return Ahead(consistent, quantiles, bool(np.any(consistent > own * (1 + RAISED_SHARE))))
