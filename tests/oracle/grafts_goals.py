"""Grafts of goals: emissions, or goals held at values, in a problem drawn for another constraint."""

from __future__ import annotations

import random

from schedplan.model.problem import Problem
from tests.oracle.themes_goals import with_emissions, with_held_goals


def _carbon(source: random.Random, problem: Problem) -> Problem | None:
    return None if problem.intensities else with_emissions(source, problem)


def _at_most(source: random.Random, problem: Problem) -> Problem | None:
    return None if problem.objective.at_most or problem.services or problem.quotas else with_held_goals(source, problem)


GRAFTS = {"carbon": _carbon, "at_most": _at_most}
