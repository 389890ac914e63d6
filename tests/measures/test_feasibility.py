from dataclasses import replace

import numpy as np
import pytest

from schedplan.measures.feasibility import violations
from schedplan.model.cluster import Cluster, Market, NodeStatus, Pool, Speed, Taint
from schedplan.model.plan import Decisions, JobPart, ReplicaPart
from schedplan.model.problem import Demand, Limits, Problem
from schedplan.model.workload import DeadlineKind, Job, JobState, Placed, Service, Topology, WorkerShape
from schedplan.timegrid import TimeGrid

T0 = 1_796_083_200
H = 3600
GRID = TimeGrid.regular(T0, 60, 4)
OWNED = Pool("n", gpus=4)
ONE = WorkerShape(gpus=1)
NO_LIMITS = Limits()
JOB = Job("j", shape=ONE, runtime_minutes=60.0)


def on(*rows):
    """`1111` per node: on in each of four slots."""
    return np.array([[letter == "1" for letter in row] for row in rows])


def broken(pools, jobs, parts, nodes_on, services=(), demands=(), replicas=(), limits=NO_LIMITS, speeds=()):
    problem = Problem("p", GRID, Cluster(tuple(pools), speeds), tuple(jobs), tuple(services), tuple(demands), limits=limits)
    found = violations(problem, Decisions(tuple(parts), tuple(replicas), nodes_on))
    return [(finding.code, finding.subject, finding.message) for finding in found]


def codes(*args, **kwargs):
    return [code for code, _, _ in broken(*args, **kwargs)]


def test_the_day_breaks_no_rule(day, day_plan):
    assert violations(day, day_plan) == ()


@pytest.mark.parametrize(
    ("part", "message"),
    [
        (JobPart("x", "n", 0, 1), "x is no open job of the problem"),
        (JobPart("j", "m", 0, 1), "m is no node of the problem"),
        (JobPart("j", "n", 4, 1), "starts in slot 4; the horizon has slots 0 to 3"),
        (JobPart("j", "n", 0, 0), "places 0 workers on n; the least is 1"),
    ],
)
def test_place_wants_known_names_and_slots(part, message):
    found = broken([OWNED], [JOB], [part], on("1111"))

    assert [("SP3101", f"job {part.job}", message)] == found


def test_place_wants_one_part_per_node():
    jobs = broken([OWNED], [replace(JOB, workers=2)], [JobPart("j", "n", 0, 1)] * 2, on("1111"))
    stands = broken([OWNED], [], [], on("1111"), services=[Service("s", 200, 100)], replicas=[ReplicaPart("s", 1, "n", 1)] * 2)

    assert [("SP3101", "job j", "has 2 parts on n; at most one may be there")] == jobs
    assert [("SP3101", "service s", "has 2 parts on n in slot 1; at most one may be there")] == stands


def test_place_wants_known_services():
    assert codes([OWNED], [], [], on("1111"), replicas=[ReplicaPart("x", 0, "n", 1)]) == ["SP3101"]
    assert codes([OWNED], [], [], on("1111", "1111")) == ["SP3101"]


def test_place_wants_no_worker_twice():
    found = broken([OWNED], [JOB], [JobPart("j", "n", 0, 2)], on("1111"))

    assert [("SP3101", "job j", "2 workers are placed; the job has 1")] == found


@pytest.mark.parametrize(("workers", "rule"), [(4, []), (5, ["SP3102"])])
def test_capacity_counts_devices(workers, rule):
    job = replace(JOB, workers=workers)

    assert rule == codes([OWNED], [job], [JobPart("j", "n", 0, workers)], on("1111"))


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        (WorkerShape(cpus=4), "12 cpus are held at 2026-12-01 00:00+00:00; it has 8 (1 slots)"),
        (WorkerShape(memory_gib=40), "120 memory_gib are held at 2026-12-01 00:00+00:00; it has 100 (1 slots)"),
        (WorkerShape(resources=(("rdma", 1.0),)), "3 rdma are held at 2026-12-01 00:00+00:00; it has 2 (1 slots)"),
    ],
)
def test_capacity_counts_cores_memory_and_resources(shape, message):
    pool = Pool("n", cpus=8, memory_gib=100, resources=(("rdma", 2.0),))
    fits, over = (replace(JOB, workers=workers, shape=shape) for workers in (2, 3))

    assert broken([pool], [fits], [JobPart("j", "n", 0, 2)], on("1111")) == []
    assert [("SP3102", "node n", message)] == broken([pool], [over], [JobPart("j", "n", 0, 3)], on("1111"))


