"""Packing on small clusters whose best packing is known: by order, exactly, and by what a place adds to F."""

import numpy as np
import pytest

from schedplan.measures.objective import GoalValues, Normalisation
from schedplan.model.cluster import Cluster, Market, Pool
from schedplan.model.problem import Demand, Objective, Problem
from schedplan.model.workload import Job, Service, WorkerShape
from schedplan.optimize.cells import Level
from schedplan.optimize.layout import layout
from schedplan.optimize.nodes.berth import Berth
from schedplan.optimize.nodes.exact_packing import repack
from schedplan.optimize.nodes.fleets import Demands, refit
from schedplan.optimize.nodes.floor import Floor
from schedplan.optimize.nodes.node_box import Frame, improve
from schedplan.optimize.nodes.offers import Offers
from schedplan.optimize.nodes.packing import insert, longest_first, pack, pack_again, widest_first
from schedplan.optimize.nodes.rates import Rates
from schedplan.packing.assignment import GangStart
from schedplan.timegrid import TimeGrid

NONE = GoalValues(0.0, 0.0, 0.0, 0.0, 0.0)
ONE = Normalisation.between(GoalValues(1.0, 1.0, 1.0, 1.0, 0.0), NONE)


def a_problem(*jobs, gpus=7, nodes=2, slots=2, market=Market.OWNED, price=1.0, objective=None, **more):
    least = nodes if market.is_sunk else 0
    pool = Pool("p", nodes, least, nodes, accelerator="A100", gpus=gpus, market=market, price_per_hour=price)
    return Problem(
        name="",
        grid=TimeGrid.regular(0, 60, slots),
        cluster=Cluster((pool,)),
        jobs=tuple(sorted(jobs, key=lambda job: job.name)),
        objective=objective or Objective(0.5, 0.3, 0.2),
        **more,
    )


def a_job(name, gpus, workers=1, hours=1, **more):
    return Job(name, workers=workers, runtime_minutes=60.0 * hours, shape=WorkerShape(gpus=gpus), **more)


def starts(problem, *, slot=0):
    nodes = problem.cluster.nodes
    return tuple(GangStart(job, slot, slot + 1, ((nodes, job.workers),), one_node=False) for job in problem.jobs)


def a_floor(problem):
    rates = Rates.of(problem, ONE)
    shape = layout(problem, problem.jobs, Level.POOLS)
    floor = Floor(problem, rates)
    return floor, Offers(shape, rates), Demands.of(shape, floor)


def test_best_fit_by_width_leaves_the_last_of_six_without_room_and_exact_packing_does_not():
    # nodes of 7: 3 + 3 leave 1 on one node and 2 + 2 + 2 leave 1 on the other; 3 + 2 + 2 twice is full
    problem = a_problem(*(a_job(f"j{idx}", gpus) for idx, gpus in enumerate((3, 3, 2, 2, 2, 2))))
    floor, offers, demands = a_floor(problem)

    homeless = pack(floor, starts(problem), widest_first)

    assert [job.shape.gpus for job in homeless] == [2]

    repack(floor, offers, demands, starts(problem), 1.0, 0)

    assert sorted(floor.berths) == ["j0", "j1", "j2", "j3", "j4", "j5"]
    assert floor.free[0].tolist() == [[0, 7], [0, 7]]


def test_the_longest_comes_first_or_the_widest():
    # one node of 4: 3 devices for one hour, or 2 for two; only one of them has room
    jobs = (a_job("wide", 3), a_job("long", 2, hours=2))
    problem = a_problem(*jobs, gpus=4, nodes=1)
    long, wide = starts(problem)
    gangs = (GangStart(long.job, 0, 2, long.groups, one_node=False), wide)

    found = {
        order.__name__: [job.name for job in pack(a_floor(problem)[0], gangs, order)] for order in (longest_first, widest_first)
    }

    assert found == {"longest_first": ["wide"], "widest_first": ["long"]}


