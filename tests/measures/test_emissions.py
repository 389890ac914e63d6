"""Emissions by hand: power, duty, intensity; what is not known is null and said."""

from dataclasses import replace

import numpy as np
import pytest

from schedplan.measures.accounting import account
from schedplan.measures.emissions import replica_duty
from schedplan.model.cluster import Cluster, Pool
from schedplan.model.plan import Decisions, JobPart, ReplicaPart
from schedplan.model.problem import Demand, Intensity, Objective, Problem
from schedplan.model.workload import Job, Service, WorkerShape
from schedplan.timegrid import TimeGrid

GRID = TimeGrid.regular(0, 60, 2)
NODE = Pool("n", gpus=4, region="east", power_idle_w=200.0, power_max_w=1000.0, pue=1.5)
EAST = Intensity("east", np.array([100.0, 300.0]))
JOB = Job("j", shape=WorkerShape(gpus=1), runtime_minutes=60.0)
BOTH = np.ones((1, 2), dtype=np.bool_)


def value(found, name, **labels):
    return next(one.value for one in found.measures if one.name == name and dict(one.labels) == labels)


def test_a_job_draws_its_part_of_the_power_in_its_slots():
    # idle 0.2 kW x 1.5 = 0.3 kWh an hour, one of four devices adds 0.8/4 x 1.5 = 0.3 kWh: (0.3 + 0.3) x 100 + 0.3 x 300
    problem = Problem("p", GRID, Cluster((NODE,)), (JOB,), intensities=(EAST,))
    found = account(problem, Decisions((JobPart("j", "n", 0, 1),), (), BOTH))

    assert found.node_use.carbon_g.tolist() == [[pytest.approx(60.0), pytest.approx(90.0)]]
    assert found.goals.carbon == pytest.approx(150.0)
    assert value(found, "carbon_g") == pytest.approx(150.0)
    assert value(found, "energy_kwh", pool="n") == pytest.approx(0.9)


def test_a_replica_is_as_busy_as_one_of_the_least_that_do():
    # 10 requests/s of 100 ms are one busy replica; the M/M/c mean is within 200 ms with two (133 ms): half busy each, also of three
    service = Service("s", 200, 100, slo_quantile=None, shape=WorkerShape(gpus=1))
    demand = Demand("s", np.array([10.0, 0.0]), np.array([10.0, 0.0]))
    problem = Problem("p", GRID, Cluster((NODE,)), (), (service,), (demand,), intensities=(EAST,))
    two, three = (account(problem, Decisions((), (ReplicaPart("s", 0, "n", count),), BOTH)) for count in (2, 3))

    # 0.3 kWh idle and 0.3 x 0.5 for each of them
    assert replica_duty(problem, service, None).tolist() == [0.5, 0.0]
    assert two.node_use.energy_kwh[0].tolist() == pytest.approx([0.6, 0.3])
    assert three.node_use.energy_kwh[0].tolist() == pytest.approx([0.75, 0.3])


@pytest.mark.parametrize(
    ("pool", "intensities", "why"),
    [
        (replace(NODE, power_max_w=None), (EAST,), "n (no power_idle_w and power_max_w)"),
        (replace(NODE, region=None), (EAST,), "n (no region)"),
        (replace(NODE, region="west"), (EAST,), "n (no intensity of its region west for the whole horizon)"),
    ],
)
def test_what_is_not_known_is_null_and_said_once_by_name(pool, intensities, why):
    problem = Problem("p", GRID, Cluster((pool,)), (JOB,), intensities=intensities)
    found = account(problem, Decisions((JobPart("j", "n", 0, 1),), (), BOTH))

    assert np.isnan(found.node_use.carbon_g).all()
    assert value(found, "carbon_g") is None
    assert found.goals.carbon == 0.0
    assert [text for text in found.warnings if why in text] == [text for text in found.warnings if "carbon" in text]
    assert len([text for text in found.warnings if "carbon" in text]) == 1


def test_nothing_is_said_of_emissions_where_nobody_asks():
    problem = Problem("p", GRID, Cluster((replace(NODE, region=None),)), (JOB,))
    decisions = Decisions((JobPart("j", "n", 0, 1),), (), BOTH)

    assert not any("carbon" in text for text in account(problem, decisions).warnings)
    assert any("carbon" in text for text in account(replace(problem, objective=Objective(carbon=1)), decisions).warnings)
