"""The floor against the measures: what it says of every step is the difference of F before and after, whatever binds a problem."""

from itertools import islice
from random import Random

import pytest

from schedplan.measures.accounting import goal_values
from schedplan.measures.feasibility import violations
from schedplan.measures.objective import terms, total
from schedplan.optimize.cells import Level
from schedplan.optimize.ground import ground_of
from schedplan.optimize.nodes.fleets import Demands, refit
from schedplan.optimize.nodes.floor import Floor
from schedplan.optimize.nodes.frames import Frames
from schedplan.optimize.nodes.node_box import improve
from schedplan.optimize.nodes.offers import Offers, berths, cheapest
from schedplan.optimize.nodes.rates import Rates
from tests.oracle.instances import THEMES, instance

PER_THEME, MOST_DRAWN = 5, 40
CLOSE = 1e-9
BOXES = 6


def value(problem, ground, decisions):
    return total(terms(problem, goal_values(problem, decisions), ground.normalisation))


def sound(theme):
    """Return the first problems of a theme, by their number, that the reference plan answers without breaking a rule."""
    numbered = ((number, instance(theme, number)) for number in range(MOST_DRAWN))
    found = ((number, one) for number, one in numbered if not one.is_static and not violations(one, ground_of(one).reference))
    first = list(islice(found, PER_THEME))
    assert len(first) == PER_THEME
    return first


def standing(problem):
    """Return the ground of a problem, a floor on which its reference plan stands, and offers for what does not stand on it."""
    ground = ground_of(problem)
    rates = Rates.of(problem, ground.normalisation)
    return ground, Floor.of(problem, rates, ground.reference), Offers(ground.models.shape(Level.POOLS), rates)


@pytest.mark.parametrize("theme", THEMES)
def test_a_floor_tells_by_how_much_every_step_changes_the_objective(theme):
    wrong = []
    for number, problem in sound(theme):
        ground, floor, offers = standing(problem)
        constant = value(problem, ground, floor.decisions()) - floor.total
        source = Random(number)
        for _ in range(6):
            if floor.berths and source.random() < 0.5:
                floor.lift(source.choice(sorted(floor.berths)))
            else:
                waiting = [job for job in problem.jobs if job.name not in floor.berths and offers.of(job)]
                found = [one for job in waiting for one, _ in berths(floor, offers.of(job), job, float("inf"))]
                if found:
                    floor.put(source.choice(found))
            reached = value(problem, ground, floor.decisions()) - constant
            if abs(reached - floor.total) > CLOSE * max(1.0, abs(reached)):
                wrong.append((problem.name, reached, floor.total))

    assert wrong == []


@pytest.mark.parametrize("theme", THEMES)
def test_what_it_takes_in_breaks_no_rule(theme):
    broken = []
    for _, problem in sound(theme):
        _, floor, offers = standing(problem)
        for job in problem.jobs:
            berth = cheapest(floor, offers, job, float("inf")) if job.name not in floor.berths else None
            if berth is not None:
                floor.put(berth)
        held_anyway = problem.limits.budget_per_day is not None or bool(problem.objective.at_most)
        found = violations(problem, floor.decisions())
        broken += [] if held_anyway else [(problem.name, one.subject, one.message) for one in found]

    assert broken == []


@pytest.mark.parametrize("theme", THEMES)
def test_boxes_and_replicas_chosen_anew_break_no_rule(theme):
    wrong = []
    for number, problem in sound(theme):
        ground, floor, offers = standing(problem)
        constant = value(problem, ground, floor.decisions()) - floor.total
        demands = Demands.of(offers.layout, floor)
        frames = Frames(floor, offers, problem.jobs, Random(number))
        before = floor.total
        for frame in (frames.frame() for _ in range(BOXES)):
            if frame is not None:
                improve(floor, offers, demands, frame, 0.1, number)
        wrong += [(problem.name, "worse")] if floor.total > before + CLOSE else []
        refit(floor, demands)
        reached = value(problem, ground, floor.decisions()) - constant
        held_anyway = problem.limits.budget_per_day is not None or bool(problem.objective.at_most)
        wrong += [] if abs(reached - floor.total) <= CLOSE * max(1.0, abs(reached)) else [(problem.name, reached, floor.total)]
        found = () if held_anyway else violations(problem, floor.decisions())
        wrong += [(problem.name, one.subject, one.message) for one in found]

    assert wrong == []
