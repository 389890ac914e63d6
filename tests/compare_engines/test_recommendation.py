"""What is recommended and why: the fit among those that pass, facts and replays told apart, and what would change it."""

from __future__ import annotations

from dataclasses import replace

from schedplan.compare_engines.comparison import Comparison, Standing, compare
from schedplan.compare_engines.profile import Profile
from schedplan.compare_engines.recommendation import hours_or_minutes, recommend
from schedplan.compare_engines.replays import ReplayCase, ReplayRow, replay_cases, replayed
from schedplan.engines.catalog import engine as known
from schedplan.engines.fact import Role, Value
from schedplan.engines.policies.fcfs import FCFS
from schedplan.engines.policy import Policy
from schedplan.engines.stack import Layer, Place, Preset, Stack
from schedplan.engines.stack_table import STACKS, parse_changes, stacks_of, stacks_with
from schedplan.model.findings import Measure
from tests.compare_engines.workloads import engine, job, profile

GANG = profile(job("gang", workers=4))


def standings(found: Comparison) -> list[tuple[str, Standing]]:
    return [(one.engine.name, one.standing) for one in found.candidates]


def row(policy: str, mean_s: float | None, *, engine_name: str = "", unplaced: float = 0.0, gangs: float = 1.0) -> ReplayRow:
    stack = Stack(engine_name, engine_name.title(), (Layer(Place.PLACER, engine_name),)) if engine_name else None
    measures = (
        Measure("wait_s_mean", mean_s, "s"),
        Measure("unplaced", unplaced, "jobs"),
        Measure("gang_start_rate", gangs, "share"),
    )
    return ReplayRow(ReplayCase(replace(FCFS, name=policy), stack, "default" if stack else ""), measures)


def test_engines_are_sorted_by_standing_and_then_fit() -> None:
    """All but the gang is yes for the three that fail, are partial or are no scheduler; they come after the one that passes."""
    full, part = engine("full", Value.YES, gang=Value.NO), engine("part", Value.YES, gang=Value.PARTIAL)
    plain, control = engine("plain", gang=Value.YES), engine("control", Value.YES, role=Role.WORKLOAD_CONTROLLER)

    found = compare(GANG, (full, part, plain, control))

    assert standings(found) == [
        ("plain", Standing.PASSES),
        ("part", Standing.CONDITIONAL),
        ("full", Standing.EXCLUDED),
        ("control", Standing.NO_SCHEDULER),
    ]
    assert found.best is not None
    assert found.best.engine.name == "plain"


def test_what_a_gate_keeps_from_fitting_better_is_told() -> None:
    full, part, plain = (
        engine("full", Value.YES, gang=Value.NO),
        engine("part", Value.YES, gang=Value.PARTIAL),
        engine("plain", gang=Value.YES),
    )

    said = recommend(compare(GANG, (full, part, plain)))

    assert said.engine == "plain"
    assert any(change.startswith("Part has ") and "if its conditions are acceptable" in change for change in said.changes)
    assert any(change.startswith("without the gate gang, Full would be a candidate") for change in said.changes)


def test_reasons_name_what_the_workload_asks_for_with_its_numbers() -> None:
    said = recommend(compare(GANG, (engine("one", gang=Value.YES),)))

    assert said.reasons[0] == (
        "gang, all workers of a gang start, or none: one on gang. Here: 1 of 1 job with several workers, 100% of the jobs'"
        " device-hours."
    )
    assert said.headline.endswith("no other engine is left beside it.")


def test_a_partial_gang_is_a_condition_of_the_best() -> None:
    said = recommend(compare(GANG, (engine("one", gang=Value.PARTIAL),)))

    assert said.conditions == ("gate gang (with a condition): one on gang.",)
    assert "with conditions" in said.headline


def test_nothing_that_passes_is_an_answer() -> None:
    said = recommend(compare(GANG, (engine("one"), engine("two"))))

    assert said.engine is None
    assert said.headline == "No engine passes every gate: each fails at gang."


def test_engines_that_differ_by_less_than_a_hundredth_are_level() -> None:
    said = recommend(compare(GANG, (engine("a", Value.YES), engine("b", Value.YES))))

    assert said.headline.endswith("B is level with it.")


def test_without_a_replay_that_is_said() -> None:
    said = recommend(compare(GANG, (engine("one", gang=Value.YES),)))

    assert said.measured == ("Nothing was replayed, so all of this rests on facts alone.",)


def test_the_replay_of_the_best_and_the_least_wait_are_told_apart() -> None:
    rows = (row("fcfs", 7200.0), row("easy", 3600.0), row("one-preset", 5400.0, engine_name="one"))

    said = recommend(compare(GANG, (engine("one", gang=Value.YES),), replays=rows))

    assert said.measured == (
        "One replayed, preset default: mean wait 90.0 min.",
        "Of the policies replayed, easy let jobs wait least: mean wait 60.0 min.",
    )


