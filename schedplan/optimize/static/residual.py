"""What is left of an instance once something stands on its nodes: nodes alike in what they still offer are a type again."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import numpy as np

from schedplan.optimize.static.instance import Instance
from schedplan.optimize.static.nodes import Nodes


def residual(nodes: Nodes) -> tuple[Instance, tuple[tuple[int, ...], ...]]:
    """Return (instance, rows of Nodes per type of it). Devices that are held in part count as none there."""
    instance = nodes.instance
    members: dict[tuple[int, int, tuple[int, ...]], list[int]] = defaultdict(list)
    for row, t in enumerate(nodes.type_of):
        key = (int(t), len(nodes.free_devices(row)), tuple(int(amount) for amount in nodes.left[row]))
        members[key].append(row)
    types = tuple(
        replace(
            instance.types[t],
            idx=idx,
            node_idx=nodes.cluster_idx[rows],
            devices=devices,
            capacity=np.array(left, dtype=np.int64),
        )
        for idx, ((t, devices, left), rows) in enumerate(members.items())
    )
    of = [t for t, _, _ in members]
    needs = tuple(tuple(row[t] for t in of) for row in instance.needs)
    families = tuple(tuple(row[t] for t in of) for row in instance.families)
    found = replace(instance, types=types, needs=needs, families=families)
    return found, tuple(tuple(rows) for rows in members.values())
