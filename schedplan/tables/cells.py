"""Cells: the grammar of one text per kind of column, and its canonical spelling. It knows no file and no row.

Two steps: `stored(column, text, zone)` is what the Arrow column holds; the `*_of` functions below take a stored text apart
for the model.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import tzinfo
from difflib import get_close_matches

from schedplan.tables.column import Column, Kind
from schedplan.tables.faults import Code
from schedplan.timegrid import InstantError, parse_instant
from schedplan.units import QuantityError, parse_integer, parse_number

Stored = str | int | float | bool
_TRUE, _FALSE = ("true", "yes", "1"), ("false", "no", "0")
_EFFECTS = ("NoSchedule", "NoExecute", "PreferNoSchedule")
_DOMAINS = ("node", "rack", "block", "zone", "region")
_FRACTION = re.compile(r"(\d{1,9})/(\d{1,9})", re.ASCII)
# Our choice: no quantity of a cluster is larger or, where it is not 0, smaller; beyond them sums and quotients lose their meaning.
_LARGEST, _SMALLEST = 1e15, 1e-12
# Unit of a column -> cells with a unit of their own that a reader converts.
_WITH_UNIT = {"min": "90s or PT15M", "ms": "1.5s", "GiB": "64Gi or 512 MiB", "GiB/device": "80Gi", "cores": "500m"}
_BARE_NUMBER = re.compile(r"[+-]?\d+(?:\.\d*)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class CellError(Exception):
    """A text that its column does not take."""

    message: str
    expected: str
    code: Code = Code.CELL
    hint: str | None = None


def stored(column: Column, text: str, zone: tzinfo) -> tuple[Stored, bool]:
    """Return (value as the Arrow column holds it, whether `zone` was needed) of a text that is neither empty nor padded.

    Raises CellError for anything else than the grammar of the column's kind, and for a value outside its limits.
    """
    if column.kind is Kind.TIMESTAMP:
        return _instant(text, zone)
    value = _PARSERS[column.kind](column, text)
    if isinstance(value, int | float) and not isinstance(value, bool):
        check_limits(column, value)
    return value, False


def check_limits(column: Column, value: float) -> None:
    """Raise CellError where a number is outside the column's limits, or a share is neither below 1 nor whole."""
    is_within = (
        (column.at_least is None or value >= column.at_least)
        and (column.above is None or value > column.above)
        and (column.at_most is None or value <= column.at_most)
        and (column.below is None or value < column.below)
    )
    if not is_within:
        raise CellError("the value is outside the limits", column.type_text, Code.LIMIT)
    if column.kind is not Kind.INTEGER:
        _check_magnitude(value)
    if column.kind is Kind.SHARE and value > 1 and value != int(value):
        raise CellError(
            "a worker takes a share of one device, or whole devices",
            "a number below 1, or a whole number",
            Code.LIMIT,
            "Ask for whole devices, or split the worker.",
        )


def _check_magnitude(value: float) -> None:
    if value != 0 and not _SMALLEST <= abs(value) <= _LARGEST:
        expected = f"0, or a number between {_SMALLEST:g} and {_LARGEST:g}"
        raise CellError("the value is too large or too small to be meant", expected, Code.LIMIT)


def amounts_of(text: str | None) -> tuple[tuple[str, float], ...]:
    """Return (name, amount) pairs of `rdma=4;disk_gib=900`, by name; empty for None."""
    return tuple(sorted((name, _amount(name, amount)) for name, amount in _pairs(text or "", "=", "name=amount")))


def pairs_of(text: str | None) -> tuple[tuple[str, str], ...]:
    """Return (key, value) pairs of `k=v;k=v`, by key; empty for None."""
    return tuple(sorted(_pairs(text or "", "=", "key=value")))


def taints_of(text: str | None) -> tuple[tuple[str, str, str], ...]:
    """Return (key, value, effect) of `k=v:NoSchedule;k:NoExecute`, sorted; empty for None."""
    return tuple(sorted(_taint(part) for part in _parts(text or "", ";")))


