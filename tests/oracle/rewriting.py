"""A problem with something replaced wherever it stands: names, instants, money. It finds them by walking through all records, so
that a new field with a name of a job or a pool in it is rewritten too."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import TypeAlias, TypeVar

import numpy as np

Record = TypeVar("Record")
Leaf: TypeAlias = Callable[[object, str, object], object]
"""What stands in place of a value: given the record it stands in, the name of its field, and itself."""
EARLIEST_INSTANT_S = 10**9
MONEY = ("price", "budget", "borrow_price")


def rewritten(record: Record, leaf: Leaf) -> Record:
    """Return a record with every text, number and array in it, at any depth, replaced by what `leaf` says."""
    changes = {field.name: _value(getattr(record, field.name), record, field.name, leaf) for field in fields(record)}  # type: ignore[arg-type]
    return replace(record, **changes)  # type: ignore[type-var]


def with_names(record: Record, names: Mapping[str, str]) -> Record:
    """Return a record in which every text that is an old name is the new one."""
    return rewritten(record, lambda owner, field, value: names.get(value, value) if isinstance(value, str) else value)


def put_off(record: Record, shift_s: int) -> Record:
    """Return a record with every instant later by shift_s; an instant is a whole number of seconds above 10^9."""

    def later(owner: object, field: str, value: object) -> object:
        is_instant = isinstance(value, int) and not isinstance(value, bool) and value > EARLIEST_INSTANT_S
        return value + shift_s if is_instant and isinstance(value, int) else value

    return rewritten(record, later)


def in_other_money(record: Record, rate: float) -> Record:
    """Return a record with every price and budget times `rate`."""

    def changed(owner: object, field: str, value: object) -> object:
        is_series = type(owner).__name__ == "PriceSeries" and field == "per_hour"
        is_held_cost = field == "value" and getattr(owner, "goal", None) == "cost"
        is_money = is_series or is_held_cost or any(word in field for word in MONEY)
        return value * rate if is_money and isinstance(value, float | np.ndarray) else value

    return rewritten(record, changed)


def _value(value: object, owner: object, field: str, leaf: Leaf) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return rewritten(value, leaf)
    if isinstance(value, tuple):
        return tuple(_value(part, owner, field, leaf) for part in value)
    return leaf(owner, field, value)
