"""Devices of one instant: found wherever they exist."""

from __future__ import annotations

import random

import numpy as np
import pytest
from numpy.typing import NDArray

from schedplan.measures.devices import assign_devices
from schedplan.measures.runs import runs_of
from schedplan.model.cluster import Cluster, Pool
from schedplan.model.plan import Decisions, JobPart
from schedplan.model.problem import Problem
from schedplan.model.workload import Job, WorkerShape
from schedplan.timegrid import TimeGrid

SLICES = 20


def assigned(shares: list[int], wholes: int, devices: int) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return (device slots per job, messages of nodes without an assignment) of shares in slices of 20 and whole devices."""
    sizes = [1.0] * wholes + [share / SLICES for share in shares]
    jobs = tuple(Job(f"j{idx:02d}", shape=WorkerShape(gpus=size), runtime_minutes=60.0) for idx, size in enumerate(sizes))
    cluster = Cluster((Pool("n", gpus=devices, slices_per_gpu=SLICES),))
    problem = Problem("devices", TimeGrid.regular(0, 60, 1), cluster, jobs)
    decisions = Decisions(tuple(JobPart(job.name, "n", 0, 1) for job in jobs), (), _on())
    found = assign_devices(problem, runs_of(problem, decisions), ())
    return {job: text for (job, _, _), text in found.device_slots.items()}, tuple(one.message for one in found.unassigned)


def _on() -> NDArray[np.bool_]:
    return np.ones((1, 1), dtype=np.bool_)


def packs(items: tuple[int, ...], free: tuple[int, ...]) -> bool:
    if not items:
        return True
    options = [at for at, left in enumerate(free) if left >= items[0]]
    return any(packs(items[1:], (*free[:at], free[at] - items[0], *free[at + 1 :])) for at in options)


def test_order_of_names_is_no_obstacle() -> None:
    # Two devices of 20. By name, fullest first: 5, 6 and 6 leave 3 of device 0, 9 leaves 11 of device 1, and 14 fits nowhere.
    # Largest first: 14 + 6 and 9 + 6 + 5.
    slots, refused = assigned([5, 6, 6, 9, 14], 0, 2)

    assert refused == ()
    assert {text.split(":")[0] for text in slots.values()} == {"0", "1"}


def test_whole_devices_and_shares_never_meet() -> None:
    slots, refused = assigned([12, 8], 2, 3)

    assert refused == ()
    assert sorted(slots.values()) == ["0", "1", "2:0-11", "2:12-19"]


def test_what_does_not_fit_is_told() -> None:
    # Three shares above half want three devices.
    slots, refused = assigned([11, 11, 11], 0, 2)

    assert slots == {}
    assert refused == ("the workers do not fit on single devices",)


@pytest.mark.parametrize("seed", range(300))
def test_an_assignment_is_found_exactly_where_one_exists(seed: int) -> None:
    rng = random.Random(seed)
    devices = rng.randint(1, 3)
    shares: list[int] = []
    while sum(shares) < devices * SLICES - rng.randint(0, 6) and len(shares) < 9:
        shares.append(rng.choice((2, 3, 4, 6, 7, 9, 10, 11, 13)))
    if sum(shares) > devices * SLICES:
        shares.pop()
    slots, refused = assigned(shares, 0, devices)
    exists = packs(tuple(sorted(shares, reverse=True)), (SLICES,) * devices)

    assert exists == (refused == ())
    held = [0] * devices
    for idx, share in enumerate(shares if exists else []):
        device, _, ranges = slots[f"j{idx:02d}"].partition(":")
        first, _, last = ranges.partition("-")
        assert int(last) - int(first) + 1 == share or "," in slots[f"j{idx:02d}"]
        held[int(device)] += share
    assert all(total <= SLICES for total in held)
