"""Shares of devices on whole devices in one span of slots: which share goes on which device. It knows no node and no slots."""

from __future__ import annotations

SEARCH_STEPS = 20_000
"""Steps after which a search for an assignment gives up. Our choice."""


def packed_shares(shares: tuple[int, ...], n_devices: int, slices: int) -> tuple[int, ...] | None:
    """Return the device of each share, empty where none exists, None where the steps ran out.

    Largest first, the device that is left with least first; devices with equal room are tried once, equal shares only in the order
    of devices.
    """
    order = sorted(range(len(shares)), key=lambda idx: (-shares[idx], idx))
    free = [slices] * max(n_devices, 0)
    on: list[int] = []
    options = [_options(shares[order[0]], free, 0)] if order else []
    for _ in range(SEARCH_STEPS):
        if len(on) == len(order):
            found = [0] * len(shares)
            for idx, device in zip(order, on, strict=True):
                found[idx] = device
            return tuple(found)
        if options[-1]:
            device = options[-1].pop()
            free[device] -= shares[order[len(on)]]
            on.append(device)
            if len(on) < len(order):
                is_equal = shares[order[len(on)]] == shares[order[len(on) - 1]]
                options.append(_options(shares[order[len(on)]], free, device if is_equal else 0))
            continue
        options.pop()
        if not on:
            return ()
        free[on[-1]] += shares[order[len(on) - 1]]
        on.pop()
    return None


def _options(share: int, free: list[int], first: int) -> list[int]:
    """Devices that a share may go to, the best last: one of each amount of room, from device `first` on."""
    by_room: dict[int, int] = {}
    for device in range(first, len(free)):
        if free[device] >= share:
            by_room.setdefault(free[device], device)
    return [by_room[room] for room in sorted(by_room, reverse=True)]
