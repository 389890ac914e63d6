"""What every forecaster promises, as a test to call from a plug-in's own tests. It knows no forecaster."""

from __future__ import annotations

from typing import Any

import numpy as np

from schedplan.model.forecast import Series

LEVELS = (0.1, 0.5, 0.95)


def check_forecaster(make: Any, *, season: int = 24, n_seasons: int = 14) -> None:
    """Raise AssertionError where a forecaster breaks a promise: shape, order of quantiles, determinism, hands off its input.

    make: what the entry point names: a class or function without arguments whose result has `fit(series)`.
    """
    values = _load(season, n_seasons)
    mean, quantiles = _asked(make, values, season)
    assert mean.shape == (season,), f"the mean has shape {mean.shape}, not ({season},)"
    assert quantiles.shape == (len(LEVELS), season), f"the quantiles have shape {quantiles.shape}, not ({len(LEVELS)}, {season})"
    assert np.isfinite(mean).all(), "the mean is not finite"
    assert np.isfinite(quantiles).all(), "a quantile is not finite"
    assert (np.diff(quantiles, axis=0) >= 0).all(), "a higher quantile lies below a lower one"
    again, _ = _asked(make, values, season)
    assert mean.tolist() == again.tolist(), "the same history gave another forecast"
    before = values.copy()
    _asked(make, values, season)
    assert before.tolist() == values.tolist(), "the history was changed"


def _asked(make: Any, values: np.ndarray[Any, np.dtype[np.float64]], horizon: int) -> tuple[Any, Any]:
    fitted = make().fit(Series("contract", 0, 3600, values))
    mean, quantiles = fitted.forecast(horizon, LEVELS, {})
    return np.asarray(mean, dtype=np.float64), np.asarray(quantiles, dtype=np.float64)


def _load(season: int, n_seasons: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    steps = np.arange(season * n_seasons)
    noise = 0.2 * np.random.default_rng(0).normal(size=len(steps))
    return np.asarray(np.sin(2 * np.pi * steps / season) + noise)
