"""Nodes by a guide: every step of its rule by hand, the laws, and that nothing that fits is refused."""

from __future__ import annotations

import random

import pytest

from schedplan.engines.policy_table import policy
from schedplan.errors import UsageError
from schedplan.measures.timeline_check import broken_laws
from schedplan.model.cluster import Cluster, Pool
from schedplan.model.timeline import Timeline
from schedplan.model.workload import Job, WorkerShape
from schedplan.simulate.guide import Guide, GuidePlace
from schedplan.simulate.replay import replay
from schedplan.workflows.guide import guide_of
from tests.simulate.trials import MIXED, random_jobs

HALF, ONE, THIRD = WorkerShape(gpus=0.5), WorkerShape(gpus=1), WorkerShape(gpus=0.25)
ONE_AND_CORES = WorkerShape(gpus=1, cpus=2)
TWO_NODES = Cluster((Pool("a", gpus=2, slices_per_gpu=4, cpus=8), Pool("b", gpus=2, slices_per_gpu=4, cpus=8)))


def job(name: str, shape: WorkerShape, at_s: int, run_s: int = 100) -> Job:
    return Job(name, submit_s=at_s, shape=shape, runtime_minutes=run_s / 60)


def guided(places: list[GuidePlace], *jobs: Job) -> Timeline:
    found = replay(TWO_NODES, jobs, policy("plan-guided"), guide=Guide(tuple(places), 1.0, len(places))).timeline

    assert () == broken_laws(found)
    return found


def stands(found: Timeline) -> dict[str, tuple[int, str, tuple[int, ...]]]:
    parts = found.parts
    return {
        found.jobs[job]: (int(at_s), found.nodes[node], devices)
        for job, at_s, node, devices in zip(parts.job, parts.taken_s, parts.node, parts.devices, strict=True)
    }


def test_its_own_place() -> None:
    """Best fit would take a; the place is on b's second device."""
    found = guided([GuidePlace(ONE, "b", (1,))], job("x", ONE, 0))

    assert {"x": (0, "b", (1,))} == stands(found)


def test_a_place_for_the_same_devices() -> None:
    """Nothing is kept for a whole device with 2 cores; of those kept for a whole one b has the cores. The next has room on a."""
    found = guided([GuidePlace(ONE, "b", (1,))], job("x", ONE_AND_CORES, 0), job("y", ONE_AND_CORES, 1))

    assert {"x": (0, "b", (1,)), "y": (1, "b", (0,))} == stands(found)


def test_room_beside_the_places() -> None:
    """Both devices of a are kept for halves; x (a quarter) goes to b, of which nothing is kept."""
    kept = [GuidePlace(HALF, "a", (device,)) for device in (0, 0, 1, 1)]
    found = guided(kept, job("x", THIRD, 0))

    assert {"x": (0, "b", (0,))} == stands(found)


def test_the_cheapest_places_are_broken() -> None:
    """All is kept: a wholly by devices, b by halves, one of which is taken by h. x (a whole device) would break two halves of b's
    other device, or one whole of a: equal devices, fewer places. y (a quarter) breaks a half of b.
    """
    kept = [GuidePlace(ONE_AND_CORES, "a", (0,)), GuidePlace(ONE_AND_CORES, "a", (1,))]
    kept += [GuidePlace(HALF, "b", (device,)) for device in (0, 0, 1, 1)]
    wide = WorkerShape(gpus=1, cpus=7)
    found = guided(kept, job("h", HALF, 0), job("x", wide, 1), job("y", THIRD, 2))

    assert {"h": (0, "b", (0,)), "x": (1, "b", (1,)), "y": (2, "b", (0,))} == stands(found)


def test_what_was_broken_is_kept_again() -> None:
    """x breaks one place for a half; when it has gone the place is kept again, and y (a quarter) stays beside it."""
    kept = [GuidePlace(HALF, node, (device,)) for node in ("a", "b") for device in (0, 0, 1, 1)]
    found = guided(kept, job("x", THIRD, 0, 10), job("h", HALF, 20), job("y", THIRD, 21))

    assert (20, "a", (0,)) == stands(found)["h"]
    assert (21, "a", (0,)) == stands(found)["y"]


def test_nothing_that_fits_is_refused() -> None:
    """Under random work no job waits while the whole of it would fit."""
    for seed in range(20):
        draw = random.Random(seed)
        shapes = [ONE, HALF, THIRD, ONE_AND_CORES, WorkerShape(gpus=2)]
        kept = [GuidePlace(draw.choice([ONE, ONE_AND_CORES]), draw.choice("ab"), (draw.randrange(2),)) for _ in range(3)]
        kept += [GuidePlace(draw.choice([HALF, THIRD]), draw.choice("ab"), (draw.randrange(2),)) for _ in range(6)]
        jobs = [job(f"j{idx:02d}", draw.choice(shapes), draw.randint(0, 300), draw.randint(5, 60)) for idx in range(40)]
        found = guided(kept, *jobs)

        assert found.started.all()
        for idx in range(len(found.jobs)):
            if found.start_s[idx] > found.submit_s[idx]:
                ends = set(found.end_s.tolist())
                assert int(found.start_s[idx]) in ends, "a job that waited starts when nothing was given back"


@pytest.mark.parametrize("seed", range(4))
def test_laws_with_a_guide_made_of_the_work(seed: int) -> None:
    jobs = random_jobs(seed, 60)
    guide = guide_of(MIXED, jobs, 0)
    found = replay(MIXED, jobs, policy("plan-guided"), guide=guide).timeline

    assert guide.places
    assert () == broken_laws(found)
    assert found.started.all()


def test_it_needs_a_guide() -> None:
    with pytest.raises(UsageError, match="places that a static plan keeps"):
        replay(TWO_NODES, (job("x", ONE, 0),), policy("plan-guided"))
