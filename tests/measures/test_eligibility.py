import pytest

from schedplan.measures.eligibility import job_refusal, refusal, service_refusal, shape_refusal, workers_per_group, workers_per_node
from schedplan.model.cluster import Market, NodeStatus, Pool, Taint
from schedplan.model.workload import Job, Service, Toleration, Topology, WorkerShape

NODE = Pool("n", accelerator="A100", gpus=8, gpu_memory_gib=80, cpus=64, memory_gib=512, resources=(("rdma", 4.0),))


def of(pool, **shape):
    found = refusal(pool, WorkerShape(**shape))
    return None if found is None else found.rule


@pytest.mark.parametrize(
    ("rule", "shape"),
    [
        (None, {"gpus": 8, "cpus": 64, "memory_gib": 512, "resources": (("rdma", 4.0),), "gpu_memory_gib": 80}),
        ("devices", {"gpus": 9}),
        ("cpus", {"cpus": 64.1}),
        ("memory", {"memory_gib": 513}),
        ("resources", {"resources": (("rdma", 5.0),)}),
        ("resources", {"resources": (("disk_gib", 1.0),)}),
        ("gpu_memory", {"gpu_memory_gib": 81}),
        ("accelerator", {"accelerators": ("H100",)}),
        (None, {"accelerators": ("H100", "A100")}),
        ("slices", {"slice_profile": "1g.10gb"}),
    ],
)
def test_one_worker_against_an_empty_node(rule, shape):
    assert rule == of(NODE, **shape)


def test_what_is_unknown_never_refuses():
    # Neither cores, memory nor device memory are stated.
    assert of(Pool("n", gpus=1), gpus=1, cpus=1000, memory_gib=1000, gpu_memory_gib=1000) is None


@pytest.mark.parametrize("status", [NodeStatus.CORDONED, NodeStatus.DOWN])
def test_only_ready_nodes_take_new_work(status):
    pool = Pool("n", gpus=1, status=status)

    assert of(pool, gpus=1) == "status"
    assert shape_refusal(pool, WorkerShape(gpus=1)) is None


@pytest.mark.parametrize(
    ("effect", "tolerations", "rule"),
    [
        ("NoSchedule", (), "taint"),
        ("NoExecute", (), "taint"),
        ("PreferNoSchedule", (), None),
        ("NoSchedule", (Toleration("team", "red"),), None),
        ("NoSchedule", (Toleration("team", ""),), None),
        ("NoSchedule", (Toleration("team", "blue"),), "taint"),
        ("NoSchedule", (Toleration("owner", "red"),), "taint"),
    ],
)
def test_binding_taints_want_their_toleration(effect, tolerations, rule):
    assert rule == of(Pool("n", taints=(Taint("team", "red", effect),)), tolerations=tolerations)


def test_spot_and_markets():
    spot = Pool("s", gpus=1, market=Market.SPOT)

    assert job_refusal(spot, Job("j")).rule == "market"
    assert job_refusal(spot, Job("j", spot_ok=True)) is None
    assert service_refusal(spot, Service("s", 1, 1)).rule == "market"
    assert service_refusal(spot, Service("s", 1, 1, markets=(Market.SPOT,))) is None


def test_a_node_without_a_rack_takes_no_job_that_asks_for_one():
    assert job_refusal(NODE, Job("j", topology=Topology.RACK)).rule == "topology"
    assert job_refusal(Pool("n", rack="r1"), Job("j", topology=Topology.RACK)) is None


def test_a_gang_for_one_node_must_fit_it():
    fits, wide = (Job("j", workers=workers, shape=WorkerShape(gpus=1), topology=Topology.NODE) for workers in (8, 9))

    assert job_refusal(NODE, fits) is None
    assert job_refusal(NODE, wide).rule == "topology"


def test_a_gang_for_one_device_group_must_fit_it():
    # Two groups of four devices.
    pool = Pool("n", gpus=8, device_groups=2)
    fits, wide = (Job("j", workers=workers, shape=WorkerShape(gpus=1), topology=Topology.DEVICE_GROUP) for workers in (4, 5))

    assert workers_per_group(pool, WorkerShape(gpus=1)) == 4
    assert job_refusal(pool, fits) is None
    assert job_refusal(pool, wide).rule == "topology"


@pytest.mark.parametrize(
    ("count", "shape"),
    [
        (8, {"gpus": 1}),
        (2, {"gpus": 3}),  # 8 // 3
        (0, {"gpus": 9}),
        (4, {"gpus": 1, "cpus": 16}),  # 64 / 16
        (5, {"gpus": 1, "memory_gib": 100}),  # 512 / 100
        (2, {"gpus": 1, "resources": (("rdma", 2.0),)}),
        (3, {"gpus": 1, "max_per_node": 3}),
        (640, {"cpus": 0.1}),  # not 639 for the binary 0.1
        (8, {"gpus": 0.5}),  # no slices: a share takes the whole device
        (1_000_000, {}),
    ],
)
def test_workers_on_an_empty_node(count, shape):
    assert count == workers_per_node(NODE, WorkerShape(**shape))


def test_shares_never_span_two_devices():
    # Seven slices a device: 3/7 fits twice on each of two devices, not 14 // 3 = 4 plus a rest; 0.5 takes 4 of 7, once a device.
    pool = Pool("n", gpus=2, slices_per_gpu=7)

    assert workers_per_node(pool, WorkerShape(gpus=3 / 7)) == 4
    assert workers_per_node(pool, WorkerShape(gpus=0.5)) == 2
