"""Fragmentation of nodes for typical work, and by how much a worker lets it grow.

Fragmentation of a node is what of its devices typical work could not use, in devices: all that is free for work whose cores or
devices are not free there, or that asks for no device; else what is free on devices with less than the work asks of one;
weighted by how frequent the work is. Source: Weng and others, Beware of Fragmentation, USENIX ATC 2023; the score in whole
numbers from 0 to 100 as in hkust-adsl/kubernetes-scheduler-simulator, pkg/simulator/plugin/fgd_score.go (read 2026-12-01).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from schedplan.engines.node_choice import CORES, DEVICES, FULL_SCORE, ROUNDING
from schedplan.model.view import NodesView

Floats = NDArray[np.float64]
NOT_THERE = -1.0
POPULAR = 0.95
"""Share of all work up to which the most frequent counts as typical: that of the source."""


def least_growth(nodes: NodesView, asked: Floats) -> Floats:
    """Return floor(100 / (1 + e^growth)), growth of the fragmentation in devices on the node's best device; float64 [n_nodes]."""
    if 0 < asked[DEVICES] < 1:
        return np.asarray(_scores_of_share(nodes, asked).max(axis=1))
    devices, cores = _devices(nodes), nodes.free[:, CORES] - asked[CORES]
    whole = devices >= 1.0 - ROUNDING
    taken = whole & (np.cumsum(whole, axis=1) <= round(asked[DEVICES]))
    return _score(nodes, fragments(devices - taken, cores, nodes.typical))


def least_growth_device(nodes: NodesView, asked: Floats) -> int:
    """Return the device of the only node of `nodes` on which a share lets fragmentation grow least, the first of equals."""
    return int(_scores_of_share(nodes, asked)[0].argmax())


def fragments(devices: Floats, cores: Floats, typical: Floats) -> Floats:
    """Return the expected fragmentation of nodes in devices, float64 [n_nodes].

    devices: free share of each, float64 [n_nodes, n_devices]; cores: free, NaN = not stated, float64 [n_nodes]; typical: rows of
    (devices, share of each, cores, frequency), float64 [n_typical, 4].
    """
    count, share, needed, frequency = typical.T
    enough = devices[:, None, :] >= share[None, :, None] - ROUNDING
    has_cores = np.isnan(cores)[:, None] | (cores[:, None] >= needed - ROUNDING)
    usable = (enough.sum(axis=2) >= count) & has_cores & (count > 0)
    lost = np.where(usable, (devices[:, None, :] * ~enough).sum(axis=2), devices.sum(axis=1)[:, None])
    return np.asarray(lost @ frequency)


def _scores_of_share(nodes: NodesView, asked: Floats) -> Floats:
    """Return the score of each device that holds a share, NOT_THERE for any other, float64 [n_nodes, n_devices]. Devices of a node
    with the same free share score the same.
    """
    devices, cores = _devices(nodes), nodes.free[:, CORES] - asked[CORES]
    found = np.full(devices.shape, NOT_THERE)
    alike = devices[:, :, None] == devices[:, None, :]
    first = alike.argmax(axis=2)
    fits = devices - asked[DEVICES] >= -ROUNDING
    rows, columns = np.nonzero(fits & (first == np.arange(devices.shape[1])))
    after = devices[rows]
    after[np.arange(len(rows)), columns] -= asked[DEVICES]
    before = fragments(devices, nodes.free[:, CORES], nodes.typical)
    found[rows, columns] = _whole(fragments(after, cores[rows], nodes.typical) - before[rows])
    return np.asarray(np.where(fits, np.take_along_axis(found, first, axis=1), NOT_THERE))


def _score(nodes: NodesView, after: Floats) -> Floats:
    return _whole(after - fragments(_devices(nodes), nodes.free[:, CORES], nodes.typical))


def _whole(growth: Floats) -> Floats:
    return np.asarray(np.floor(FULL_SCORE / (1.0 + np.exp(growth)) + ROUNDING))


def _devices(nodes: NodesView) -> Floats:
    assert nodes.devices is not None
    return nodes.devices
