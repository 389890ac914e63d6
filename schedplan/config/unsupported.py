"""Keys that are understood and that this version does not act on. A plan that would silently ignore one is worse than none.

What would change what a plan may do is refused; what would only inform it is a warning.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from schedplan.config.keys import KeyPath


@dataclass(frozen=True, slots=True)
class Unsupported:
    """One key or section, what is not done with it, and whether a given value asks for that at all."""

    path: KeyPath
    fact: str
    asks: Callable[[object], bool] = bool

    @property
    def name(self) -> str:
        return ".".join(self.path)


REFUSED = (Unsupported(("forecast", "reserve"), "plans keep nothing free for jobs not yet known"),)

WARNED = (
    Unsupported(("inputs", "links"), "traffic between regions is not priced yet"),
    Unsupported(("inputs", "offers"), "capacity that could be bought is not considered yet"),
)


def unsupported_key(path: KeyPath, value: object, among: tuple[Unsupported, ...], *, asked: bool = True) -> Unsupported | None:
    """Return what `path` with `value` asks for in vain, None where it asks for nothing such.

    asked: only where the value really asks for it; False: whatever the value is.
    """
    for unsupported in among:
        if path[: len(unsupported.path)] == unsupported.path and (not asked or unsupported.asks(value)):
            return unsupported
    return None
