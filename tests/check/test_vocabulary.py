"""Every name a plan reports is one that a rule may use, with the unit it is reported in."""

import numpy as np
import pytest

from schedplan.check.rules import parse_rule
from schedplan.check.vocabulary import KNOWN_MEASURES, Dimension, dimension_of
from schedplan.measures.accounting import account
from schedplan.model.cluster import Cluster, Market, Pool
from schedplan.model.findings import Measure
from schedplan.model.plan import Decisions, JobPart, ReplicaPart
from schedplan.model.problem import Demand, Problem
from schedplan.model.workload import Job, Service, WorkerShape
from schedplan.timegrid import TimeGrid

UNITS = {
    Dimension.SHARE: "share",
    Dimension.MONEY: "CNY",
    Dimension.SECONDS: "s",
    Dimension.MILLISECONDS: "ms",
    Dimension.ENERGY: "kWh",
    Dimension.MASS: "gCO2e",
}


def reported() -> tuple[Measure, ...]:
    """Return the measures of one job on a spot node and one service beside it, for two hours."""
    pools = (
        Pool("a", gpus=1, market=Market.ON_DEMAND, price_per_hour=3.0, power_idle_w=100, power_max_w=400),
        Pool("b", gpus=1, market=Market.SPOT, price_per_hour=1.0, interruptions_per_hour=0.01, power_idle_w=100, power_max_w=400),
    )
    grid = TimeGrid.regular(0, 60, 2)
    shape = WorkerShape(gpus=1)
    problem = Problem(
        "two",
        grid,
        Cluster(pools),
        jobs=(Job("j", shape=shape, runtime_minutes=60, deadline_s=7200, spot_ok=True),),
        services=(Service("s", 200.0, 96.0, concurrency=10, shape=shape),),
        demands=(Demand("s", np.array([5.0, 5.0]), np.array([4.0, 4.0])),),
        currency="CNY",
    )
    replicas = (ReplicaPart("s", 0, "a", 1), ReplicaPart("s", 1, "a", 1))
    decisions = Decisions((JobPart("j", "b", 0, 1),), replicas, np.array([[True, True], [True, False]]))
    return account(problem, decisions).measures


@pytest.mark.parametrize(
    "measure", reported(), ids=lambda measure: f"{measure.name}-{'-'.join(value for _, value in measure.labels)}"
)
def test_reported_names_and_units_are_known(measure: Measure) -> None:
    dimension = dimension_of(measure.name)

    assert measure.name in KNOWN_MEASURES
    assert dimension is Dimension.PLAIN or measure.unit.split("/")[0].split(" ")[0] == UNITS[dimension]
    assert parse_rule(f"{measure.name} <= 1").measure == measure.name
