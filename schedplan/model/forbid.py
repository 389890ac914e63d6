"""Rules of selector on selector: what kind of work may never stand on what kind of nodes. It knows the grammar, and no plan.

    RULE     = SELECTOR " on " SELECTOR
    SELECTOR = CHOICE, one or several, joined by spaces or commas; all of them must be true
    CHOICE   = field=value, or field=value|value for any of several

Left: fields of jobs and services (WORK_FIELDS); right: fields of nodes (NODE_FIELDS), or the key of any label that some node has
(`label.KEY` where a field has the same name). A selector matches by equal texts, truths as `true` and `false`. A field that a
row leaves empty matches nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from schedplan.model.cluster import Market, Pool
from schedplan.model.workload import Job, JobKind, Service

JOINT = " on "
LABEL = "label."
SERVICE_KIND = "service"
WORK_FIELDS = ("kind", "job", "service", "tenant", "user", "priority", "gang", "preemptible", "required", "spot_ok", "dedicated")
NODE_FIELDS = ("node", "cluster", "region", "zone", "rack", "block", "accelerator", "market")
_TRUTHS = ("true", "false")
_VALUES: Mapping[str, tuple[str, ...]] = {
    "kind": (*(kind.value for kind in JobKind), SERVICE_KIND),
    "market": tuple(market.value for market in Market),
    "preemptible": _TRUTHS,
    "required": _TRUTHS,
    "spot_ok": _TRUTHS,
    "dedicated": _TRUTHS,
}


class ForbidError(ValueError):
    """A text that is no rule; `hint` says what was likely meant."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Choice:
    """`field` is one of `values`."""

    field: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Forbid:
    """Work that `work` matches stands on no node that `place` matches. text: as it was written."""

    text: str
    work: tuple[Choice, ...]
    place: tuple[Choice, ...]

    def covers_job(self, job: Job) -> bool:
        """Whether the left side matches a job."""
        return _matches(self.work, _job_fields(job))

    def covers_service(self, service: Service) -> bool:
        """Whether the left side matches a service."""
        return _matches(self.work, _service_fields(service))

    def covers_pool(self, pool: Pool) -> bool:
        """Whether the right side matches the nodes of a pool."""
        return _matches(self.place, _node_fields(pool))


def parse_forbid(text: str) -> Forbid:
    """Return the rule that a text spells; ForbidError for another form, an unknown field of work or a value that can't be.

    A field of nodes that is none of NODE_FIELDS is taken for the key of a label: whether there is such a label is for
    `unknown_labels` to say.
    """
    left, joint, right = (part.strip() for part in f" {text.strip()} ".partition(JOINT))
    if not joint or not left or not right:
        raise ForbidError("has no selector on each side of `on`", "Write it like kind=training on edge=true")
    work, place = _choices(left), _choices(right)
    for choice in work:
        if choice.field not in WORK_FIELDS:
            raise ForbidError(
                f"{choice.field} is no field of jobs or services",
                _near(choice.field, WORK_FIELDS) or f"Fields: {_told(WORK_FIELDS)}",
            )
    for choice in (*work, *place):
        known = _VALUES.get(choice.field, ())
        wrong = next((value for value in choice.values if known and value not in known), None)
        if wrong is not None:
            raise ForbidError(f"{choice.field} is never {wrong}", _near(wrong, known) or f"It is one of: {_told(known)}")
    return Forbid(text, work, place)


def unknown_labels(rule: Forbid, pools: Iterable[Pool]) -> tuple[tuple[str, str], ...]:
    """Return (field, hint) of each field on the right side that is neither a field of nodes nor a label of any pool."""
    labels = sorted({key for pool in pools for key, _ in pool.labels})
    unknown = (choice.field for choice in rule.place if choice.field not in NODE_FIELDS)
    found = [field for field in unknown if field.removeprefix(LABEL) not in labels]
    known = (*NODE_FIELDS, *labels)
    return tuple((field, _near(field, known) or f"Fields and labels: {_told(known)}") for field in found)


def _choices(text: str) -> tuple[Choice, ...]:
    found = []
    for part in text.replace(",", " ").split():
        field, equals, value = part.partition("=")
        values = tuple(value.split("|"))
        if not equals or not field or not all(values):
            raise ForbidError(f"{part} is no field=value", "Write it like kind=training on edge=true")
        found.append(Choice(field, values))
    return tuple(found)


def _matches(choices: tuple[Choice, ...], fields: Mapping[str, str | None]) -> bool:
    return all(fields.get(choice.field) in choice.values for choice in choices)


def _job_fields(job: Job) -> dict[str, str | None]:
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


def _service_fields(service: Service) -> dict[str, str | None]:
    return {
        "kind": SERVICE_KIND,
        "service": service.name,
        "tenant": service.tenant,
        "priority": str(service.priority),
        "dedicated": _truth(service.dedicated),
    }


def _node_fields(pool: Pool) -> dict[str, str | None]:
    labels: dict[str, str | None] = {}
    for key, value in pool.labels:
        labels |= {key: value, LABEL + key: value}
    return labels | {
        "node": pool.name,
        "cluster": pool.cluster,
        "region": pool.region,
        "zone": pool.zone,
        "rack": pool.rack,
        "block": pool.block,
        "accelerator": pool.accelerator,
        "market": pool.market.value,
    }


def _truth(is_true: bool) -> str:
    return "true" if is_true else "false"


def _near(text: str, known: tuple[str, ...]) -> str | None:
    near = get_close_matches(text, known, n=1)
    return f"Did you mean {near[0]}?" if near else None


def _told(names: tuple[str, ...]) -> str:
    return ", ".join(names)