def test_capacity_packs_shares_on_single_devices():
    # 0.6 + 0.6 on two devices fit, three such shares do not, though 1.8 < 2.
    pool = Pool("n", gpus=2, slices_per_gpu=10)
    fits, over = (replace(JOB, workers=workers, shape=WorkerShape(gpus=0.6)) for workers in (2, 3))

    assert codes([pool], [fits], [JobPart("j", "n", 0, 2)], on("1111")) == []
    assert codes([pool], [over], [JobPart("j", "n", 0, 3)], on("1111")) == ["SP3102"]


def test_capacity_holds_max_per_node():
    job = replace(JOB, workers=2, shape=WorkerShape(gpus=1, max_per_node=1))

    assert broken([OWNED], [job], [JobPart("j", "n", 0, 2)], on("1111")) == [
        ("SP3102", "job j", "2 workers stand on n; at most 1 may")
    ]


def test_gang_is_whole_and_starts_together():
    pools = [replace(OWNED, name="a"), replace(OWNED, name="b")]
    job = replace(JOB, workers=2)

    assert codes(pools, [job], [JobPart("j", "a", 0, 1), JobPart("j", "b", 0, 1)], on("1111", "1111")) == []
    assert broken(pools, [job], [JobPart("j", "a", 0, 1)], on("1111", "1111")) == [
        ("SP3103", "job j", "1 of 2 workers are placed; all start together or none does")
    ]
    assert broken(pools, [job], [JobPart("j", "a", 0, 1), JobPart("j", "b", 1, 1)], on("1111", "1111")) == [
        ("SP3103", "job j", "its workers start at 2026-12-01 00:00+00:00 and 2026-12-01 01:00+00:00")
    ]


@pytest.mark.parametrize("other", [{"cluster": "west"}, {"accelerator": "H100"}, {"market": Market.RESERVED}])
def test_gang_spans_one_cluster_device_and_market(other):
    pools = [replace(OWNED, name="a"), replace(OWNED, name="b", **other)]

    assert codes(pools, [replace(JOB, workers=2)], [JobPart("j", "a", 0, 1), JobPart("j", "b", 0, 1)], on("1111", "1111")) == [
        "SP3103"
    ]


def test_gang_loads_on_all_nodes_or_on_none():
    pools = [replace(OWNED, name="a", caches=("m",)), replace(OWNED, name="b"), replace(OWNED, name="c")]
    job = replace(JOB, workers=2, affinity="m", load_minutes=10.0)
    told = "some of its nodes hold m and others would load it; a gang loads on all of its nodes or on none"

    assert codes(pools, [job], [JobPart("j", "b", 0, 1), JobPart("j", "c", 0, 1)], on("1111", "1111", "1111")) == []
    assert broken(pools, [job], [JobPart("j", "a", 0, 1), JobPart("j", "b", 0, 1)], on("1111", "1111", "1111")) == [
        ("SP3103", "job j", told)
    ]


def test_an_elastic_gang_has_its_least_workers_and_ends_by_those_it_has():
    # 90 min with 4 workers are 180 with 2: from 01:00 they end at 04:00 sharp, from 02:00 too late
    job = replace(JOB, workers=4, min_workers=2, runtime_minutes=90.0)

    assert codes([OWNED], [job], [JobPart("j", "n", 1, 2)], on("1111")) == []
    assert codes([OWNED], [job], [JobPart("j", "n", 2, 4)], on("1111")) == []
    assert codes([OWNED], [job], [JobPart("j", "n", 2, 2)], on("1111")) == ["SP3105"]
    assert broken([OWNED], [job], [JobPart("j", "n", 0, 1)], on("1111"))[0] == (
        "SP3103",
        "job j",
        "1 of 4 workers are placed; at least 2 start together or none does",
    )
    assert codes([replace(OWNED, gpus=8)], [job], [JobPart("j", "n", 0, 5)], on("1111")) == ["SP3101"]


