import random

import numpy as np
import pytest

from schedplan.measures.devices import assign_devices, unassigned_nodes
from schedplan.measures.runs import runs_of
from schedplan.model.cluster import Cluster, Pool
from schedplan.model.plan import Decisions, JobPart, ReplicaPart
from schedplan.model.problem import Problem
from schedplan.model.slices import share_of
from schedplan.model.workload import Job, Service, Topology, WorkerShape
from schedplan.packing.board import Board
from schedplan.timegrid import TimeGrid

GRID = TimeGrid.regular(0, 60, 4)


def by_place(found):
    """The devices of each job and node, of jobs in one piece."""
    return {(job, node): text for (job, node, _), text in found.device_slots.items()}


def assign(pool, jobs, parts, services=(), replicas=()):
    """jobs: (name, devices a worker, hours, topology); parts: (name, start slot, workers) on node n."""
    work = tuple(
        Job(name, workers=8, shape=WorkerShape(gpus=gpus), runtime_minutes=60.0 * hours, topology=topology)
        for name, gpus, hours, topology in jobs
    )
    problem = Problem("p", GRID, Cluster((pool,)), work, tuple(services))
    placed = tuple(JobPart(name, "n", start, workers) for name, start, workers in parts)
    decisions = Decisions(placed, tuple(replicas), np.ones((1, 4), dtype=np.bool_))
    runs = runs_of(problem, decisions)
    found = assign_devices(problem, runs, decisions.replicas)

    assert unassigned_nodes(problem, runs, decisions.replicas) == found.unassigned
    return found


def test_whole_devices_are_taken_by_start_then_name():
    # b starts first and takes 0; then a takes 1 and 2; c comes when b has left device 0.
    jobs = [("a", 2, 2, Topology.CLUSTER), ("b", 1, 2, Topology.CLUSTER), ("c", 1, 2, Topology.CLUSTER)]
    found = assign(Pool("n", gpus=3), jobs, [("a", 1, 1), ("b", 0, 1), ("c", 2, 1)])

    assert by_place(found) == {("a", "n"): "1,2", ("b", "n"): "0", ("c", "n"): "0"}
    assert found.whole_free.tolist() == [[2, 0, 0, 2]]
    assert found.unassigned == ()


def test_two_workers_of_a_job_hold_different_devices():
    found = assign(Pool("n", gpus=4), [("a", 2, 1, Topology.CLUSTER)], [("a", 0, 2)])

    assert by_place(found) == {("a", "n"): "0,1,2,3"}


def test_shares_fill_a_device_before_the_next_is_opened():
    # Seven slices: 3/7 and 3/7 on device 0, the third on device 1.
    found = assign(Pool("n", gpus=2, slices_per_gpu=7), [("a", 3 / 7, 1, Topology.CLUSTER)], [("a", 0, 3)])

    assert by_place(found) == {("a", "n"): "0:0-2,0:3-5,1:0-2"}
    assert found.widest_free.tolist() == pytest.approx(np.array([[4 / 7, 1, 1, 1]]))


def test_a_share_on_unsliced_devices_takes_a_whole_one():
    found = assign(Pool("n", gpus=2), [("a", 0.5, 1, Topology.CLUSTER)], [("a", 0, 2)])

    assert by_place(found) == {("a", "n"): "0,1"}


def test_sums_that_fit_are_no_assignment():
    # 2 devices of 7 slices, three shares of 4: 12 of 14 slices, but one device holds only one of them.
    found = assign(Pool("n", gpus=2, slices_per_gpu=7), [("a", 4 / 7, 1, Topology.CLUSTER)], [("a", 0, 3)])

    assert [(row.node, row.slot, row.message) for row in found.unassigned] == [
        ("n", None, "the workers do not fit on single devices")
    ]
    assert found.device_slots == {}


def test_more_than_the_node_has_names_the_slot():
    found = assign(Pool("n", gpus=2), [("a", 1, 2, Topology.CLUSTER)], [("a", 1, 3)])

    assert [(row.slot, row.message) for row in found.unassigned] == [(1, "3 devices are held, the node has 2")]


