"""What will be free of a machine kept as one sum, by the estimates: steps over time. It reserves nothing by itself."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence

from schedplan.simulate.capacity import Held, Release, Spots


class PoolProfile:
    """free[i] units are free from at[i] until at[i + 1], the last for ever. Asks are meant by their index, spots by (0,
    workers).
    """

    def __init__(self, total: int, units: Sequence[int], now_s: int) -> None:
        self._units = units
        self._at = [now_s]
        self._free = [total]

    def earliest(self, ask: int, lasts_s: int, now_s: int) -> int | None:
        """Return the first instant from now on from which a job fits for as long as it lasts; None for never."""
        at, free, need = self._at, self._free, self._units[ask]
        start_s = now_s
        for idx in range(max(bisect_right(at, now_s) - 1, 0), len(at)):
            if at[idx] >= start_s + lasts_s:
                break
            if free[idx] < need:
                if idx + 1 == len(at):
                    return None
                start_s = max(at[idx + 1], now_s)
        return start_s

    def spots(self, ask: int, start_s: int, lasts_s: int, preferred: Iterable[int] | None) -> Spots:
        """Return where a job that fits from an instant on is to stand."""
        return ((0, self._units[ask]),)

    def hold(self, releases: Iterable[Release], now_s: int) -> None:
        """Let an empty profile hold what runs, given in the order of its release."""
        at, back, gained = self._at, [0], 0
        for time_s, _, parts in releases:
            at_s = max(time_s, now_s + 1)
            gained += sum(part.workers for part in parts)
            if at_s > at[-1]:
                at.append(at_s)
                back.append(gained)
            else:
                back[-1] = gained
        self._free = [self._free[0] - gained + so_far for so_far in back]

    def occupy(self, ask: int, parts: Iterable[Held]) -> None:
        """Let parts be taken for ever."""
        taken = sum(part.workers for part in parts)
        self._free = [free - taken for free in self._free]

    def change(self, ask: int, spots: Spots, start_s: int, end_s: int, sign: int) -> None:
        """Let spots be taken (sign 1) or given back (-1) from start_s until end_s."""
        if start_s >= end_s:
            return
        amount = sign * sum(workers for _, workers in spots)
        first, last = self._step(start_s), self._step(end_s)
        free = self._free
        for idx in range(first, last):
            free[idx] -= amount

    def forget_before(self, now_s: int) -> None:
        """Drop the steps that are past."""
        past = bisect_right(self._at, now_s) - 1
        if past > 0:
            del self._at[:past], self._free[:past]

    def _step(self, at_s: int) -> int:
        """Return the step that begins at an instant, made where there is none."""
        idx = bisect_right(self._at, at_s) - 1
        if idx >= 0 and self._at[idx] == at_s:
            return idx
        self._at.insert(idx + 1, at_s)
        self._free.insert(idx + 1, self._free[max(idx, 0)])
        return idx + 1
