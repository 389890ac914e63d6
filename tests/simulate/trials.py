"""Trials of the kernel: one random case against the oracle, one random workload against the laws. `make prove` runs them in
full.
"""

from __future__ import annotations

import random
from dataclasses import replace

from schedplan.engines.part import GangKind
from schedplan.engines.policy import Policy
from schedplan.engines.policy_table import policy
from schedplan.measures.timeline_check import broken_laws
from schedplan.model.cluster import Cluster, Pool
from schedplan.model.workload import Job, WorkerShape
from schedplan.simulate.guide import Guide, GuidePlace
from schedplan.simulate.replay import replay
from tests.simulate.conversion import cluster_of, jobs_of, options_of, outages_of, policy_of, quotas_of, starts_of
from tests.simulate.scanning import Rules, Scanning
from tests.simulate.scanning_machine import Machine, State, Task

CASES_PER_RULE = 500
RUNS_PER_POLICY = 1000
MIXED = Cluster(
    (
        Pool("big", count=3, min_count=3, max_count=3, gpus=8, cpus=64, memory_gib=256),
        Pool("small", count=4, min_count=4, max_count=4, gpus=2, slices_per_gpu=4, cpus=16, memory_gib=64),
    )
)
QUOTAS = (("x", 3, 5), ("y", 4, 4))
OUTAGES = ((0, 4, 9), (1, 6, 8), (0, 15, 17), (2, 7, 20))
BORROWED = (("x", 0, 12), ("y", 9, 12))
RULES = {
    "fcfs": Rules(),
    "fcfs per event": Rules(per_event=True),
    "fcfs per event, ends first": Rules(per_event=True, ends_first=True),
    "fcfs, first fit": Rules(nodes="first-fit"),
    "fcfs, worst fit": Rules(nodes="worst-fit"),
    "shortest first, head blocks": Rules(order="shortest"),
    "largest first, head blocks": Rules(order="largest"),
    "priority, head blocks": Rules(order="priority"),
    "shortest first, skip": Rules(order="shortest", skip=True),
    "shortest first, skip, admitted": Rules(order="shortest", skip=True, overcommit=1.3),
    "largest first, skip": Rules(order="largest", skip=True, per_event=True),
    "easy": Rules(backfill="easy"),
    "easy per event": Rules(backfill="easy", per_event=True),
    "easy per event, ends first": Rules(backfill="easy", per_event=True, ends_first=True),
    "easy by priority": Rules(backfill="easy", order="priority"),
    "easy, shortest first": Rules(backfill="easy", order="shortest"),
    "easy every 3 s": Rules(backfill="easy", period=3),
    "easy, two jobs deep": Rules(backfill="easy", depth=2),
    "easy-sjbf": Rules(backfill="easy-sjbf"),
    "easy-sjbf, largest first, worst fit": Rules(backfill="easy-sjbf", order="largest", nodes="worst-fit"),
    "easy-sjbf, three jobs deep": Rules(backfill="easy-sjbf", depth=3),
    "conservative": Rules(backfill="conservative"),
    "conservative per event": Rules(backfill="conservative", per_event=True),
    "conservative, three jobs deep": Rules(backfill="conservative", depth=3),
    "conservative by priority": Rules(backfill="conservative", order="priority"),
    "conservative, compressed in order": Rules(backfill="conservative", compression="arrival"),
    "conservative, starts now alone": Rules(backfill="conservative", compression="start-now"),
    "conservative, reservations stay": Rules(backfill="conservative", compression="none"),
    "conservative, shortest first": Rules(backfill="conservative", order="shortest", depth=4),
    "conservative within quotas": Rules(backfill="conservative", quotas=QUOTAS),
    "skip": Rules(skip=True),
    "skip by priority, every 2 s, admitted": Rules(skip=True, order="priority", period=2, overcommit=1.2),
    "skip, admitted, per event": Rules(skip=True, overcommit=1.5, per_event=True),
    "worker by worker": Rules(skip=True, per_worker=True, order="priority"),
    "fcfs within quotas": Rules(quotas=QUOTAS),
    "easy within quotas": Rules(backfill="easy", quotas=QUOTAS),
    "easy by priority within quotas, per event": Rules(backfill="easy", order="priority", per_event=True, quotas=QUOTAS),
    "skip within quotas": Rules(skip=True, quotas=QUOTAS),
    "worker by worker within quotas": Rules(skip=True, per_worker=True, quotas=QUOTAS),
    "dominant shares": Rules(share="drf", skip=True),
    "dominant shares, head blocks": Rules(share="drf", order="shortest"),
    "dominant shares, easy": Rules(share="drf", backfill="easy"),
    "past usage": Rules(share="fair-share", skip=True),
    "past usage, easy, per event": Rules(share="fair-share", backfill="easy", per_event=True),
    "promises": Rules(share="capacity", skip=True, quotas=QUOTAS),
    "promises, reclaimed": Rules(share="capacity", skip=True, quotas=BORROWED, preemption="reclaim"),
    "promises, reclaimed after a grace": Rules(share="capacity", skip=True, quotas=BORROWED, preemption="reclaim", grace=2),
    "promises, reclaimed, head blocks": Rules(quotas=BORROWED, preemption="reclaim"),
    "preemption": Rules(order="priority", skip=True, preemption="priority"),
    "preemption, head blocks": Rules(order="priority", preemption="priority"),
    "preemption with grace": Rules(order="priority", skip=True, preemption="priority", grace=3),
    "preemption and easy": Rules(order="priority", backfill="easy", preemption="priority"),
    "preemption in order of arrival, per event": Rules(skip=True, preemption="priority", per_event=True),
    "outages": Rules(outages=OUTAGES),
    "outages, skip, per event": Rules(outages=OUTAGES, skip=True, per_event=True),
    "outages, easy": Rules(outages=OUTAGES, backfill="easy"),
    "outages, easy-sjbf": Rules(outages=OUTAGES, backfill="easy-sjbf"),
    "outages, conservative": Rules(outages=OUTAGES, backfill="conservative"),
    "outages, past usage": Rules(outages=OUTAGES, share="fair-share", skip=True),
    "outages and preemption": Rules(outages=OUTAGES, order="priority", skip=True, preemption="priority"),
    "preemption within quotas": Rules(order="priority", skip=True, preemption="priority", quotas=QUOTAS),
}