def tolerations_of(text: str | None) -> tuple[tuple[str, str], ...]:
    """Return (key, value) of `k=v;k`, sorted; the value is empty where any is tolerated; empty for None."""
    return tuple(sorted(_toleration(part) for part in _parts(text or "", ";")))


def keys_of(text: str | None) -> tuple[str, ...]:
    """Return the parts of `a;b`, sorted; empty for None."""
    return tuple(sorted(_distinct(_parts(text or "", ";"))))


def alternatives_of(text: str | None) -> tuple[str, ...]:
    """Return the parts of `a|b`, sorted; empty for None."""
    return tuple(sorted(_distinct(_parts(text or "", "|"))))


def placed_of(text: str | None) -> tuple[tuple[str, int], ...]:
    """Return (node, workers) of `n1*2;n2*1`, by node; empty for None."""
    return tuple(sorted(_placed(part) for part in _parts(text or "", ";")))


def quantile_of(text: str) -> float | None:
    """Return the quantile, None for `mean`."""
    return None if text == "mean" else float(text)


def spread_of(text: str | None) -> tuple[str, int] | None:
    """Return (domain, least count) of `zone:2`, None for None."""
    return None if text is None else _spread(text)


def _instant(text: str, zone: tzinfo) -> tuple[int, bool]:
    try:
        return parse_instant(text, zone)
    except InstantError as problem:
        is_bare = _BARE_NUMBER.fullmatch(text) is not None
        hint = "A bare number has no unit, so it is not taken for seconds since 1970." if is_bare else None
        raise CellError(str(problem), "a time such as 2026-12-01T00:00:00Z", Code.TIME, hint) from None


def _text(column: Column, text: str) -> str:
    if column.forbidden and column.forbidden in text:
        raise CellError(f"the character {column.forbidden} is not allowed here", f"a name without {column.forbidden}")
    return text


def _integer(_: Column, text: str) -> int:
    try:
        return parse_integer(text)
    except QuantityError as problem:
        raise CellError("this is not a whole number", str(problem)) from None


def _number(column: Column, text: str) -> float:
    try:
        return parse_number(text) + 0.0
    except QuantityError as problem:
        example = _WITH_UNIT.get(column.unit)
        expected = str(problem) if example is None else f"{problem}; `schedplan ingest` also converts cells such as {example}"
        raise CellError("this is not a number", expected) from None


def _share(column: Column, text: str) -> float:
    fraction = _FRACTION.fullmatch(text)
    if fraction is None:
        return _number(column, text)
    part, whole = int(fraction.group(1)), int(fraction.group(2))
    if not 0 < part <= whole:
        raise CellError("this is not a share of one device", "a fraction such as 3/7")
    return part / whole


def _boolean(_: Column, text: str) -> bool:
    lowered = text.lower()
    if lowered in _TRUE or lowered in _FALSE:
        return lowered in _TRUE
    raise CellError("this is neither true nor false", "true or false")


def _choice(column: Column, text: str) -> str:
    if text in column.choices:
        return text
    near = get_close_matches(text.lower(), column.choices, n=1)
    raise CellError("this is not one of the choices", ", ".join(column.choices), hint=f"Did you mean {near[0]}?" if near else None)


def _choices(column: Column, text: str) -> str:
    return "|".join(sorted(_choice(column, part) for part in _distinct(_parts(text, "|"))))


def _quantile(column: Column, text: str) -> str:
    if text == "mean":
        return text
    value = _number(column, text)
    if not 0 < value < 1:
        raise CellError("this is no quantile", "a number between 0 and 1, or mean", Code.LIMIT)
    return repr(value)


def _spread_text(_: Column, text: str) -> str:
    domain, least = _spread(text)
    return f"{domain}:{least}"


def _spread(text: str) -> tuple[str, int]:
    domain, _, count = text.partition(":")
    if domain not in _DOMAINS or not _is_count(count):
        raise CellError("this is no spread", f"one of {', '.join(_DOMAINS)}, a colon and a count, such as zone:2")
    return domain, int(count)


