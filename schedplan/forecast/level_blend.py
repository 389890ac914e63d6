"""Levels with a longer and a shorter memory at once, and an ARMA that returns to the mean: for loads without a season.

From the last value to the mean of everything there is a level for every memory; which of them is best changes with the load, so
each gets the weight it earned on the past. The memories are our choice.
"""

from __future__ import annotations

from dataclasses import dataclass

from schedplan.forecast.blend import Member, blended
from schedplan.forecast.css_sarima import CssSarima
from schedplan.forecast.forecaster import Fitted, refuse_short
from schedplan.forecast.naive import LastValue, Mean
from schedplan.forecast.orders import Orders
from schedplan.forecast.smoothed_level import SmoothedLevel
from schedplan.model.forecast import Series

NAME = "level-blend"
MEMORIES = (1 / 12, 1 / 3, 1.0, 4.0)
"""Half-lives of the smoothed levels, in periods."""
LEAST_PERIODS = 4
FITTED_PERIODS = 28
RETURNING = Orders(1, 0, 1)


@dataclass(frozen=True, slots=True)
class LevelBlend:
    """Levels blended; period: steps, a day mostly, by which memories are counted and the past is scored."""

    period: int
    name: str = NAME

    def fit(self, series: Series) -> Fitted:
        refuse_short(self.name, len(series.values), LEAST_PERIODS, self.period)
        levels = tuple(SmoothedLevel(memory * self.period).fit(series) for memory in MEMORIES)
        returning = CssSarima(RETURNING.name, RETURNING, FITTED_PERIODS * self.period).fit(series)
        members: tuple[Member, ...] = (LastValue().fit(series), *levels, Mean().fit(series), returning)
        return blended(self.name, series, (self.period,), members)
