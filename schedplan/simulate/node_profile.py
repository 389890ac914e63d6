"""What will be free of every node, by the estimates: steps over time. Devices are counted, single ones are not told apart.

It reserves nothing by itself.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from schedplan.simulate.ask_state import AskState
from schedplan.simulate.capacity import Held, Release, Spots
from schedplan.simulate.free_nodes import FreeNodes

Whole = NDArray[np.int64]


class Needs:
    """What one worker of each ask takes, and what every node has when it is empty: made once for all profiles of a machine."""

    def __init__(self, free: FreeNodes, asks: list[AskState]) -> None:
        machine = free.machine
        slices = [pool.gpus * pool.slices_per_gpu for pool in machine.pools]
        empty = np.array([[of, *amounts] for of, amounts in zip(slices, machine.amounts, strict=True)], dtype=np.int64)
        self.empty: Whole = empty.reshape(1, len(machine.pools), 1 + len(machine.resources))
        self._asks = asks
        self._per_device = np.array(free.per_device, dtype=np.int64)
        self._known: dict[int, tuple[Whole, list[int], NDArray[np.bool_], Whole]] = {}

    def of(self, ask: int) -> tuple[Whole, list[int], NDArray[np.bool_], Whole]:
        """Return (per node and column, columns, whether each node may hold any, per node and all columns) of one worker."""
        found = self._known.get(ask)
        if found is None:
            state = self._asks[ask]
            slices = state.whole * self._per_device if state.whole else np.array(state.slices, dtype=np.int64)
            has_devices = bool(slices.any())
            columns = [0] * has_devices + [1 + idx for idx, _ in state.amounts]
            rows = [[of] * has_devices + [amount for _, amount in state.amounts] for of in slices.tolist()]
            need = np.array(rows, dtype=np.int64).reshape(len(slices), len(columns))
            taken = np.zeros(self.empty.shape[1:], dtype=np.int64)
            taken[:, columns] = need
            found = self._known[ask] = (need, columns, np.array(state.eligible, dtype=np.bool_), taken)
        return found


class NodeProfile:
    """free: int64 [n_steps, n_nodes, 1 + n_amounts], slices of devices first, from at[i] until at[i + 1], the last for ever."""

    def __init__(self, needs: Needs, free: FreeNodes, state_of: Callable[[int], AskState], now_s: int) -> None:
        """state_of: an ask, its fits up to date."""
        self._free = needs.empty.copy()
        self._at = [now_s]
        self._state_of = state_of
        self._needs = needs
        self._is_up = ~np.array(free.is_down, dtype=np.bool_)

    def earliest(self, ask: int, lasts_s: int, now_s: int) -> int | None:
        """Return the first instant from now on from which a job fits for as long as it lasts; None for never."""
        state, at = self._state_of(ask), self._at
        first = max(bisect_right(at, now_s) - 1, 0)
        fit = self._fit(ask, first, len(at))
        fit[0] = np.minimum(fit[0], state.fit)  # now single devices are known
        enough = (fit.sum(axis=1) >= state.workers).tolist()
        idx = 0
        while idx < len(enough):
            start_s = max(at[first + idx], now_s)
            last = idx
            while last < len(enough) and enough[last] and at[first + last] < start_s + lasts_s:
                last += 1
            if last < len(enough) and at[first + last] < start_s + lasts_s:
                idx = last + 1
            elif self._holds(state, fit[idx:last].min(axis=0)):
                return start_s
            else:
                idx += 1
        return None

    def spots(self, ask: int, start_s: int, lasts_s: int, preferred: Iterable[int] | None) -> Spots:
        """Return where a job that fits from an instant on is to stand: nodes are filled in the order of `preferred`, else those
        with the least room first, then by name; within the domain with the least room.
        """
        state = self._state_of(ask)
        first, last = bisect_right(self._at, start_s) - 1, self._step_before(start_s + lasts_s)
        held = self._fit(ask, first, last).min(axis=0)
        room: list[int] = (held if preferred is None else np.minimum(held, state.fit)).tolist()
        if state.domain is not None:
            total = np.bincount(np.maximum(state.domain, 0), weights=room, minlength=len(state.domain_total))
            domain = min((found, idx) for idx, found in enumerate(total.tolist()) if found >= state.workers)[1]
            room = [found if state.domain[node] == domain else 0 for node, found in enumerate(room)]
        order = preferred if preferred is not None else sorted(range(len(room)), key=lambda node: (room[node], node))
        spots: list[tuple[int, int]] = []
        wanted = state.workers
        for node in order:
            count = min(room[node], wanted)
            if count > 0:
                spots.append((node, count))
                wanted -= count
        assert wanted == 0, "a job is to stand where it does not fit"
        return tuple(sorted(spots))

    def hold(self, releases: Iterable[Release], now_s: int) -> None:
        """Let an empty profile hold what runs, given in the order of its release."""
        rows: list[int] = []
        nodes: list[int] = []
        amounts: list[Whole] = []
        for time_s, ask, parts in releases:
            at_s = max(time_s, now_s + 1)
            if at_s > self._at[-1]:
                self._at.append(at_s)
            per_worker = self._needs.of(ask)[3]
            for part in parts:
                rows.append(len(self._at) - 1)
                nodes.append(part.node)
                amounts.append(part.workers * per_worker[part.node])
        back = np.zeros((len(self._at), *self._free.shape[1:]), dtype=np.int64)
        if rows:
            np.add.at(back, (rows, nodes), np.array(amounts))
        self._free = self._free - back.sum(axis=0) + back.cumsum(axis=0)

    def occupy(self, ask: int, parts: Iterable[Held]) -> None:
        """Let parts be taken for ever."""
        per_worker = self._needs.of(ask)[3]
        for part in parts:
            self._free[:, part.node] -= part.workers * per_worker[part.node]

    def change(self, ask: int, spots: Spots, start_s: int, end_s: int, sign: int) -> None:
        """Let spots be taken (sign 1) or given back (-1) from start_s until end_s."""
        if start_s >= end_s:
            return
        first, last = self._step(start_s), self._step(end_s)
        need, columns, _, _ = self._needs.of(ask)
        for node, workers in spots:
            self._free[first:last, node, columns] -= sign * workers * need[node]

    def forget_before(self, now_s: int) -> None:
        """Drop the steps that are past."""
        past = bisect_right(self._at, now_s) - 1
        if past > 0:
            del self._at[:past]
            self._free = self._free[past:]

    def _step(self, at_s: int) -> int:
        """Return the step that begins at an instant, made where there is none."""
        idx = bisect_right(self._at, at_s) - 1
        if idx >= 0 and self._at[idx] == at_s:
            return idx
        self._at.insert(idx + 1, at_s)
        self._free = np.insert(self._free, idx + 1, self._free[max(idx, 0)], axis=0)
        return idx + 1

    def _step_before(self, at_s: int) -> int:
        """Return one after the last step that begins before an instant."""
        idx = bisect_right(self._at, at_s - 1)
        return max(idx, 1)

    def _fit(self, ask: int, first: int, last: int) -> Whole:
        """Return how many workers each node holds in some steps, int64 [n_steps, n_nodes]."""
        need, columns, may, _ = self._needs.of(ask)
        state = self._state_of(ask)
        if not columns:
            return np.where(may & self._is_up, state.most, 0)[None, :].repeat(last - first, axis=0)
        fit = np.full((last - first, len(may)), state.most, dtype=np.int64)
        for idx, column in enumerate(columns):
            held = np.maximum(self._free[first:last, :, column], 0) // np.maximum(need[:, idx], 1)
            np.minimum(fit, held, out=fit)
        fit[:, ~(may & self._is_up)] = 0
        return fit

    def _holds(self, state: AskState, room: Whole) -> bool:
        if state.domain is None:
            return int(room.sum()) >= state.workers
        total = np.bincount(np.maximum(state.domain, 0), weights=room, minlength=len(state.domain_total))
        return bool(total.max(initial=0.0) >= state.workers)