def test_an_engine_that_no_policy_stands_in_for_is_said_so_and_jobs_that_never_start_rank_nothing() -> None:
    """Under kube the mean wait is least, but three jobs never started: it is no winner."""
    rows = (row("fcfs", 7200.0), row("kube", 60.0, unplaced=3.0))

    said = recommend(compare(GANG, (engine("one", gang=Value.YES),), replays=rows))

    assert said.measured == (
        "No model stands in for One, so none of its behaviour was measured here.",
        "Of the policies replayed, fcfs let jobs wait least: mean wait 2.0 h.",
        "Jobs that never started: under kube (3).",
    )


def test_policies_that_let_jobs_wait_alike_tell_no_engines_apart() -> None:
    """7,200 and 7,500 s are within 5 % of one another."""
    said = recommend(compare(GANG, (engine("one", gang=Value.YES),), replays=(row("a", 7200.0), row("b", 7500.0))))

    assert said.measured[1:] == (
        "All 2 policies replayed let jobs wait alike (mean wait 2.0 h): replays tell no engines apart here.",
    )


def test_gangs_that_start_in_parts_are_told() -> None:
    split = row("kube", 60.0, gangs=0.25)

    said = recommend(compare(GANG, (engine("one", gang=Value.YES),), replays=(row("fcfs", 7200.0), split)))

    assert said.measured[-1] == "Gangs were bound in parts, and held devices without running, under kube (25% started whole)."


def test_an_overload_is_told_because_waits_then_measure_the_log() -> None:
    """Two jobs of 32 devices and 1 h at once on 32 devices: 200 % of what the nodes offer."""
    full = profile(job("a", workers=32), job("b", workers=32))

    said = recommend(compare(full, (engine("one", gang=Value.YES),), replays=(row("fcfs", 7200.0),)))

    assert said.measured[-1].startswith("The offered load is 200%")


def test_textbook_policies_are_replayed_first_then_both_presets_of_each_stack() -> None:
    names = [case.policy.name for case in replay_cases((*stacks_of("katib"), *stacks_of("slurm")))]

    assert names == ["fcfs", "easy", "best-fit", "trainer+volcano", "trainer+volcano-tuned", "slurm", "slurm-tuned"]


def test_what_was_changed_is_replayed_beside_the_presets_and_a_plan_comes_last() -> None:
    changes = parse_changes([("volcano.binpack.gpu", "10"), ("kai.schedule-period", "5")])

    cases = replay_cases(stacks_of("kai"), (Preset.DEFAULT,), changes, has_plan=True)

    assert [case.policy.name for case in cases[3:]] == ["kai", "kai with kai.schedule-period=5", "plan"]
    assert [case.preset for case in cases[3:]] == ["default", "changed", ""]


def test_policies_that_differ_in_their_names_alone_are_replayed_once() -> None:
    """Trainer hands its jobs to Volcano: four rows, two replays beside the textbook ones."""
    asked: list[str] = []

    def replay(policies: tuple[Policy, ...]) -> tuple[tuple[Measure, ...], ...]:
        asked.extend(one.name for one in policies)
        return tuple((Measure("wait_s_mean", float(idx), "s"),) for idx, _ in enumerate(policies))

    rows = replayed(replay_cases(stacks_with("volcano")), replay)

    assert asked == ["fcfs", "easy", "best-fit", "volcano", "volcano-tuned"]
    waits = {one.policy: one.value("wait_s_mean") for one in rows}
    assert waits["volcano"] == waits["trainer+volcano"] != waits["volcano-tuned"] == waits["trainer+volcano-tuned"]


def test_at_least_ten_stacks_have_two_presets() -> None:
    assert sum(stack.model is not None for stack in STACKS) == 14


def of(found: Profile, names: str) -> list[str]:
    return [one.engine.name for one in compare(found, tuple(known(name) for name in names.split())).candidates]


def test_different_workloads_get_different_answers() -> None:
    """Jobs with exact limits on owned nodes ask for backfill and predicted starts, which Slurm alone has."""
    limited = profile(*(job(f"j{idx:02d}", workers=16, hours=2, time_limit_minutes=120.0) for idx in range(8)))
    fractional = profile(*(job(f"j{idx:02d}", gpus=0.5, tenant=f"t{idx % 2}") for idx in range(64)))

    assert of(limited, "slurm volcano kai")[0] == "slurm"
    assert of(fractional, "slurm volcano kai")[0] != "slurm"


def test_durations_read_as_people_say_them() -> None:
    assert ["45 s", "2.0 min", "2.5 h", "3.0 d"] == [hours_or_minutes(s) for s in (45.0, 120.0, 9000.0, 259200.0)]