def test_gang_of_several_rows_is_all_or_none_at_one_start():
    jobs = [replace(JOB, name="master", gang="g"), replace(JOB, name="worker", gang="g")]
    parts = [JobPart("master", "n", 0, 1), JobPart("worker", "n", 0, 1)]

    assert codes([OWNED], jobs, parts, on("1111")) == []
    assert codes([OWNED], jobs, [], on("1111")) == []
    assert broken([OWNED], jobs, parts[:1], on("1111")) == [("SP3103", "gang g", "1 of its 2 jobs are placed; left out: worker")]
    assert codes([OWNED], jobs, [parts[0], JobPart("worker", "n", 1, 1)], on("1111")) == ["SP3103"]


@pytest.mark.parametrize(
    ("topology", "together", "apart"),
    [
        (Topology.BLOCK, {"block": "x"}, {"block": "y"}),
        (Topology.RACK, {"rack": "x"}, {"rack": "y"}),
        (Topology.RACK, {"rack": "x"}, {"rack": None}),
        (Topology.ZONE, {"zone": "x"}, {"zone": "y"}),
    ],
)
def test_topology_keeps_a_gang_inside_one_domain(topology, together, apart):
    job = replace(JOB, workers=2, topology=topology)
    parts = [JobPart("j", "a", 0, 1), JobPart("j", "b", 0, 1)]
    first, near, far = replace(OWNED, name="a", **together), replace(OWNED, name="b", **together), replace(OWNED, name="b", **apart)

    assert codes([first, near], [job], parts, on("1111", "1111")) == []
    assert codes([first, far], [job], parts, on("1111", "1111")) == ["SP3104"]


@pytest.mark.parametrize("topology", [Topology.NODE, Topology.DEVICE_GROUP])
def test_topology_keeps_a_gang_on_one_node(topology):
    job = replace(JOB, workers=2, topology=topology)
    pools = [replace(OWNED, name="a"), replace(OWNED, name="b")]

    assert codes(pools, [job], [JobPart("j", "a", 0, 2)], on("1111", "1111")) == []
    assert codes(pools, [job], [JobPart("j", "a", 0, 1), JobPart("j", "b", 0, 1)], on("1111", "1111")) == ["SP3104"]


def test_topology_device_group_needs_room_in_one_group():
    # Groups of two devices: three workers never fit one.
    pool = replace(OWNED, device_groups=2)
    fits, wide = (replace(JOB, workers=workers, topology=Topology.DEVICE_GROUP) for workers in (2, 3))

    assert codes([pool], [fits], [JobPart("j", "n", 0, 2)], on("1111")) == []
    assert codes([pool], [wide], [JobPart("j", "n", 0, 3)], on("1111")) == ["SP3104"]


@pytest.mark.parametrize(
    ("start", "changes", "rule"),
    [
        (1, {"submit_s": T0 + H}, []),
        (1, {"submit_s": T0 + H + 1}, ["SP3105"]),
        (1, {"earliest_start_s": T0 + 2 * H}, ["SP3105"]),
        (1, {"deadline_s": T0 + 2 * H}, []),
        (1, {"deadline_s": T0 + 2 * H - 1}, ["SP3105"]),
        (1, {"deadline_s": T0 + 2 * H - 1, "deadline_kind": DeadlineKind.SOFT}, []),
        (1, {"runtime_minutes": 61.0, "deadline_s": T0 + 3 * H - 1}, ["SP3105"]),
        (3, {"runtime_minutes": 60.0}, []),
        (3, {"runtime_minutes": 61.0}, ["SP3105"]),
    ],
)
def test_window_holds_release_deadline_and_horizon(start, changes, rule):
    assert rule == codes([OWNED], [replace(JOB, **changes)], [JobPart("j", "n", start, 1)], on("1111"))


def test_window_uses_the_run_time_on_the_pool():
    # At half speed 60 min take 120.
    pool = replace(OWNED, accelerator="slow")

    assert codes([pool], [JOB], [JobPart("j", "n", 3, 1)], on("1111"), speeds=(Speed("slow", "batch", 0.5),)) == ["SP3105"]


