"""Workloads get answers that differ, each explained by numbers of its own: by gates and fit over all stacks, without replays."""

from __future__ import annotations

from dataclasses import replace

from schedplan.compare_engines.comparison import compare
from schedplan.compare_engines.profile import Profile
from schedplan.compare_engines.recommendation import Recommendation, recommend
from schedplan.engines.stack_facts import stack_engine
from schedplan.engines.stack_table import STACKS
from tests.compare_engines.workloads import WITH_SPOT, job, profile


def answer(found: Profile) -> Recommendation:
    return recommend(compare(found, tuple(stack_engine(stack) for stack in STACKS)))


def big_gangs() -> Profile:
    """Gangs of 16 devices with exact time limits on owned nodes, one after another."""
    return profile(*(job(f"train-{idx:02d}", workers=16, hours=2, at_h=idx, time_limit_minutes=120.0) for idx in range(12)))


def tenants() -> Profile:
    """Four tenants with gangs, at three priorities, that ask for more than there is."""
    return profile(
        *(
            job(f"{tenant}-{idx:02d}", workers=4, hours=2, at_h=idx / 2, tenant=tenant, priority=idx % 3)
            for tenant in "abcd"
            for idx in range(8)
        )
    )


def small_batch() -> Profile:
    """Single devices and shares of one, many an hour, of three tenants."""
    return profile(
        *(
            job(f"b-{idx:03d}", gpus=(1.0, 0.5, 0.25)[idx % 3], hours=0.25, at_h=idx / 50, tenant=f"t{idx % 3}")
            for idx in range(300)
        )
    )


def spot() -> Profile:
    """Single workers that may run on spot nodes, of which there are some."""
    jobs = tuple(job(f"r-{idx:03d}", hours=1, at_h=idx / 8) for idx in range(64))
    return profile(*(replace(one, spot_ok=True) for one in jobs), cluster=WITH_SPOT)


def test_big_gangs_with_exact_limits_ask_for_backfill() -> None:
    found = answer(big_gangs())

    assert found.engine == "slurm"
    assert any("12 of 12 jobs with several workers" in said for said in found.reasons)
    assert any("backfill" in said for said in found.reasons)


def test_mixed_tenants_with_gangs_ask_for_quotas_and_reclaim() -> None:
    found = answer(tenants())

    assert found.engine == "kai"
    assert any("4 tenants" in said for said in found.reasons)


def test_what_may_run_on_spot_asks_for_a_fallback() -> None:
    found = answer(spot())

    assert found.engine in ("kueue+kube-scheduler", "kuberay+kueue")
    assert any("100% of device-hours may run on spot nodes" in said for said in found.reasons)


def test_the_answers_differ_and_each_names_what_would_change_it() -> None:
    found = {
        name: answer(made()) for name, made in (("gangs", big_gangs), ("tenants", tenants), ("small", small_batch), ("spot", spot))
    }

    assert len({one.engine for one in found.values()}) >= 3
    assert all(one.changes and one.reasons for one in found.values())
