"""When a planned level is no longer trusted, and what is provided instead. It knows neither forecasts nor replicas.

While a breaker is open, what is provided follows the load that was measured. `check` tells whether one is open, the decision
backtest what it would have bought, and a replay scales by it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan

import numpy as np
from numpy.typing import NDArray

OPENS_AFTER, CLOSES_AFTER = 3, 6
HEADROOM = 0.1


@dataclass(frozen=True, slots=True)
class BreakerState:
    """Whether a breaker is open, and how many intervals in a row came above the planned level, and not above it."""

    is_open: bool = False
    above: int = 0
    below: int = 0


@dataclass(frozen=True, slots=True)
class Breaker:
    """When a planned level is no longer trusted: after so many intervals above it in a row, until so many below it in a row.

    Three in a row above a P95 come by chance once in 8,000 intervals where errors are independent. headroom: over the load measured
    last, while the breaker is open.
    """

    opens_after: int = OPENS_AFTER
    closes_after: int = CLOSES_AFTER
    headroom: float = HEADROOM

    def after(self, state: BreakerState, actual: float, planned: float) -> BreakerState:
        """Return the state after one more interval; one that was not measured (NaN) changes nothing."""
        if isnan(actual):
            return state
        above, below = (state.above + 1, 0) if actual > planned else (0, state.below + 1)
        is_open = below < self.closes_after if state.is_open else above >= self.opens_after
        return BreakerState(is_open, above, below)

    def states(self, actual: NDArray[np.float64], planned: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return whether it is open before each interval and after the last, bool [n + 1]; NaN in `actual` changes nothing."""
        state = BreakerState()
        opened = [state.is_open]
        for measured, level in zip(actual.tolist(), planned[: len(actual)].tolist(), strict=True):
            state = self.after(state, measured, level)
            opened.append(state.is_open)
        return np.array(opened, dtype=np.bool_)

    def provided(self, actual: NDArray[np.float64], planned: NDArray[np.float64], lag: int = 1) -> NDArray[np.float64]:
        """Return what is provided for each interval, float64 [n]: the plan, or more where the breaker was open `lag` earlier.

        lag: intervals from a measurement to the device that answers it, at least 1; nothing after it is looked at.
        """
        states = self.states(actual, planned)
        provided = planned.copy()
        for step in range(max(lag, 1), len(planned)):
            measured = actual[step - max(lag, 1)]
            if states[step - max(lag, 1) + 1] and not np.isnan(measured):
                provided[step] = max(planned[step], measured * (1 + self.headroom))
        return provided
