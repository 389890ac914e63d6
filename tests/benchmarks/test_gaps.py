"""The benchmark of gaps runs at its smallest size; no time is looked at."""

from benchmarks.gaps import HEADER, POLICIES, Standing, _FirstPlans, main, row, standing
from benchmarks.registry import SPECS
from schedplan.model.progress import Progress

FLEET_DAY = next(spec for spec in SPECS if spec.name == "fleet-day")


def test_the_smallest_fleet_stands_within_its_bound(tmp_path):
    found = standing(FLEET_DAY, FLEET_DAY.smoke, tmp_path)

    assert 0 == found.violations
    assert found.gap is not None
    assert 0 <= found.gap
    assert len(POLICIES) == len(found.ratios)
    # the search begins from the plans of the list policies, so it is no worse than any that keeps the rules
    assert all(ratio is None or ratio <= 1 for ratio in found.ratios)
    assert any(ratio is not None for ratio in found.ratios)


def test_the_first_plan_is_one_better_than_what_the_search_begins_from():
    watch = _FirstPlans(0.0)
    for objective in (None, 2.0, 2.0):
        watch(Progress("search", objective))

    assert watch.verified_s is not None
    assert watch.better_s is None

    watch(Progress("search", 1.5))
    better_s = watch.better_s
    watch(Progress("search", 1.0))

    assert better_s is not None
    assert better_s == watch.better_s


def test_a_row_has_a_cell_for_every_column():
    found = Standing(4.4, None, 61.2, 60.0, 0.0123, None, 351.7, 1234, 0, (0.5, None, 0.751, 0.8))

    assert "| fleet-day | 100 | 4 | – | 61 | 1.23% | – | 352 | 1,234 | 0.50 | – | 0.75 | 0.80 |" == row(FLEET_DAY, 100, found)
    assert HEADER.count("|") == row(FLEET_DAY, 100, found).count("|")


def test_an_unknown_spec_is_refused(capsys):
    assert 2 == main(["random-day"])
    assert "no such spec: random-day; there are fleet-day, fleet-day-2" in capsys.readouterr().err
