"""What a change of plans is worth and risks."""

import pytest

from schedplan.measures.comparison import MeasureChange, PlanDiff
from schedplan.report.diff_sections import risk_section, saved_per_device, worth
from schedplan.report.document import Table


def diff(cost: float | None, devices: float, *measures: MeasureChange) -> PlanDiff:
    return PlanDiff((), (), (), cost, None, measures, (), moved_jobs=1, moved_devices=devices)


@pytest.mark.parametrize(
    ("cost", "devices", "expected"),
    [(-120.0, 8.0, 15.0), (120.0, 8.0, None), (0.0, 8.0, None), (-120.0, 0.0, None), (None, 8.0, None)],
)
def test_a_saving_is_told_per_device_that_moves(cost: float | None, devices: float, expected: float | None) -> None:
    found = diff(cost, devices)

    assert expected == saved_per_device(found)
    assert (expected is not None) == ("Saved per device moved" in [entry.label for entry in worth(found, "EUR").entries])


def test_risk_is_better_or_worse_by_what_it_measures() -> None:
    changes = (
        MeasureChange("headroom", (), "share", 0.2, 0.1),
        MeasureChange("on_time_probability", (), "share", 0.9, 0.95),
        MeasureChange("unplaced", (), "jobs", 0.0, 1.0),
        MeasureChange("pool_loss_missed", (), "jobs", 3.0, 1.0),
        MeasureChange("slo_attainment", (), "share", None, 1.0),
        MeasureChange("cost", (), "EUR", 1.0, 2.0),
        MeasureChange("headroom", (("service", "chat"),), "share", 0.2, 0.1),
    )
    (table,) = risk_section(diff(0.0, 0.0, *changes)).blocks

    assert isinstance(table, Table)
    assert [("headroom", "worse"), ("on_time_probability", "better"), ("unplaced", "worse"), ("pool_loss_missed", "better"),
            ("slo_attainment", "not known")] == [(row[5], row[4]) for row in table.rows]  # fmt: skip


def test_no_change_of_risk_no_section() -> None:
    assert () == risk_section(diff(0.0, 0.0, MeasureChange("cost", (), "EUR", 1.0, 2.0))).blocks
