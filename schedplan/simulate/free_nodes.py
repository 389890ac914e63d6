"""What is free of every node, and of a node as it would be: taking, giving back, and how many workers fit. It chooses no node."""

from __future__ import annotations

from schedplan.simulate.ask_state import AskState
from schedplan.simulate.capacity import Held
from schedplan.simulate.machine import Machine

NodeState = tuple[int, dict[int, int], list[int]]
"""Bits of the whole devices that are free, free slices of the shared ones by number, free amounts in the machine's order."""


class FreeNodes:
    """devices, shares, amounts: NodeState per node. is_down: a node that takes nothing now. kinds: workers there by what they
    ask.
    """

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.per_device = [pool.slices_per_gpu for pool in machine.pools]
        self.devices: list[int] = [(1 << pool.gpus) - 1 for pool in machine.pools]
        self.shares: list[dict[int, int]] = [{} for _ in machine.pools]
        self.amounts: list[list[int]] = [list(amounts) for amounts in machine.amounts]
        self.is_down = [False] * len(machine.pools)
        self.kinds: list[dict[float, int]] = [{} for _ in machine.pools]

    def fit(self, ask: AskState, node: int) -> int:
        """Return how many workers of an ask a node holds now."""
        if self.is_down[node]:
            return 0
        return self.fit_in(ask, node, (self.devices[node], self.shares[node], self.amounts[node]))

    def fit_in(self, ask: AskState, node: int, held: NodeState) -> int:
        """Return how many workers of an ask a node in some state holds."""
        devices, shares, amounts = held
        if not ask.eligible[node]:
            return 0
        found = ask.most
        if ask.whole:
            found = min(found, devices.bit_count() // ask.whole)
        elif ask.slices[node]:
            slices = ask.slices[node]
            of_whole = devices.bit_count() * (self.per_device[node] // slices)
            found = min(found, of_whole + sum(free // slices for free in shares.values()))
        for idx, amount in ask.amounts:
            found = min(found, amounts[idx] // amount)
        return found

    def state(self, node: int) -> NodeState:
        """Return a copy of what is free of a node."""
        return self.devices[node], dict(self.shares[node]), list(self.amounts[node])

    def take(self, ask: AskState, node: int, device: int | None) -> Held:
        """Take room for one worker on a node known to hold it: devices by the smallest number, a share on `device` or the
        fullest.
        """
        devices, shares = 0, self.shares[node]
        shared: tuple[tuple[int, int], ...] = ()
        if ask.whole:
            free = self.devices[node]
            for _ in range(ask.whole):
                lowest = free & -free
                assert lowest, f"{self.machine.nodes[node]} has no free device left"
                devices |= lowest
                free ^= lowest
            self.devices[node] = free
        elif ask.slices[node]:
            slices = ask.slices[node]
            chosen = self._opened(node, slices) if device is None else self._open(node, device)
            left = shares.pop(chosen, 0) - slices
            assert left >= 0, f"device {chosen} of {self.machine.nodes[node]} has no such share left"
            if left:
                shares[chosen] = left
            shared = ((chosen, slices),)
        amounts = self.amounts[node]
        for idx, amount in ask.amounts:
            amounts[idx] -= amount
            assert amounts[idx] >= 0, f"{self.machine.nodes[node]} has no {self.machine.resources[idx]} left"
        return Held(node, 1, devices, shared)

    def give_back(self, ask: AskState, part: Held) -> None:
        """Let a part be free again."""
        node = part.node
        self.devices[node], self.shares[node], self.amounts[node] = self.with_back(
            ask, part, (self.devices[node], self.shares[node], self.amounts[node])
        )

    def with_back(self, ask: AskState, part: Held, held: NodeState) -> NodeState:
        """Return a state of a node with a part given back to it."""
        devices, shares, amounts = held
        assert not devices & part.devices, "a device is given back that is free"
        devices |= part.devices
        if part.shares:
            per_device = self.per_device[part.node]
            shares = dict(shares)
            for device, slices in part.shares:
                free = shares.pop(device, 0) + slices
                assert free <= per_device, "more of a device is given back than was held"
                if free == per_device:
                    devices |= 1 << device
                else:
                    shares[device] = free
        if ask.amounts:
            amounts = list(amounts)
            for idx, amount in ask.amounts:
                amounts[idx] += amount * part.workers
        return devices, shares, amounts

    def with_taken(self, ask: AskState, part: Held, held: NodeState) -> NodeState:
        """Return a state of a node with a part taken from it."""
        devices, shares, amounts = held
        shares, amounts = dict(shares), list(amounts)
        devices &= ~part.devices
        for device, slices in part.shares:
            if devices >> device & 1:
                devices ^= 1 << device
                shares[device] = self.per_device[part.node]
            shares[device] = shares.get(device, 0) - slices
            if shares[device] <= 0:
                del shares[device]
        for idx, amount in ask.amounts:
            amounts[idx] -= amount * part.workers
        return devices, shares, amounts

    def holds_exactly(self, ask: AskState, held: Held) -> bool:
        """Whether the very devices and amounts of one worker's room are free."""
        node = held.node
        devices, shares = self.devices[node], self.shares[node]
        if held.devices & ~devices or any(self.amounts[node][idx] < amount for idx, amount in ask.amounts):
            return False
        per_device = self.per_device[node]
        return all((per_device if devices >> device & 1 else shares.get(device, 0)) >= slices for device, slices in held.shares)

    def with_workers(self, ask: AskState, node: int, workers: int, held: NodeState) -> NodeState | None:
        """Return a state of a node with so many workers taken from it, None where it does not hold them."""
        for _ in range(workers):
            part = _part_from(ask, node, held)
            if part is None:
                return None
            held = self.with_taken(ask, part, held)
        return held

    def check_empty(self) -> None:
        """Raise AssertionError unless every node is as it began."""
        machine = self.machine
        for node, pool in enumerate(machine.pools):
            name = machine.nodes[node]
            assert self.devices[node] == (1 << pool.gpus) - 1, f"{name} ends with other devices than it began with"
            assert not self.shares[node], f"{name} ends with a shared device"
            assert tuple(self.amounts[node]) == machine.amounts[node], f"{name} ends with other amounts than it began with"

    def _opened(self, node: int, slices: int) -> int:
        """Return the fullest device that holds a share, the smallest number of those; one that is free is opened for it."""
        fitting = [(free, device) for device, free in self.shares[node].items() if free >= slices]
        if fitting:
            return min(fitting)[1]
        free = self.devices[node]
        device = (free & -free).bit_length() - 1
        assert device >= 0, f"{self.machine.nodes[node]} has no free device left"
        return self._open(node, device)

    def _open(self, node: int, device: int) -> int:
        if self.devices[node] >> device & 1:
            self.devices[node] ^= 1 << device
            self.shares[node][device] = self.per_device[node]
        return device


def _part_from(ask: AskState, node: int, held: NodeState) -> Held | None:
    """Return what one worker would take from a state of a node; None where it does not hold one."""
    devices, shares, amounts = held
    if any(amounts[idx] < amount for idx, amount in ask.amounts) or devices.bit_count() < ask.whole:
        return None
    if ask.whole:
        taken = 0
        for _ in range(ask.whole):
            taken |= (devices & ~taken) & -(devices & ~taken)
        return Held(node, 1, taken)
    slices = ask.slices[node]
    if not slices:
        return Held(node, 1)
    fitting = [(free, device) for device, free in shares.items() if free >= slices]
    if fitting:
        return Held(node, 1, 0, ((min(fitting)[1], slices),))
    return Held(node, 1, 0, (((devices & -devices).bit_length() - 1, slices),)) if devices else None


def joined(parts: list[Held]) -> tuple[Held, ...]:
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
