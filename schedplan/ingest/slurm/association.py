"""Limits that Slurm sets to accounts and qualities of service (`sacctmgr show assoc`, `qos`) as rows of the table `quotas`.

Source: slurm.schedmd.com/resource_limits.html (2026-11). GrpTRES of an account bounds what its jobs hold together; other limits
are told as left aside.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from schedplan.ingest.draft import Draft, Value
from schedplan.ingest.element import Element
from schedplan.ingest.slurm.json_value import tres_list
from schedplan.ingest.slurm.tres import MIB_PER_GIB, Tres

NO_LIMIT = "sets no limit on devices, cores or memory of its group"
OF_USER = "is about a single user; a quota is of an account"
TWICE = "says what an earlier row of the account says"


@dataclass(frozen=True, slots=True)
class Association:
    """One row: an account, or a user in it. group: GrpTRES, what all its jobs may hold together."""

    row: int
    account: str
    parent: str | None
    user: str | None
    group: Tres


def json_association(row: int, item: Element) -> Association:
    """Return an association of slurmrestd or `sacctmgr --json`; FieldError where a field is not what it should be."""
    return Association(
        row,
        item.get("account").text() or "",
        item.get("parent_account").text(),
        item.get("user").text(),
        tres_list(item.get("max", "tres", "total")),
    )


def add_quotas(draft: Draft, associations: Iterable[Association]) -> None:
    """Add the limits of accounts to a draft of `quotas`; a row without any is dropped with its reason."""
    reasons: Counter[str] = Counter()
    seen: set[str] = set()
    for one in associations:
        rows = _rows(one)
        if one.user:
            reasons[OF_USER] += 1
        elif not rows:
            reasons[NO_LIMIT] += 1
        elif one.account in seen:
            reasons[TWICE] += 1
        else:
            seen.add(one.account)
            for row in rows:
                draft.add(one.row, row)
    for reason, count in reasons.items():
        draft.drop(reason, count)
    draft.note(
        len(draft.rows), "GrpTRES is what an account's jobs may hold together; it becomes nominal and max, so nothing is borrowed"
    )


def _rows(one: Association) -> list[dict[str, Value]]:
    group = one.group
    limits: list[tuple[str, str | None, float]] = [("gpus", model, float(count)) for model, count in group.models]
    if group.devices and group.devices != sum(count for _, count in group.models):
        limits.append(("gpus", None, float(group.devices)))
    if group.cpus is not None:
        limits.append(("cpus", None, float(group.cpus)))
    if group.memory_mib is not None:
        limits.append(("memory_gib", None, float(group.memory_mib / MIB_PER_GIB)))
    return [
        {
            "tenant": one.account,
            "parent": one.parent,
            "resource": resource,
            "accelerator": model,
            "nominal": amount,
            "max": amount,
            "source": "Slurm GrpTRES",
        }
        for resource, model, amount in limits
    ]
