"""Every start of the kernel equals that of a replay that scans everything, on random small cases over all parts."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from schedplan.measures.timeline_check import broken_laws
from schedplan.simulate.replay import replay
from tests.simulate.conversion import cluster_of, jobs_of, options_of, policy_of, quotas_of
from tests.simulate.scanning import Machine, Rules, Scanning, Task

QUOTAS = (("x", 3, 5), ("y", 4, 4))
RULES = {
    "fcfs": Rules(),
    "fcfs per event": Rules(per_event=True),
    "fcfs per event, ends first": Rules(per_event=True, ends_first=True),
    "priority, head blocks": Rules(by_priority=True),
    "easy": Rules(backfill=True),
    "easy per event": Rules(backfill=True, per_event=True),
    "easy per event, ends first": Rules(backfill=True, per_event=True, ends_first=True),
    "easy by priority": Rules(backfill=True, by_priority=True),
    "easy every 3 s": Rules(backfill=True, period=3),
    "skip": Rules(skip=True),
    "skip by priority, every 2 s, admitted": Rules(skip=True, by_priority=True, period=2, overcommit=1.2),
    "skip, admitted, per event": Rules(skip=True, overcommit=1.5, per_event=True),
    "worker by worker": Rules(skip=True, per_worker=True, by_priority=True),
    "fcfs within quotas": Rules(quotas=QUOTAS),
    "easy within quotas": Rules(backfill=True, quotas=QUOTAS),
    "easy by priority within quotas, per event": Rules(backfill=True, by_priority=True, per_event=True, quotas=QUOTAS),
    "skip within quotas": Rules(skip=True, quotas=QUOTAS),
    "worker by worker within quotas": Rules(skip=True, per_worker=True, quotas=QUOTAS),
}
CASES_PER_RULE = 40


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
        )
        alone = Scanning(machine, [task], Rules())
        if alone.group_for(task, task.workers, alone.empty()) is not None:
            tasks.append(task)
    return machine, tasks


@pytest.mark.parametrize("name", RULES)
def test_every_start_equals_that_of_a_full_scan(name: str) -> None:
    rules = RULES[name]
    for seed in range(CASES_PER_RULE):
        is_exact, has_racks = seed % 2 == 0, seed % 3 == 0 and not rules.per_worker
        machine, tasks = random_case(seed, is_exact, has_racks)
        if rules.per_worker:
            tasks = [replace(task, rack=False) for task in tasks]
        expected = Scanning(machine, tasks, rules).starts_of_all()
        found = replay(cluster_of(machine), jobs_of(tasks), policy_of(rules), options_of(rules), quotas=quotas_of(rules)).timeline
        starts = {job: int(found.start_s[idx]) for idx, job in enumerate(found.jobs) if found.started[idx]}

        assert expected == starts, f"{name}, seed {seed}"
        assert () == broken_laws(found, gangs_are_whole=not rules.per_worker), f"{name}, seed {seed}"
