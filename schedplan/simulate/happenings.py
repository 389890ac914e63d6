"""What happens beside jobs, of several kinds, as one. It does nothing by itself."""

from __future__ import annotations

from schedplan.simulate.decider import Decider
from schedplan.simulate.kernel import Kernel, Supply


class Happenings:
    """Several kinds, each in its turn at an instant."""

    def __init__(self, kinds: tuple[Supply, ...]) -> None:
        self._kinds = kinds
        self.can_stop = any(kind.can_stop for kind in kinds)

    def next_s(self) -> int:
        return min(kind.next_s() for kind in self._kinds)

    def is_due(self, now_s: int) -> bool:
        return any(kind.is_due(now_s) for kind in self._kinds)

    def last_return_s(self) -> int:
        return max(kind.last_return_s() for kind in self._kinds)

    def until_s(self) -> int:
        return max(kind.until_s() for kind in self._kinds)

    def happen(self, kernel: Kernel, decider: Decider) -> None:
        for kind in self._kinds:
            if kind.is_due(kernel.now_s):
                kind.happen(kernel, decider)
