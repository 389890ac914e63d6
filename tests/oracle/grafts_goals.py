"""Grafts of goals: emissions in a problem drawn for another constraint."""

from __future__ import annotations

import random

from schedplan.model.problem import Problem
from tests.oracle.themes_goals import with_emissions


def _carbon(source: random.Random, problem: Problem) -> Problem | None:
    return None if problem.intensities else with_emissions(source, problem)


GRAFTS = {"carbon": _carbon}
