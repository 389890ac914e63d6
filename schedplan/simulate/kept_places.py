"""Places kept for expected work, as parts taken of a machine that holds nothing else but what stands beside them."""

from __future__ import annotations

from bisect import insort
from dataclasses import dataclass
from itertools import combinations

from schedplan.simulate.ask_state import AskState
from schedplan.simulate.capacity import Held
from schedplan.simulate.free_nodes import FreeNodes
from schedplan.simulate.guide import Guide
from schedplan.simulate.nodes import NodeCapacity
from schedplan.simulate.work import Ask

Devices = tuple[int, float]
"""(whole devices, share of one) that a worker asks for."""
FEW = 6
"""Places of a device or node of which all choices are looked at where some must go; above it by size alone, our choice."""


@dataclass(slots=True)
class _Place:
    ask: int
    held: Held
    share: float
    is_open: bool = True


class KeptPlaces:
    """Places by number; open: kept and free. Of several the smallest number comes first, in the order of the guide."""

    def __init__(self, spare: NodeCapacity, guide: Guide, asks: tuple[Ask, ...]) -> None:
        self._spare = spare
        number = {name: idx for idx, name in enumerate(spare.machine.nodes)}
        ask_of = {ask.shape: idx for idx, ask in reversed(list(enumerate(asks)))}
        self._places: list[_Place] = []
        self._open: dict[int, list[int]] = {}
        self._by_devices: dict[Devices, dict[int, None]] = {}
        self._on_node: dict[int, dict[int, None]] = {}
        self._broken: dict[int, list[int]] = {}
        self._like: dict[int, int] = {}
        for idx, ask in enumerate(asks):
            self._like[idx] = ask_of[ask.shape]
        for one in guide.places:
            if one.shape in ask_of and one.node in number:
                self._keep(ask_of[one.shape], number[one.node], one.devices)

    def held(self, place: int) -> Held:
        """Return what a place is of its node."""
        return self._places[place].held

    def node(self, place: int) -> int:
        """Return the node of a place."""
        return self._places[place].held.node

    def for_shape(self, ask: int, state: AskState, domain: int | None) -> int | None:
        """Return an open place for a shape, within a domain where one is given; None for none."""
        for place in self._open.get(self._like[ask], ()):
            if self._may(state, self.node(place), domain):
                return place
        return None

    def for_devices(self, ask: int, state: AskState, domain: int | None) -> int | None:
        """Return an open place for the same devices whose node has room for the rest: the one with the least beyond."""
        if not state.kind:
            return None
        best: tuple[int, int] | None = None
        wanted = dict(state.amounts)
        for place in self._by_devices.get(_devices(state), ()):
            one = self._places[place]
            node = one.held.node
            if not self._may(state, node, domain):
                continue
            free, kept = self._spare.free.amounts[node], dict(self._spare.asks[one.ask].amounts)
            if all(free[idx] + kept.get(idx, 0) >= amount for idx, amount in state.amounts):
                beyond = sum(abs(kept.get(idx, 0) - wanted.get(idx, 0)) for idx in {*kept, *wanted})
                if best is None or (beyond, place) < best:
                    best = beyond, place
        return None if best is None else best[1]

    def take(self, place: int) -> None:
        """Let a worker stand on its place."""
        self._close(place)

    def drop(self, place: int) -> None:
        """Keep a place no more, until there is room for it again."""
        self._close(place)
        one = self._places[place]
        self._spare.release(one.ask, (one.held,))
        self._broken.setdefault(one.held.node, []).append(place)

    def reopen(self, place: int) -> None:
        """Keep a place that a worker has left."""
        self._show(place)

    def mend(self, node: int) -> None:
        """Keep again what was broken on a node where there is room for it."""
        for place in list(self._broken.get(node, ())):
            one = self._places[place]
            if self._spare.free.holds_exactly(self._spare.asks[one.ask], one.held):
                self._spare.take_exactly(self._spare.asks[one.ask], one.held)
                self._broken[node].remove(place)
                self._show(place)

    def cheapest_to_break(self, free: FreeNodes, state: AskState, domain: int | None) -> tuple[int, int | None, tuple[int, ...]]:
        """Return (node, device, open places to drop) with which a worker has room, the least devices in them; then by name.

        free: of the machine as it is.
        """
        best: tuple[float, int, int, int | None, tuple[int, ...]] | None = None
        for node, fit in enumerate(state.fit):
            if not fit or not self._may(state, node, domain):
                continue
            for device in self._devices_to_look_at(free, state, node):
                broken = self._to_break(state, node, device, None if best is None else best[0])
                if broken is None:
                    continue
                cost = sum(self._places[place].share for place in broken)
                if best is None or (cost, len(broken)) < best[:2]:
                    best = cost, len(broken), node, device, broken
            if best is not None and best[0] <= 0:
                break
        assert best is not None, "a worker that fits finds no room"
        return best[2:]

    def _devices_to_look_at(self, free: FreeNodes, state: AskState, node: int) -> list[int | None]:
        """Return the devices that a share could be on if nothing were kept; None alone where no share is asked."""
        slices = state.slices[node]
        if not slices:
            return [None]
        whole = free.devices[node]
        found: list[int | None] = [device for device, left in sorted(free.shares[node].items()) if left >= slices]
        return [*found, *(device for device in range(whole.bit_length()) if whole >> device & 1)]

    def _to_break(self, state: AskState, node: int, device: int | None, below: float | None) -> tuple[int, ...] | None:
        """Return the open places of a node to drop for a worker; None where what is known to be less does for another."""
        spare = self._spare.free
        held = spare.state(node)
        there = sorted(self._on_node.get(node, ()), key=lambda place: (self._places[place].share, place))
        first = [place for place in there if device is not None and device in self._devices_of(place)]
        broken: list[int] = []
        if device is not None:
            picked = self._for_share(state.slices[node], device, first, held[1].get(device, 0), bool(held[0] >> device & 1), node)
            broken.extend(picked)
        elif state.whole:
            broken.extend(self._for_whole(state.whole, there, held[0].bit_count(), node))
        if below is not None and sum(self._places[place].share for place in broken) > below:
            return None
        for place in broken:
            held = spare.with_back(self._spare.asks[self._places[place].ask], self._places[place].held, held)
        for last in (*there, None):
            if all(held[2][idx] >= amount for idx, amount in state.amounts):
                return tuple(broken)
            if last is not None and last not in broken:
                broken.append(last)
                held = spare.with_back(self._spare.asks[self._places[last].ask], self._places[last].held, held)
        return None

    def _for_share(self, slices: int, device: int, places: list[int], free: int, is_whole: bool, node: int) -> list[int]:
        """Return the places of a device to drop so that so many slices are free: with the least slices, then the fewest."""
        free = self._spare.free.per_device[node] if is_whole else free
        if free >= slices:
            return []
        sizes = {place: self._slices_on(place, device, node) for place in places}
        if len(places) > FEW:
            chosen: list[int] = []
            for place in places:
                if free >= slices:
                    break
                chosen.append(place)
                free += sizes[place]
            return chosen
        best: tuple[int, int, tuple[int, ...]] | None = None
        for count in range(1, len(places) + 1):
            for some in combinations(places, count):
                dropped = sum(sizes[place] for place in some)
                if free + dropped >= slices and (best is None or (dropped, count, some) < best):
                    best = dropped, count, some
        return [] if best is None else list(best[2])

    def _for_whole(self, wanted: int, there: list[int], free: int, node: int) -> list[int]:
        """Return the places to drop so that so many whole devices are free: device by device, the least kept on them first."""
        chosen: dict[int, None] = {}
        on: dict[int, list[int]] = {}
        for place in there:
            for device in self._devices_of(place):
                on.setdefault(device, []).append(place)
        busy = self._spare.free.shares[node]
        per_device = self._spare.free.per_device[node]
        gains = []
        for device, places in on.items():
            freed = sum(self._slices_on(place, device, node) for place in places) + busy.get(device, 0)
            if freed >= per_device:
                gains.append((sum(self._places[place].share / len(self._devices_of(place)) for place in places), device))
        for _, device in sorted(gains):
            if free >= wanted:
                break
            for place in on[device]:
                if place not in chosen:
                    chosen[place] = None
            free += 1
        return list(chosen)

    def _devices_of(self, place: int) -> tuple[int, ...]:
        return self._places[place].held.device_numbers()

    def _slices_on(self, place: int, device: int, node: int) -> int:
        held = self._places[place].held
        return self._spare.free.per_device[node] if held.devices >> device & 1 else dict(held.shares).get(device, 0)

    def _may(self, state: AskState, node: int, domain: int | None) -> bool:
        return state.fit[node] > 0 and (domain is None or state.domain_of(node) == domain)

    def _keep(self, ask: int, node: int, devices: tuple[int, ...]) -> None:
        """Keep a place where the machine has it."""
        state, free = self._spare.asks[ask], self._spare.free
        slices = state.slices[node]
        if state.whole:
            held = Held(node, 1, sum(1 << device for device in devices))
        else:
            held = Held(node, 1, 0, ((devices[0], slices),) if slices else ())
        if not state.eligible[node] or not free.holds_exactly(state, held):
            return
        self._spare.take_exactly(state, held)
        self._places.append(_Place(ask, held, state.kind))
        self._show(len(self._places) - 1)

    def _show(self, place: int) -> None:
        one = self._places[place]
        one.is_open = True
        insort(self._open.setdefault(one.ask, []), place)
        self._by_devices.setdefault(_devices(self._spare.asks[one.ask]), {})[place] = None
        self._on_node.setdefault(one.held.node, {})[place] = None

    def _close(self, place: int) -> None:
        one = self._places[place]
        one.is_open = False
        self._open[one.ask].remove(place)
        del self._by_devices[_devices(self._spare.asks[one.ask])][place]
        del self._on_node[one.held.node][place]


def _devices(state: AskState) -> Devices:
    return state.whole, 0.0 if state.whole else state.kind
