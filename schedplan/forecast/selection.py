"""Which forecaster a series gets, and why, in words. It fits nothing."""

from __future__ import annotations

from math import inf

from schedplan.forecast.backtest import Score
from schedplan.forecast.css_sarima import CssSarima
from schedplan.forecast.ets import Ets
from schedplan.forecast.exact_sarima import FITTED_SEASONS, ExactSarima
from schedplan.forecast.exact_sarima import NAME as SARIMA
from schedplan.forecast.forecaster import Forecaster
from schedplan.forecast.fourier import NAME as FOURIER
from schedplan.forecast.fourier import Fourier
from schedplan.forecast.level_blend import NAME as LEVEL_BLEND
from schedplan.forecast.level_blend import LevelBlend
from schedplan.forecast.naive import LAST_VALUE, MEAN, LastValue, Mean
from schedplan.forecast.options import Engine, ForecastOptions, ModelChoice
from schedplan.forecast.orders import airline
from schedplan.forecast.plugin import plugin_forecasters
from schedplan.forecast.sarima_blend import NAME as SARIMA_BLEND
from schedplan.forecast.sarima_blend import SarimaBlend
from schedplan.forecast.seasonal_naive import NAME as SEASONAL_NAIVE
from schedplan.forecast.seasonal_naive import SeasonalNaive
from schedplan.forecast.theta import Theta

SEASONLESS = (LAST_VALUE, MEAN, LEVEL_BLEND)
PERIOD = 24
"""Steps by which memories of levels are counted where no day is a whole number of steps; our choice."""
TIE = 0.01
EARNED = 0.05
HOPELESS = 1.5
SMALL_ERROR = 0.05
EXCEEDANCE_RANGE = (0.03, 0.08)


def candidates(options: ForecastOptions, seasons: tuple[int, ...], sparse: bool) -> tuple[Forecaster, ...]:
    """Return the forecasters to try, the one that wins ties first. `seasons` is empty where there is none."""
    choice, engine = options.model, options.engine
    if options.plugin:
        own = tuple(each for each in plugin_forecasters(seasons[0] if seasons else PERIOD) if each.name == options.plugin)
        return (*own, SeasonalNaive(seasons[0]) if seasons else LastValue())
    if choice is ModelChoice.NAIVE or not seasons:
        return (LastValue(),) if choice is ModelChoice.NAIVE else (*_seasonless(PERIOD, sparse), LastValue(), Mean())
    first = SeasonalNaive(seasons[0])
    if choice is ModelChoice.SEASONAL_NAIVE:
        return (first,)
    if choice is ModelChoice.SARIMA:
        return (_by_engine(engine, seasons), first)
    if choice in (ModelChoice.ETS, ModelChoice.THETA):
        return (Ets(seasons[0]) if choice is ModelChoice.ETS else Theta(seasons[0]), first)
    longer = tuple(SeasonalNaive(season, f"{SEASONAL_NAIVE}-{season}") for season in seasons[1:])
    blend = () if sparse else (SarimaBlend(seasons[:2], plugins=plugin_forecasters(seasons[0])),)
    refined = () if sparse or engine is Engine.CSS else (_by_engine(engine, seasons),)
    return (first, *longer, *blend, *refined, *_seasonless(seasons[0], sparse), LastValue(), Mean())


def _seasonless(period: int, sparse: bool) -> tuple[Forecaster, ...]:
    """Return the blend of levels; none for a load that is mostly zero, of which averages say little."""
    return () if sparse else (LevelBlend(period),)


def is_hopeless(model: str, scores: tuple[Score, ...]) -> bool:
    """Say whether a forecaster need not be tried after others: levels, where last value and mean err half more than the best."""
    known = {score.model: _mae(score) for score in scores}
    plain = [known[model] for model in (LAST_VALUE, MEAN) if model in known]
    return model == LEVEL_BLEND and bool(plain) and min(plain) > HOPELESS * min(known.values())


