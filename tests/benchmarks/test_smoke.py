"""Every benchmark runs at its smallest size and gives a plan that keeps the rules; no time is looked at."""

import pytest

from benchmarks.__main__ import main, told
from benchmarks.registry import SPECS, Outcome, run, sizes_of


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_the_smallest_size_runs_through_all_phases(spec, tmp_path):
    outcome = run(spec, spec.smoke, tmp_path)

    assert len(outcome.cpu_s) == 4
    assert outcome.status in {"optimal", "feasible"}
    assert outcome.violations == 0


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_a_size_is_always_the_same_project(spec, tmp_path):
    for name in ("once", "again"):
        (tmp_path / name).mkdir()
        spec.build(tmp_path / name, spec.smoke)

    once, again = ({path.name: path.read_bytes() for path in (tmp_path / name).glob("*.*")} for name in ("once", "again"))

    assert {"nodes.csv", "jobs.csv", "schedplan.toml"} <= set(once)
    assert spec.is_static or {"services.csv", "load.csv"} <= set(once)
    assert once == again


def test_times_are_told_as_ratios():
    outcome = Outcome((0.1, 0.2, 2.0, 0.05), "feasible", 0.0125, 0)

    # 2 s are twenty times 0.1 s
    assert told(outcome, 0.1) == (
        "feasible, gap 1.25%, 0 violations; "
        "load 0.10 s = 1.0 units, forecast 0.20 s = 2.0 units, solve 2.00 s = 20.0 units, verify 0.05 s = 0.5 units"
    )


def test_an_unknown_spec_is_refused(capsys):
    assert main(["random-dya"]) == 2
    assert "no such spec: random-dya; there are ecommerce-day, random-day, mixed-day" in capsys.readouterr().err


def test_all_sizes_are_run_of_what_is_named_and_the_first_of_everything_otherwise():
    spec = next(spec for spec in SPECS if spec.name == "fleet-day")

    assert [(100,), (100, 300, 1000, 10000), ()] == [sizes_of(spec, names) for names in ([], ["fleet-day"], ["random-day"])]
