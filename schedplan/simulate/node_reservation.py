"""Room kept for one blocked job on the nodes of a machine, from the instant from which it fits by the estimates."""

from __future__ import annotations

from collections.abc import Iterable

from schedplan.simulate.ask_state import AskState
from schedplan.simulate.capacity import Held
from schedplan.simulate.free_nodes import FreeNodes, NodeState


class NodeReservation:
    """The state of the machine at the instant from which a blocked job fits by the estimates.

    `states` holds the nodes whose state there is another than now, or will be; all others are as they are. The head's fits must
    be up to date when it is made.
    """

    def __init__(self, free: FreeNodes, asks: list[AskState], ask: int) -> None:
        self._free = free
        self._asks = asks
        self._head = asks[ask]
        self._states: dict[int, NodeState] = {}
        self._fit: dict[int, int] = {}
        self._domain: int | None = None
        self.surplus = 0
        self.time_s = 0

    def reach(self, now_s: int, releases: Iterable[tuple[int, int, tuple[Held, ...]]]) -> bool:
        """Go from release to release until the head fits; all releases of one instant count. False where it never does."""
        head, free, asks = self._head, self._free, self._asks
        total, by_domain = head.total, list(head.domain_total)
        self.time_s = now_s
        touched: dict[int, None] = {}
        for time_s, ask, parts in releases:
            at_s = max(time_s, now_s + 1)
            if at_s > self.time_s:
                total += self._refit(touched, by_domain)
                if self._settle(total, by_domain):
                    return True
                self.time_s = at_s
            for part in parts:
                node = part.node
                self._states[node] = free.with_back(asks[ask], part, self._state(node))
                touched[node] = None
        total += self._refit(touched, by_domain)
        return self._settle(total, by_domain)

    def passes_by(self, ask: int, parts: tuple[Held, ...]) -> None:
        for part in parts:
            self._keep_before(ask, part)

    def spares(self, ask: int, parts: tuple[Held, ...]) -> bool:
        lost = 0
        after: list[tuple[int, NodeState, int]] = []
        for part in parts:
            node = part.node
            self._keep_before(ask, part)
            state = self._free.with_taken(self._asks[ask], part, self._states[node])
            fit = self._free.fit_in(self._head, node, state)
            if self._domain is None or self._head.domain_of(node) == self._domain:
                lost += self._fit[node] - fit
            after.append((node, state, fit))
        if lost > self.surplus:
            return False
        self.surplus -= lost
        for node, state, fit in after:
            self._states[node], self._fit[node] = state, fit
        return True

    def _state(self, node: int) -> NodeState:
        found = self._states.get(node)
        return self._free.state(node) if found is None else found

    def _keep_before(self, ask: int, part: Held) -> None:
        """Keep the state of a node as it was before a part, already placed on it."""
        node = part.node
        if node not in self._states:
            before = self._free.with_back(self._asks[ask], part, self._free.state(node))
            self._states[node] = before
            self._fit[node] = self._free.fit_in(self._head, node, before)

    def _refit(self, touched: dict[int, None], by_domain: list[int]) -> int:
        """Bring the head's fit of touched nodes up to date; return what its total gains."""
        gained = 0
        for node in touched:
            before = self._fit.get(node, self._head.fit[node])
            fit = self._free.fit_in(self._head, node, self._states[node])
            self._fit[node] = fit
            gained += fit - before
            domain = self._head.domain_of(node)
            if domain is not None and domain >= 0:
                by_domain[domain] += fit - before
        touched.clear()
        return gained

    def _settle(self, total: int, by_domain: list[int]) -> bool:
        """Whether the head fits; if so, in which domain and with how many workers to spare."""
        workers = self._head.workers
        if self._head.domain is None:
            self.surplus = total - workers
            return self.surplus >= 0
        holding = [(found, idx) for idx, found in enumerate(by_domain) if found >= workers]
        if not holding:
            return False
        found, self._domain = min(holding)
        self.surplus = found - workers
        return True