def test_the_search_finds_what_the_fullest_device_first_misses():
    # Ten slices a device. Best fit puts a (2) and both workers of b (4 + 4) on device 0; in slot 1 a is gone, and c's two workers
    # need 6 on each device: one worker of b must stand on device 1. a held 0-1 there, so c gets 0-1 and 6-9 on device 0.
    jobs = [("a", 0.2, 1, Topology.CLUSTER), ("b", 0.4, 2, Topology.CLUSTER), ("c", 0.6, 1, Topology.CLUSTER)]
    found = assign(Pool("n", gpus=2, slices_per_gpu=10), jobs, [("a", 0, 1), ("b", 0, 2), ("c", 1, 2)])

    assert found.unassigned == ()
    assert by_place(found)["b", "n"] == "0:2-5,1:0-3"
    assert by_place(found)["c", "n"] == "0:0-1,0:6-9,1:4-9"


def test_a_device_group_holds_all_workers_of_a_job():
    # Groups 0-1 and 2-3; a holds device 0, so the pair goes to the second group.
    jobs = [("a", 1, 2, Topology.CLUSTER), ("b", 1, 1, Topology.DEVICE_GROUP)]
    found = assign(Pool("n", gpus=4, device_groups=2), jobs, [("a", 0, 1), ("b", 0, 2)])

    assert by_place(found) == {("a", "n"): "0", ("b", "n"): "2,3"}


def test_replicas_keep_their_device_while_jobs_come_and_go():
    # The replica holds device 0 in slots 0-2; the job of slot 1 takes device 1.
    service = Service("s", 1, 1, shape=WorkerShape(gpus=1))
    stands = [ReplicaPart("s", slot, "n", 1) for slot in range(3)]
    found = assign(Pool("n", gpus=2), [("a", 1, 1, Topology.CLUSTER)], [("a", 1, 1)], [service], stands)

    assert by_place(found) == {("a", "n"): "1"}
    assert found.whole_free.tolist() == [[1, 0, 1, 2]]


@pytest.mark.parametrize(("is_dedicated", "slots"), [(True, "1:0-4"), (False, "0:0-4")])
def test_a_dedicated_service_shares_its_device_with_nobody(is_dedicated, slots):
    service = Service("s", 1, 1, shape=WorkerShape(gpus=0.5), dedicated=is_dedicated)
    pool = Pool("n", gpus=2, slices_per_gpu=10)
    found = assign(pool, [("a", 0.5, 1, Topology.CLUSTER)], [("a", 0, 1)], [service], [ReplicaPart("s", 0, "n", 1)])

    assert by_place(found) == {("a", "n"): slots}


def test_work_without_devices_holds_none():
    found = assign(Pool("n", cpus=8), [("a", 0, 1, Topology.CLUSTER)], [("a", 0, 2)])

    assert found.device_slots == {}
    assert found.unassigned == ()


def slices_held(text, slices_per_gpu):
    """(device, slice) pairs of `0,1:0-2`."""
    held = []
    for part in text.split(","):
        device, _, span = part.partition(":")
        first, last = map(int, span.split("-")) if span else (0, slices_per_gpu - 1)
        held += [(int(device), number) for number in range(first, last + 1)]
    return held


@pytest.mark.parametrize("seed", range(40))
def test_no_slice_is_held_twice_and_none_is_missing(seed):
    # Random jobs of 1-7 sevenths or 1-2 devices over four slots on three devices, kept as long as an assignment is found.
    rng = np.random.default_rng(seed)
    jobs, parts = [], []
    for number in range(12):
        start = int(rng.integers(4))
        gpus = float(rng.choice([1 / 7, 2 / 7, 3 / 7, 4 / 7, 1, 2]))
        job = (f"j{number:02d}", gpus, int(rng.integers(1, 5 - start)), Topology.CLUSTER)
        if not assign(Pool("n", gpus=3, slices_per_gpu=7), [*jobs, job], [*parts, (job[0], start, 1)]).unassigned:
            jobs.append(job)
            parts.append((job[0], start, 1))
    found = assign(Pool("n", gpus=3, slices_per_gpu=7), jobs, parts)

    for slot in range(4):
        running = [(job, start) for job, (_, start, _) in zip(jobs, parts, strict=True) if start <= slot < start + job[2]]
        held = [pair for job, start in running for pair in slices_held(found.device_slots[job[0], "n", start], 7)]
        assert sum(round(job[1] * 7) for job, _ in running) == len(held)
        assert len(held) == len(set(held))


