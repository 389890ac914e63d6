"""What other distributions offer by entry point: name -> object, loaded on first use. It knows groups, not what is in them.

A name that two distributions claim, or a built-in has, is an error that names who does. What can't be loaded is told and left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from schedplan.errors import ConfigError

FORECASTERS = "schedplan.forecasters"
CLASH = "SP2009"


@dataclass(frozen=True, slots=True)
class Plugin:
    """One entry point that was loaded: `distribution` is who brings it."""

    name: str
    distribution: str
    loaded: object


@dataclass(frozen=True, slots=True)
class Plugins:
    """The plug-ins of one group by name, and why others are left out."""

    found: tuple[Plugin, ...] = ()
    notes: tuple[str, ...] = ()


@cache
def plugins(group: str, taken: frozenset[str] = frozenset()) -> Plugins:
    """Return the plug-ins of a group; taken: names of built-ins. Raises ConfigError for a name that is claimed twice."""
    by_name: dict[str, EntryPoint] = {}
    found, notes = [], []
    for point in sorted(entry_points(group=group), key=lambda each: (each.name, _distribution(each))):
        if point.name in taken:
            raise _clash(group, point.name, "schedplan itself", _distribution(point))
        if point.name in by_name and _distribution(by_name[point.name]) != _distribution(point):
            raise _clash(group, point.name, _distribution(by_name[point.name]), _distribution(point))
        if point.name in by_name:
            continue
        by_name[point.name] = point
        try:
            found.append(Plugin(point.name, _distribution(point), point.load()))
        except Exception as problem:  # noqa: BLE001 - whatever another's code raises while it is imported
            notes.append(f"plug-in {point.name} of {_distribution(point)} is left out: {type(problem).__name__}: {problem}")
    return Plugins(tuple(found), tuple(notes))


def _distribution(point: EntryPoint) -> str:
    return point.dist.name if point.dist is not None else point.value


def _clash(group: str, name: str, first: str, second: str) -> ConfigError:
    return ConfigError(
        f"the name {name} of {group} is claimed by {first} and by {second}", code=CLASH, hint="Uninstall one of the two."
    )
