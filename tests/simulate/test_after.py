"""Jobs that start after others, at random under every policy that lets them: none early, all start, laws hold."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from schedplan.engines.part import GangKind
from schedplan.engines.policy_table import POLICIES
from schedplan.measures.timeline_check import broken_laws
from schedplan.simulate.replay import replay
from tests.simulate.trials import MIXED, random_jobs

NAMES = [
    policy.name
    for policy in POLICIES
    if policy.name not in ("plan", "plan-guided") and policy.admission.overcommit is None and policy.gang.kind is GangKind.ATOMIC
]


@pytest.mark.parametrize("name", NAMES)
def test_none_starts_before_what_it_starts_after_has_ended(name: str) -> None:
    policy = next(one for one in POLICIES if one.name == name)
    for seed in range(5):
        draw = random.Random(seed)
        jobs = list(random_jobs(seed, 50))
        for idx in range(3, len(jobs)):
            if draw.random() < 0.4:
                jobs[idx] = replace(jobs[idx], after=tuple({jobs[draw.randrange(idx)].name for _ in range(draw.choice([1, 2]))}))
        found = replay(MIXED, tuple(jobs), policy).timeline
        end_of = dict(zip(found.jobs, found.end_s.tolist(), strict=True))
        start_of = dict(zip(found.jobs, found.start_s.tolist(), strict=True))
        submit_of = dict(zip(found.jobs, found.submit_s.tolist(), strict=True))

        assert found.started.all()
        assert () == broken_laws(found)
        for job in jobs:
            latest_s = max((end_of[other] for other in job.after), default=0)
            assert start_of[job.name] >= latest_s
            assert max(job.submit_s or 0, latest_s) == submit_of[job.name]
