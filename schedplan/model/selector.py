"""Selectors: texts that choose jobs and services by the values of their fields. It knows the grammar, and no plan.

    SELECTOR = CHOICE, one or several, joined by spaces or commas; all of them must be true
    CHOICE   = field=value, or field=value|value for any of several

A selector matches by equal texts, truths as `true` and `false`. A field that a row leaves empty matches nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from schedplan.model.cluster import Market
from schedplan.model.workload import Job, JobKind, Service

SERVICE_KIND = "service"
WORK_FIELDS = ("kind", "job", "service", "tenant", "user", "priority", "gang", "preemptible", "required", "spot_ok", "dedicated")
_TRUTHS = ("true", "false")
_VALUES: Mapping[str, tuple[str, ...]] = {
    "kind": (*(kind.value for kind in JobKind), SERVICE_KIND),
    "market": tuple(market.value for market in Market),
    "preemptible": _TRUTHS,
    "required": _TRUTHS,
    "spot_ok": _TRUTHS,
    "dedicated": _TRUTHS,
}


class SelectorError(ValueError):
    """A text that is no selector, or no rule made of some; `hint` says what was likely meant."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Choice:
    """`field` is one of `values`."""

    field: str
    values: tuple[str, ...]


def choices(text: str, example: str) -> tuple[Choice, ...]:
    """Return the choices that a selector spells; SelectorError, with an example of what is asked for, where one is none."""
    found = []
    for part in text.replace(",", " ").split():
        field, equals, value = part.partition("=")
        values = tuple(value.split("|"))
        if not equals or not field or not all(values):
            raise SelectorError(f"{part} is no field=value", f"Write it like {example}")
        found.append(Choice(field, values))
    return tuple(found)


def refuse_unknown_work(work: Iterable[Choice], fields: tuple[str, ...] = WORK_FIELDS, whose: str = "jobs or services") -> None:
    """Raise SelectorError where a choice names a field that work does not have."""
    for choice in work:
        if choice.field not in fields:
            raise SelectorError(
                f"{choice.field} is no field of {whose}", nearest(choice.field, fields) or f"Fields: {told(fields)}"
            )


def refuse_impossible(found: Iterable[Choice]) -> None:
    """Raise SelectorError where a choice names a value that its field never has."""
    for choice in found:
        known = _VALUES.get(choice.field, ())
        wrong = next((value for value in choice.values if known and value not in known), None)
        if wrong is not None:
            raise SelectorError(f"{choice.field} is never {wrong}", nearest(wrong, known) or f"It is one of: {told(known)}")


def matches(found: tuple[Choice, ...], fields: Mapping[str, str | None]) -> bool:
    """Whether all choices hold for the fields of a row, by name."""
    return all(fields.get(choice.field) in choice.values for choice in found)


def job_fields(job: Job) -> dict[str, str | None]:
    """Return the fields of a job by which it may be chosen."""
    return {
        "kind": job.kind.value,
        "job": job.name,
        "tenant": job.tenant,
        "user": job.user,
        "priority": str(job.priority),
        "gang": job.gang,
        "preemptible": _truth(job.preemptible),
        "required": _truth(job.required),
        "spot_ok": _truth(job.spot_ok),
    }


def service_fields(service: Service) -> dict[str, str | None]:
    """Return the fields of a service by which it may be chosen."""
    return {
        "kind": SERVICE_KIND,
        "service": service.name,
        "tenant": service.tenant,
        "priority": str(service.priority),
        "dedicated": _truth(service.dedicated),
    }


def nearest(text: str, known: tuple[str, ...]) -> str | None:
    """Return a question after the known text that is most like one; None where none is like it."""
    near = get_close_matches(text, known, n=1)
    return f"Did you mean {near[0]}?" if near else None


def told(names: tuple[str, ...]) -> str:
    """Return names as a list in words."""
    return ", ".join(names)


def _truth(is_true: bool) -> str:
    return "true" if is_true else "false"
