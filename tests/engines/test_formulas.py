"""The engines' own formulas on cases worked by hand; the formulas and their sources stand at the head of each module."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from schedplan.engines.formulas.kai import KaiScore, fair_share
from schedplan.engines.formulas.kube import KubeScore, balanced, least_allocated, most_allocated
from schedplan.engines.formulas.ray import bundle_score
from schedplan.engines.formulas.slurm import Multifactor, fairshare_factor
from schedplan.engines.formulas.volcano import VolcanoScore, binpack, deserved
from schedplan.engines.formulas.yunikorn import YuniKornScore, usage_ratio
from schedplan.engines.shares import BILLIONTHS, by_dominant_share
from schedplan.model.view import LaneView, NodesView, QueuesView, TenantView

CORES_AND_MEMORY = (0.0, 1.0, 1.0)
DEVICES_ALONE = (1.0, 0.0, 0.0)


def nodes(*rows: tuple[float, float, float], total: tuple[float, float, float] = (8, 64, 256)) -> NodesView:
    """Nodes by what is free of devices, cores and GiB of memory, all of one size."""
    free = np.array(rows, dtype=np.float64)
    return NodesView(free, np.tile(np.array(total, dtype=np.float64), (len(rows), 1)), np.array(total, dtype=np.float64))


def asked(devices: float = 0.0, cores: float = 0.0, memory: float = 0.0) -> NDArray[np.float64]:
    return np.array([devices, cores, memory])


# kube-scheduler: the worker asks for 2 devices, 16 of 64 cores, 32 of 256 GiB.
WORKER = asked(2, 16, 32)


def test_least_allocated() -> None:
    """Free: 48 of 64 cores are left: 75; 224 of 256 GiB: 87.5, 87; mean 81. Half full: 16/64: 25; 96/256: 37.5, 37; mean 31."""
    assert [81.0, 31.0] == least_allocated(nodes((8, 64, 256), (4, 32, 128)), WORKER, CORES_AND_MEMORY).tolist()


def test_least_allocated_by_weights() -> None:
    """Devices 3, cores 1: (3 x 75 + 1 x 75) / 4 on a free node; half full 2 of 8 devices are left: (3 x 25 + 25) / 4."""
    assert [75.0, 25.0] == least_allocated(nodes((8, 64, 256), (4, 32, 128)), WORKER, (3.0, 1.0, 0.0)).tolist()


def test_most_allocated_over_devices() -> None:
    """2 of 8 devices are used with the worker: 25; 6 of 8: 75; 8 of 8: 100."""
    assert [25.0, 75.0, 100.0] == most_allocated(nodes((8, 64, 256), (4, 32, 128), (2, 32, 128)), WORKER, DEVICES_ALONE).tolist()


def test_balance_of_two_resources_is_half_of_their_difference() -> None:
    """Free: 0.25 and 0.125: deviation 0.0625, 93.75, 93. Cores 3/4 used, memory 1/8 + 1/8: (0.75 + 0.25 - 0.25) / 2 = 0.375, 62."""
    assert [93.0, 62.0] == balanced(nodes((8, 64, 256), (8, 16, 224)), WORKER, (1, 2)).tolist()


def test_kube_scheduler_by_default_spreads_and_tuned_packs_devices() -> None:
    """Default 81 + 93, and half full 31 + 93.75 (0.75 and 0.625); MostAllocated over devices 25 + 93 and 75 + 93."""
    both = nodes((8, 64, 256), (4, 32, 128))

    assert [174.0, 124.0] == KubeScore()(both, WORKER).tolist()
    assert [118.0, 168.0] == KubeScore(packs=True, weights=DEVICES_ALONE)(both, WORKER).tolist()


def test_what_a_node_does_not_state_counts_nothing() -> None:
    """Memory isn't stated: cores alone, 75."""
    view = nodes((8, 64, np.nan), total=(8, 64, np.nan))

    assert [75.0] == least_allocated(view, WORKER, CORES_AND_MEMORY).tolist()


# Volcano


def test_binpack_counts_what_the_task_asks_for() -> None:
    """(10 x 6/8 + 1 x 48/64) / 11 = 0.75; without the device weight 48/64 and 160/256: (0.75 + 0.625) / 2."""
    half = nodes((4, 32, 128))

    assert binpack(half, asked(2, 16), (10.0, 1.0, 1.0)).tolist() == [75.0]
    assert binpack(half, WORKER, CORES_AND_MEMORY).tolist() == [68.75]
    assert binpack(half, asked(2), CORES_AND_MEMORY).tolist() == [0.0]