def _by_engine(engine: Engine, seasons: tuple[int, ...]) -> Forecaster:
    season = seasons[0]
    if engine is Engine.STATSMODELS:
        return ExactSarima(season)
    if engine is Engine.FOURIER:
        return Fourier(seasons[:2])
    return CssSarima(SARIMA, airline(season), FITTED_SEASONS * season)


def best(scores: tuple[Score, ...]) -> Score | None:
    """Return the score of the forecaster to use; None where nothing was judged.

    It has the lowest MAE; within 1 % of it the lowest P95 pinball; within 1 % of that it is the first given. A season has to
    earn its place: it is dropped where the best forecaster without one is no more than 5 % worse, or is better in the older or
    the newer half of the folds.
    """
    judged = tuple(score for score in scores if score.mae is not None)
    if not judged:
        return None
    winner = _lowest(judged)
    plain = tuple(score for score in judged if score.model in SEASONLESS)
    if winner in plain or not plain:
        return winner
    rival = _lowest(plain)
    return winner if _mae(rival) > _mae(winner) * (1 + EARNED) and _is_ahead_in_both_halves(winner, rival) else rival


def _is_ahead_in_both_halves(winner: Score, rival: Score) -> bool:
    """Say whether a forecaster is no worse than another in the older and in the newer folds: chance wins in one of them."""
    return all(own is None or other is None or own <= other for own, other in zip(winner.mae_halves, rival.mae_halves, strict=True))


def _lowest(scores: tuple[Score, ...]) -> Score:
    limit = min(_mae(score) for score in scores) * (1 + TIE)
    near = [score for score in scores if _mae(score) <= limit]
    tails = [score.pinball_95 for score in near if score.pinball_95 is not None]
    if len(tails) < len(near):
        return near[0]
    return next(score for score, tail in zip(near, tails, strict=True) if tail <= min(tails) * (1 + TIE))


def _mae(score: Score) -> float:
    return inf if score.mae is None else score.mae


def verdict(chosen: Score, scores: tuple[Score, ...], seasonal: bool, remark: str = "") -> str:
    """Return what the backtest says of the forecaster in use, each claim with its figure, and a remark on the history."""
    parts = [_against_yardstick(chosen, scores, seasonal), _error(chosen), _tail(chosen), remark]
    return "; ".join(part for part in parts if part)


def _against_yardstick(chosen: Score, scores: tuple[Score, ...], seasonal: bool) -> str:
    if chosen.relative_mae is None:
        return f"{chosen.model}: not compared, seasonal naive was exact or nothing was observed"
    ratio = f"relative MAE {chosen.relative_mae:.2f} over {chosen.folds} origins"
    if not seasonal:
        return f"no season in the history, {chosen.model} is used ({ratio} beside the last value)"
    if chosen.model in SEASONLESS and len(scores) > 1:
        return f"no season found: {chosen.model} does as well without one ({ratio})"
    if chosen.model == SEASONAL_NAIVE:
        rivals = [
            f"{s.model} {s.relative_mae:.2f}"
            for s in scores
            if s.model in (SARIMA, SARIMA_BLEND, FOURIER) and s.relative_mae is not None
        ]
        return f"seasonal naive wins ({ratio}{', ' + ', '.join(rivals) if rivals else ''})"
    change = chosen.relative_mae - 1
    return f"{chosen.model}: error {abs(change):.0%} {'below' if change <= 0 else 'above'} seasonal naive ({ratio})"


def _error(chosen: Score) -> str:
    if chosen.wape is None:
        return ""
    judged = "under" if chosen.wape < SMALL_ERROR else "not under"
    return f"mean error {chosen.wape:.1%} of the load, {judged} {SMALL_ERROR:.0%}"


def _tail(chosen: Score) -> str:
    if chosen.exceedance_95 is None:
        return ""
    low, high = EXCEEDANCE_RANGE
    if chosen.exceedance_95 > high:
        judged = f"more than the {high:.0%} that would do: plan with a higher quantile"
    elif chosen.exceedance_95 < low:
        judged = f"less than {low:.0%}: the quantile is generous"
    else:
        judged = f"within {low:.0%} to {high:.0%}"
    return f"P95 exceeded by {chosen.exceedance_95:.1%} of the actuals, {judged}"