def _amounts_text(_: Column, text: str) -> str:
    return ";".join(f"{name}={_plain(amount)}" for name, amount in amounts_of(text))


def _plain(amount: float) -> str:
    return str(int(amount)) if amount == int(amount) and amount < 1e15 else repr(amount)


def _amount(name: str, text: str) -> float:
    try:
        amount = parse_number(text)
    except QuantityError as problem:
        raise CellError(f"the amount of {name} is not a number", str(problem)) from None
    if not amount >= 0:
        raise CellError(f"the amount of {name} is negative", "an amount >= 0", Code.LIMIT)
    _check_magnitude(amount)
    return amount


def _pairs(text: str, sign: str, expected: str) -> list[tuple[str, str]]:
    pairs: dict[str, str] = {}
    for part in _parts(text, ";"):
        key, found, value = (piece.strip() for piece in part.partition(sign))
        if not key or not found or not value:
            raise CellError(f"{part!r} is not of the form {expected}", f"{expected};{expected}")
        if key in pairs:
            raise CellError(f"{key} stands there twice", "each key once")
        pairs[key] = value
    return list(pairs.items())


def _taint(part: str) -> tuple[str, str, str]:
    pair, _, effect = part.rpartition(":")
    key, _, value = pair.partition("=")
    if not key.strip() or effect not in _EFFECTS:
        raise CellError(f"{part!r} is not a taint", f"key=value:EFFECT with one of {', '.join(_EFFECTS)}")
    return key.strip(), value.strip(), effect


def _toleration(part: str) -> tuple[str, str]:
    key, _, value = part.partition("=")
    if not key.strip():
        raise CellError(f"{part!r} is not a toleration", "key=value, or key for any value")
    return key.strip(), value.strip()


def _placed(part: str) -> tuple[str, int]:
    node, _, count = part.rpartition("*")
    if not node.strip() or not _is_count(count):
        raise CellError(f"{part!r} is not a placement", "node*workers;node*workers")
    return node.strip(), int(count)


def _is_count(text: str) -> bool:
    return re.fullmatch(r"[1-9]\d{0,8}", text, re.ASCII) is not None


def _parts(text: str, sign: str) -> list[str]:
    parts = [part.strip() for part in text.split(sign)]
    if parts[-1] == "":
        parts.pop()
    if any(part == "" for part in parts):
        raise CellError(f"a part between two {sign} is empty", f"parts with one {sign} between them")
    return parts


def _distinct(parts: list[str]) -> list[str]:
    if len(set(parts)) < len(parts):
        raise CellError("a part stands there twice", "each part once")
    return parts


def _joined(split: Callable[[str], Iterable[object]], sign: str) -> Callable[[Column, str], str]:
    def parse(_: Column, text: str) -> str:
        return sign.join(_spelled(item) for item in split(text))

    return parse


def _spelled(item: object) -> str:
    if isinstance(item, tuple) and len(item) == 3:
        key, value, effect = item
        return f"{key}={value}:{effect}" if value else f"{key}:{effect}"
    if isinstance(item, tuple):
        key, value = item
        return f"{key}*{value}" if isinstance(value, int) else f"{key}={value}" if value else str(key)
    return str(item)


_PARSERS: dict[Kind, Callable[[Column, str], Stored]] = {
    Kind.TEXT: _text,
    Kind.INTEGER: _integer,
    Kind.FLOAT: _number,
    Kind.SHARE: _share,
    Kind.BOOLEAN: _boolean,
    Kind.CHOICE: _choice,
    Kind.CHOICES: _choices,
    Kind.QUANTILE: _quantile,
    Kind.SPREAD: _spread_text,
    Kind.AMOUNTS: _amounts_text,
    Kind.PAIRS: _joined(pairs_of, ";"),
    Kind.TAINTS: _joined(taints_of, ";"),
    Kind.TOLERATIONS: _joined(tolerations_of, ";"),
    Kind.KEYS: _joined(keys_of, ";"),
    Kind.ALTERNATIVES: _joined(alternatives_of, "|"),
    Kind.PLACED: _joined(placed_of, ";"),
}
