"""A machine kept node by node: devices and shares of them, cores, memory, other resources, and who may stand where.

Fits and scores of an ask are kept per node and brought up to date only where something changed since they were last looked at.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from schedplan.engines.policy import NodeChoice, NodeScore, Tie
from schedplan.measures.eligibility import refusal
from schedplan.model.cluster import Market, Pool
from schedplan.model.view import NodesView
from schedplan.model.workload import Topology
from schedplan.simulate.capacity import Held
from schedplan.simulate.draw import TIE, drawn
from schedplan.simulate.machine import Machine
from schedplan.simulate.work import Ask
from schedplan.units import MICRO, micro, slices_of

NOWHERE = float("-inf")
_DOMAINS = {Topology.BLOCK: "block", Topology.RACK: "rack", Topology.ZONE: "zone"}
_ONE_NODE = (Topology.NODE, Topology.DEVICE_GROUP)

MOST_KEPT = 100_000
"""Scores kept per ask, our choice; nodes of few kinds and shapes have far fewer states."""

NodeState = tuple[int, dict[int, int], list[int]]
StateKey = tuple[int, int, int, tuple[int, ...]]


class AskState:
    """What an ask needs of each node, how many of its workers each holds now, and how good each is for the next."""

    __slots__ = (
        "amounts",
        "asked",
        "dirty",
        "domain",
        "domain_total",
        "eligible",
        "fit",
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


def _may_stand(pool: Pool, ask: Ask) -> bool:
    return refusal(pool, ask.shape) is None and (ask.spot_ok or pool.market is not Market.SPOT)


def _domains(machine: Machine, ask: Ask) -> list[int] | None:
    """Return the number of each node's domain by name, -1 for a node in none; None where any nodes will do."""
    if ask.topology in _ONE_NODE:
        return list(range(len(machine.pools)))
    if ask.topology not in _DOMAINS:
        return None
    names = [getattr(pool, _DOMAINS[ask.topology]) for pool in machine.pools]
    number = {name: idx for idx, name in enumerate(sorted({name for name in names if name is not None}))}
    return [-1 if name is None else number[name] for name in names]