def test_volcano_score_is_nodeorder_plus_weighted_binpack() -> None:
    """Half full: least 31; used 0.75, 0.75, 0.625: mean 0.708333, deviation 0.058926, 94; binpack 68.75, or 10 x (10 x 0.75 +
    0.75 + 0.625) / 12 x 100 = 739.5833."""
    half = nodes((4, 32, 128))

    assert VolcanoScore()(half, WORKER).tolist() == [31.0 + 94.0 + 68.75]
    assert VolcanoScore(binpack=10.0, packed=(10.0, 1.0, 1.0))(half, WORKER).tolist() == pytest.approx([125.0 + 739.583333333])


def queues(
    asked_of: list[float],
    weight: list[float] | None = None,
    promised: list[float] | None = None,
    most: list[float] | None = None,
    total: float = 12.0,
) -> QueuesView:
    """Queues over one resource."""
    count = len(asked_of)
    promised, most = promised or [0.0] * count, most or [total] * count
    return QueuesView(
        [[one] for one in asked_of], [[one] for one in promised], [[one] for one in most], weight or [1.0] * count, [total]
    )


@pytest.mark.parametrize(
    ("view", "expected"),
    [
        # Weights 1, 2, 3 of 12: 2, 4, 6, and all ask for more.
        (queues([20, 20, 20], [1, 2, 3]), [2.0, 4.0, 6.0]),
        # The second asks for 1 alone: its 3 go to the others by 1 to 3: 2 + 0.75, 6 + 2.25.
        (queues([20, 1, 20], [1, 2, 3]), [2.75, 1.0, 8.25]),
        # Nobody asks for more than there is.
        (queues([2, 3, 1]), [2.0, 3.0, 1.0]),
        # The first may have 2 at most; the others share 10.
        (queues([20, 20, 20], most=[2, 12, 12]), [2.0, 5.0, 5.0]),
        # 4 each at first, which is all that the others may have (12 - 8); then the guarantee lifts the first to 8, and nothing
        # remains to be divided: together they deserve more than there is.
        (queues([20, 20, 20], promised=[8, 0, 0]), [8.0, 4.0, 4.0]),
        # A guarantee is deserved without being asked for.
        (queues([0, 20], promised=[4, 0]), [4.0, 8.0]),
    ],
    ids=["weights", "sated", "plenty", "capability", "guarantee", "unasked"],
)
def test_volcano_deserved(view: QueuesView, expected: list[float]) -> None:
    assert [amount for (amount,) in deserved(view)] == pytest.approx(expected)


def test_volcano_deserved_over_two_resources() -> None:
    """9 cores and 18 GiB, two queues. One asks for (9, 3), the other for (3, 12). First round (4.5, 9) each: the first has (4.5,
    3), the second (3, 9). Of the rest, (1.5, 6), each gets half: the first (5.25, 3), the second (3, 12), sated. What is left,
    (0.75, 3), is the first one's: (6, 3)."""
    view = QueuesView([[9, 3], [3, 12]], [[0, 0]] * 2, [[9, 18]] * 2, [1, 1], [9, 18])

    first, second = deserved(view)
    assert first == pytest.approx([6, 3])
    assert second == pytest.approx([3, 12])


def test_drf_is_the_largest_share_of_any_resource() -> None:
    """Ghodsi and others, NSDI 2011: 9 cores, 18 GiB; A holds 3 x (1, 4), B 2 x (3, 1): 12/18 and 6/9, equal."""
    a, b = TenantView("a", dominant=12 / 18), TenantView("b", dominant=6 / 9)

    assert by_dominant_share(a) == by_dominant_share(b) == round(2 / 3 * BILLIONTHS)


# YuniKorn


@pytest.mark.parametrize(
    ("tenant", "expected"),
    [
        # 6 of 10 guaranteed; a quarter of the machine of the resource that it holds most of.
        (TenantView("a", held=6, dominant=0.25, guaranteed=10), 0.6),
        # Nothing guaranteed: against the machine.
        (TenantView("a", held=6, dominant=0.25), 0.25),
        # Another resource, guaranteed nothing of, fills more of the machine.
        (TenantView("a", held=2, dominant=0.5, guaranteed=10), 0.5),
        # Guaranteed 0: full as soon as anything is held.
        (TenantView("a", held=1, dominant=0.1, guaranteed=0), 1.0),
        (TenantView("a", guaranteed=0), 0.0),
    ],
    ids=["guaranteed", "fair max", "another", "zero, used", "zero"],
)
def test_yunikorn_usage_ratio(tenant: TenantView, expected: float) -> None:
    assert usage_ratio(tenant) == pytest.approx(expected)


