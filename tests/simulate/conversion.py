"""Tasks and machines of the oracle as the product's own records."""

from __future__ import annotations

from dataclasses import replace

from schedplan.engines.orders import PRIORITY_THEN_ARRIVAL
from schedplan.engines.part import Admission, Cycle, CycleKind, Gang, GangKind
from schedplan.engines.policies.easy import EASY
from schedplan.engines.policies.fcfs import FCFS
from schedplan.engines.policies.node_choice import BEST_FIT
from schedplan.engines.policy import Policy
from schedplan.model.cluster import Cluster, Pool
from schedplan.model.quota import Quota
from schedplan.model.workload import Job, Topology, WorkerShape
from schedplan.simulate.options import EventOrder, ReplayOptions
from tests.simulate.scanning import Machine, Rules, Task


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
        )
        for task in tasks
    )


def policy_of(rules: Rules) -> Policy:
    policy = EASY if rules.backfill else BEST_FIT if rules.skip else FCFS
    if rules.by_priority:
        policy = replace(policy, order=PRIORITY_THEN_ARRIVAL)
    if rules.per_worker:
        policy = replace(policy, gang=Gang("worker by worker", GangKind.PER_WORKER))
    if rules.overcommit is not None:
        policy = replace(policy, admission=Admission("overcommit", rules.overcommit))
    kind = CycleKind.EVENT if rules.per_event else CycleKind.PERIOD if rules.period > 1 else CycleKind.INSTANT
    return replace(policy, cycle=Cycle(kind, period_s=rules.period))


def quotas_of(rules: Rules) -> tuple[Quota, ...]:
    return tuple(Quota(tenant, float(nominal), "cohort", max=float(most)) for tenant, nominal, most in rules.quotas)


def options_of(rules: Rules) -> ReplayOptions:
    return ReplayOptions(order=EventOrder.ENDS_FIRST if rules.ends_first else EventOrder.SUBMISSIONS_FIRST)
