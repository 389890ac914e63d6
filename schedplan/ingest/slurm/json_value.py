"""Numbers and lists in Slurm's JSON of every release: plain in 22.05, `{"set", "infinite", "number"}` from 23.02 on.

Source: slurm.schedmd.com/rest_api.html, data_parser v0.0.37 to v0.0.43 (2026-11). It knows no field.
"""

from __future__ import annotations

from fractions import Fraction

from schedplan.ingest.element import Element, shape_error
from schedplan.ingest.slurm.hostlist import HostlistError, expand
from schedplan.ingest.slurm.tres import Tres, parse_gres, parse_tres, tres_of
from schedplan.units import QuantityError


def number(element: Element) -> int | None:
    """Return a whole number; None where it is absent, not set, or infinite."""
    if element.has("number"):
        is_number = element.get("set").flag() and not element.get("infinite").flag()
        return element.get("number").integer() if is_number else None
    return element.integer()


def instant(element: Element) -> int | None:
    """Return a time in seconds since 1970; 0 and what is not set are none."""
    return number(element) or None


def minutes_s(element: Element) -> Fraction | None:
    """Return seconds of a length of time in minutes; None where there is no limit."""
    found = number(element)
    return None if found is None else Fraction(60 * found)


def words(element: Element) -> tuple[str, ...]:
    """Return texts that stand as a list, or as one text with commas."""
    if isinstance(element.value, list):
        return tuple(text for text in (item.text() for item in element.items()) if text)
    return tuple(part.strip() for part in (element.text() or "").split(",") if part.strip())


def tres_text(element: Element) -> Tres:
    """Return amounts of a text such as `cpu=8,mem=32G`."""
    text = element.text() or ""
    try:
        return parse_tres(text)
    except QuantityError as problem:
        raise shape_error(element.place, text, str(problem)) from None


def tres_list(element: Element) -> Tres:
    """Return amounts of a list of `{"type", "name", "count"}`, memory in MiB."""
    pairs = []
    for item in element.items():
        kind, name, count = item.get("type").text() or "", item.get("name").text(), number(item.get("count"))
        if count is not None:
            pairs.append((f"{kind}/{name}" if name else kind, str(count)))
    try:
        return tres_of(tuple(pairs))
    except QuantityError as problem:
        raise shape_error(element.place, pairs, str(problem)) from None


def gres_text(element: Element) -> Tres:
    """Return amounts of a text such as `gpu:a100:8(S:0-1)`."""
    text = element.text() or ""
    try:
        return parse_gres(text)
    except QuantityError as problem:
        raise shape_error(element.place, text, str(problem)) from None


def node_names(element: Element) -> tuple[str, ...]:
    """Return the names in a list of nodes; none where there is none."""
    text = (element.text() or "").strip()
    if text.lower() in ("", "none assigned", "(null)"):
        return ()
    try:
        return expand(text)
    except HostlistError as problem:
        raise shape_error(element.place, text, str(problem)) from None
