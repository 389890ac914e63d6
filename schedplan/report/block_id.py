"""The stable id of a block, by which links and machines find it. It knows no block."""

from __future__ import annotations

_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")


def check_block_id(block_id: str) -> None:
    """Raise ValueError for a text that is no block id: lower-case letters, digits and hyphens, at least one."""
    if not block_id or not _CHARACTERS.issuperset(block_id):
        raise ValueError(f"{block_id!r} is no block id: lower-case letters, digits and hyphens")