def test_yunikorn_nodes() -> None:
    """Cores half used, memory a quarter: 0.375 used; fair: 1 - that. Devices alone, 3 of 4 free: 0.25."""
    view = nodes((6, 32, 192))

    assert YuniKornScore()(view, WORKER).tolist() == [0.625]
    assert YuniKornScore(packs=True, weights=DEVICES_ALONE)(view, WORKER).tolist() == [0.25]


# KAI


@pytest.mark.parametrize(
    ("view", "expected"),
    [
        # Quota 4 and 2 first; 6 over quota by weight 1 to 2.
        (queues([20, 20], [1, 2], [4, 2]), [6.0, 6.0]),
        # The second asks for 3 alone: 1 over quota, the other 5 are the first one's.
        (queues([20, 3], [1, 2], [4, 2]), [9.0, 3.0]),
        # Unused quota is lent: the first asks for nothing.
        (queues([0, 20], promised=[8, 2]), [0.0, 12.0]),
        # A limit holds what is over quota: 5, and the other takes the rest.
        (queues([20, 20], promised=[4, 2], most=[5, 12]), [5.0, 7.0]),
        # Weight 0: nothing over quota.
        (queues([20, 20], [0, 1], [4, 2]), [4.0, 8.0]),
    ],
    ids=["weights", "sated", "lent", "limit", "weightless"],
)
def test_kai_fair_share(view: QueuesView, expected: list[float]) -> None:
    assert [amount for (amount,) in fair_share(view)] == pytest.approx(expected)


def test_kai_packs_by_devices_and_by_cores_where_none_is_asked_for() -> None:
    """9 x (1 - 2/8) = 6.75; 9 x (1 - 32/64) = 4.5."""
    view = nodes((2, 32, 256))

    assert KaiScore()(view, asked(1)).tolist() == [6.75]
    assert KaiScore()(view, asked(0, 1)).tolist() == [4.5]
    assert KaiScore(packs=False)(view, asked(1)).tolist() == [2.25]


# Ray


def test_ray_takes_the_node_that_keeps_the_largest_shares_of_what_is_free() -> None:
    """A free node keeps 6/8 of devices, 48/64 of cores and 224/256 of memory; a half full one 2/4, 16/32 and 96/128."""
    both = nodes((8, 64, 256), (4, 32, 128))

    assert bundle_score(both, WORKER).tolist() == [0.75 + 0.75 + 0.875, 0.5 + 0.5 + 0.75]
    assert bundle_score(both, asked(2)).tolist() == [0.75, 0.5]


# Slurm


def test_slurm_multifactor() -> None:
    """1000 x 3.5 d / 7 d + 500 x 1/4 + 100 x 0.5 + 2000 x 2^-(0.5/0.25) = 500 + 125 + 50 + 500."""
    factors = Multifactor(age=1000, size=500, qos=100, fairshare=2000)

    assert fairshare_factor(0.5, 0.25) == 0.25
    assert factors.priority(302_400, 0.25, 500, 0.25) == pytest.approx(1175.0)
    assert factors.priority(9e9, 0.0, 0) == 1000.0
    assert Multifactor(size=500, favors_small=True).priority(0, 0.25, 0) == 375.0


def test_slurm_order_is_that_of_the_priority_at_every_instant() -> None:
    """A job half a day older has 1000/14 more for its age: 71.4. That is less than 500 x 0.25 for size, more than 500 x 0.1."""
    factors = Multifactor(age=1000, size=500)
    older = LaneView(submit_s=0, rank=0)
    large, medium = LaneView(submit_s=43_200, rank=1, of_machine=0.25), LaneView(submit_s=43_200, rank=2, of_machine=0.1)

    assert sorted((older, large, medium), key=factors) == [large, older, medium]
    for now_s in (43_200, 100_000, 600_000):
        found = [factors.priority(now_s - one.submit_s, one.of_machine, one.priority) for one in (large, older, medium)]
        assert found == sorted(found, reverse=True)


def test_slurm_without_weights_keeps_the_order_of_submission() -> None:
    early, late = LaneView(submit_s=5, rank=0, priority=1), LaneView(submit_s=9, rank=1, priority=9, of_machine=1.0)

    assert Multifactor()(early) < Multifactor()(late)
