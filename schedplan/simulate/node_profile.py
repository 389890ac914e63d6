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
        used = sorted({0, *(1 + idx for state in asks for idx, _ in state.amounts)})
        self._column = {resource: column for column, resource in enumerate(used)}
        self.empty: Whole = empty.reshape(len(machine.pools), 1 + len(machine.resources))[:, used]
        self._asks = asks
        self._per_device = np.array(free.per_device, dtype=np.int64)
        self._known: dict[int, tuple[Whole, list[int], NDArray[np.bool_], Whole]] = {}
        self._rows: dict[tuple[int, int], list[int]] = {}

    def of(self, ask: int) -> tuple[Whole, list[int], NDArray[np.bool_], Whole]:
        """Return (per node and column, at least 1; columns; which nodes may hold none; per node and all columns) of a worker."""
        found = self._known.get(ask)
        if found is None:
            state = self._asks[ask]
            slices = state.whole * self._per_device if state.whole else np.array(state.slices, dtype=np.int64)
            has_devices = bool(slices.any())
            columns = [0] * has_devices + [self._column[1 + idx] for idx, _ in state.amounts]
            rows = [[of] * has_devices + [amount for _, amount in state.amounts] for of in slices.tolist()]
            need = np.array(rows, dtype=np.int64).reshape(len(slices), len(columns))
            taken = np.zeros(self.empty.shape, dtype=np.int64)
            taken[:, columns] = need
            found = self._known[ask] = (np.maximum(need, 1), columns, ~np.array(state.eligible, dtype=np.bool_), taken)
        return found

    def row(self, ask: int, node: int) -> list[int]:
        """Return what one worker takes of a node, per column."""
        found = self._rows.get((ask, node))
        if found is None:
            found = self._rows[ask, node] = self.of(ask)[3][node].tolist()
        return found


