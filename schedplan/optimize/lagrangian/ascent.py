"""The ascent: prices that prove more and more, by what is overdrawn at the prices before. Counted steps, no clock.

Formula: λ <- max(0, λ + step · D · g), g the running mean of what is overdrawn, D one over the room there is, step = θ (aim − L) /
gᵀDg; the aim is a little above the best bound, and comes nearer whenever some steps in a row prove nothing new.
Source: level steps by Polyak 1969, doi.org/10.1016/0041-5553(69)90061-5; the mean by Barahona and Anbil 2000,
doi.org/10.1007/s101070050002.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from schedplan.optimize.lagrangian.menu import Floats
from schedplan.optimize.lagrangian.relaxation import Bought, Prices, Relaxation

FIRST_AIM = 0.05
"""How far above the first bound the first aim is, as a share of it."""
FEW = 6
"""Steps in a row that prove nothing new after which the aim comes nearer."""
NEARER = 0.6
"""Of what the aim is away, the share that it is away then."""
FALLEN = 2.0
"""So many times what the aim is away below the best bound, prices have gone astray, and the best ones are taken up again."""
MEMORY = 0.6
"""Share of the direction before in each direction."""


class Ascent:
    """best: the prices that have proven most, and what is bought at them."""

    def __init__(self, relaxation: Relaxation, begin: Prices) -> None:
        self.relaxation = relaxation
        self.prices = relaxation.payable(begin)
        self.best = relaxation.bought(self.prices)
        self.best_prices = self.prices
        self.steps = 0
        self.reach = FIRST_AIM * max(abs(self.best.bound), 1e-9)
        self._direction = self._flat(self.best)
        self._idle = 0
        self._scale = _scale(relaxation)

    def climb(self, steps: int) -> Iterator[float]:
        """Take so many steps, giving the best bound after each."""
        found = self.best
        for _ in range(steps):
            self._direction = MEMORY * self._direction + (1 - MEMORY) * self._flat(found)
            found = self._step(found)
            self.steps += 1
            if found.bound > self.best.bound + 1e-3 * self.reach:
                self._idle = 0
            else:
                self._idle += 1
            if found.bound > self.best.bound:
                self.best, self.best_prices = found, self.prices
            if self._idle >= FEW:
                if found.bound < self.best.bound - FALLEN * self.reach:
                    self.prices, found = self.best_prices, self.best
                    self._direction = self._flat(found)
                self.reach, self._idle = self.reach * NEARER, 0
            yield self.best.bound

    def _step(self, found: Bought) -> Bought:
        steepness = float(self._direction @ (self._scale * self._direction))
        if steepness <= 0:
            return found
        length = max(self.best.bound + self.reach - found.bound, 0.0) / steepness
        moved = length * self._scale * self._direction
        room, tenant = np.split(moved, [found.room.size])
        before = self.prices
        self.prices = self.relaxation.payable(
            Prices(before.room + room.reshape(before.room.shape), before.tenant + tenant.reshape(before.tenant.shape))
        )
        return self.relaxation.bought(self.prices)

    @staticmethod
    def _flat(found: Bought) -> Floats:
        return np.concatenate([found.room.ravel(), found.tenant.ravel()])


def first_prices(relaxation: Relaxation) -> Prices:
    """Return prices to begin from: of room that must be switched on what that costs, of any other nothing."""
    begin = relaxation.nothing()
    size = np.where(np.isfinite(relaxation.size) & (relaxation.size > 0), relaxation.size, 1.0)[:, None]
    is_free = relaxation.numbers[2] > relaxation.numbers[0]
    return Prices(np.where(is_free, relaxation.node / size, 0.0), begin.tenant)


def _scale(relaxation: Relaxation) -> Floats:
    room = np.maximum(np.where(np.isfinite(relaxation.size), relaxation.size, 1.0)[:, None] * relaxation.numbers[2], 1.0)
    tenant = np.array([np.full(len(relaxation.hours), max(limit.free, 1.0)) for limit in relaxation.limits.values()])
    return np.concatenate([1.0 / room.ravel(), 1.0 / tenant.ravel()])