MIG = Pool("n", gpus=1, accelerator="A100", gpu_memory_gib=40.0, slices_per_gpu=7)


def assign_profiles(jobs, pool=MIG):
    """jobs: (name, profile, first slot, hours), one worker each on node n."""
    work = tuple(
        Job(name, shape=WorkerShape(gpus=share_of(profile), slice_profile=profile), runtime_minutes=60.0 * hours)
        for name, profile, _, hours in jobs
    )
    problem = Problem("p", GRID, Cluster((pool,)), work)
    decisions = Decisions(tuple(JobPart(name, "n", start, 1) for name, _, start, _ in jobs), (), np.ones((1, 4), dtype=np.bool_))
    return assign_devices(problem, runs_of(problem, decisions), ())


def test_a_profile_stands_at_a_legal_start_and_keeps_it():
    # c stays while d, which starts at 0 alone, comes: the only start of 2g that leaves 0-3 is 4
    found = assign_profiles([("a", "2g.10gb", 0, 1), ("b", "2g.10gb", 0, 1), ("c", "2g.10gb", 0, 3), ("d", "4g.20gb", 1, 2)])

    assert by_place(found) == {("a", "n"): "0:0-1", ("b", "n"): "0:2-3", ("c", "n"): "0:4-5", ("d", "n"): "0:0-3"}
    assert found.unassigned == ()


def test_sums_that_fit_are_no_legal_starts():
    # compute 3 + 3 + 1 = 7 of 7, memory 4 + 4 + 1 = 9 of 8
    found = assign_profiles([("a", "3g.20gb", 0, 1), ("b", "3g.20gb", 0, 1), ("c", "1g.5gb", 0, 1)])

    assert [(row.rule, row.slot) for row in found.unassigned] == [("slices", None)]


def test_what_fits_in_each_slot_need_not_fit_over_time():
    # slot 0: 3g leaves two starts of 2g only at 4, so a and b are at 0 and 2; slot 1: 4g needs 0-3, so a would have to be at 4
    found = assign_profiles([("a", "2g.10gb", 0, 2), ("b", "2g.10gb", 0, 1), ("x", "3g.20gb", 0, 1), ("y", "4g.20gb", 1, 1)])

    assert [(row.rule, row.slot) for row in found.unassigned] == [("slices", None)]


def test_beside_profiles_the_widest_share_is_the_largest_profile_that_has_a_place():
    # 1g at 6 leaves 4g a place, though 6 of 7 compute slices are free
    found = assign_profiles([("a", "1g.5gb", 0, 1)])

    assert found.widest_free.tolist() == pytest.approx(np.array([[4 / 7, 1, 1, 1]]))


def test_work_across_groups_leaves_no_group_to_a_gang_that_needs_one():
    # six devices in two groups of three: a takes one of each group or two of one; both gangs of three need a whole group
    pool = Pool("n", gpus=6, device_groups=2)
    jobs = [("a", 1, 2, Topology.CLUSTER), ("b", 1, 1, Topology.DEVICE_GROUP), ("c", 1, 1, Topology.DEVICE_GROUP)]
    free = assign(pool, jobs, [("b", 0, 3), ("c", 0, 3)])
    taken = assign(pool, jobs, [("a", 0, 1), ("b", 1, 3), ("c", 1, 2)])
    broken = assign(pool, jobs, [("b", 0, 2), ("c", 0, 2), ("a", 0, 2)])

    assert by_place(free) == {("b", "n"): "0,1,2", ("c", "n"): "3,4,5"}
    assert by_place(taken) == {("a", "n"): "0", ("b", "n"): "3,4,5", ("c", "n"): "1,2"}
    assert by_place(broken) == {("a", "n"): "0,3", ("b", "n"): "1,2", ("c", "n"): "4,5"}


