"""Why a service has more replicas than its target alone asks for: the rule that wants them is named."""

from __future__ import annotations

import pytest

from schedplan.explain.why import explain
from schedplan.optimize.solve import optimize
from tests.optimize.problems import problem

NODE = {"name": "n", "count": 4, "gpus": 1, "zone": "z1", "market": "on_demand", "price_per_hour": 2}
SERVICE = {"name": "s", "slo_ms": 500, "service_ms": 100, "concurrency": 10, "gpus": 1}


@pytest.mark.parametrize(
    ("limits", "service", "rps", "told"),
    [
        ({"reserve": "node"}, {}, [50, 50], "1 would meet the target; more are kept for the loss of a node (`reserve`)"),
        ({}, {"spread": ["node", 2]}, [50, 50], "1 would meet the target; more are wanted in 2 nodes (`spread`)"),
        # 1, 2, 2, 1: the second of 02:00 is asked for at 01:00
        ({}, {"startup_minutes": 60}, [50, 50, 100, 50], "; 1 of them serves at first, the others warm up"),
    ],
)
def test_the_rule_that_wants_more_is_named(
    limits: dict[str, object], service: dict[str, object], rps: list[int], told: str
) -> None:
    given = problem(
        {
            "slots": len(rps),
            "objective": {"latency": 0, "utilization": 0, "cost": 1},
            "limits": {"max_utilization": 0.5, **limits},
            "nodes": [NODE],
            "services": [{**SERVICE, **service}],
            "demand": [{"service": "s", "rps": rps}],
        }
    )
    texts = [reason.message for reason in explain(given, optimize(given), "s").reasons]

    assert any(told in text for text in texts), texts
