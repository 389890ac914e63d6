"""Where gangs may stand: sites by families and domains of cells, and what they hold when empty."""

from __future__ import annotations

import pytest

from schedplan.model.problem import Problem
from schedplan.optimize.cells import Level
from schedplan.optimize.layout import without_columns
from schedplan.optimize.sites import room, sites
from tests.optimize.problems import problem

NODES = [
    {"name": "a", "count": 2, "gpus": 4, "rack": "r1"},
    {"name": "b", "count": 1, "gpus": 8, "rack": "r2", "device_groups": 2},
]


def gang(topology: str, workers: int = 3, gpus: float = 2) -> Problem:
    job = {"name": "j", "workers": workers, "gpus": gpus, "runtime_minutes": 60.0, "topology": topology}
    return problem({"slots": 2, "nodes": NODES, "jobs": [job]})


@pytest.mark.parametrize(
    ("topology", "workers", "expected"),
    [
        # a worker of 2 devices: 2 fit a node of a, 4 the node of b; a gang over both racks has 2 x 2 + 4 places
        pytest.param("cluster", 8, [({"a", "b"}, 8)], id="all nodes of a family"),
        pytest.param("cluster", 9, [], id="more than there is room for"),
        pytest.param("rack", 4, [({"a"}, 4), ({"b"}, 4)], id="a rack each"),
        pytest.param("node", 4, [({"b"}, 4)], id="only b holds four on one node"),
        pytest.param("node", 2, [({"a"}, 2), ({"b"}, 4)], id="either holds two on one node"),
        # two device groups of 4 devices: 2 workers each
        pytest.param("device_group", 2, [({"a"}, 2), ({"b"}, 2)], id="a device group each"),
        pytest.param("device_group", 3, [], id="no device group holds three"),
    ],
)
def test_sites_hold_the_whole_gang(topology: str, workers: int, expected: list[tuple[set[str], int]]) -> None:
    whole = gang(topology, workers)
    cells = without_columns(whole, (), Level.POOLS).cells
    found = sites(whole, cells, whole.jobs[0], Level.POOLS)

    assert expected == [({cells[idx].pool.name for idx in one.cells}, room(cells, one, whole.jobs[0])) for one in found]
