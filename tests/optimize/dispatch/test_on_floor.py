"""Plans on the nodes of all slots at once: dispatch at prices, the cheapest opening of a job, and renewal."""

from __future__ import annotations

from dataclasses import replace

import pytest

from schedplan.measures.feasibility import violations
from schedplan.measures.objective import Normalisation, Scale
from schedplan.model.cluster import Cluster, Pool
from schedplan.model.plan import PlanStatus
from schedplan.model.problem import Problem
from schedplan.model.workload import Job, Topology, WorkerShape
from schedplan.optimize.cells import Level
from schedplan.optimize.dispatch.on_floor import may_be_renewed
from schedplan.optimize.dispatch.openings import Openings
from schedplan.optimize.dispatch.renewal import Renewal
from schedplan.optimize.dispatch.slot_by_slot import Dispatch
from schedplan.optimize.lagrangian.relaxation import Relaxation
from schedplan.optimize.models import Models
from schedplan.optimize.nodes.berth import Berth
from schedplan.optimize.nodes.floor import Floor
from schedplan.optimize.nodes.offers import Offers, cheapest
from schedplan.optimize.nodes.rates import Rates
from schedplan.optimize.options import SolveOptions
from schedplan.optimize.route import is_long
from schedplan.optimize.size import Size
from schedplan.optimize.solve import optimize
from schedplan.timegrid import TimeGrid
from tests.oracle.agreement import ONES, divisors_of, tolerance
from tests.oracle.brute_force import best_plan
from tests.oracle.instances import THEMES, instance

NO_WINDOWS = SolveOptions(long_slots=1, long_columns=0, window_columns=0, price_steps=30)
SCALES = Normalisation(*(Scale(100.0, 0.0),) * 4)
FIRST = {theme: instance(theme, 1) for theme in THEMES}
ON_FLOOR = [theme for theme, one in FIRST.items() if is_long(one, NO_WINDOWS, Size(one)) and may_be_renewed(one)]


@pytest.mark.parametrize("theme", ON_FLOOR)
def test_plans_without_windows_keep_every_rule_and_are_no_better_than_the_best(theme: str) -> None:
    problem = FIRST[theme]
    plan = optimize(problem, NO_WINDOWS)
    best = best_plan(problem, divisors_of(plan) or ONES)
    if plan.proof.status is PlanStatus.INFEASIBLE:
        assert best is None
        return

    assert "windows of" not in plan.proof.route
    assert best is not None
    assert plan.proof.objective is not None
    assert violations(problem, plan.decisions) == ()
    assert best.objective <= plan.proof.objective + tolerance(best.objective)


@pytest.mark.parametrize("theme", ON_FLOOR)
def test_the_cheapest_opening_of_all_starts_at_once_is_that_of_one_start_after_the_other(theme: str) -> None:
    problem = FIRST[theme]
    rates = Rates.of(problem, SCALES)
    offers = Offers(Models(problem, problem.jobs, ()).shape(Level.POOLS), rates)
    floor = Floor(problem, rates)
    openings = Openings(Relaxation(problem, rates), floor)

    for number, job in enumerate(problem.jobs):
        expected, found = cheapest(floor, offers, job), openings.best(number)
        assert _added(floor, expected) <= _added(floor, found) + 1e-9
        has_rework = any(pool.interruptions_per_hour for pool in problem.cluster.pools)
        if job.workers == 1 and not has_rework:  # openings know the least of rework alone, and no gang on several pools
            assert _added(floor, expected) == pytest.approx(_added(floor, found))
        if found is not None:
            floor.put(found)


def test_who_loses_most_by_waiting_starts_first() -> None:
    # One node for two gangs of all its devices, an hour each; an hour of waiting of the urgent one counts twice.
    problem = _one_node(_job("calm", 60), _job("urgent", 60, priority=1))
    relaxation = Relaxation(problem, Rates.of(problem, SCALES))
    floor = Floor(problem, relaxation.rates)

    Dispatch(relaxation, relaxation.nothing(), Openings(relaxation, floor), frozenset()).run()

    assert {name: berth.start_slot for name, berth in floor.berths.items()} == {"urgent": 0, "calm": 1}


def test_a_gang_without_room_takes_the_next_slot_that_has_it() -> None:
    # The first hour's node is taken by the job that fills it; the gang of two workers of 4 takes the second hour ahead.
    gang = replace(_job("gang", 60), workers=2, shape=WorkerShape(gpus=4), topology=Topology.NODE)
    problem = _one_node(_job("urgent", 60, priority=1), gang)
    relaxation = Relaxation(problem, Rates.of(problem, SCALES))
    floor = Floor(problem, relaxation.rates)

    Dispatch(relaxation, relaxation.nothing(), Openings(relaxation, floor), frozenset()).start(0)

    assert {name: berth.start_slot for name, berth in floor.berths.items()} == {"urgent": 0, "gang": 1}


def test_jobs_in_the_wrong_order_change_places() -> None:
    # Waiting costs 8 devices x (1 + rank) an hour: calm after urgent 8, urgent after calm 16, each over 100 by the scale.
    problem = _one_node(_job("calm", 60), _job("urgent", 60, priority=1))
    relaxation = Relaxation(problem, Rates.of(problem, SCALES))
    floor = Floor(problem, relaxation.rates)
    jobs = problem.job_by_name
    for name, slot in (("calm", 0), ("urgent", 1)):
        floor.put(Berth(jobs[name], slot, slot + 1, ((0, 1),)))
    before = floor.total

    for _ in Renewal(Openings(relaxation, floor), frozenset(), 1.0, seed=0).run(1.0):
        pass

    assert {name: berth.start_slot for name, berth in floor.berths.items()} == {"urgent": 0, "calm": 1}
    assert before - floor.total == pytest.approx(relaxation.rates.latency * (16 - 8))


def test_a_renewed_plan_is_the_same_in_every_run() -> None:
    problem = instance("capacity", 2)
    first, second = optimize(problem, NO_WINDOWS), optimize(problem, NO_WINDOWS)

    assert "rounds of renewal" in first.proof.route
    assert first.decisions.parts == second.decisions.parts
    assert first.proof == second.proof


def _added(floor: Floor, berth: Berth | None) -> float:
    return 0.0 if berth is None else floor.added_by(berth)


def _one_node(*jobs: Job) -> Problem:
    pool = Pool("n", accelerator="A100", gpus=8)
    return Problem("p", TimeGrid.regular(0, 60, 6), Cluster((pool,)), jobs=jobs)


def _job(name: str, minutes: float, priority: int = 0) -> Job:
    return Job(name, shape=WorkerShape(gpus=8), runtime_minutes=minutes, priority=priority)
