"""Problems that have a plan, because they were drawn around one; a tenth of what `make prove` does."""

from collections import Counter

import pytest

from tests.oracle.planted import planted, searched

NUMBERS = range(100)
CHUNK = 20


@pytest.mark.parametrize("first", range(NUMBERS.start, NUMBERS.stop, CHUNK))
def test_what_has_a_plan_is_never_called_infeasible(first):
    found = [searched(number) for number in range(first, first + CHUNK)]

    assert [fault for one in found for fault in one.faults] == []


def test_planted_problems_are_of_medium_size_and_have_all_rules():
    drawn = [planted(number).problem for number in NUMBERS]
    has = Counter(
        kind
        for problem in drawn
        for kind, is_there in {
            "services": problem.services,
            "quotas": problem.quotas,
            "budget": problem.limits.budget_per_day is not None,
            "spot": any(pool.market.value == "spot" for pool in problem.cluster.pools),
            "startup": any(pool.startup_minutes for pool in problem.cluster.pools),
        }.items()
        if is_there
    )

    assert all(len(problem.jobs) >= 15 and all(job.required for job in problem.jobs) for problem in drawn)
    assert [kind for kind in ("services", "quotas", "budget", "spot", "startup") if has[kind] < len(drawn) / 4] == []
