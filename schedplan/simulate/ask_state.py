"""What an ask needs of each node, how many of its workers each holds now, and how good each is for the next. It places
nothing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from schedplan.measures.eligibility import refusal
from schedplan.model.cluster import Pool
from schedplan.model.workload import Topology
from schedplan.simulate.machine import Machine
from schedplan.simulate.work import Ask
from schedplan.units import micro, slices_of

_DOMAINS = {Topology.BLOCK: "block", Topology.RACK: "rack", Topology.ZONE: "zone"}
_ONE_NODE = (Topology.NODE, Topology.DEVICE_GROUP)

StateKey = tuple[int, int, object, tuple[int, ...]]


class AskState:
    """whole: devices of a worker, 0 for a share; slices: of a share, per node. fit: workers that each node holds now, with their
    sum.

    domain: the number of each node's domain, -1 for none; None where any nodes will do. position: how much of the log of changed
    nodes is known; dirty: nodes whose score is not.
    """

    __slots__ = (
        "amounts",
        "asked",
        "dirty",
        "domain",
        "domain_total",
        "eligible",
        "fit",
        "kind",
        "most",
        "position",
        "score_of",
        "scores",
        "slices",
        "total",
        "whole",
        "workers",
    )

    def __init__(self, machine: Machine, ask: Ask) -> None:
        shape = ask.shape
        self.workers = ask.workers
        self.kind = shape.gpus
        self.whole = max(round(shape.gpus + 0.499999), 1) if shape.gpus >= 1 else 0
        share = shape.gpus if 0 < shape.gpus < 1 else 0.0
        self.slices = [slices_of(share, pool.slices_per_gpu) if share else 0 for pool in machine.pools]
        self.most = shape.max_per_node if shape.max_per_node is not None else ask.workers
        offered = dict(shape.resources)
        wanted = [shape.cpus, shape.memory_gib, *(offered.get(name, 0.0) for name in machine.resources[2:])]
        self.amounts = tuple((idx, micro(amount)) for idx, amount in enumerate(wanted) if amount > 0)
        self.asked: NDArray[np.float64] = np.array([shape.gpus, *wanted], dtype=np.float64)
        may = {pool: _may_stand(pool, ask) for pool in dict.fromkeys(machine.pools)}
        self.domain = _domains(machine, ask)
        unknown = set(offered) - set(machine.resources)
        self.eligible = [
            may[pool] and not unknown and (self.domain is None or self.domain[node] >= 0) for node, pool in enumerate(machine.pools)
        ]
        self.fit: list[int] = [0] * len(machine.pools)
        self.total = 0
        self.domain_total: list[int] = [0] * (max(self.domain, default=-1) + 1) if self.domain is not None else []
        self.position = 0
        self.scores: NDArray[np.float64] | None = None
        self.score_of: dict[StateKey, float] = {}
        self.dirty: list[int] = list(range(len(machine.pools)))

    def domain_of(self, node: int) -> int | None:
        """Return the number of a node's domain, None where any nodes will do."""
        return None if self.domain is None else self.domain[node]

    def set_fit(self, node: int, fit: int) -> None:
        """Let a node hold so many workers now."""
        gained = fit - self.fit[node]
        if gained:
            self.fit[node] = fit
            self.total += gained
            if self.domain is not None:
                self.domain_total[self.domain[node]] += gained

    def tightest_domain(self, workers: int) -> int | None:
        """Return the domain with the least room that still holds so many workers, the first by name; None for any nodes."""
        if self.domain is None:
            return None
        return min((total, idx) for idx, total in enumerate(self.domain_total) if total >= workers)[1]

    def nodes_outside(self, workers: int) -> list[int]:
        """Return the nodes whose domain does not hold so many workers."""
        if self.domain is None:
            return []
        return [node for node, idx in enumerate(self.domain) if idx < 0 or self.domain_total[idx] < workers]


def _may_stand(pool: Pool, ask: Ask) -> bool:
    return refusal(pool, ask.shape) is None and ask.may_stand_in(pool.market)


def _domains(machine: Machine, ask: Ask) -> list[int] | None:
    """Return the number of each node's domain by name, -1 for a node in none; None where any nodes will do."""
    if ask.topology in _ONE_NODE:
        return list(range(len(machine.pools)))
    if ask.topology not in _DOMAINS:
        return None
    names = [getattr(pool, _DOMAINS[ask.topology]) for pool in machine.pools]
    number = {name: idx for idx, name in enumerate(sorted({name for name in names if name is not None}))}
    return [-1 if name is None else number[name] for name in names]
