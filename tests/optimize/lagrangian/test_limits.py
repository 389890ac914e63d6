"""Plain quotas as limits: what tenants hold free, borrow and may hold at most."""

from __future__ import annotations

import numpy as np
import pytest

from schedplan.model.problem import Problem
from schedplan.optimize.lagrangian.limits import plain_limits
from tests.optimize.problems import problem

JOBS = [{"name": name, "tenant": name, "gpus": 1, "runtime_minutes": 60.0} for name in "ab"]


def with_quotas(*quotas: dict[str, object]) -> Problem:
    return problem({"slots": 3, "nodes": [{"name": "n", "gpus": 8}], "jobs": JOBS, "quotas": list(quotas)})


def test_a_plain_quota_is_what_it_says() -> None:
    limits = plain_limits(with_quotas({"tenant": "a", "nominal": 4, "max": 6, "borrow_price": 0.5}))

    assert ["a"] == list(limits)
    assert (pytest.approx(4.0), 0.5, True) == (limits["a"].free, limits["a"].borrow_price, limits["a"].is_capped)
    assert [6.0] * 3 == pytest.approx(limits["a"].most.tolist(), rel=1e-5)
    # wider by what the check forgives, never narrower
    assert limits["a"].free > 4
    assert limits["a"].most.min() > 6


def test_without_a_maximum_there_is_no_cap() -> None:
    limit = plain_limits(with_quotas({"tenant": "a", "nominal": 4}))["a"]

    assert not limit.is_capped
    assert np.isinf(limit.most).all()


def test_a_quota_that_counts_what_is_below_it_is_left_aside() -> None:
    limits = plain_limits(with_quotas({"tenant": "a", "nominal": 4}, {"tenant": "b", "nominal": 2, "parent": "a"}))

    assert ["b"] == list(limits)