class NodeProfile:
    """free: int64 [n_steps or more, n_nodes, n_columns], slices of devices first, then what any ask counts; from at[i] until
    at[i + 1], the last for ever. last_fit: what `_fit` last returned, and for what, until anything changes.
    """

    def __init__(self, needs: Needs, free: FreeNodes, state_of: Callable[[int], AskState], now_s: int) -> None:
        """state_of: an ask, its fits up to date."""
        self._free: Whole = needs.empty[None].copy()
        self._at = [now_s]
        self._state_of = state_of
        self._needs = needs
        self._is_down = np.array(free.is_down, dtype=np.bool_)
        self._last_fit: tuple[tuple[int, int, int], Whole] | None = None

    def earliest(self, ask: int, lasts_s: int, now_s: int) -> int | None:
        """Return the first instant from now on from which a job fits for as long as it lasts; None for never."""
        state, at = self._state_of(ask), self._at
        first = max(bisect_right(at, now_s) - 1, 0)
        fit = self._fit(ask, first, len(at))
        total = fit.sum(axis=1).tolist()
        total[0] = int(np.minimum(fit[0], state.fit).sum())  # now single devices are known
        enough = [found >= state.workers for found in total]
        idx = 0
        while idx < len(enough):
            start_s = max(at[first + idx], now_s)
            last = idx
            while last < len(enough) and enough[last] and at[first + last] < start_s + lasts_s:
                last += 1
            if last < len(enough) and at[first + last] < start_s + lasts_s:
                idx = last + 1
            elif self._holds(state, self._least(fit, idx, last, state)):
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
        if preferred is not None:
            order = [node for node in preferred if room[node] > 0]
        else:
            order = [node for _, node in sorted((found, node) for node, found in enumerate(room) if found > 0)]
        spots: list[tuple[int, int]] = []
        wanted = state.workers
        for node in order:
            if not wanted:
                break
            count = min(room[node], wanted)
            spots.append((node, count))
            wanted -= count
        assert wanted == 0, "a job is to stand where it does not fit"
        return tuple(sorted(spots))

    def hold(self, releases: Iterable[Release], now_s: int) -> None:
        """Let an empty profile hold what runs, given in the order of its release."""
        rows: list[int] = []
        nodes: list[int] = []
        amounts: list[list[int]] = []
        for time_s, ask, parts in releases:
            at_s = max(time_s, now_s + 1)
            if at_s > self._at[-1]:
                self._at.append(at_s)
            for part in parts:
                rows.append(len(self._at) - 1)
                nodes.append(part.node)
                amounts.append([part.workers * amount for amount in self._needs.row(ask, part.node)])
        back = np.zeros((len(self._at), *self._free.shape[1:]), dtype=np.int64)
        if rows:
            np.add.at(back, (rows, nodes), amounts)
        gained = back.cumsum(axis=0)
        self._free = self._free[0] - gained[-1] + gained
        self._last_fit = None

    def occupy(self, ask: int, parts: Iterable[Held]) -> None:
        """Let parts be taken for ever."""
        per_worker = self._needs.of(ask)[3]
        for part in parts:
            self._free[:, part.node] -= part.workers * per_worker[part.node]
        self._last_fit = None

    def change(self, ask: int, spots: Spots, start_s: int, end_s: int, sign: int) -> None:
        """Let spots be taken (sign 1) or given back (-1) from start_s until end_s."""
        if start_s >= end_s:
            return
        first, last = self._step(start_s), self._step(end_s)
        taken, free = self._needs.of(ask)[3], self._free[first:last]
        for node, workers in spots:
            free[:, node] -= sign * workers * taken[node]
        self._last_fit = None

    def forget_before(self, now_s: int) -> None:
        """Drop the steps that are past."""
        past = bisect_right(self._at, now_s) - 1
        if past > 0:
            del self._at[:past]
            self._free = self._free[past:]
            self._last_fit = None

    def _step(self, at_s: int) -> int:
        """Return the step that begins at an instant, made where there is none."""
        idx = bisect_right(self._at, at_s) - 1
        if idx >= 0 and self._at[idx] == at_s:
            return idx
        steps, free = len(self._at), self._free
        self._at.insert(idx + 1, at_s)
        if steps == len(free):
            self._free = np.empty((2 * steps + 8, *free.shape[1:]), dtype=np.int64)
            self._free[: idx + 1] = free[: idx + 1]
        self._free[idx + 2 : steps + 1] = free[idx + 1 : steps]
        self._free[idx + 1] = self._free[idx if idx >= 0 else 1]
        return idx + 1

    def _step_before(self, at_s: int) -> int:
        """Return one after the last step that begins before an instant."""
        idx = bisect_right(self._at, at_s - 1)
        return max(idx, 1)

    def _fit(self, ask: int, first: int, last: int) -> Whole:
        """Return how many workers each node holds in some steps, int64 [n_steps, n_nodes]."""
        if self._last_fit is not None:
            (known_ask, known_first, known_last), known = self._last_fit
            if known_ask == ask and known_first <= first and last <= known_last:
                return known[first - known_first : last - known_first]
        need, columns, may_not, _ = self._needs.of(ask)
        state = self._state_of(ask)
        fit = np.full((last - first, len(may_not)), state.most, dtype=np.int64)
        for idx, column in enumerate(columns):
            np.minimum(fit, self._free[first:last, :, column] // need[:, idx], out=fit)
        np.maximum(fit, 0, out=fit)
        fit[:, may_not | self._is_down] = 0
        self._last_fit = ((ask, first, last), fit)
        return fit

    @staticmethod
    def _least(fit: Whole, first: int, last: int, state: AskState) -> Whole:
        """Return how many workers each node holds in all of some steps, of which step 0 is now."""
        found: Whole = fit[first:last].min(axis=0)
        return np.minimum(found, state.fit) if first == 0 else found

    def _holds(self, state: AskState, room: Whole) -> bool:
        if state.domain is None:
            return int(room.sum()) >= state.workers
        total = np.bincount(np.maximum(state.domain, 0), weights=room, minlength=len(state.domain_total))
        return bool(total.max(initial=0.0) >= state.workers)