def random_case(seed: int, is_exact: bool, has_racks: bool) -> tuple[Machine, list[Task]]:
    """Return a machine of 1 to 5 nodes and 4 to 22 jobs that each fit on it."""
    draw = random.Random(seed)
    count = draw.randint(1, 5)
    slices = draw.choice([1, 1, 4])
    machine = Machine(
        devices=tuple(draw.choice([1, 2, 4, 4]) for _ in range(count)),
        slices=(slices,) * count,
        cpus=tuple(draw.choice([None, 4, 8]) for _ in range(count)) if draw.random() < 0.4 else (None,) * count,
        rack=tuple(draw.choice(["a", "b"]) if has_racks else None for _ in range(count)),
    )
    tasks = []
    for idx in range(draw.randint(4, 22)):
        run = draw.randint(1, 12)
        task = Task(
            f"j{idx:02d}",
            submit=draw.randint(0, 20),
            run=run,
            estimate=run if is_exact else run + draw.choice([0, 0, 1, 3, 8]),
            workers=draw.choice([1, 1, 1, 2, 3, 4]),
            gpus=draw.choice([1, 1, 2, 4, 0.25, 0.5] if slices > 1 else [1, 1, 1, 2, 3]),
            cpus=draw.choice([0, 0, 1, 2]),
            priority=draw.randint(0, 2),
            rack=has_racks and draw.random() < 0.4,
            tenant=draw.choice(["x", "y"]),
            preemptible=draw.random() < 0.9,
            interval=draw.choice([0, 0, 2, 3]),
            cost=draw.choice([0, 1]),
            restart=draw.choice([0, 0, 1]),
        )
        alone = Scanning(machine, [task], Rules())
        if alone.group_for(task, task.workers, State.empty(machine)) is not None:
            tasks.append(task)
    return machine, tasks


