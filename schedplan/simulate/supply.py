"""Nodes that go and come back: outages that are known, spot nodes that are taken back at random. It starts no job.

What runs on a node that goes is stopped, and waits again. The time until a spot node is taken back is exponential with its rate of
interruptions, drawn by node and occurrence, so that it is the same under every policy; it is back after its start-up.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heapify, heappop, heappush
from math import log

from schedplan.model.cluster import Cluster, Market
from schedplan.model.outage import Outage, OutageKind
from schedplan.model.timeline import StopCause
from schedplan.simulate.decider import Decider
from schedplan.simulate.draw import RECLAIM, drawn
from schedplan.simulate.kernel import Kernel
from schedplan.simulate.lane import NEVER
from schedplan.simulate.machine import Machine
from schedplan.simulate.nodes import NodeCapacity

BACK, GONE = 0, 1
_CAUSES = {
    OutageKind.MAINTENANCE: StopCause.MAINTENANCE,
    OutageKind.RESERVATION: StopCause.MAINTENANCE,
    OutageKind.FAILURE: StopCause.NODE_FAILURE,
}
Event = tuple[int, int, int, int, str, StopCause]
"""(instant, BACK or GONE, node, when it is back, cause twice: the word orders)."""


class NodeSupply:
    """Events by (instant, back before gone, node). A node is absent as long as anything keeps it away."""

    can_stop = True

    def __init__(
        self, capacity: NodeCapacity, outages: list[tuple[int, int, int, StopCause]], seed: int, first_s: int | None
    ) -> None:
        """outages: (start, end, node, cause); first_s: from when on spot nodes are taken back, None for never."""
        self._capacity = capacity
        self._seed = seed
        self._events: list[Event] = []
        self._away = [0] * len(capacity.machine.pools)
        self._returns: dict[int, int] = {}
        self._watchers: list[Callable[[int, Kernel], None]] = []
        for start_s, end_s, node, cause in outages:
            self._events.append((start_s, GONE, node, end_s, cause.value, cause))
        for node, pool in enumerate(capacity.machine.pools if first_s is not None else ()):
            if pool.market is Market.SPOT and pool.interruptions_per_hour > 0:
                self._events.append(self._taken_back(node, first_s or 0, 0))
        self._occurrence = [0] * len(self._away)
        heapify(self._events)

    def watch(self, gone: Callable[[int, Kernel], None]) -> None:
        """Have someone told of each node that goes."""
        self._watchers.append(gone)

    def is_due(self, now_s: int) -> bool:
        return self.next_s() <= now_s

    def until_s(self) -> int:
        return -1

    def next_s(self) -> int:
        return self._events[0][0] if self._events else NEVER

    def last_return_s(self) -> int:
        return max((end_s for node, end_s in self._returns.items() if self._away[node]), default=-1)

    def happen(self, kernel: Kernel, decider: Decider) -> None:
        while self._events and self._events[0][0] <= kernel.now_s:
            at_s, kind, node, end_s, _, cause = heappop(self._events)
            if kind == GONE:
                self._go(node, end_s, cause, kernel, decider)
            else:
                self._come_back(node, at_s, cause, kernel, decider)

    def _go(self, node: int, end_s: int, cause: StopCause, kernel: Kernel, decider: Decider) -> None:
        self._away[node] += 1
        self._returns[node] = max(end_s, self._returns.get(node, 0))
        heappush(self._events, (end_s, BACK, node, end_s, cause.value, cause))
        if self._away[node] > 1:
            return
        self._capacity.set_down(node, is_down=True)
        kernel.counts["nodes gone"] += 1
        there = sorted(job for job, parts in kernel.held.items() if any(part.node == node for part in parts))
        for job in there:
            if kernel.end_s[job] < 0:
                kernel.let_go(job)
                if kernel.starting.pop(job, None) is not None:
                    decider.stopped(job)
            else:
                kernel.stop(job, cause, decider)
        for gone in self._watchers:
            gone(node, kernel)
        decider.supplied()

    def _come_back(self, node: int, at_s: int, cause: StopCause, kernel: Kernel, decider: Decider) -> None:
        self._away[node] -= 1
        if cause is StopCause.SPOT_RECLAIM:
            self._occurrence[node] += 1
            heappush(self._events, self._taken_back(node, at_s, self._occurrence[node]))
        if not self._away[node]:
            self._capacity.set_down(node, is_down=False)
            kernel.freed = True
            kernel.changes += 1
            decider.supplied()

    def _taken_back(self, node: int, from_s: int, occurrence: int) -> Event:
        """Return when a spot node that is there is next taken back."""
        pool = self._capacity.machine.pools[node]
        share = (drawn(self._seed, RECLAIM, node, occurrence) + 1) / 2.0**64
        lasts_s = max(round(-log(share) * 3600.0 / pool.interruptions_per_hour), 1)
        gone_s = from_s + lasts_s
        back_s = gone_s + max(round(pool.startup_minutes * 60), 1)
        cause = StopCause.SPOT_RECLAIM
        return gone_s, GONE, node, back_s, cause.value, cause


def outages_of(machine: Machine, cluster: Cluster, outages: tuple[Outage, ...]) -> list[tuple[int, int, int, StopCause]]:
    """Return (start, end, node, cause) of the outages of single nodes."""
    number = {name: idx for idx, name in enumerate(machine.nodes)}
    return [
        (outage.start_s, outage.end_s, number[name], _CAUSES[outage.kind])
        for outage in outages
        for name in outage.nodes(cluster)
        if name in number
    ]
