"""Several SARIMAs at once, each with the weight it earned on the past: a season, a week, both or neither. It chooses no orders.

The members are our choice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from schedplan.forecast.blend import FittedBlend, blended
from schedplan.forecast.css_sarima import CssSarima, FittedCssSarima
from schedplan.forecast.day_kinds import DayKinds
from schedplan.forecast.forecaster import Fitted, NotFitted, refuse_short
from schedplan.forecast.orders import Orders, Seasonal, airline
from schedplan.forecast.plugin import FittedPlugin, PluginForecaster
from schedplan.forecast.seasonal_naive import SeasonalNaive
from schedplan.model.forecast import Series

NAME = "sarima-blend"
LEAST_SEASONS = 4
FITTED_SEASONS = 28
FITTED_LONG_SEASONS = 6
LEAST_DAYS_TO_PART = 3


@dataclass(frozen=True, slots=True)
class SarimaBlend:
    """SARIMAs for the first one or two of `seasons` (a day and a week, say), blended; plugins: others that may earn a weight."""

    seasons: tuple[int, ...]
    name: str = NAME
    plugins: tuple[PluginForecaster, ...] = ()

    def fit(self, series: Series) -> Fitted:
        return self._fit(series, {})

    def refit(self, series: Series, previous: Fitted) -> Fitted:
        """Return the blend fitted to a longer history, each SARIMA from the parameters it had."""
        members = previous.members if isinstance(previous, FittedBlend) else ()
        return self._fit(series, {each.label: each.parameters for each in members if isinstance(each, FittedCssSarima)})

    def _fit(self, series: Series, starts: Mapping[str, NDArray[np.float64]]) -> Fitted:
        season = self.seasons[0]
        n = len(series.values)
        refuse_short(self.name, n, LEAST_SEASONS, season)
        if not np.ptp(series.values[season:] - series.values[:-season]) > 1e-9:
            raise NotFitted(f"{self.name} was not tried: the last season repeats exactly")
        fitted = tuple(
            member.fit(series, starts.get(member.name)) if isinstance(member, CssSarima) else member.fit(series)
            for member in self._members()
            if n >= member.least_steps
        )
        others, notes = self._others(series)
        blend = blended(self.name, series, self.seasons, (*fitted, *others))
        return replace(blend, notes=(*blend.notes, *notes))

    def _others(self, series: Series) -> tuple[tuple[FittedPlugin, ...], tuple[str, ...]]:
        """Return the plug-ins that forecast the newest season from a season before it, and why the others don't."""
        n, season = len(series.values), self.seasons[0]
        fitted, notes = [], []
        for plugin in self.plugins:
            if n - season < plugin.least_steps:
                continue
            try:
                member = plugin.fit(series)
                member.roll(series, np.array([n - season, n]), season)
            except NotFitted as reason:
                notes.append(str(reason))
            else:
                fitted.append(member)
        return tuple(fitted), tuple(notes)

    def _members(self) -> tuple[CssSarima | DayKinds | SeasonalNaive, ...]:
        season = self.seasons[0]
        plain = (airline(season), Orders(2, 0, 1, (Seasonal(season, 1, 0, 1),)), Orders(2, 1, 1))
        members = tuple(CssSarima(each.name, each, FITTED_SEASONS * season) for each in plain)
        if len(self.seasons) == 1:
            return members
        week = self.seasons[1]
        weekly = (
            Orders(2, 0, 1, (Seasonal(season, 1, 0, 1), Seasonal(week, 0, 1, 1))),
            airline(week),
            Orders(2, 0, 1, (Seasonal(season, 0, 1, 1), Seasonal(week, 1, 0, 1))),
        )
        recent = max(FITTED_SEASONS * season, FITTED_LONG_SEASONS * week)
        kinds = (DayKinds(season, week // season),) if week % season == 0 and week // season > LEAST_DAYS_TO_PART else ()
        return (*members, *(CssSarima(each.name, each, recent) for each in weekly), *kinds, SeasonalNaive(week))
