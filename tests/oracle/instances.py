"""Random planning problems small enough to try everything: a theme and a number, one problem. It knows no solver.

Every kind of constraint has a theme, so that it binds in its share of the instances; the rest of the problem is drawn at random
around it. A theme is a function of a random source; every file `themes_<area>.py` beside this one has a dict THEMES of them by
name, and is found by its name. An instance depends on its own theme and number only, whatever other themes there are.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TypeAlias

from schedplan.model.problem import Problem
from tests.oracle.drawing import an_objective

Theme: TypeAlias = Callable[[random.Random], Problem]


def _collected() -> Mapping[str, Theme]:
    found: dict[str, Theme] = {}
    for path in sorted(Path(__file__).parent.glob("themes_*.py")):
        themes: Mapping[str, Theme] = import_module(f"tests.oracle.{path.stem}").THEMES
        twice = set(found) & set(themes)
        if twice:
            raise ValueError(f"{path.name} names a theme anew: {', '.join(sorted(twice))}")
        found.update(themes)
    return found


DRAWN = _collected()
THEMES = tuple(DRAWN)


def instance(theme: str, number: int) -> Problem:
    """Return a problem of a theme; its name tells both."""
    source = random.Random(f"{theme} {number}")
    problem = DRAWN[theme](source)
    return replace(problem, name=f"{theme}-{number}", objective=an_objective(source))


def instances(per_theme: int) -> Iterator[Problem]:
    """Yield the first problems of every theme, theme by theme."""
    for theme in THEMES:
        for number in range(per_theme):
            yield instance(theme, number)
