"""Nodes that are started when work comes, and given back when they have been empty for long. It places nothing.

A node is ready some seconds after it was first asked for; work that is placed on it earlier begins then.
"""

from __future__ import annotations

from collections.abc import Iterable

from schedplan.engines.part import NodeStart
from schedplan.simulate.capacity import Held

LONG_AGO = -(1 << 60)


class NodeStarts:
    """Per node: workers on it, since when it is empty, and when it is ready."""

    def __init__(self, rule: NodeStart, n_nodes: int) -> None:
        self._rule = rule
        self._workers = [0] * n_nodes
        self._empty_since_s = [LONG_AGO] * n_nodes
        self._ready_s = [LONG_AGO] * n_nodes

    def take(self, parts: Iterable[Held], now_s: int) -> None:
        """Let workers stand on nodes; those that are gone are asked for."""
        for part in parts:
            node = part.node
            if not self._workers[node] and now_s - self._empty_since_s[node] >= self._rule.idle_s:
                self._ready_s[node] = now_s + self._rule.start_s
            self._workers[node] += part.workers

    def give_back(self, parts: Iterable[Held], now_s: int) -> None:
        """Let workers leave."""
        for part in parts:
            self._workers[part.node] -= part.workers
            if not self._workers[part.node]:
                self._empty_since_s[part.node] = now_s

    def ready_s(self, parts: Iterable[Held]) -> int:
        """Return when the last of the nodes that parts stand on is ready."""
        return max(self._ready_s[part.node] for part in parts)
