"""The benchmark of planning again runs at a small size; no time is looked at."""

from benchmarks.again import CHANGES, HEADER, Again, again, main, row
from benchmarks.fleet_day import Fleet, write_fleet_day
from benchmarks.registry import SPECS, Spec

FLEET_DAY = next(spec for spec in SPECS if spec.name == "fleet-day")


def test_a_fleet_with_few_jobs_is_planned_again_after_every_change(tmp_path):
    few = Spec("fleet-few", lambda folder, size: write_fleet_day(folder, Fleet(size, 6)), sizes=(4,), smoke=4)
    found = again(few, few.smoke, tmp_path)

    assert [name for name, _ in CHANGES] == [one.change for one in found]
    assert [0] * len(CHANGES) == [one.violations for one in found]
    assert all(one.bound is not None and one.objective is not None and one.bound <= one.objective + 1e-9 for one in found)
    assert all(0 <= one.moved_share <= 1 and one.cpu_share > 0 for one in found)


def test_a_row_has_a_cell_for_every_column():
    found = Again("a job more", 0.2, 0.0123, 0.5, None, None, 0)

    assert "| fleet-day | 100 | a job more | 20% | 1.23% | 0.5000 | – | – | 0 |" == row(FLEET_DAY, 100, found)
    assert HEADER.count("|") == row(FLEET_DAY, 100, found).count("|")


def test_an_unknown_spec_is_refused(capsys):
    assert 2 == main(["random-day"])
    assert "no such spec: random-day; there are fleet-day, fleet-day-2" in capsys.readouterr().err
