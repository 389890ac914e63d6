"""gang-32x53: 53 gangs of 1 to 32 replicas on 32 nodes of eight devices, under every preset of every stack."""

from __future__ import annotations

import pytest

from schedplan.engines.fact import Value
from schedplan.engines.part import GangKind
from schedplan.engines.stack import Preset, Stack
from schedplan.engines.stack_facts import stack_engine
from schedplan.engines.stack_table import STACKS
from schedplan.measures.replay import replay_measures
from schedplan.measures.timeline_check import broken_laws
from schedplan.model.cluster import Cluster, Pool
from schedplan.model.timeline import Timeline
from schedplan.model.workload import Job, WorkerShape
from schedplan.simulate.replay import replay

CLUSTER = Cluster((Pool("n", 32, 32, 32, gpus=8),))
GANGS = tuple(
    Job(
        f"gang-{idx:02d}",
        workers=7 * idx % 32 + 1,
        shape=WorkerShape(gpus=8),
        runtime_minutes=10.0 + idx * 13 % 50,
        submit_s=60 * idx,
        tenant=f"team-{idx % 3}",
    )
    for idx in range(53)
)
PRESETS = [(stack, preset) for stack in STACKS if stack.model is not None for preset in Preset]


def in_parts(found: Timeline) -> set[str]:
    """Return the gangs of which workers were bound before the last could be."""
    return set() if found.in_parts is None else {job for job, apart in zip(found.jobs, found.in_parts, strict=True) if apart}


@pytest.mark.parametrize(("stack", "preset"), PRESETS, ids=[f"{stack.name}-{preset.value}" for stack, preset in PRESETS])
def test_what_claims_whole_gangs_never_starts_one_in_part(stack: Stack, preset: Preset) -> None:
    """A yes to gangs is held to, but for YuniKorn's style Soft, whose gangs are bound apart once their placeholders timed out."""
    policy = stack.policy(preset)

    found = replay(CLUSTER, GANGS, policy).timeline

    claims = stack_engine(stack).fact_of["gang"].value is Value.YES
    is_soft = policy.gang.hold is not None and policy.gang.hold.then_apart
    broken = broken_laws(found, gangs_are_whole=policy.gang.kind is GangKind.ATOMIC and not policy.node_start.start_s)
    rates = {one.name: one.value for one in replay_measures(found) if not one.labels}
    assert broken == ()
    assert not (claims and not is_soft and in_parts(found))
    assert (rates["gang_start_rate"] == 1.0) == (not in_parts(found) and bool(found.started.all()))


def test_those_that_bind_pod_by_pod_are_shown() -> None:
    apart = [
        (stack.name, preset.value, in_parts(replay(CLUSTER, GANGS, stack.policy(preset)).timeline)) for stack, preset in PRESETS
    ]

    assert {f"{name} {preset}" for name, preset, gangs in apart if gangs} == {
        "kube-scheduler default",
        "kube-scheduler tuned",
        "yunikorn default",
        "yunikorn tuned",
        "gke-autopilot default",
        "gke-autopilot tuned",
    }
