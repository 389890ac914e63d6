"""How good nodes are for one more worker of an ask, under one rule of choice, and which is taken.

Scores are kept per ask and brought up to date only where a node changed, and by what they may depend on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable

import numpy as np
from numpy.typing import NDArray

from schedplan.engines.fragmentation import POPULAR
from schedplan.engines.node_choice import kind_of
from schedplan.engines.part import NodeChoice, NodeScore, Tie
from schedplan.model.view import NodesView
from schedplan.simulate.ask_state import AskState, StateKey
from schedplan.simulate.draw import TIE, drawn
from schedplan.simulate.free_nodes import FreeNodes
from schedplan.simulate.work import Ask
from schedplan.units import MICRO

NOWHERE = float("-inf")
MOST_KEPT = 100_000
"""Scores kept per ask, our choice; nodes of few kinds and shapes have far fewer states."""


class NodeScores:
    """The rule of choice on the nodes of a machine."""

    def __init__(self, free: FreeNodes, choice: NodeChoice, seed: int, typical: NDArray[np.float64]) -> None:
        machine = free.machine
        self._free = free
        self.choice = choice
        self._seed = seed
        self._typical = typical
        kinds = {pool: idx for idx, pool in enumerate(dict.fromkeys(machine.pools))}
        self._kind = [kinds[pool] for pool in machine.pools]
        self._total = np.where(machine.total > 0, machine.total, np.nan)
        self._unstated = np.isnan(self._total)
        largest = np.nan_to_num(self._total, nan=0.0).max(axis=0, initial=0.0)
        self._most = np.where(largest > 0, largest, np.nan)
        self._widest = max((pool.gpus for pool in machine.pools), default=0)

    def choose(
        self,
        ask: AskState,
        domain: int | None,
        job: int,
        worker: int,
        full: Collection[int] = (),
        last: Collection[int] = (),
    ) -> int:
        """Return the node for one more worker, within a domain where one is given, none that is `full` for this job; one of `last`
        where no other holds it."""
        if self.choice.score is None:
            return next(
                node
                for node, fit in enumerate(ask.fit)
                if fit and node not in full and (domain is None or ask.domain_of(node) == domain)
            )
        scores = self.scored(ask)
        if domain is not None:
            scores = np.where(np.asarray(ask.domain) == domain, scores, NOWHERE)
        if full:
            scores = _without(scores, full)
        if last:
            others = _without(scores, last)
            scores = others if others.max() > NOWHERE else scores
        best = int(scores.argmax())
        if self.choice.tie is Tie.SMALLEST_NAME:
            return best
        ties = np.flatnonzero(scores == scores[best])
        return int(ties[drawn(self._seed, TIE, job, worker) % len(ties)])

    def device_for(self, ask: AskState, node: int) -> int | None:
        """Return the device of a node that a share is to go to, None where the rule leaves that open."""
        if self.choice.device is None or not ask.slices[node]:
            return None
        return self.choice.device(self._view([node]), ask.asked)

    def by_score(self, ask: AskState) -> list[int]:
        """Return the nodes that hold a worker now, the best first, equal ones by name."""
        fitting = [node for node, fit in enumerate(ask.fit) if fit]
        if self.choice.score is None:
            return fitting
        scores = self.scored(ask)
        return sorted(fitting, key=lambda node: (-scores[node], node))

    def scored(self, ask: AskState) -> NDArray[np.float64]:
        """Return the score of every node, NOWHERE for those that hold no worker, float64 [n_nodes]."""
        score = self.choice.score
        assert score is not None
        if ask.scores is None:
            ask.scores = np.full(len(ask.fit), NOWHERE)
        unknown: list[tuple[int, StateKey]] = []
        for node in dict.fromkeys(ask.dirty):
            if not ask.fit[node]:
                ask.scores[node] = NOWHERE
                continue
            key = self._key_of(node)
            known = ask.score_of.get(key)
            if known is None:
                unknown.append((node, key))
            else:
                ask.scores[node] = known
        ask.dirty.clear()
        if unknown:
            self._score(ask, score, unknown)
        return ask.scores

    def _score(self, ask: AskState, score: NodeScore, unknown: list[tuple[int, StateKey]]) -> None:
        """Score nodes in a state not seen before, and keep it by what the score may depend on."""
        nodes = [node for node, _ in unknown]
        values = score(self._view(nodes), ask.asked)
        assert ask.scores is not None
        ask.scores[nodes] = values
        if len(ask.score_of) > MOST_KEPT:
            ask.score_of.clear()
        ask.score_of.update(zip((key for _, key in unknown), values.tolist(), strict=True))

    def _key_of(self, node: int) -> StateKey:
        free, choice = self._free, self.choice
        shares: object = sum(free.shares[node].values())
        if choice.sees_devices:
            shares = tuple(sorted(free.shares[node].values()))
        elif choice.sees_kinds:
            shares = (shares, self._kinds_on(node))
        return self._kind[node], free.devices[node].bit_count(), shares, tuple(free.amounts[node])

    def _view(self, nodes: list[int]) -> NodesView:
        """Return what is free of nodes as policies see it, made anew from the whole numbers so that equal is equal."""
        of, choice = self._free, self.choice
        rows = [
            (
                of.devices[node].bit_count() + sum(of.shares[node].values()) / of.per_device[node],
                *(amount / MICRO for amount in of.amounts[node]),
            )
            for node in nodes
        ]
        free = np.array(rows, dtype=np.float64)
        free[self._unstated[nodes]] = np.nan
        devices = np.array([self._devices_of(node) for node in nodes]) if choice.sees_devices else None
        kinds = tuple(self._kinds_on(node) for node in nodes) if choice.sees_kinds else ()
        return NodesView(free, self._total[nodes], self._most, devices, kinds, self._typical)

    def _devices_of(self, node: int) -> list[float]:
        whole, shares, per_device = self._free.devices[node], self._free.shares[node], self._free.per_device[node]
        return [1.0 if whole >> device & 1 else shares.get(device, 0) / per_device for device in range(self._widest)]

    def _kinds_on(self, node: int) -> tuple[float, ...]:
        return tuple(sorted(self._free.kinds[node]))


def _without(scores: NDArray[np.float64], nodes: Collection[int]) -> NDArray[np.float64]:
    found = scores.copy()
    found[list(nodes)] = NOWHERE
    return found


def typical_shapes(asks: tuple[Ask, ...], jobs: Iterable[int]) -> NDArray[np.float64]:
    """Return the most frequent shapes of workers, up to POPULAR of all, as (devices, share of each, cores, frequency).

    jobs: ask (index) of each job. float64 [n_typical, 4].
    """
    counts: Counter[tuple[float, float, float]] = Counter()
    for ask, times in Counter(jobs).items():
        shape = asks[ask].shape
        counts[float(max(round(shape.gpus), 1)) if shape.gpus else 0.0, min(shape.gpus, 1.0), shape.cpus] += (
            times * asks[ask].workers
        )
    total, reached, rows = sum(counts.values()), 0, []
    for shape_of, times in sorted(counts.items(), key=lambda one: (-one[1], one[0])):
        if reached >= POPULAR * total:
            break
        rows.append((*shape_of, times / total))
        reached += times
    return np.array(rows, dtype=np.float64).reshape(len(rows), 4)


def kind_key(gpus: float) -> float | None:
    """Return under which kind a worker is counted on its node; None for one without devices."""
    return kind_of(gpus) if gpus > 0 else None