def test_profiles_and_whole_devices_put_together_by_arrival_are_found_again():
    # Taken by slot, profiles spread over devices that whole ones need later. The board put them together in the order in which they
    # arrived, so there is an assignment.
    source = random.Random(5)
    pool = Pool("n", gpus=8, accelerator="A100", gpu_memory_gib=40.0, slices_per_gpu=7)
    work, parts = [], []
    for number in range(60):
        profile, compute = source.choice((("1g.5gb", 1), ("2g.10gb", 2), ("3g.20gb", 3), ("4g.20gb", 4)))
        shape = source.choice(
            (WorkerShape(gpus=float(source.choice((1, 2, 4)))), WorkerShape(gpus=compute / 7, slice_profile=profile))
        )
        work.append(Job(f"j{number:02d}", shape=shape, runtime_minutes=60.0 * source.choice((1, 2, 3)), submit_s=number))
    problem = Problem("p", TimeGrid.regular(0, 60, 12), Cluster((pool,)), tuple(work))
    board = Board(problem)
    for job in work:
        hours = round(job.runtime_minutes / 60)
        start = next((at for at in range(13 - hours) if board.room(np.array([0]), job.shape, at, at + hours)[0]), None)
        if start is not None:
            board.take(0, job.shape, 1, start, start + hours)
            parts.append(JobPart(job.name, "n", start, 1))
    decisions = Decisions(tuple(sorted(parts)), (), np.ones((1, 12), dtype=np.bool_))
    found = assign_devices(problem, runs_of(problem, decisions), ())

    assert len(parts) > 40
    assert found.unassigned == ()


@pytest.mark.parametrize("seed", range(20))
def test_whole_devices_find_an_assignment_where_no_slot_asks_for_too_many(seed):
    source = random.Random(seed)
    jobs = [(f"j{number}", source.randint(1, 3), source.randint(1, 3), Topology.CLUSTER) for number in range(7)]
    parts = [(name, source.randint(0, 3), 1) for name, *_ in jobs]
    held = [0] * 4
    for (_, gpus, hours, _), (_, start, _) in zip(jobs, parts, strict=True):
        for slot in range(start, min(start + hours, 4)):
            held[slot] += gpus
    found = assign(Pool("n", gpus=5), jobs, parts)

    # `assign` holds the short way against the one that gives devices away
    assert bool(found.unassigned) == (max(held) > 5)


@pytest.mark.parametrize("seed", range(8))
def test_nodes_without_an_assignment_are_those_of_giving_all_devices_away(seed):
    # whole devices, shares and device groups, too many of them on some nodes
    source = random.Random(seed)
    pools = (Pool("a", 3, 3, 3, gpus=2, slices_per_gpu=4), Pool("b", 2, 2, 2, gpus=4, device_groups=2))
    kinds = ((1, Topology.CLUSTER), (2, Topology.CLUSTER), (0.5, Topology.CLUSTER), (1, Topology.DEVICE_GROUP))
    jobs, parts = [], []
    for number in range(9):
        gpus, topology = source.choice(kinds)
        node = source.choice(("a/1", "a/2", "b/1") if gpus < 1 else ("a/3", "b/1", "b/2"))
        hours, shape = source.randint(1, 2), WorkerShape(gpus=gpus)
        jobs.append(Job(f"j{number}", workers=2, shape=shape, runtime_minutes=60.0 * hours, topology=topology))
        parts.append(JobPart(f"j{number}", node, source.randrange(3), source.randint(1, 2)))
    problem = Problem("p", GRID, Cluster(pools), tuple(jobs))
    runs = runs_of(problem, Decisions(tuple(parts), (), np.ones((5, 4), dtype=np.bool_)))

    assert unassigned_nodes(problem, runs, ()) == assign_devices(problem, runs, ()).unassigned
