"""What a caller may ask of a forecast. It knows names and ranges, and no method."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from schedplan.model.forecast import QUANTILES

BANDS = (80, 95)


class ModelChoice(Enum):
    """Which forecaster: the one that does best out of sample, or one by name."""

    AUTO = "auto"
    SARIMA = "sarima"
    SEASONAL_NAIVE = "seasonal-naive"
    NAIVE = "naive"
    ETS = "ets"
    THETA = "theta"


class Engine(Enum):
    """What estimates a SARIMA: least squares, the exact likelihood, or an ARMA around sines and cosines."""

    CSS = "css"
    STATSMODELS = "statsmodels"
    FOURIER = "fourier"


@dataclass(frozen=True, slots=True)
class ForecastOptions:
    """How one series is to be forecast; ValueError where a value is out of range.

    horizon_steps: intervals to forecast, from the end of the series on.
    seasons: season lengths in steps, increasing; empty = one day, and one week where there are three weeks of history.
        The first is the one seasonal naive and MASE are measured by.
    levels: percent of the central bands. quantile_levels: the quantiles besides them.
    folds: forecast origins of the backtest, at most; a sixth of the first season apart.
    engine: of the model sarima; of auto, where it is not css, one more model that is tried beside the blend.
    plugin: name of a forecaster of another distribution to use alone, with model AUTO; empty: none.
    seed: for forecasters that draw; the built-in ones compute everything in closed form.
    """

    horizon_steps: int
    seasons: tuple[int, ...] = ()
    model: ModelChoice = ModelChoice.AUTO
    levels: tuple[int, ...] = BANDS
    quantile_levels: tuple[float, ...] = QUANTILES
    folds: int = 84
    seed: int = 0
    engine: Engine = Engine.CSS
    plugin: str = ""

    def __post_init__(self) -> None:
        if self.horizon_steps < 1:
            raise ValueError(f"a forecast needs at least one step, not {self.horizon_steps}")
        if any(season < 2 for season in self.seasons) or sorted(set(self.seasons)) != list(self.seasons):
            raise ValueError(f"seasons are increasing whole numbers of at least 2 steps, not {self.seasons}")
        if any(not 0 < level < 100 for level in self.levels):
            raise ValueError(f"levels are percent between 0 and 100, not {self.levels}")
        if any(not 0 < level < 1 for level in self.quantile_levels) or sorted(set(self.quantile_levels)) != list(
            self.quantile_levels
        ):
            raise ValueError(f"quantiles are increasing numbers between 0 and 1, not {self.quantile_levels}")
        if not self.quantile_levels:
            raise ValueError("a forecast needs at least one quantile")
        if self.plugin and self.model is not ModelChoice.AUTO:
            raise ValueError(f"the plug-in {self.plugin} and the model {self.model.value} exclude one another")
        if self.folds < 1:
            raise ValueError(f"a backtest needs at least one fold, not {self.folds}")

    @property
    def chooses_best(self) -> bool:
        """Say whether the forecaster is the one that does best out of sample, and none was named."""
        return self.model is ModelChoice.AUTO and not self.plugin

    @property
    def all_levels(self) -> tuple[float, ...]:
        """Every quantile to be computed, increasing: those asked for and both ends of the bands."""
        ends = {round(0.5 + sign * level / 200, 6) for level in self.levels for sign in (-1, 1)}
        return tuple(sorted(ends.union(self.quantile_levels)))
