"""A machine kept node by node: devices and shares of them, cores, memory, other resources, and who may stand where.

Fits and scores of an ask are kept per node and brought up to date only where something changed since they were last looked at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from schedplan.engines.part import NodeChoice, Spill
from schedplan.simulate.ask_state import AskState
from schedplan.simulate.capacity import Held, Spots
from schedplan.simulate.free_nodes import FreeNodes, joined
from schedplan.simulate.machine import Machine
from schedplan.simulate.node_profile import Needs, NodeProfile
from schedplan.simulate.node_reservation import NodeReservation
from schedplan.simulate.node_scores import NodeScores, kind_key
from schedplan.simulate.work import Ask

NO_TYPICAL: NDArray[np.float64] = np.zeros((0, 4))


class NodeCapacity:
    """Every node with what is free of it, under one rule of node choice. typical: shapes that the rule may look at."""

    def __init__(
        self, machine: Machine, asks: tuple[Ask, ...], choice: NodeChoice, seed: int = 0, typical: NDArray[np.float64] = NO_TYPICAL
    ) -> None:
        self.machine = machine
        self.free = FreeNodes(machine)
        self.asks = [AskState(machine, ask) for ask in asks]
        self._scores = NodeScores(self.free, choice, seed, typical)
        self._log: list[int] = []
        self._needs: Needs | None = None
        for state in self.asks:
            for node in range(len(machine.pools)):
                state.set_fit(node, self.free.fit(state, node))

    def holds_when_empty(self, ask: int) -> bool:
        """Only meant before anything is placed."""
        return self.fits(ask)

    def fits(self, ask: int) -> bool:
        state = self.asks[ask]
        if state.position != len(self._log):
            self._catch_up(state)
        if state.total < state.workers:
            return False
        return state.domain is None or max(state.domain_total) >= state.workers

    def fitting(self, asks: Sequence[int]) -> list[int]:
        return [idx for idx, ask in enumerate(asks) if self.fits(ask)]

    def workers_fit(self, ask: int) -> int:
        state = self.caught_up(ask)
        return min(state.total if state.domain is None else max(state.domain_total, default=0), state.workers)

    def place(self, ask: int, job: int, workers: int, first: int) -> tuple[Held, ...]:
        state, choice = self.caught_up(ask), self._scores.choice
        if choice.is_domain_by_score:
            domain = state.domain_of(self._scores.choose(state, None, job, first, state.nodes_outside(workers)))
        else:
            domain = state.tightest_domain(workers)
        parts: list[Held] = []
        taken: Counter[int] = Counter()
        while len(parts) < workers:
            full = [node for node, count in taken.items() if count == state.most] if state.most < workers else ()
            node = self._scores.choose(state, domain, job, first + len(parts), full, taken if choice.spill is Spill.SPREAD else ())
            left = min(workers - len(parts), state.fit[node], state.most - taken[node])
            for _ in range(left if choice.spill is Spill.NODE else 1):
                parts.append(self._take(state, node, self._scores.device_for(state, node)))
                taken[node] += 1
            self._catch_up(state)
        return tuple(parts) if workers == 1 else joined(parts)

    def place_on(self, ask: int, spots: Spots) -> tuple[Held, ...]:
        """Take room on named nodes, (node, workers) each, known to hold them."""
        state = self.asks[ask]
        return joined([self._take(state, node, None) for node, workers in spots for _ in range(workers)])

    def holds_on(self, ask: int, spots: Spots) -> bool:
        state = self.caught_up(ask)
        return all(state.fit[node] >= workers for node, workers in spots)

    def profile(self, now_s: int) -> NodeProfile:
        if self._needs is None:
            self._needs = Needs(self.free, self.asks)
        return NodeProfile(self._needs, self.free, self.caught_up, now_s)

    def release(self, ask: int, parts: Iterable[Held]) -> None:
        state = self.asks[ask]
        for part in parts:
            self.free.give_back(state, part)
            self._count_kind(state, part, -1)
            self._log.append(part.node)

    def set_down(self, node: int, *, is_down: bool) -> None:
        """Let a node take nothing from now on, or let it be back."""
        self.free.is_down[node] = is_down
        self._log.append(node)

    def nodes_by_score(self, ask: int) -> list[int]:
        """Return the nodes that hold a worker now, the best first, equal ones by name."""
        return self._scores.by_score(self.caught_up(ask))

    def caught_up(self, ask: int) -> AskState:
        """Return the state of an ask, its fits up to date."""
        state = self.asks[ask]
        if state.position != len(self._log):
            self._catch_up(state)
        return state

    def reserve(self, ask: int, now_s: int, releases: Iterable[tuple[int, int, tuple[Held, ...]]]) -> NodeReservation | None:
        self.caught_up(ask)
        found = NodeReservation(self.free, self.asks, ask)
        return found if found.reach(now_s, releases) else None

    def check_empty(self) -> None:
        self.free.check_empty()

    def chosen(self, state: AskState, domain: int | None) -> int:
        """Return the node that the rule of choice gives one more worker, within a domain where one is given."""
        return self._scores.choose(state, domain, 0, 0)

    def take_worker(self, ask: int, node: int, device: int | None) -> Held:
        """Take room for one worker on a node known to hold it; a share on `device`, or where the node choice puts it."""
        state = self.asks[ask]
        return self._take(state, node, self._scores.device_for(state, node) if device is None else device)

    def take_exactly(self, state: AskState, held: Held) -> None:
        """Take one worker's room as it is told, known to be free."""
        free, node = self.free, held.node
        assert free.holds_exactly(state, held), f"{self.machine.nodes[node]} does not hold what is taken of it"
        free.devices[node], free.shares[node], free.amounts[node] = free.with_taken(state, held, free.state(node))
        self._count_kind(state, held, 1)
        self._log.append(node)

    def _catch_up(self, state: AskState) -> None:
        log, free = self._log, self.free
        if state.position == len(log) - 1:
            node = log[-1]
            state.set_fit(node, free.fit(state, node))
            state.dirty.append(node)
        elif state.position < len(log):
            nodes = dict.fromkeys(log[state.position :])
            for node in nodes:
                state.set_fit(node, free.fit(state, node))
            state.dirty.extend(nodes)
        state.position = len(log)

    def _take(self, state: AskState, node: int, device: int | None) -> Held:
        part = self.free.take(state, node, device)
        self._count_kind(state, part, 1)
        self._log.append(node)
        return part

    def _count_kind(self, state: AskState, part: Held, sign: int) -> None:
        """Count what kinds of workers stand on a node, where the choice looks at them."""
        kind = kind_key(state.kind) if self._scores.choice.sees_kinds else None
        if kind is None:
            return
        there = self.free.kinds[part.node]
        there[kind] = there.get(kind, 0) + sign * part.workers
        if not there[kind]:
            del there[kind]
