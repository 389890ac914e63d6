"""Every start of the kernel equals that of a replay that scans everything, on random small cases over all parts."""

from __future__ import annotations

import pytest

from schedplan.simulate.replay import replay
from tests.simulate.conversion import cluster_of, jobs_of, options_of, policy_of, quotas_of
from tests.simulate.trials import RULES, fault, random_case

CASES_PER_RULE = 10


@pytest.mark.parametrize("name", RULES)
def test_every_start_equals_that_of_a_full_scan(name: str) -> None:
    faults = [found for seed in range(CASES_PER_RULE) if (found := fault(name, seed)) is not None]

    assert [] == faults


@pytest.mark.parametrize(
    ("name", "counted"),
    [
        ("easy", "reservations"),
        ("easy", "backfill tries"),
        ("conservative", "reservations"),
        ("preemption", "rooms made"),
        ("promises, reclaimed", "rooms made"),
    ],
)
def test_the_cases_do_what_the_rule_is_about(name: str, counted: str) -> None:
    rules, total = RULES[name], 0
    for seed in range(CASES_PER_RULE):
        machine, tasks = random_case(seed, is_exact=True, has_racks=False)
        found = replay(cluster_of(machine), jobs_of(tasks), policy_of(rules), options_of(rules), quotas=quotas_of(rules))
        total += dict(found.counts).get(counted, 0)

    assert total >= CASES_PER_RULE
