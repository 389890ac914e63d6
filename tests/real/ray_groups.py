"""Runs in an environment of Ray: placement groups on emulated nodes, begun and removed one by one.

    python ray_groups.py NODES DEVICES < steps.json > placed.json

A step is [begin, NAME, STRATEGY, BUNDLES, DEVICES] or [end, NAME]. Printed is what of each group stands where, as
{NAME: {NODE: bundles}}, null for a group that never does.
"""

import json
import sys
import time

import ray
from ray.cluster_utils import Cluster
from ray.util.placement_group import placement_group, placement_group_table, remove_placement_group

SETTLED_S = 1.0


def main(nodes: int, devices: int) -> None:
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "num_gpus": 0, "include_dashboard": False})
    names = {cluster.add_node(num_cpus=1, num_gpus=devices).node_id: f"n{idx}" for idx in range(1, nodes + 1)}
    ray.init(address=cluster.address, log_to_driver=False)
    cluster.wait_for_nodes()
    groups, placed = {}, {}
    for kind, name, *asked in json.load(sys.stdin):
        if kind == "end":
            remove_placement_group(groups.pop(name))
            time.sleep(SETTLED_S)
        else:
            strategy, bundles, of_each = asked
            placed[name] = None
            groups[name] = placement_group([{"GPU": of_each}] * bundles, strategy=strategy)
        for known, group in groups.items():
            if placed[known] is None and group.wait(SETTLED_S):
                placed[known] = where(group, names)
    print(json.dumps(placed))
    ray.shutdown()
    cluster.shutdown()


def where(group: object, names: dict[str, str]) -> dict[str, int]:
    """Return how many bundles of a placed group stand on each node."""
    counts: dict[str, int] = {}
    for node in placement_group_table(group)["bundles_to_node_id"].values():
        counts[names[node]] = counts.get(names[node], 0) + 1
    return counts


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
