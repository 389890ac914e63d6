"""Random planning problems small enough to try everything: a theme and a number, one problem. It knows no solver.

Every kind of constraint has a theme, so that it binds in its share of the instances; the rest of the problem is drawn at random
around it. A theme is a function of a random source; every file `themes_<area>.py` beside this one has a dict THEMES of them by
name. A graft puts one constraint into a problem drawn for another, which makes pairs; every file `grafts_<area>.py` has a dict
GRAFTS of them. Both kinds of files are found by their names. An instance depends on its own theme, graft and number only, whatever
others there are.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TypeAlias

from schedplan.model.problem import Objective, Problem
from tests.oracle.drawing import an_objective

Theme: TypeAlias = Callable[[random.Random], Problem]
Graft: TypeAlias = Callable[[random.Random, Problem], Problem | None]
DRAWS_PER_INSTANCE = 4
"""So many draws of a pair are made, at most, for each instance asked for: a graft may have no place in some of them."""


def _collected(prefix: str) -> Mapping[str, Callable[..., object]]:
    found: dict[str, Callable[..., object]] = {}
    for path in sorted(Path(__file__).parent.glob(f"{prefix}_*.py")):
        more: Mapping[str, Callable[..., object]] = getattr(import_module(f"tests.oracle.{path.stem}"), prefix.upper())
        twice = set(found) & set(more)
        if twice:
            raise ValueError(f"{path.name} has a name that another file has: {', '.join(sorted(twice))}")
        found.update(more)
    return found


_DRAWN: Mapping[str, Theme] = _collected("themes")  # type: ignore[assignment]
_GRAFTED: Mapping[str, Graft] = _collected("grafts")  # type: ignore[assignment]
THEMES = tuple(_DRAWN)
GRAFTS = tuple(_GRAFTED)


def instance(theme: str, number: int) -> Problem:
    """Return a problem of a theme; its name tells both."""
    source = random.Random(f"{theme} {number}")
    problem = _DRAWN[theme](source)
    return replace(problem, name=f"{theme}-{number}", objective=_drawn_objective(source, problem))


def pair(theme: str, graft: str, number: int) -> Problem | None:
    """Return a problem of a theme with another constraint in it, None where that one has no place in it."""
    source = random.Random(f"{theme} {graft} {number}")
    problem = _GRAFTED[graft](source, _DRAWN[theme](source))
    if problem is None:
        return None
    return replace(problem, name=f"{theme}+{graft}-{number}", objective=_drawn_objective(source, problem))


def _drawn_objective(source: random.Random, problem: Problem) -> Objective:
    """Weights at random; that of carbon, and what is held, are the theme's."""
    return replace(an_objective(source), carbon=problem.objective.carbon, at_most=problem.objective.at_most)


def instances(per_theme: int) -> Iterator[Problem]:
    """Yield the first problems of every theme, theme by theme."""
    for theme in THEMES:
        for number in range(per_theme):
            yield instance(theme, number)


def pairs(theme: str, graft: str, count: int) -> Iterator[Problem]:
    """Yield the first `count` problems of a pair; fewer, or none, where the graft seldom or never has a place."""
    found = 0
    for number in range(DRAWS_PER_INSTANCE * count):
        problem = pair(theme, graft, number)
        if problem is not None:
            found += 1
            yield problem
        if found == count:
            return