def test_after_waits_for_the_booked_end():
    # 90 min from 00:00 are booked to 02:00
    jobs = [replace(JOB, name="a", runtime_minutes=90.0), replace(JOB, name="b", after=("a", "long ago"))]

    assert codes([OWNED], jobs, [JobPart("a", "n", 0, 1), JobPart("b", "n", 2, 1)], on("1111")) == []
    assert broken([OWNED], jobs, [JobPart("a", "n", 0, 1), JobPart("b", "n", 1, 1)], on("1111")) == [
        ("SP3114", "job b", "starts at 2026-12-01 01:00+00:00, before a ends at 2026-12-01 02:00+00:00")
    ]
    assert broken([OWNED], jobs, [JobPart("b", "n", 1, 1)], on("1111")) == [("SP3114", "job b", "waits for a, which is left out")]


def test_after_does_not_bind_what_runs_already():
    jobs = [JOB, replace(JOB, name="b", after=("j",), state=JobState.RUNNING, placement=(Placed("n", 1),))]

    assert codes([OWNED], jobs, [JobPart("j", "n", 0, 1), JobPart("b", "n", 0, 1)], on("1111")) == []


def test_spot_takes_only_jobs_that_allow_it():
    spot = replace(OWNED, market=Market.SPOT, min_count=0)

    assert codes([spot], [replace(JOB, spot_ok=True)], [JobPart("j", "n", 0, 1)], on("1000")) == []
    assert codes([spot], [JOB], [JobPart("j", "n", 0, 1)], on("1000")) == ["SP3106"]


@pytest.mark.parametrize(
    "pool",
    [
        replace(OWNED, accelerator="A100"),
        replace(OWNED, status=NodeStatus.DOWN),
        replace(OWNED, status=NodeStatus.CORDONED),
        replace(OWNED, taints=(Taint("k", "v", "NoSchedule"),)),
    ],
)
def test_eligible_asks_the_node_for_device_status_and_taints(pool):
    job = replace(JOB, shape=WorkerShape(gpus=1, accelerators=("H100",))) if pool.accelerator else JOB

    assert codes([pool], [job], [JobPart("j", "n", 0, 1)], on("1111")) == ["SP3112"]


def test_supply_pays_for_every_sunk_node_in_every_slot():
    assert broken([OWNED], [], [], on("1101")) == [
        ("SP3109", "pool n", "0 nodes are on at 2026-12-01 02:00+00:00 (1 slots); owned pays for 1")
    ]


def test_supply_keeps_rented_nodes_between_least_and_most():
    pool = Pool("n", 3, 1, 3, gpus=1, market=Market.ON_DEMAND)

    assert codes([pool], [], [], on("1111", "0000", "0000")) == []
    assert codes([pool], [], [], on("1110", "0000", "0000")) == ["SP3109"]


def test_supply_wants_nodes_on_where_work_is():
    pool = replace(OWNED, market=Market.ON_DEMAND, min_count=0)

    assert codes([pool], [JOB], [JobPart("j", "n", 1, 1)], on("0100")) == []
    assert broken([pool], [JOB], [JobPart("j", "n", 1, 1)], on("1000")) == [
        ("SP3109", "node n", "holds job j at 2026-12-01 01:00+00:00, when it is not on (1 slots)")
    ]


def test_supply_names_the_work_that_is_there_when_the_node_is_not():
    # a stands in slot 0, b in slot 2; the node is off in slot 2 alone
    pool = replace(OWNED, market=Market.ON_DEMAND, min_count=0)
    jobs = [replace(JOB, name="a"), replace(JOB, name="b")]

    assert broken([pool], jobs, [JobPart("a", "n", 0, 1), JobPart("b", "n", 2, 1)], on("1000")) == [
        ("SP3109", "node n", "holds job b at 2026-12-01 02:00+00:00, when it is not on (1 slots)")
    ]


