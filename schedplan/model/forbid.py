"""Rules of selector on selector: what kind of work may never stand on what kind of nodes. It knows the rule, and no plan.

    RULE = SELECTOR " on " SELECTOR

Left: fields of jobs and services; right: fields of nodes (NODE_FIELDS), or the key of any label that some node has (`label.KEY`
where a field has the same name). `selector` has the grammar of one side.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from schedplan.model.cluster import Pool
from schedplan.model.selector import (
    Choice,
    SelectorError,
    choices,
    job_fields,
    matches,
    nearest,
    refuse_impossible,
    refuse_unknown_work,
    service_fields,
    told,
)
from schedplan.model.workload import Job, Service

JOINT = " on "
LABEL = "label."
NODE_FIELDS = ("node", "cluster", "region", "zone", "rack", "block", "accelerator", "market")
_EXAMPLE = "kind=training on edge=true"


@dataclass(frozen=True, slots=True)
class Forbid:
    """Work that `work` matches stands on no node that `place` matches. text: as it was written."""

    text: str
    work: tuple[Choice, ...]
    place: tuple[Choice, ...]

    def covers_job(self, job: Job) -> bool:
        """Whether the left side matches a job."""
        return matches(self.work, job_fields(job))

    def covers_service(self, service: Service) -> bool:
        """Whether the left side matches a service."""
        return matches(self.work, service_fields(service))

    def covers_pool(self, pool: Pool) -> bool:
        """Whether the right side matches the nodes of a pool."""
        return matches(self.place, _node_fields(pool))


def parse_forbid(text: str) -> Forbid:
    """Return the rule that a text spells; SelectorError for another form, an unknown field of work or a value that can't be.

    A field of nodes that is none of NODE_FIELDS is taken for the key of a label: whether there is such a label is for
    `unknown_labels` to say.
    """
    left, joint, right = (part.strip() for part in f" {text.strip()} ".partition(JOINT))
    if not joint or not left or not right:
        raise SelectorError("has no selector on each side of `on`", f"Write it like {_EXAMPLE}")
    work, place = choices(left, _EXAMPLE), choices(right, _EXAMPLE)
    refuse_unknown_work(work)
    refuse_impossible((*work, *place))
    return Forbid(text, work, place)


def unknown_labels(rule: Forbid, pools: Iterable[Pool]) -> tuple[tuple[str, str], ...]:
    """Return (field, hint) of each field on the right side that is neither a field of nodes nor a label of any pool."""
    labels = sorted({key for pool in pools for key, _ in pool.labels})
    unknown = (choice.field for choice in rule.place if choice.field not in NODE_FIELDS)
    found = [field for field in unknown if field.removeprefix(LABEL) not in labels]
    known = (*NODE_FIELDS, *labels)
    return tuple((field, nearest(field, known) or f"Fields and labels: {told(known)}") for field in found)


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
