"""A rate: how much of something may be done now, so much a second in the long run and a burst after a rest. It counts in whole
thousandths."""

from __future__ import annotations

THOUSANDTHS = 1000


class Rate:
    """A bucket of tokens, full at first. per_s: tokens a second; burst: the most that it holds, None = those of a second, and less
    than one beside, so that no part of a token is lost."""

    def __init__(self, per_s: float, burst: int | None = None) -> None:
        self._per_s = round(per_s * THOUSANDTHS)
        self._most = self._per_s + THOUSANDTHS - 1 if burst is None else max(burst, 1) * THOUSANDTHS
        self._left = self._most
        self._known_s: int | None = None

    def left(self, now_s: int) -> int:
        """Return how many whole tokens there are."""
        if self._known_s is not None and now_s > self._known_s:
            self._left = min(self._left + self._per_s * (now_s - self._known_s), self._most)
        self._known_s = now_s
        return self._left // THOUSANDTHS

    def take(self, count: int) -> None:
        """Use tokens that `left` has promised."""
        self._left -= count * THOUSANDTHS
