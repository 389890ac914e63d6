"""Tasks and machines of the oracle as the product's own records."""

from __future__ import annotations

from dataclasses import replace

from schedplan.engines.composition import composed
from schedplan.engines.part import Admission
from schedplan.engines.policies.fcfs import FCFS
from schedplan.engines.policy import Policy
from schedplan.model.cluster import Cluster, Pool
from schedplan.model.outage import Outage, OutageKind
from schedplan.model.policy_parts import Choices
from schedplan.model.quota import Quota
from schedplan.model.timeline import Timeline
from schedplan.model.workload import Job, Topology, WorkerShape
from schedplan.simulate.options import EventOrder, ReplayOptions
from tests.simulate.scanning import HALF_LIFE_S, Rules
from tests.simulate.scanning_machine import Machine, Task


def cluster_of(machine: Machine) -> Cluster:
    rows = zip(machine.devices, machine.slices, machine.cpus, machine.rack, strict=True)
    return Cluster(
        tuple(
            Pool(f"n{idx}", gpus=devices, slices_per_gpu=slices, cpus=cpus, rack=rack)
            for idx, (devices, slices, cpus, rack) in enumerate(rows)
        )
    )


def jobs_of(tasks: list[Task]) -> tuple[Job, ...]:
    return tuple(
        Job(
            task.name,
            submit_s=task.submit,
            priority=task.priority,
            tenant=task.tenant,
            workers=task.workers,
            shape=WorkerShape(gpus=task.gpus, cpus=task.cpus),
            runtime_minutes=task.run / 60,
            time_limit_minutes=task.estimate / 60,
            topology=Topology.RACK if task.rack else Topology.CLUSTER,
            preemptible=task.preemptible,
            checkpoint_minutes=task.interval / 60 if task.interval else None,
            checkpoint_cost_minutes=task.cost / 60,
            restart_minutes=task.restart / 60,
        )
        for task in tasks
    )


def policy_of(rules: Rules) -> Policy:
    chosen = Choices(
        order=rules.order,
        share=rules.share,
        half_life_hours=HALF_LIFE_S / 3600 if rules.share == "fair-share" else None,
        blocking="skip" if rules.skip else "head",
        backfill=rules.backfill,
        depth=rules.depth,
        compression=rules.compression if rules.backfill == "conservative" else None,
        gang="per-worker" if rules.per_worker else "atomic",
        nodes=rules.nodes,
        preemption=rules.preemption,
        grace_minutes=rules.grace / 60 if rules.grace else None,
        cycle="event" if rules.per_event else "period" if rules.period > 1 else "instant",
        period_seconds=rules.period if rules.period > 1 else None,
    )
    policy = composed(FCFS, chosen)
    return policy if rules.overcommit is None else replace(policy, admission=Admission("overcommit", rules.overcommit))


def quotas_of(rules: Rules) -> tuple[Quota, ...]:
    return tuple(Quota(tenant, float(nominal), "cohort", max=float(most)) for tenant, nominal, most in rules.quotas)


def outages_of(rules: Rules, machine: Machine) -> tuple[Outage, ...]:
    there = range(len(machine.devices))
    return tuple(Outage(f"n{node}", start, end, OutageKind.FAILURE) for node, start, end in rules.outages if node in there)


def options_of(rules: Rules) -> ReplayOptions:
    return ReplayOptions(order=EventOrder.ENDS_FIRST if rules.ends_first else EventOrder.SUBMISSIONS_FIRST)


def starts_of(found: Timeline) -> dict[str, tuple[int, ...]]:
    """Every start of every job that ran to its end."""
    starts: dict[int, set[int]] = {}
    for job, at_s in zip(found.parts.job.tolist(), found.parts.taken_s.tolist(), strict=True):
        starts.setdefault(job, set()).add(at_s)
    stopped = {stop.job for stop in found.stops}
    return {
        name: tuple(sorted(starts[idx])) if idx in stopped else (int(found.start_s[idx]),)
        for idx, name in enumerate(found.jobs)
        if found.started[idx]
    }
