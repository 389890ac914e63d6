"""Quotas from the table and from the project file: every column at its place, contradictions told with row and column."""

from __future__ import annotations

import pytest

from schedplan.errors import Fault, InputError
from schedplan.model.quota import Quota, QuotaResource
from schedplan.tables.convert import content
from schedplan.tables.quotas import joined
from schedplan.tables.read import read_table

HEAD = "tenant,parent,accelerator,resource,nominal,max,lend,weight,borrow_price,source\n"


@pytest.fixture
def quotas_of(write_text):
    def convert(text: str) -> tuple[Quota, ...]:
        return content((read_table(write_text("quotas.csv", HEAD + text)),)).quotas

    return convert


def faults(call) -> tuple[Fault, ...]:
    with pytest.raises(InputError) as caught:
        call()
    return caught.value.faults


def test_every_column_arrives(quotas_of):
    found = quotas_of("research,ml,A100,cpus,32,64,8,2,0.5,kueue\n")

    assert (
        Quota("research", 32.0, "ml", "A100", QuotaResource.CPUS, max=64.0, lend=8.0, weight=2.0, borrow_price=0.5, source="kueue"),
    ) == found


def test_what_is_not_said_is_devices_of_all_models_without_a_cap(quotas_of):
    assert (Quota("a", 8.0),) == quotas_of("a,,,,8,,,,,\n")


def test_rows_come_by_tenant_and_scope(quotas_of):
    found = quotas_of("b,,,,1,,,,,\na,,H100,gpus,1,,,,,\na,,,cpus,1,,,,,\n")

    assert [("a", "cpus"), ("a", "gpus on H100"), ("b", "gpus")] == [(quota.tenant, quota.scope.name) for quota in found]


def test_a_weight_is_told_to_be_without_effect(write_text):
    (warning,) = content((read_table(write_text("quotas.csv", "tenant,nominal,weight\na,8,3\n")),)).warnings

    assert "column weight is read, but plans do not act on it yet" in warning


def test_a_cap_below_what_is_promised_is_a_fault(quotas_of):
    (fault,) = faults(lambda: quotas_of("a,,,,8,7.5,,,,\n"))

    assert ("SP1011", 2, "max", "7.5") == (fault.code, fault.row, fault.column, fault.seen)


@pytest.mark.parametrize(
    ("row", "column"),
    [
        ("a,,,,-1,,,,,", "nominal"),
        ("a,,,,1,-1,,,,", "max"),
        ("a,,,,1,,-1,,,", "lend"),
        ("a,,,,1,,,,-1,", "borrow_price"),
    ],
)
def test_negative_amounts_and_prices_are_faults(quotas_of, row, column):
    (fault,) = faults(lambda: quotas_of(row + "\n"))

    assert (2, column, "-1") == (fault.row, fault.column, fault.seen)


def test_a_row_twice_in_other_words_is_a_fault(quotas_of):
    # an empty resource means gpus
    (fault,) = faults(lambda: quotas_of("a,,,,8,,,,,\na,,,gpus,9,,,,,\n"))

    assert (3, "tenant", "row 2 states gpus of this tenant already") == (fault.row, fault.column, fault.message)


@pytest.mark.parametrize(
    ("rows", "row", "message"),
    [
        ("a,a,,,1,,,,,\n", 2, "tenant a is above itself: a < a"),
        ("a,b,,,1,,,,,\nb,c,,,1,,,,,\nc,a,,,1,,,,,\n", 2, "tenant a is above itself: a < b < c < a"),
        ("a,b,,,1,,,,,\na,c,,cpus,1,,,,,\n", 3, "tenant a is below b in another row"),
    ],
)
def test_parents_that_contradict_are_faults(quotas_of, rows, row, message):
    (fault,) = faults(lambda: quotas_of(rows))

    assert (row, "parent", message) == (fault.row, fault.column, fault.message)


def test_a_tenant_may_state_its_parent_once(quotas_of):
    first, second = quotas_of("a,ml,,,1,,,,,\na,,,cpus,1,,,,,\n")

    assert (None, "ml") == (first.parent, second.parent)


def test_table_and_project_file_add_up():
    found = joined((Quota("b", 1.0),), (Quota("a", 2.0), Quota("b", 8.0, resource=QuotaResource.CPUS)))

    assert [("a", "gpus"), ("b", "cpus"), ("b", "gpus")] == [(quota.tenant, quota.scope.name) for quota in found]


def test_what_both_state_is_a_fault():
    (fault,) = faults(lambda: joined((Quota("a", 1.0),), (Quota("a", 2.0),)))

    assert "[quotas.a]: the table quotas has a row for gpus of tenant a too" == fault.message


def test_a_circle_through_both_is_a_fault():
    (fault,) = faults(lambda: joined((Quota("a", 1.0, parent="b"),), (Quota("b", 2.0, parent="a"),)))

    assert "[quotas.a]: tenant a is above itself: a < b < a" == fault.message
