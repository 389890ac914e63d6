"""Slurm's amounts: TRES (`cpu=8,mem=32G,gres/gpu:a100=8,gres/gpu=8,node=1`) and GRES (`gpu:a100:8(S:0-1),shard:16`).

Devices are counted once: `gres/gpu=8` beside `gres/gpu:a100=8` are the same eight. Sources: slurm.schedmd.com/tres.html and
gres.html (2026-11). It knows no job and no node.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

from schedplan.units import QuantityError

_MEMORY = re.compile(r"(\d{1,15}(?:\.\d{1,9})?)([KMGTPE]?)(?:i?B)?", re.ASCII | re.IGNORECASE)
_COUNT = re.compile(r"(\d{1,15})([KMGTP]?)", re.ASCII)
_POWERS = {"K": 1, "M": 2, "G": 3, "T": 4, "P": 5, "E": 6}
MIB_PER_GIB = 1024
_PER_CPU_BIT = 1 << 31
_REQ_MEM = re.compile(r"(\d{1,20}(?:\.\d{1,9})?)([KMGTP]?)([nc]?)\??", re.ASCII | re.IGNORECASE)
_NAMES_OF_DEVICES = ("gpu",)
_IGNORED_KINDS = ("billing", "energy", "fs", "ic", "license", "pages", "vmem", "bb")


@dataclass(frozen=True, slots=True)
class Tres:
    """Amounts of one job or node. models: (device model, devices) by name; devices: all of them, of models or not.

    others: (name, amount) of whatever else is counted. None: not stated.
    """

    cpus: int | None = None
    memory_mib: Fraction | None = None
    nodes: int | None = None
    devices: int = 0
    models: tuple[tuple[str, int], ...] = ()
    others: tuple[tuple[str, int], ...] = ()


def memory_mib(text: str) -> Fraction:
    """Return MiB of `32G`, `62.50G`, `4T` or `2000M`, exactly; a bare number is MiB, as everywhere in Slurm."""
    match = _MEMORY.fullmatch(text.strip())
    if match is None:
        raise QuantityError("a memory such as 32G or 2000M")
    return Fraction(match.group(1)) * Fraction(1024) ** (_POWERS.get(match.group(2).upper(), 2) - 2)


def requested_memory_mib(text: str, nodes: int, cpus: int) -> tuple[Fraction | None, bool]:
    """Return (MiB of the whole job, whether the figure was marked per core only by its highest bit) of a ReqMem.

    `4000Mn` is per node, `4Gc` per core, `32G` the whole job. Old sacct printed a request per core as per node with 2**31 added.
    """
    match = _REQ_MEM.fullmatch(text.strip())
    if match is None:
        raise QuantityError("a memory such as 4000Mn, 4Gc or 32G")
    amount, unit, each = Fraction(match.group(1)), match.group(2).upper() or "M", match.group(3).lower()
    is_marked = unit == "M" and amount >= _PER_CPU_BIT
    if is_marked:
        amount, each = amount - _PER_CPU_BIT, "c"
    mib = amount * Fraction(1024) ** (_POWERS[unit] - 2) * {"n": nodes, "c": cpus}.get(each, 1)
    return (mib or None), is_marked


def parse_tres(text: str) -> Tres:
    """Return the amounts of a TRES text; QuantityError where a part is none. Empty: nothing stated."""
    pairs: list[tuple[str, str]] = []
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        name, sign, amount = part.partition("=")
        if not sign or not name:
            raise QuantityError(f"name=amount with commas between them, not {part[:40]!r}")
        pairs.append((name, amount))
    return tres_of(tuple(pairs))


def tres_of(pairs: tuple[tuple[str, str], ...]) -> Tres:
    """Return the amounts of (name, text of the amount) pairs."""
    cpus = nodes = None
    memory: Fraction | None = None
    typed: Counter[str] = Counter()
    untyped: Counter[str] = Counter()
    models: Counter[str] = Counter()
    for name, amount in pairs:
        if name == "cpu":
            cpus = count_of(amount)
        elif name == "mem":
            memory = memory_mib(amount)
        elif name == "node":
            nodes = count_of(amount)
        elif name.startswith("gres/"):
            _, kind, model = (*name.replace("/", ":", 1).split(":", 2), "")[:3]
            (typed if model else untyped)[kind] += count_of(amount)
            if model and kind in _NAMES_OF_DEVICES:
                models[model] += count_of(amount)
        elif name.split("/")[0] not in _IGNORED_KINDS:
            raise QuantityError(f"cpu, mem, node, billing or gres/..., not {name[:40]!r}")
    totals = {kind: max(typed[kind], untyped[kind]) for kind in (*typed, *untyped)}
    return _gathered(cpus, memory, nodes, totals, models)


def parse_gres(text: str) -> Tres:
    """Return the amounts of a GRES text, with or without `gres:`, sockets and indices; QuantityError where it is none."""
    totals: Counter[str] = Counter()
    models: Counter[str] = Counter()
    for part in _gres_parts(text):
        kind, model, count = _gres(part)
        totals[kind] += count
        if model and kind in _NAMES_OF_DEVICES:
            models[model] += count
    return _gathered(None, None, None, dict(totals), models)


def _gathered(cpus: int | None, memory: Fraction | None, nodes: int | None, totals: dict[str, int], models: Counter[str]) -> Tres:
    devices = sum(totals.get(kind, 0) for kind in _NAMES_OF_DEVICES)
    others = tuple(sorted((kind, count) for kind, count in totals.items() if kind not in _NAMES_OF_DEVICES and count))
    return Tres(cpus, memory, nodes, devices, tuple(sorted((model, n) for model, n in models.items() if n)), others)


def _gres_parts(text: str) -> list[str]:
    bare = re.sub(r"\([^)]*\)", "", text.strip())
    if bare.upper() in ("", "N/A", "NONE") or text.strip().lower() == "(null)":
        return []
    return [part.strip() for part in bare.split(",") if part.strip()]


def _gres(part: str) -> tuple[str, str, int]:
    """Return (kind, model or empty, count) of `gpu:a100:8`, `gres:gpu:2`, `gres/gpu=2` or `gpu`."""
    fields = part.removeprefix("gres:").removeprefix("gres/").replace("=", ":").split(":")
    last = fields[-1]
    if len(fields) > 1 and _COUNT.fullmatch(last):
        count, fields = count_of(last), fields[:-1]
    else:
        count = 1
    if len(fields) > 2 or not all(fields):
        raise QuantityError(f"a GRES such as gpu:a100:8, not {part[:40]!r}")
    return fields[0], fields[1] if len(fields) == 2 else "", count


def count_of(text: str) -> int:
    """Return a whole count, also such as `4K`; QuantityError otherwise."""
    match = _COUNT.fullmatch(text.strip())
    if match is None:
        raise QuantityError(f"a whole number, not {text[:40]!r}")
    return int(match.group(1)) * int(1024 ** _POWERS.get(match.group(2), 0))