@pytest.mark.parametrize(
    ("node", "nodes_on", "start", "rule"),
    [
        ("n/1", ("1000", "0000"), 0, []),  # the first `count` nodes begin warm
        ("n/2", ("0000", "1000"), 0, ["SP3109"]),  # the node above begins cold
        ("n/2", ("0000", "1110"), 2, []),  # 90 min after 00:00 = slot 2
        ("n/2", ("0000", "1110"), 1, ["SP3109"]),
        ("n/1", ("1011", "0000"), 2, ["SP3109"]),  # switched on again: cold
        ("n/1", ("0111", "0000"), 3, []),
    ],
)
def test_supply_waits_for_the_start_up(node, nodes_on, start, rule):
    pool = Pool("n", 1, 0, 2, gpus=1, market=Market.ON_DEMAND, startup_minutes=90.0)

    assert rule == codes([pool], [JOB], [JobPart("j", node, start, 1)], on(*nodes_on))


def serve(replicas, peak, pools=(OWNED,), limits=NO_LIMITS, nodes_on=("1111",), speeds=(), **service):
    """Codes for a service of 100 ms (M/M/c, mean target 200 ms) at one peak; replicas: a list of (node, count) per slot."""
    found = Service("s", **{"slo_ms": 200, "service_ms": 100, "slo_quantile": None, "shape": ONE, **service})
    demand = Demand("s", np.full(4, float(peak)), np.full(4, float(peak)))
    stands = [ReplicaPart("s", slot, node, count) for slot, parts in enumerate(replicas) for node, count in parts]
    return codes(list(pools), [], [], on(*nodes_on), [found], [demand], stands, limits, speeds)


@pytest.mark.parametrize(
    ("count", "peak", "changes", "rule"),
    [
        (2, 8, {}, []),  # 119 ms
        (1, 8, {}, ["SP3107"]),  # 500 ms
        (1, 5, {}, []),  # 200 ms
        (1, 5.001, {}, ["SP3107"]),
        (2, 8, {"limits": Limits(max_utilization=0.4)}, []),  # load 0.8/2
        (2, 8, {"limits": Limits(max_utilization=0.399)}, ["SP3107"]),
        (1, 10, {"slo_ms": 1e9}, ["SP3107"]),  # no steady state
        (1, 8, {"cache_hit_ratio": 0.5}, []),  # 4/s reach it
        (1, 0, {"min_replicas": 2}, ["SP3107"]),
        (2, 0, {"max_replicas": 1}, ["SP3107"]),
        (2, 0, {"shape": WorkerShape(gpus=1, max_per_node=1)}, ["SP3102"]),
        (1, 0, {"markets": (Market.SPOT,)}, ["SP3106"]),
        (1, 0, {"spread": ("zone", 1)}, ["SP3107"]),  # the node is in no zone
        (1, 0, {"spread": ("node", 1)}, []),
    ],
)
def test_service_meets_target_load_and_bounds(count, peak, changes, rule):
    assert rule == list(dict.fromkeys(serve([[("n", count)]] * 4, peak, **changes)))


def test_service_without_a_replica_serves_nothing():
    assert serve([[("n", 1)]] * 3 + [[]], 1, min_replicas=0) == ["SP3107"]
    assert serve([[]] * 4, 0, min_replicas=0) == []


def test_service_holds_its_number_as_long_as_asked():
    # Changes at 01:00 and 02:00.
    counts = [[("n", count)] for count in (1, 2, 1, 1)]

    assert serve(counts, 1, min_hold_minutes=60) == []
    assert serve(counts, 1, min_hold_minutes=61) == ["SP3107"]


@pytest.mark.parametrize(("slow", "rule"), [(2, []), (1, ["SP3107"])])
def test_service_on_a_mix_covers_the_demand_by_shares(slow, rule):
    # 20/s: at 100 ms 3 replicas are needed (load 2: mean 144 ms; 2 have no steady state), at 50 ms 2 (load 1, mean 67 ms).
    # 1 of 2 fast = 1/2; with 2 of 3 slow 7/6, with 1 of 3 slow 5/6.
    pools = (replace(OWNED, name="fast", accelerator="F"), replace(OWNED, name="slow", accelerator="S"))
    stands = [[("fast", 1), ("slow", slow)]] * 4
    found = serve(stands, 20, pools, nodes_on=("1111", "1111"), speeds=(Speed("F", "service", 2.0),))

    assert rule == list(dict.fromkeys(found))