class NodeCapacity:
    """Every node with what is free of it, under one rule of node choice."""

    def __init__(self, machine: Machine, asks: tuple[Ask, ...], choice: NodeChoice, seed: int = 0) -> None:
        self.machine = machine
        self._choice = choice
        self._seed = seed
        self._gpus = [pool.gpus for pool in machine.pools]
        self._per_device = [pool.slices_per_gpu for pool in machine.pools]
        kinds = {pool: idx for idx, pool in enumerate(dict.fromkeys(machine.pools))}
        self._kind = [kinds[pool] for pool in machine.pools]
        self.devices: list[int] = [(1 << pool.gpus) - 1 for pool in machine.pools]
        self.shares: list[dict[int, int]] = [{} for _ in machine.pools]
        self.amounts: list[list[int]] = [list(amounts) for amounts in machine.amounts]
        self._total = np.where(machine.total > 0, machine.total, np.nan)
        self._unstated = np.isnan(self._total)
        largest = np.nan_to_num(self._total, nan=0.0).max(axis=0, initial=0.0)
        self._most = np.where(largest > 0, largest, np.nan)
        self._log: list[int] = []
        self.asks = [AskState(machine, ask) for ask in asks]
        for state in self.asks:
            for node in range(len(machine.pools)):
                self._refit(state, node)

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

    def workers_fit(self, ask: int) -> int:
        state = self.asks[ask]
        if state.position != len(self._log):
            self._catch_up(state)
        return min(state.total if state.domain is None else max(state.domain_total, default=0), state.workers)

    def place(self, ask: int, job: int, workers: int, first: int) -> tuple[Held, ...]:
        state = self.asks[ask]
        self._catch_up(state)
        domain = self._tightest_domain(state, workers)
        parts: list[Held] = []
        for worker in range(first, first + workers):
            node = self._choose(state, domain, job, worker)
            parts.append(self._take(state, node))
            self._catch_up(state)
        return tuple(parts) if workers == 1 else _joined(parts)

    def place_on(self, ask: int, spots: Iterable[tuple[int, int]]) -> tuple[Held, ...]:
        """Take room on named nodes, (node, workers) each, known to hold them."""
        state = self.asks[ask]
        return _joined([self._take(state, node) for node, workers in spots for _ in range(workers)])

    def release(self, ask: int, parts: Iterable[Held]) -> None:
        state = self.asks[ask]
        for part in parts:
            node = part.node
            freed, shares, amounts = _given_back(
                state, part, self.devices[node], self.shares[node], self.amounts[node], self._per_device[node]
            )
            self.devices[node], self.shares[node], self.amounts[node] = freed, shares, amounts
            self._log.append(node)

    def fit_of(self, state: AskState, node: int, held: NodeState) -> int:
        """Return how many workers of an ask a node in some state holds."""
        devices, shares, amounts = held
        if not state.eligible[node]:
            return 0
        found = state.most
        if state.whole:
            found = min(found, devices.bit_count() // state.whole)
        elif state.slices[node]:
            slices = state.slices[node]
            of_whole = devices.bit_count() * (self._per_device[node] // slices)
            found = min(found, of_whole + sum(free // slices for free in shares.values()))
        for idx, amount in state.amounts:
            found = min(found, amounts[idx] // amount)
        return found

    def state_of(self, node: int) -> NodeState:
        """Return a copy of what is free of a node."""
        return self.devices[node], dict(self.shares[node]), list(self.amounts[node])

    def with_back(self, ask: int, part: Held, held: NodeState) -> NodeState:
        """Return a state of a node with a part given back to it."""
        return _given_back(self.asks[ask], part, *held, self._per_device[part.node])

    def with_taken(self, ask: int, part: Held, held: NodeState) -> NodeState:
        """Return a state of a node with a part taken from it."""
        state = self.asks[ask]
        devices, shares, amounts = held
        shares, amounts = dict(shares), list(amounts)
        devices &= ~part.devices
        for device, slices in part.shares:
            if devices >> device & 1:
                devices ^= 1 << device
                shares[device] = self._per_device[part.node]
            shares[device] = shares.get(device, 0) - slices
            if shares[device] <= 0:
                del shares[device]
        for idx, amount in state.amounts:
            amounts[idx] -= amount * part.workers
        return devices, shares, amounts

    def with_workers(self, ask: int, node: int, workers: int, held: NodeState) -> NodeState | None:
        """Return a state of a node with so many workers taken from it, None where it does not hold them."""
        state = self.asks[ask]
        for _ in range(workers):
            part = self._part_from(state, node, held)
            if part is None:
                return None
            held = self.with_taken(ask, part, held)
        return held

    def nodes_by_score(self, ask: int) -> list[int]:
        """Return the nodes that hold a worker now, the best first, equal ones by name."""
        state = self.caught_up(ask)
        fitting = [node for node, fit in enumerate(state.fit) if fit]
        if self._choice.score is None:
            return fitting
        scores = self._scored(state)
        return sorted(fitting, key=lambda node: (-scores[node], node))

    def caught_up(self, ask: int) -> AskState:
        """Return the state of an ask, its fits up to date."""
        state = self.asks[ask]
        self._catch_up(state)
        return state

    def reserve(self, ask: int, now_s: int, releases: Iterable[tuple[int, int, tuple[Held, ...]]]) -> NodeReservation | None:
        found = NodeReservation(self, ask)
        return found if found.reach(now_s, releases) else None

    def check_empty(self) -> None:
        for node, gpus in enumerate(self._gpus):
            name = self.machine.nodes[node]
            assert self.devices[node] == (1 << gpus) - 1, f"{name} ends with other devices than it began with"
            assert not self.shares[node], f"{name} ends with a shared device"
            assert tuple(self.amounts[node]) == self.machine.amounts[node], f"{name} ends with other amounts than it began with"

    def _catch_up(self, state: AskState) -> None:
        log = self._log
        if state.position == len(log):
            return
        changed = log[state.position] if state.position == len(log) - 1 else None
        if changed is not None:
            self._refit(state, changed)
            state.dirty.append(changed)
        else:
            nodes = dict.fromkeys(log[state.position :])
            for node in nodes:
                self._refit(state, node)
            state.dirty.extend(nodes)
        state.position = len(log)

    def _refit(self, state: AskState, node: int) -> None:
        new = self.fit_of(state, node, (self.devices[node], self.shares[node], self.amounts[node]))
        gained = new - state.fit[node]
        if gained:
            state.fit[node] = new
            state.total += gained
            if state.domain is not None:
                state.domain_total[state.domain[node]] += gained

    def _tightest_domain(self, state: AskState, workers: int) -> int | None:
        """Return the domain with the least room that still holds so many workers, the first by name; None for any nodes."""
        if state.domain is None:
            return None
        return min((total, idx) for idx, total in enumerate(state.domain_total) if total >= workers)[1]

    def _choose(self, state: AskState, domain: int | None, job: int, worker: int) -> int:
        """Return the node for one more worker."""
        if self._choice.score is None:
            return next(node for node, fit in enumerate(state.fit) if fit and (domain is None or _domain(state, node) == domain))
        scores = self._scored(state)
        if domain is not None:
            scores = np.where(np.asarray(state.domain) == domain, scores, NOWHERE)
        best = int(scores.argmax())
        if self._choice.tie is Tie.SMALLEST_NAME:
            return best
        ties = np.flatnonzero(scores == scores[best])
        return int(ties[drawn(self._seed, TIE, job, worker) % len(ties)])

    def _scored(self, state: AskState) -> NDArray[np.float64]:
        score = self._choice.score
        assert score is not None
        if state.scores is None:
            state.scores = np.full(len(state.fit), NOWHERE)
        unknown: list[tuple[int, StateKey]] = []
        for node in dict.fromkeys(state.dirty):
            if not state.fit[node]:
                state.scores[node] = NOWHERE
                continue
            key = self._key_of(node)
            known = state.score_of.get(key)
            if known is None:
                unknown.append((node, key))
            else:
                state.scores[node] = known
        state.dirty.clear()
        if unknown:
            self._score(state, score, unknown)
        return state.scores

    def _score(self, state: AskState, score: NodeScore, unknown: list[tuple[int, StateKey]]) -> None:
        """Score nodes in a state not seen before, and keep it by what the score may depend on."""
        nodes = [node for node, _ in unknown]
        values = score(NodesView(self._free_of(nodes), self._total[nodes], self._most), state.asked)
        assert state.scores is not None
        state.scores[nodes] = values
        if len(state.score_of) > MOST_KEPT:
            state.score_of.clear()
        state.score_of.update(zip((key for _, key in unknown), values.tolist(), strict=True))

    def _key_of(self, node: int) -> StateKey:
        return self._kind[node], self.devices[node].bit_count(), sum(self.shares[node].values()), tuple(self.amounts[node])

    def _free_of(self, nodes: list[int]) -> NDArray[np.float64]:
        """Return what is free of nodes as policies see it, made anew from the whole numbers so that equal is equal."""
        rows = [
            (
                self.devices[node].bit_count() + sum(self.shares[node].values()) / self._per_device[node],
                *(amount / MICRO for amount in self.amounts[node]),
            )
            for node in nodes
        ]
        free = np.array(rows, dtype=np.float64)
        free[self._unstated[nodes]] = np.nan
        return free

    def _take(self, state: AskState, node: int) -> Held:
        """Take room for one worker on a node known to hold it: devices by the smallest number, a share on the fullest device."""
        devices, shares = 0, self.shares[node]
        shared: tuple[tuple[int, int], ...] = ()
        if state.whole:
            free = self.devices[node]
            for _ in range(state.whole):
                lowest = free & -free
                assert lowest, f"{self.machine.nodes[node]} has no free device left"
                devices |= lowest
                free ^= lowest
            self.devices[node] = free
        elif state.slices[node]:
            slices = state.slices[node]
            device = self._shared_device(node, slices)
            left = shares.pop(device, 0) - slices
            assert left >= 0, f"device {device} of {self.machine.nodes[node]} has no such share left"
            if left:
                shares[device] = left
            shared = ((device, slices),)
        amounts = self.amounts[node]
        for idx, amount in state.amounts:
            amounts[idx] -= amount
            assert amounts[idx] >= 0, f"{self.machine.nodes[node]} has no {self.machine.resources[idx]} left"
        self._log.append(node)
        return Held(node, 1, devices, shared)

    def _part_from(self, state: AskState, node: int, held: NodeState) -> Held | None:
        """Return what one worker would take from a state of a node; None where it does not hold one."""
        devices, shares, amounts = held
        if any(amounts[idx] < amount for idx, amount in state.amounts) or devices.bit_count() < state.whole:
            return None
        if state.whole:
            taken = 0
            for _ in range(state.whole):
                taken |= (devices & ~taken) & -(devices & ~taken)
            return Held(node, 1, taken)
        slices = state.slices[node]
        if not slices:
            return Held(node, 1)
        fitting = [(free, device) for device, free in shares.items() if free >= slices]
        if fitting:
            return Held(node, 1, 0, ((min(fitting)[1], slices),))
        return Held(node, 1, 0, (((devices & -devices).bit_length() - 1, slices),)) if devices else None

    def _shared_device(self, node: int, slices: int) -> int:
        """Return the fullest device that holds a share, the smallest number of those; one that is free is opened for it."""
        shares = self.shares[node]
        fitting = [(free, device) for device, free in shares.items() if free >= slices]
        if fitting:
            return min(fitting)[1]
        free = self.devices[node]
        device = (free & -free).bit_length() - 1
        assert device >= 0, f"{self.machine.nodes[node]} has no free device left"
        self.devices[node] = free & (free - 1)
        shares[device] = self._per_device[node]
        return device


def _domain(state: AskState, node: int) -> int | None:
    return None if state.domain is None else state.domain[node]


def _given_back(
    state: AskState, part: Held, devices: int, shares: dict[int, int], amounts: list[int], per_device: int
) -> tuple[int, dict[int, int], list[int]]:
    """Return what is free of a node once a part is given back."""
    assert not devices & part.devices, "a device is given back that is free"
    devices |= part.devices
    if part.shares:
        shares = dict(shares)
        for device, slices in part.shares:
            free = shares.pop(device, 0) + slices
            assert free <= per_device, "more of a device is given back than was held"
            if free == per_device:
                devices |= 1 << device
            else:
                shares[device] = free
    if state.amounts:
        amounts = list(amounts)
        for idx, amount in state.amounts:
            amounts[idx] += amount * part.workers
    return devices, shares, amounts


def _joined(parts: list[Held]) -> tuple[Held, ...]:
    """Return parts with those of one node made one, by node."""
    found: dict[int, Held] = {}
    for part in parts:
        before = found.get(part.node)
        if before is None:
            found[part.node] = part
        else:
            shares = before.shares + part.shares
            found[part.node] = Held(part.node, before.workers + part.workers, before.devices | part.devices, shares)
    return tuple(found[node] for node in sorted(found))


class NodeReservation:
    """The state of the machine at the instant from which a blocked job fits by the estimates.

    `states` holds the nodes whose state there is another than now, or will be; all others are as they are.
    """

    def __init__(self, capacity: NodeCapacity, ask: int) -> None:
        self._capacity = capacity
        self._head = capacity.caught_up(ask)
        self._states: dict[int, NodeState] = {}
        self._fit: dict[int, int] = {}
        self._domain: int | None = None
        self.surplus = 0
        self.time_s = 0

    def reach(self, now_s: int, releases: Iterable[tuple[int, int, tuple[Held, ...]]]) -> bool:
        """Go from release to release until the head fits; all releases of one instant count. False where it never does."""
        head, capacity = self._head, self._capacity
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
                self._states[node] = capacity.with_back(ask, part, self._state(node))
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
            state = self._capacity.with_taken(ask, part, self._states[node])
            fit = self._capacity.fit_of(self._head, node, state)
            if self._domain is None or _domain(self._head, node) == self._domain:
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
        return self._capacity.state_of(node) if found is None else found

    def _keep_before(self, ask: int, part: Held) -> None:
        """Keep the state of a node as it was before a part, already placed on it."""
        node = part.node
        if node not in self._states:
            before = self._capacity.with_back(ask, part, self._capacity.state_of(node))
            self._states[node] = before
            self._fit[node] = self._capacity.fit_of(self._head, node, before)

    def _refit(self, touched: dict[int, None], by_domain: list[int]) -> int:
        """Bring the head's fit of touched nodes up to date; return what its total gains."""
        gained = 0
        for node in touched:
            before = self._fit.get(node, self._head.fit[node])
            fit = self._capacity.fit_of(self._head, node, self._states[node])
            self._fit[node] = fit
            gained += fit - before
            domain = _domain(self._head, node)
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
