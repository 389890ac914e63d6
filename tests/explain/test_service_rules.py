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


@pytest.mark.parametrize(
    ("limits", "service", "told"),
    [
        # 250/s need 5 at 50/s each, and there are 4 nodes
        ({}, {}, "20.00% of the demand is missed, at its price (`missed_demand`): the nodes that may hold it hold 4 when empty"),
        (
            {},
            {"max_replicas": 2},
            "60.00% of the demand is missed, at its price (`missed_demand`): no more may stand (`max_replicas`)",
        ),
        (
            {},
            {"slo_ms": 50},
            "100.00% of the demand is missed, at its price (`missed_demand`): no node that may hold it is fast enough",
        ),
        ({"budget_per_day": 3}, {}, "or a limit leaves no room"),
    ],
)
def test_what_keeps_a_service_from_all_of_its_demand_is_told(
    limits: dict[str, object], service: dict[str, object], told: str
) -> None:
    given = problem(
        {
            "slots": 1,
            "limits": {"max_utilization": 0.5, "missed_demand": "price", **limits},
            "nodes": [NODE],
            "services": [{**SERVICE, "min_replicas": 0, **service}],
            "demand": [{"service": "s", "rps": [250]}],
        }
    )
    found = explain(given, optimize(given), "s")

    assert told in found.reasons[0].message
    assert found.verdict.endswith(", for the part of its demand that is served: in 1 slot some is missed")