def test_what_a_berth_adds_is_derived_by_hand():
    # 2 devices for 1 h on one of two rented nodes of 4 that cost 3 an hour, begun in the second of two hours. Both nodes have 8
    # devices, so a job of 2 has size 2, and 2 x 1 h of importance, all there is.
    # wait 0.5 x 2 x 1 h; idle 0.3 x (4 - 2) x 1 h; cost 0.2 x 3; left out: 0.5 x 2 x 2 h of wait, 10 for all importance
    problem = a_problem(a_job("j", 2), gpus=4, market=Market.ON_DEMAND, price=3.0)
    floor, _, _ = a_floor(problem)

    added = floor.added_by(Berth(problem.jobs[0], 1, 2, ((0, 1),)))

    assert added == pytest.approx(0.5 * 2 + 0.3 * 2 + 0.2 * 3 - 0.5 * 4 - 10)


def test_a_job_goes_to_a_node_that_is_on_before_one_that_must_be_switched_on():
    jobs = (a_job("a", 2), a_job("b", 2))
    problem = a_problem(*jobs, gpus=4, market=Market.ON_DEMAND)
    floor, offers, _ = a_floor(problem)

    insert(floor, offers, problem.jobs)

    assert [floor.berths[name].nodes for name in ("a", "b")] == [((0, 1),), ((0, 1),)]
    assert floor.paid.tolist() == [[True, False], [False, False]]


def test_replicas_take_what_jobs_leave_of_nodes_that_are_on():
    # 1 request/s of 500 ms, one at a time: a load of 0.5, and 2 replicas keep 95 % of the requests within 2 s
    service = Service("s", slo_ms=2000, service_ms=500, shape=WorkerShape(gpus=1))
    demand = Demand("s", np.array([1.0]), np.array([1.0]))
    problem = a_problem(a_job("j", 5), slots=1, market=Market.ON_DEMAND, services=(service,), demands=(demand,))
    floor, offers, demands = a_floor(problem)
    insert(floor, offers, problem.jobs)

    assert refit(floor, demands)
    assert set(floor.fleets["s"]) == {(0, 0)}
    assert floor.paid.tolist() == [[True], [False]]


def test_a_box_moves_a_small_job_to_let_a_large_one_in():
    # one node of 4 in two slots: the job of 4 devices must end by the first hour, so the small one gives way to the second
    large = a_job("large", 4, deadline_s=3600)
    problem = a_problem(large, a_job("small", 1), gpus=4, nodes=1)
    floor, offers, demands = a_floor(problem)
    insert(floor, offers, (problem.job_by_name["small"],))

    improve(floor, offers, demands, Frame(np.array([0]), range(2), (problem.job_by_name["large"],)), 1.0, 0)

    assert {name: one.start_slot for name, one in floor.berths.items()} == {"large": 0, "small": 1}


def test_what_found_no_room_comes_first_when_all_is_packed_again():
    # Two nodes of two. p and r run for three hours, q for two, and big needs a whole node in the third. By width in cores p and q
    # share a node, so that in the third hour p and r stand apart: big has no room. With big first it is r that has none, which is
    # worse: three device-hours against two. With both first, r and p share a node for all three hours, q and then big the other.
    shapes = {"p": (1, 3, 0, 3), "q": (1, 2, 0, 2), "r": (1, 1, 0, 3), "big": (2, 1, 2, 3)}
    jobs = {
        name: Job(name, workers=1, runtime_minutes=60.0 * (end - start), shape=WorkerShape(gpus=gpus, cpus=cpus))
        for name, (gpus, cpus, start, end) in shapes.items()
    }
    problem = a_problem(*jobs.values(), gpus=2, slots=3)
    gangs = [
        GangStart(jobs[name], start, end, ((problem.cluster.nodes, 1),), one_node=False)
        for name, (_, _, start, end) in shapes.items()
    ]
    standing = [sorted(pack_again(lambda: a_floor(problem)[0], gangs, widest_first, rounds).berths) for rounds in (1, 2, 3)]

    assert [["p", "q", "r"], ["p", "q", "r"], ["big", "p", "q", "r"]] == standing
