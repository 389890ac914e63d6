"""Real placement groups of Ray on emulated nodes stand where the replay's model of Ray puts them.

Nodes that are alike are taken by Ray in an order drawn at its start, so nodes are compared by what was free on them.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
from pathlib import Path

import pytest

from schedplan.engines.stack_table import STACKS
from schedplan.model.cluster import Cluster, Pool
from schedplan.model.workload import Job, Topology, WorkerShape
from schedplan.simulate.replay import replay

pytestmark = pytest.mark.real_service

SCRIPT = Path(__file__).with_name("ray_groups.py")
NODES, DEVICES = 4, 8
STEP_S = 10
"""Seconds of the replay between two steps."""
Step = tuple[str, str] | tuple[str, str, str, int, int]


def python_of_ray() -> str:
    """Return the interpreter of an environment with Ray: that of SCHEDPLAN_RAY_PYTHON, else .venv-ray of the project."""
    found = os.environ.get("SCHEDPLAN_RAY_PYTHON", str(SCRIPT.parents[2] / ".venv-ray" / "bin" / "python"))
    if not Path(found).exists():
        assert "CI" not in os.environ, "the checks of CI need Ray: make setup-ray"
        pytest.skip("there is no Ray on this machine: make setup-ray")
    return found


def in_ray(steps: list[Step]) -> dict[str, dict[str, int] | None]:
    told = subprocess.run(
        [python_of_ray(), str(SCRIPT), str(NODES), str(DEVICES)],
        input=json.dumps(steps),
        env={**os.environ, "RAY_USAGE_STATS_ENABLED": "0", "PYTHONPATH": ""},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert 0 == told.returncode, told.stderr[-2000:]
    found: dict[str, dict[str, int] | None] = json.loads(told.stdout.splitlines()[-1])
    return found


def in_replay(steps: list[Step], *, at_once: bool = False) -> dict[str, dict[str, int] | None]:
    """Return the same of the replay: a step every STEP_S seconds; at_once: only of groups that don't wait."""
    ends = {step[1]: idx for idx, step in enumerate(steps) if step[0] == "end"}
    jobs = []
    for idx, step in enumerate(steps):
        if len(step) == 2:
            continue
        _, name, strategy, bundles, devices = step
        most = 1 if strategy == "STRICT_SPREAD" else None
        jobs.append(
            Job(
                name,
                submit_s=idx * STEP_S,
                workers=bundles,
                shape=WorkerShape(gpus=devices, max_per_node=most),
                topology=Topology.NODE if strategy == "STRICT_PACK" else Topology.CLUSTER,
                runtime_minutes=(ends.get(name, len(steps) + 1) - idx) * STEP_S / 60,
            )
        )
    cluster = Cluster(tuple(Pool(f"n{idx}", gpus=DEVICES) for idx in range(1, NODES + 1)))
    ray = next(stack for stack in STACKS if stack.name == "ray")
    assert ray.model is not None
    timeline = replay(cluster, tuple(jobs), ray.policy()).timeline
    found: dict[str, dict[str, int] | None] = {
        name: {} if is_started and not (at_once and waits) else None
        for name, is_started, waits in zip(timeline.jobs, timeline.started, timeline.start_s > timeline.submit_s, strict=True)
    }
    for job, node, workers in zip(timeline.parts.job, timeline.parts.node, timeline.parts.workers, strict=True):
        held = found[timeline.jobs[job]]
        if held is None:
            continue
        name = timeline.nodes[node].split("-")[0]
        held[name] = held.get(name, 0) + int(workers)
    return found


def shapes(steps: list[Step], placed: dict[str, dict[str, int] | None]) -> dict[str, list[tuple[int, int]] | None]:
    """Return, for each group, (devices free before, bundles) of its nodes, sorted."""
    free = {f"n{idx}": DEVICES for idx in range(1, NODES + 1)}
    size, found = {}, {}
    for step in steps:
        held = placed[step[1]] or {}
        if len(step) == 5:
            size[step[1]] = step[4]
            found[step[1]] = sorted((free[node], bundles) for node, bundles in held.items()) if held else None
        sign = -1 if len(step) == 5 else 1
        for node, bundles in held.items():
            free[node] += sign * bundles * size[step[1]]
    return found


def drawn(seed: int, count: int) -> list[Step]:
    """Return steps of groups that all find room when they begin, by the replay."""
    source, steps, alive = random.Random(seed), [], []
    while len(steps) < count:
        if alive and source.random() < 0.35:
            steps.append(("end", alive.pop(source.randrange(len(alive)))))
            continue
        strategy = source.choice(("PACK", "PACK", "STRICT_PACK", "STRICT_SPREAD"))
        bundles = source.randint(1, NODES if strategy == "STRICT_SPREAD" else 9)
        step = ("begin", f"g{len(steps):02}", strategy, bundles, source.choice((1, 1, 2, 4)))
        if in_replay([*steps, step], at_once=True).get(step[1]):
            steps.append(step)
            alive.append(step[1])
    return steps


def test_groups_stand_where_the_model_puts_them():
    steps = drawn(1, 40)
    replayed = shapes(steps, in_replay(steps, at_once=True))
    kinds = {(step[2], len(shape or ()) > 1) for step in steps if len(step) == 5 for shape in [replayed[step[1]]]}

    assert {("PACK", False), ("PACK", True), ("STRICT_PACK", False), ("STRICT_SPREAD", True)} <= kinds
    assert None not in replayed.values()
    assert shapes(steps, in_ray(steps)) == replayed


def test_a_group_that_waits_lets_a_smaller_one_by_and_begins_when_there_is_room():
    steps: list[Step] = [
        ("begin", "a", "STRICT_SPREAD", 3, 8),
        ("begin", "b", "STRICT_SPREAD", 3, 8),
        ("begin", "c", "PACK", 4, 1),
        ("end", "a"),
    ]
    for placed in (in_ray(steps), in_replay(steps)):
        assert [1, 1, 1] == list((placed["a"] or {}).values())
        assert [4] == list((placed["c"] or {}).values())
        assert placed["b"] == placed["a"]
