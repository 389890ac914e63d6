"""Scores of nodes on values worked by hand; the formulas stand beside each score, their sources with the choices."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from schedplan.engines.fragmentation import fragments, least_growth, least_growth_device
from schedplan.engines.node_choice import all_alike, dot_product, gpu_clustering, gpu_packing, worst_fit
from schedplan.model.view import NodesView

MOST = (8.0, 64.0)


def view(
    rows: list[list[float]],
    cores: list[float],
    kinds: tuple[tuple[float, ...], ...] = (),
    typical: tuple[float, ...] = (1, 1, 0, 1),
) -> NodesView:
    """Nodes by the free share of each of their devices, and their free cores; every node has 4 devices of the largest's 8."""
    devices = np.array(rows)
    free = np.column_stack([devices.sum(axis=1), cores])
    total = np.column_stack([np.full(len(rows), 4.0), np.full(len(rows), 64.0)])
    return NodesView(free, total, np.array(MOST), devices, kinds, np.array([typical], dtype=np.float64))


def asked(devices: float, cores: float = 0.0) -> NDArray[np.float64]:
    return np.array([devices, cores])


def test_all_alike() -> None:
    assert [0.0, 0.0] == all_alike(view([[1, 1, 1, 1], [0, 0, 0, 1]], [1, 2]), asked(1)).tolist()


def test_worst_fit() -> None:
    # 100 x (4 - 1) + (10 - 2) = 308; 100 x (2 - 1) + (40 - 2) = 138.
    assert [308.0, 138.0] == worst_fit(view([[1, 1, 1, 1], [1, 1, 0, 0]], [10, 40]), asked(1, 2)).tolist()


def test_dot_product() -> None:
    # free (4, 32), asked (2, 16), largest (8, 64): 1/2 x 1/4 + 1/2 x 1/4 = 1/4, halved 1/8: floor(87.5). free (2, 32): 3/32:
    # floor(90.6).
    assert [87.0, 90.0] == dot_product(view([[1, 1, 1, 1], [1, 1, 0, 0]], [32, 32]), asked(2, 16)).tolist()


@pytest.mark.parametrize(
    ("devices", "expected"),
    [
        # A share of a half: all free, 33.3 - 4. On a device with 0.6 left: 100 - floor(60 / 10). No shared one fits: one opened,
        # 50 - 1.
        (0.5, [100 / 3 // 1 - 4, 94.0, 49.0]),
        # Two whole devices: all free; two opened of a used node.
        (2.0, [100 / 3 // 1 - 4, 48.0, 48.0]),
    ],
)
def test_gpu_packing(devices: float, expected: list[float]) -> None:
    nodes = view([[1, 1, 1, 1], [1, 0.6, 1, 0.2], [1, 0.4, 1, 0]], [9, 9, 9])

    assert expected == gpu_packing(nodes, asked(devices)).tolist()


def test_gpu_packing_of_work_without_devices() -> None:
    assert [0.0] == gpu_packing(view([[1, 1, 1, 1]], [9]), asked(0, 1)).tolist()


def test_gpu_clustering() -> None:
    # Only workers of two devices: 75 + floor(25 x (8 - 2) / 8) = 93; among others 50 + 18; none there 25 + floor(25 x 4 / 8);
    # others 18.
    nodes = view([[1, 1, 0, 0], [1, 1, 0, 0], [1, 1, 1, 1], [1, 1, 0, 0]], [9] * 4, ((2.0,), (0.5, 2.0), (), (1.0,)))

    assert [93.0, 68.0, 37.0, 18.0] == gpu_clustering(nodes, asked(2)).tolist()


def test_fragments() -> None:
    # Work of one whole device: of (1, 0.5) the half is lost; of (0.5, 0.5) there is no room, so all; without 4 cores, all.
    devices, typical = np.array([[1, 0.5], [0.5, 0.5], [1, 1]]), np.array([[1.0, 1.0, 4.0, 1.0]])

    assert [0.5, 1.0, 2.0] == fragments(devices, np.array([4.0, 4.0, 3.0]), typical).tolist()


def test_least_growth_of_fragmentation() -> None:
    # Typical is one whole device. A half on the half-free device of (1, 0.5): what was lost, 0.5, is used: 100 / (1 + e^-0.5) =
    # 62.2.
    # On (1, 1): a half is left over that nobody can use: 100 / (1 + e^0.5) = 37.7.
    nodes = view([[1, 0.5, 0, 0], [1, 1, 0, 0]], [9, 9])

    assert [62.0, 37.0] == least_growth(nodes, asked(0.5)).tolist()
    assert 1 == least_growth_device(view([[1, 0.5, 0, 0]], [9]), asked(0.5))
    # A whole device of either changes nothing that is lost: 50.
    assert [50.0, 50.0] == least_growth(nodes, asked(1)).tolist()