def test_budget_is_per_day_with_the_rework_of_its_starts():
    # 4 h x 10 = 40 for the node; rework of one of four devices: (e^0.1 - 1)/0.1 - 1 = 0.0517 h x 2.5 = 0.129.
    pool = Pool("n", 1, 0, 1, gpus=4, market=Market.SPOT, price_per_hour=10.0, interruptions_per_hour=0.1)
    job = replace(JOB, spot_ok=True)

    def spend(limit):
        return broken([pool], [job], [JobPart("j", "n", 0, 1)], on("1111"), limits=Limits(budget_per_day=limit))

    assert spend(40.14) == []
    assert spend(40.12) == [("SP3108", "day 2026-12-01", "40.13 USD are spent; the limit is 40.12")]


def test_required_jobs_are_placed():
    assert codes([OWNED], [JOB], [], on("1111")) == []
    assert broken([OWNED], [replace(JOB, required=True)], [], on("1111")) == [("SP3110", "job j", "is required and left out")]


@pytest.mark.parametrize(
    ("placement", "part", "rule"),
    [
        ("n/1", JobPart("j", "n/1", 0, 1), []),
        ("n", JobPart("j", "n/2", 0, 1), []),
        ("n/1", JobPart("j", "n/2", 0, 1), ["SP3111"]),
        ("n/1", JobPart("j", "n/1", 1, 1), ["SP3111"]),
        ("n/1", None, ["SP3111"]),
    ],
)
def test_running_jobs_stay_where_they_run(placement, part, rule):
    pool = replace(OWNED, count=2, min_count=2, max_count=2)
    job = replace(JOB, state=JobState.RUNNING, start_s=T0 - 60, placement=(Placed(placement, 1),))

    assert rule == codes([pool], [job], [part] if part else [], on("1111", "1111"))


def test_what_runs_on_a_cordoned_node_stays():
    pool = replace(OWNED, status=NodeStatus.CORDONED)
    job = replace(JOB, state=JobState.RUNNING, start_s=T0 - 60, placement=(Placed("n", 1),))

    assert codes([pool], [job], [JobPart("j", "n", 0, 1)], on("1111")) == []
    assert codes([replace(pool, status=NodeStatus.DOWN)], [job], [JobPart("j", "n", 0, 1)], on("1111")) == ["SP3112"]


def test_slices_refuses_profiles_without_legal_starts():
    # Two of 3g fill the memory; a 1g fits the compute slices, and no start is left for it.
    pool = Pool("n", gpus=1, accelerator="A100", gpu_memory_gib=40.0, slices_per_gpu=7)
    jobs = [
        replace(JOB, name=name, shape=WorkerShape(gpus=compute / 7, slice_profile=profile))
        for name, compute, profile in (("a", 3, "3g.20gb"), ("b", 3, "3g.20gb"), ("c", 1, "1g.5gb"))
    ]
    parts = [JobPart(job.name, "n", 0, 1) for job in jobs]

    assert codes([pool], jobs, parts[:2], on("1111")) == []
    assert codes([pool], jobs, parts, on("1111")) == ["SP3115"]


def test_eligible_names_the_profiles_that_a_device_has():
    pool = Pool("n", gpus=1, accelerator="A100", gpu_memory_gib=80.0, slices_per_gpu=7)
    job = replace(JOB, shape=WorkerShape(gpus=3 / 7, slice_profile="3g.20gb"))

    assert codes([pool], [job], [JobPart("j", "n", 0, 1)], on("1111")) == ["SP3112"]


@pytest.mark.parametrize(
    ("least", "kind", "expected"),
    [(0.8, DeadlineKind.HARD, []), (0.82, DeadlineKind.HARD, ["SP3116"]), (0.82, DeadlineKind.SOFT, [])],
)
def test_min_on_time_refuses_a_start_that_is_too_unsure(least, kind, expected):
    # Two hours on spot at 0.1/h, deadline after two: e^-0.2 = 81.9 %.
    pool = replace(OWNED, market=Market.SPOT, interruptions_per_hour=0.1, min_count=0)
    job = replace(JOB, runtime_minutes=120.0, spot_ok=True, deadline_s=GRID.edges_s[2], deadline_kind=kind)

    assert expected == codes([pool], [job], [JobPart("j", "n", 0, 1)], on("1100"), limits=Limits(min_on_time=least))