def fault(name: str, seed: int) -> str | None:
    """Return how the kernel differs from the oracle in one case, None where it does not."""
    rules = RULES[name]
    counts_devices = rules.backfill == "conservative"
    machine, tasks = random_case(seed, is_exact=seed % 2 == 0, has_racks=seed % 3 == 0 and not rules.per_worker)
    if counts_devices:
        machine = replace(machine, slices=(1,) * len(machine.slices))
        tasks = [task for task in tasks if task.gpus >= 1]
    if rules.per_worker:
        tasks = [replace(task, rack=False) for task in tasks]
    if rules.preemption == "none" and not rules.outages:
        tasks = [replace(task, interval=0, cost=0, restart=0) for task in tasks]
    expected = Scanning(machine, tasks, rules).starts_of_all()
    found = replay(
        cluster_of(machine),
        jobs_of(tasks),
        policy_of(rules),
        options_of(rules),
        quotas=quotas_of(rules),
        outages=outages_of(rules, machine),
    ).timeline
    actual, broken = starts_of(found), broken_laws(found, gangs_are_whole=not rules.per_worker)
    if expected != actual:
        return f"{name}, seed {seed}: {expected} is {actual}"
    return f"{name}, seed {seed}: {broken}" if broken else None


def guide_for(chosen: Policy) -> Guide | None:
    """Return places for two workers of a device on each large node, and two of half of one on each small one, for a policy that
    asks for a guide.
    """
    if not chosen.nodes.is_guided:
        return None
    whole = [GuidePlace(WorkerShape(gpus=1, cpus=4), f"big/{node}", (device,)) for node in (1, 2, 3) for device in (0, 1)]
    half = [GuidePlace(WorkerShape(gpus=0.5, cpus=1), f"small/{node}", (0,)) for node in (1, 2, 3, 4) for _ in range(2)]
    return Guide((*whole, *half), 1.0, len(whole) + len(half))


def law_fault(name: str, seed: int, count: int = 60) -> str | None:
    """Return which laws the replay of a random workload breaks under a policy, None where all hold and all that must start
    has.
    """
    whole = policy(name).gang.kind is GangKind.ATOMIC
    found = replay(MIXED, random_jobs(seed, count), policy(name), guide=guide_for(policy(name)))
    counts = dict(found.counts)
    broken = broken_laws(found.timeline, gangs_are_whole=whole and not policy(name).node_start.start_s)
    if whole and not found.timeline.started.all():
        broken = (*broken, "something never starts")
    if name in ("easy", "easy-sjbf") and "heads later than first reserved" in counts:
        broken = (*broken, "a head starts later than it was first promised")
    return f"{name}, seed {seed}: {broken}" if broken else None


def random_jobs(seed: int, count: int = 300) -> tuple[Job, ...]:
    draw = random.Random(seed)
    found = []
    at_s = 0
    for idx in range(count):
        at_s += draw.choice([0, 0, 1, 5, 60, 400])
        limit = draw.randint(1, 60)
        found.append(
            Job(
                f"j{idx:04d}",
                tenant=draw.choice(["x", "y", "z"]),
                priority=draw.choice([0, 0, 1]),
                submit_s=at_s,
                workers=draw.choice([1, 1, 1, 2, 4, 8]),
                shape=WorkerShape(
                    gpus=draw.choice([0.25, 0.5, 1, 1, 1, 2]), cpus=draw.choice([0, 1, 4]), memory_gib=draw.choice([0, 8])
                ),
                runtime_minutes=draw.randint(1, 70),
                time_limit_minutes=draw.choice([None, limit]),
            )
        )
    return tuple(found)
