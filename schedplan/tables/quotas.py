"""Rows of `quotas` as the model's, and those of the table and the project file put together. It does not know who holds what."""

from __future__ import annotations

from schedplan.errors import Fault
from schedplan.model.quota import Quota, QuotaResource, QuotaScope, parents_of
from schedplan.tables.faults import Code, raise_faults
from schedplan.tables.table_rows import TableRows

PLACE_IN_PROJECT_FILE = "[quotas.{tenant}]"


def quotas(rows: TableRows) -> tuple[Quota, ...]:
    """Return the quotas by tenant, resource and device model; contradictions are noted in `rows.faults`."""
    columns = zip(
        rows.names("tenant"),
        rows.floats("nominal"),
        rows.texts("parent"),
        rows.texts("accelerator"),
        [QuotaResource(text) for text in rows.names("resource")],
        rows.floats_or_none("max"),
        rows.floats_or_none("lend"),
        rows.floats("weight"),
        rows.floats("borrow_price"),
        rows.texts("source"),
        strict=True,
    )
    found = [Quota(*row) for row in columns]
    for idx, quota in enumerate(found):
        _refuse_low_max(rows, idx, quota)
    _refuse_twins(rows, found)
    if not rows.faults:
        _refuse_parents(rows, found)
    return tuple(sorted(found, key=_order))


def joined(from_tables: tuple[Quota, ...], from_project: tuple[Quota, ...]) -> tuple[Quota, ...]:
    """Return the quotas of the tables and of the project file together; InputError where both state one, or parents contradict."""
    faults: list[Fault] = []

    def refuse(quota: Quota, message: str) -> None:
        place = PLACE_IN_PROJECT_FILE.format(tenant=quota.tenant)
        faults.append(Fault(Code.CONTRADICTION.value, f"{place}: {message}", hint="Keep one of the two."))

    stated = {_identity(quota) for quota in from_tables}
    for quota in from_project:
        if _identity(quota) in stated:
            refuse(quota, f"the table quotas has a row for {quota.scope.name} of tenant {quota.tenant} too")
    if not faults:
        parents_of((*from_tables, *from_project), refuse)
    raise_faults(faults)
    return tuple(sorted((*from_tables, *from_project), key=_order))


def _refuse_low_max(rows: TableRows, idx: int, quota: Quota) -> None:
    if quota.max is not None and quota.max < quota.nominal:
        rows.fault(
            idx,
            Code.CONTRADICTION,
            "max is below nominal",
            column="max",
            seen=f"{quota.max:g}",
            expected=f"at least {quota.nominal:g}, or empty for no cap",
        )


def _refuse_twins(rows: TableRows, found: list[Quota]) -> None:
    first: dict[tuple[str, QuotaScope], int] = {}
    for idx, quota in enumerate(found):
        earlier = first.setdefault(_identity(quota), idx)
        if earlier != idx:
            rows.fault(
                idx,
                Code.DUPLICATE,
                f"row {rows.numbers[earlier]} states {quota.scope.name} of this tenant already",
                column="tenant",
                seen=quota.tenant,
            )


def _refuse_parents(rows: TableRows, found: list[Quota]) -> None:
    def refuse(quota: Quota, message: str) -> None:
        idx = next(idx for idx, row in enumerate(found) if row is quota)
        hint = "A tenant has one parent, and the parents end at the top."
        rows.fault(idx, Code.CONTRADICTION, message, column="parent", seen=quota.parent, hint=hint)

    parents_of(tuple(found), refuse)


def _identity(quota: Quota) -> tuple[str, QuotaScope]:
    return (quota.tenant, quota.scope)


def _order(quota: Quota) -> tuple[str, str]:
    return (quota.tenant, quota.scope.name)
