"""The board, gangs on nodes, supply and the screen, each on the smallest problem that can fail."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from schedplan.model.cluster import Cluster, Market, Pool
from schedplan.model.plan import JobPart
from schedplan.model.problem import Problem
from schedplan.model.workload import Job, Topology, WorkerShape
from schedplan.packing.assignment import GangStart, assign
from schedplan.packing.board import Board, first_ready_slot
from schedplan.packing.gang import place_gang
from schedplan.packing.screen import screened
from schedplan.packing.slot_rooms import SlotRooms
from schedplan.packing.supply import close_supply, paid_slots, request_slot
from schedplan.timegrid import TimeGrid

HOURS = TimeGrid.regular(0, 60, 6)
ONE = Job("one", shape=WorkerShape(gpus=1), runtime_minutes=60.0)


def problem(*pools: Pool, jobs: tuple[Job, ...] = (), grid: TimeGrid = HOURS) -> Problem:
    return Problem("small", grid, Cluster(tuple(sorted(pools, key=lambda pool: pool.name))), jobs)


def nodes(n: int) -> np.ndarray[tuple[int, ...], np.dtype[np.intp]]:
    return np.arange(n, dtype=np.intp)


def rented(name: str, count: int, max_count: int, startup_minutes: float = 0, min_count: int = 0) -> Pool:
    market, price = Market.ON_DEMAND, 1.0
    return Pool(name, count, min_count, max_count, gpus=1, market=market, price_per_hour=price, startup_minutes=startup_minutes)


def test_shares_take_the_fullest_device_that_fits() -> None:
    board = Board(problem(Pool("n", gpus=2, slices_per_gpu=10)))
    share = WorkerShape(gpus=0.6)
    first = board.take(0, WorkerShape(gpus=0.3), 1, 0, 6)
    second = board.take(0, share, 1, 0, 6)

    # 3 of 10 slices on device 0 leave 7, which 6 fit: the second share goes there too, and device 1 stays whole
    assert ((0, 3, 0),) == first.devices
    assert ((0, 6, 0),) == second.devices
    assert 1 == int(board.room(nodes(1), WorkerShape(gpus=1), 0, 6)[0])


def test_two_shares_above_half_need_two_devices() -> None:
    board = Board(problem(Pool("n", gpus=2, slices_per_gpu=1000)))

    # 0.6 + 0.6 > 1: one a device, though 2 x 1000 slices hold 3 x 600 in sum
    assert 2 == int(board.room(nodes(1), WorkerShape(gpus=0.6), 0, 1)[0])


def test_what_is_given_back_is_free_again() -> None:
    board = Board(problem(Pool("n", gpus=2, cpus=4, memory_gib=8)))
    before = (board.slices.copy(), board.cpu.copy(), board.memory.copy(), board.held.copy())
    board.give_back(board.take(0, WorkerShape(gpus=1, cpus=2, memory_gib=3), 2, 1, 3))

    assert all(np.array_equal(*pair) for pair in zip(before, (board.slices, board.cpu, board.memory, board.held), strict=True))


def test_a_node_without_room_is_refused() -> None:
    board = Board(problem(Pool("n", gpus=1)))
    board.take(0, WorkerShape(gpus=1), 1, 2, 4)

    with pytest.raises(ValueError, match="no room"):
        board.take(0, WorkerShape(gpus=1), 1, 3, 5)


def test_a_gang_goes_where_it_leaves_least() -> None:
    board = Board(problem(Pool("a", gpus=8), Pool("b", gpus=4)))
    holds = place_gang(board, nodes(2), WorkerShape(gpus=1), 3, 0, 6, one_node=False)

    # b is left with 1 of 4, a would be left with 5 of 8
    assert holds is not None
    assert [("b", 3)] == [(board.cluster.nodes[hold.node_idx], hold.workers) for hold in holds]


def test_a_gang_for_one_node_does_not_spread() -> None:
    board = Board(problem(Pool("a", gpus=2), Pool("b", gpus=2)))

    assert place_gang(board, nodes(2), WorkerShape(gpus=1), 3, 0, 6, one_node=True) is None
    assert place_gang(board, nodes(2), WorkerShape(gpus=1), 3, 0, 6, one_node=False) is not None


def test_what_waits_for_a_gang_without_room_has_none_either() -> None:
    # full holds the only device; first finds none, and then its follower, which would fit on b, starts too early
    jobs = (
        replace(ONE, name="first"),
        replace(ONE, name="follower", after=("first",)),
        replace(ONE, name="full", runtime_minutes=120.0),
    )
    task = problem(Pool("a", gpus=1), Pool("b", gpus=1), jobs=jobs)
    starts = {"first": (0, 1, "a"), "follower": (1, 2, "b"), "full": (0, 2, "a")}
    gangs = tuple(
        GangStart(job, start, end, (((node,), 1),), one_node=False) for job in jobs for start, end, node in [starts[job.name]]
    )
    found = assign(task, Board(task), gangs, ())

    assert [part.job for part in found.parts] == ["full"]
    assert [gang.job.name for gang in found.homeless] == ["first", "follower"]


def test_rows_of_a_gang_find_room_together_or_not_at_all() -> None:
    # b's device is free; a's holds one of the two that want it, and what the first row took is given back
    jobs = (replace(ONE, name="full"), replace(ONE, name="row1", gang="g"), replace(ONE, name="row2", gang="g"))
    task = problem(Pool("a", gpus=1), Pool("b", gpus=1), jobs=jobs)
    nodes_of = {"full": "a", "row1": "b", "row2": "a"}
    gangs = tuple(GangStart(job, 0, 1, (((nodes_of[job.name],), 1),), one_node=False) for job in jobs)
    board = Board(task)
    found = assign(task, board, gangs, ())

    assert [part.job for part in found.parts] == ["full"]
    assert [gang.job.name for gang in found.homeless] == ["row1", "row2"]
    assert board.room(nodes(2), ONE.shape, 0, 1).tolist() == [0, 1]


def test_what_finds_no_room_is_returned() -> None:
    jobs = tuple(Job(name, shape=WorkerShape(gpus=1), runtime_minutes=60.0) for name in ("a", "b"))
    task = problem(Pool("n", gpus=1), jobs=jobs)
    gangs = tuple(GangStart(job, 0, 1, ((("n",), 1),), one_node=False) for job in jobs)
    found = assign(task, Board(task), gangs, ())

    assert (JobPart("a", "n", 0, 1),) == found.parts
    assert ["b"] == [gang.job.name for gang in found.homeless]


@pytest.mark.parametrize(
    ("startup_minutes", "is_warm", "slot"),
    [
        (0, False, 0),
        (90, True, 0),
        (90, False, 2),  # 90 min after 00:00 is 01:30, so the slot of 02:00
        (60, False, 1),
        (600, False, 6),  # beyond the horizon of 6 h
    ],
)
def test_first_ready_slot(startup_minutes: float, is_warm: bool, slot: int) -> None:
    assert slot == first_ready_slot(problem(), startup_minutes, is_warm=is_warm)


def test_a_request_comes_as_late_as_the_start_up_allows() -> None:
    # up at 03:00 after 90 min: requested by 01:30, so with the slot of 01:00
    assert request_slot(HOURS, 3, 90) == 1
    assert request_slot(HOURS, 1, 90) is None


@pytest.mark.parametrize(
    ("work", "is_warm", "paid"),
    [
        ("001001", False, None),  # cold, up after 2 slots: slot 2 can be had by asking with slot 0
        ("010000", True, "110000"),  # warm: kept on from the start, for a request with slot -1 is not there
        ("100010", True, "101110"),  # off after slot 0, asked for again with slot 2
        ("100100", True, "111100"),  # the gap is as long as the start-up: bridged
        ("000000", True, "000000"),
    ],
)
def test_paid_slots_with_a_start_up_of_two_slots(work: str, is_warm: bool, paid: str | None) -> None:
    has_work = np.array([sign == "1" for sign in work])
    found = paid_slots(HOURS, has_work, 120, is_warm=is_warm)

    assert (paid or "111111") == "".join("1" if on else "0" for on in found if found is not None)


def test_the_minimum_is_filled_up_with_the_first_nodes() -> None:
    task = problem(rented("n", 3, 3, min_count=2))
    has_work = np.zeros((3, 6), dtype=bool)
    has_work[2, 1] = True
    on = close_supply(task, has_work)

    # in slot 1 the third node works and one more is missing: the first; in all other slots the first two
    assert on is not None
    assert [[True, True, False], [True, False, True]] == [on[:, 0].tolist(), on[:, 1].tolist()]


def test_a_cold_node_can_not_carry_work_at_once() -> None:
    task = problem(rented("n", 0, 1, startup_minutes=60))
    has_work = np.zeros((1, 6), dtype=bool)
    has_work[0, 0] = True

    assert close_supply(task, has_work) is None


def test_the_screen_names_the_rule() -> None:
    wide = Job("wide", workers=3, shape=WorkerShape(gpus=1), runtime_minutes=60.0)
    late = Job("late", shape=WorkerShape(gpus=1), runtime_minutes=90.0, deadline_s=3600)
    racked = Job("racked", workers=3, shape=WorkerShape(gpus=1), runtime_minutes=60.0, topology=Topology.RACK)
    big = Job("big", shape=WorkerShape(gpus=9), runtime_minutes=60.0)
    task = problem(Pool("n", gpus=2, rack="r"), jobs=(wide, late, racked, big))
    found = [screened(task, job, n_sites, 0) for job, n_sites in ((wide, 0), (late, 1), (racked, 0), (big, 0))]

    assert ["gang", "window", "topology", "devices"] == [result.rule for result in found if result is not None]
    assert screened(task, wide, 1, 3) is None


def mig(gpus: int = 2) -> Pool:
    return Pool("n", gpus=gpus, accelerator="A100", gpu_memory_gib=40.0, slices_per_gpu=7)


def test_a_profile_takes_the_fullest_device_and_the_start_that_keeps_most_of_use() -> None:
    board = Board(problem(mig()))
    small = board.take(0, WorkerShape(gpus=1 / 7, slice_profile="1g.5gb"), 1, 0, 6)
    large = board.take(0, WorkerShape(gpus=4 / 7, slice_profile="4g.20gb"), 1, 0, 6)

    # 1g at 6 leaves 0-3 to 4g; device 1 stays whole
    assert ((0, 1, 0b0100_0000),) == small.devices
    assert ((0, 4, 0b0000_1111),) == large.devices
    assert 1 == int(board.room(nodes(1), WorkerShape(gpus=1), 0, 6)[0])


def test_room_for_a_profile_counts_its_open_starts() -> None:
    board = Board(problem(mig(1)))
    board.take(0, WorkerShape(gpus=3 / 7, slice_profile="3g.20gb"), 1, 0, 6)

    # 3g stands at 4-7: 0-3 have two starts for 2g, four for 1g, one for 3g
    assert [2, 4, 1] == [
        int(board.room(nodes(1), WorkerShape(gpus=gpus, slice_profile=name), 0, 6)[0])
        for name, gpus in (("2g.10gb", 2 / 7), ("1g.5gb", 1 / 7), ("3g.20gb", 3 / 7))
    ]


def test_a_profile_given_back_leaves_no_trace() -> None:
    board = Board(problem(mig()))
    before = (board.slices.copy(), board.occupied.copy())
    board.give_back(board.take(0, WorkerShape(gpus=2 / 7, slice_profile="2g.10gb"), 4, 1, 3))

    assert all(np.array_equal(*pair) for pair in zip(before, (board.slices, board.occupied), strict=True))


def test_a_bound_gang_takes_the_group_that_is_left_with_least() -> None:
    board = Board(problem(Pool("n", gpus=6, device_groups=2)))
    board.take(0, WorkerShape(gpus=1), 1, 0, 6)
    bound = board.take(0, WorkerShape(gpus=1), 2, 0, 6, grouped=True)

    # one of group 0 is taken: its other two hold the pair, and group 1 stays whole for three
    assert ((1, 1, 0), (2, 1, 0)) == bound.devices
    assert 3 == int(board.room(nodes(1), WorkerShape(gpus=1), 0, 6, grouped=True)[0])


def test_a_gang_too_large_is_held_against_all_pools_of_a_family() -> None:
    gang = replace(ONE, workers=9)
    pools = (Pool("a", 2, 2, 2, gpus=2), Pool("b", 3, 3, 3, gpus=1), Pool("c", 6, 6, 6, accelerator="H100", gpus=1))

    # a and b are of one family and hold 2 x 2 + 3 x 1 = 7 together; c, of another device model, 6
    found = screened(problem(*pools, jobs=(gang,)), gang, 0, 0)
    assert found is not None
    assert "needs 9 workers at once; the largest place that takes it, a, b, hold 7 when empty" == found.evidence


def test_a_gang_too_large_for_one_rack_is_held_against_racks() -> None:
    gang = replace(ONE, workers=3, topology=Topology.RACK)
    pools = (Pool("a", 2, 2, 2, gpus=1, rack="r1"), Pool("b", 1, 1, 1, gpus=1, rack="r2"))

    # 2 in r1 and 1 in r2
    found = screened(problem(*pools, jobs=(gang,)), gang, 0, 0)
    assert found is not None
    assert "needs 3 workers at once; the largest place that takes it, a, holds 2 when empty (inside one rack)" == found.evidence


def test_rooms_that_are_followed_are_those_of_the_board() -> None:
    board = Board(problem(Pool("a", 2, 2, 2, gpus=4, cpus=8), Pool("b", gpus=2)))
    shape, where = WorkerShape(gpus=1, cpus=3), nodes(2)
    followed = SlotRooms(board).follow(where, shape)

    # 8 cores hold two workers of 3, though 4 devices would hold four: 2 nodes take 4 in all, and one of them 2
    assert [4] * 6 == followed.room(one_node=False).tolist()
    assert [2] * 6 == followed.room(one_node=True).tolist()

    hold = board.take(0, WorkerShape(gpus=3), 1, 1, 3)
    board.take(2, WorkerShape(gpus=2), 1, 0, 6)

    # one device of node 0 is left in slots 1 and 2; what stands on node 2 is none of theirs
    assert [4, 3, 3, 4, 4, 4] == followed.room(one_node=False).tolist()
    assert 0b111001 == followed.fits(4, one_node=False)
    assert 0b111111 == followed.fits(2, one_node=True)

    board.give_back(hold)

    assert 0b111111 == followed.fits(4, one_node=False)


def test_whole_devices_are_taken_from_the_first_that_are_free_throughout() -> None:
    board = Board(problem(Pool("n", gpus=4, slices_per_gpu=2)))
    board.take(0, WorkerShape(gpus=1), 1, 0, 2)
    later = board.take(0, WorkerShape(gpus=2), 1, 1, 4)

    # device 0 is held in slot 1, so 1 and 2 are taken; then only 3 is free in slot 1 and 0 and 3 in slot 3
    assert ((1, 2, 0), (2, 2, 0)) == later.devices
    assert [1, 2] == [int(board.room(nodes(1), WorkerShape(gpus=1), slot, slot + 1)[0]) for slot in (1, 3)]
    assert [6, 2, 4, 4, 8, 8] == board.left[0].tolist()
