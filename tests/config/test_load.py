"""Settings: precedence, origins, and every fault told at once with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from schedplan.config.load import load_settings
from schedplan.config.override import Override, parse_set
from schedplan.config.settings import InputFiles
from schedplan.errors import ConfigError, Fault
from schedplan.model.problem import MissedDemand
from schedplan.model.quota import Quota, QuotaResource


def written(folder: Path, text: str, name: str = "schedplan.toml") -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def faults_of(file: Path | None, *sets: str, environ: dict[str, str] | None = None) -> tuple[Fault, ...]:
    with pytest.raises(ConfigError) as caught:
        load_settings(file, tuple(parse_set(text) for text in sets), environ)
    return caught.value.faults


def test_without_a_file_every_key_has_its_default() -> None:
    settings = load_settings(None)

    assert (0.5, 0.3, 0.2, 0.0) == tuple(settings.objective.weight(goal) for goal in ("latency", "utilization", "cost", "carbon"))
    assert ((24, 60),) == settings.horizon.runs
    assert settings.horizon.start_s is None
    assert ("USD", "UTC") == (settings.project.currency, settings.project.timezone)
    assert {"default"} == {origin.source for origin in settings.origins}


def test_a_whole_file_is_read(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        """
[project]
name = "shop"
timezone = "Asia/Shanghai"
[inputs]
nodes = "nodes.csv"
load = ["a.csv", "b.csv"]
[horizon]
start = 2026-12-01T00:00:00
hours = 6
step_minutes = 30
[forecast]
season = ["24h", "7d"]
[objective.rates]
wait = 2
[limits]
budget_per_day = 90000
missed_demand = "forbid"
[solver]
time_limit = "10m"
[check]
rules = ["gap <= 0.02"]
""",
    )

    settings = load_settings(file)

    # midnight in Shanghai (UTC+8) is 16:00 UTC of the day before: 2026-11-30T16:00:00Z
    assert settings.horizon.start_s == 1_796_054_400
    assert ((12, 30),) == settings.horizon.runs
    assert (86_400, 604_800) == settings.forecast.seasons_s
    assert (2.0, 4.0) == (settings.objective.rates.wait, settings.objective.rates.tardiness)
    assert (90_000.0, MissedDemand.FORBID) == (settings.limits.budget_per_day, settings.limits.missed_demand)
    assert settings.solver.time_limit_s == 600.0
    assert settings.check.rules == ("gap <= 0.02",)
    assert InputFiles("load", (tmp_path / "a.csv", tmp_path / "b.csv")) == settings.input("load")
    assert settings.input("jobs") is None


def test_flags_win_over_variables_over_the_file_over_defaults(tmp_path: Path) -> None:
    file = written(tmp_path, "[solver]\nseed = 1\ngap = 0.1\nthreads = 3\n")
    environ = {"SCHEDPLAN_SOLVER_SEED": "2", "SCHEDPLAN_SOLVER_GAP": "0.2"}

    settings = load_settings(file, (Override("solver.seed", "4", "--seed"),), environ)

    assert (4, 0.2, 3, None) == (
        settings.solver.seed,
        settings.solver.gap,
        settings.solver.threads,
        settings.solver.time_limit_s,
    )
    sources = {origin.key: origin.source for origin in settings.origins}
    assert ["--seed", "SCHEDPLAN_SOLVER_GAP", f"{file}, row 4", "default"] == [
        sources[f"solver.{name}"] for name in ("seed", "gap", "threads", "time_limit")
    ]


def test_the_full_name_of_a_variable_wins_over_the_short_one() -> None:
    environ = {"SCHEDPLAN_SEED": "1", "SCHEDPLAN_SOLVER_SEED": "2", "SCHEDPLAN_THREADS": "2"}

    solver = load_settings(None, (), environ).solver

    assert (2, 2) == (solver.seed, solver.threads)


def test_a_variable_that_names_no_key_is_a_warning() -> None:
    warnings = load_settings(None, (), {"SCHEDPLAN_SOLVER_SEDE": "1", "SCHEDPLAN_OUTPUT": "json", "PATH": "/bin"}).warnings

    assert warnings == ("the variable SCHEDPLAN_SOLVER_SEDE names no key of the configuration and is not used",)


def test_the_type_of_a_text_is_decided_by_its_key() -> None:
    sets = (
        "project.name=7",
        "solver.seed=7",
        "forecast.levels=80,90",
        "check.rules=a{b,c} < 1",
        "forecast.season=[]",
        "solver.gap=none",
    )

    settings = load_settings(None, tuple(parse_set(text) for text in sets), {"SCHEDPLAN_SOLVER_GAP": ".5"})

    assert ("7", 7, (80, 90), ("a{b,c} < 1",)) == (
        settings.project.name,
        settings.solver.seed,
        settings.forecast.levels,
        settings.check.rules,
    )
    assert settings.solver.gap is None


def test_paths_of_the_file_begin_at_it_and_those_of_flags_here(tmp_path: Path) -> None:
    file = written(tmp_path, '[inputs]\nnodes = "n.csv"\njobs = "j.csv"\n')

    settings = load_settings(file, (parse_set("inputs.jobs=mine.csv"),))

    assert (tmp_path / "n.csv", Path("mine.csv")) == (
        settings.inputs[1].paths[0],
        settings.inputs[0].paths[0],
    )


def test_uneven_slots_are_counted_in_minutes(tmp_path: Path) -> None:
    settings = load_settings(written(tmp_path, "[horizon]\nslots = [[2, 15], [1, 60]]\n"))

    # 2 x 15 + 60 = 90 minutes in 3 slots
    assert (1.5, 3) == (settings.horizon.hours, settings.horizon.n_slots)
    assert (0, 900, 1800, 5400) == settings.horizon.grid(0).edges_s


def test_all_faults_are_told_with_file_and_row(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        "gap = 1\n[solver]\nsed = 3\ngap = 'x'\n[slover]\nseed = 1\n"
        "[project]\ntimezone = 'Mars/X'\n[objective]\nbudget_per_day = 3\n",
    )

    faults = faults_of(file, "solver.threads=0", "foo.bar=1")

    assert [
        (1, "gap is not a known key", "Did you mean solver.gap?"),
        (3, "solver.sed is not a known key", "Did you mean solver.seed?"),
        (4, "solver.gap is off", None),
        (5, "[slover] is not a known section", "Did you mean [solver]?"),
        (8, "project.timezone is no time zone", None),
        (10, "objective.budget_per_day is not a known key", "Did you mean limits.budget_per_day?"),
        (None, "--set foo.bar: foo.bar is not a known key", "`schedplan config show` lists the keys"),
        (None, "--set solver.threads: solver.threads is off", None),
    ] == sorted(((fault.row, fault.message, fault.hint) for fault in faults), key=lambda row: (row[0] is None, row[0] or 0, row[1]))
    assert {str(file), None} == {fault.file for fault in faults}


@pytest.mark.parametrize(
    ("text", "key", "seen"),
    [
        ("[solver]\ngap = 1.0", "solver.gap", "1.0"),
        ("[solver]\ngap = nan", "solver.gap", "nan"),
        ("[solver]\nseed = 1.0", "solver.seed", "1.0"),
        ("[solver]\nseed = true", "solver.seed", "True"),
        ("[limits]\nbudget_per_day = '9'", "limits.budget_per_day", "9"),
        ("[limits]\nmax_utilization = 0", "limits.max_utilization", "0"),
        ("[limits]\nmissed_demand = 'never'", "limits.missed_demand", "never"),
        ("[forecast]\nquantile = 1", "forecast.quantile", "1"),
        ("[forecast]\nlevels = [95, 80]", "forecast.levels", "[95, 80]"),
        ("[forecast]\nseason = ['24']", "forecast.season", "['24']"),
        ("[horizon]\nstart = 12:00:00", "horizon.start", "12:00:00"),
        ("[horizon]\nslots = [[1, 2, 3]]", "horizon.slots", "[[1, 2, 3]]"),
        ("[solver]\ntime_limit = 'soon'", "solver.time_limit", "soon"),
        ("[inputs]\nnodes = 3", "inputs.nodes", "3"),
    ],
)
def test_a_value_out_of_its_range_is_refused(tmp_path: Path, text: str, key: str, seen: str) -> None:
    faults = faults_of(written(tmp_path, text))

    assert [(f"{key} is off", seen, 2)] == [(fault.message, fault.seen, fault.row) for fault in faults]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        # 1 h in slots of 7 minutes would end inside a slot
        ("[horizon]\nhours = 1\nstep_minutes = 7", "horizon.hours = 1 is no whole number of 7-minute slots"),
        ("[horizon]\nhours = 1\nslots = [[1, 60]]", "horizon.hours and horizon.slots exclude one another"),
        # 2,000 h x 60 = 120,000 slots of a minute
        ("[horizon]\nhours = 2000\nstep_minutes = 1", "the horizon has 120000 slots"),
        ("[objective]\nlatency = 0\nutilization = 0\ncost = 0", "all weights of [objective] are 0"),
        ("[inputs]\nnodes = []", "inputs.nodes names no file"),
        ("[check]\nrules = ['a < 1', ' ']", "check.rules has an empty rule"),
        ("solver = 3", "solver is a section, not a value"),
        ("[inputs]\nnode = 'x'", "inputs.node is not a known key"),
    ],
)
def test_what_does_not_go_together_is_refused(tmp_path: Path, text: str, message: str) -> None:
    assert [message] == [fault.message for fault in faults_of(written(tmp_path, text))]


def test_a_local_time_that_the_clocks_skip_is_refused(tmp_path: Path) -> None:
    # in Berlin the clocks went from 02:00 to 03:00 on 29 March 2026
    file = written(tmp_path, "[project]\ntimezone = 'Europe/Berlin'\n[horizon]\nstart = 2026-03-29T02:30:00\n")

    (fault,) = faults_of(file)

    assert "does not exist" in fault.message


@pytest.mark.parametrize(("text", "key"), [("[forecast]\nreserve = ['tenant=a']", "forecast.reserve")])
def test_a_key_that_is_not_acted_on_is_refused_by_name(tmp_path: Path, text: str, key: str) -> None:
    (fault,) = faults_of(written(tmp_path, text))

    assert fault.code == "SP2005"
    assert fault.message.startswith(f"{key} is not acted on: ")


def test_missed_demand_may_have_a_price_but_not_beside_a_reserve(tmp_path: Path) -> None:
    alone = load_settings(written(tmp_path, "[limits]\nmissed_demand = 'price'"))
    (fault,) = faults_of(written(tmp_path, "[limits]\nmissed_demand = 'price'\nreserve = 'zone'"))

    assert alone.limits.missed_demand is MissedDemand.PRICE
    assert fault.message == 'limits.missed_demand = "price" and limits.reserve = "zone" exclude one another'
    assert fault.row == 2


@pytest.mark.parametrize("text", ["[quotas]", "[limits]\nreserve = 'zone'", "[forecast]\nreserve = []", "[objective]\ncarbon = 0"])
def test_a_key_that_asks_for_nothing_is_no_fault(tmp_path: Path, text: str) -> None:
    assert load_settings(written(tmp_path, text)).warnings == ()


def test_a_flag_can_take_back_what_the_file_asks_for_in_vain(tmp_path: Path) -> None:
    file = written(tmp_path, "[forecast]\nreserve = ['tenant=a']\n")

    assert load_settings(file, (parse_set("forecast.reserve=[]"),)).warnings == ()


def test_a_table_that_is_only_read_is_a_warning(tmp_path: Path) -> None:
    file = written(tmp_path, "[inputs]\noffers = 'e.csv'\n")

    assert load_settings(file).warnings == (
        f"{file}, row 2: inputs.offers is not used: capacity that could be bought is not considered yet",
    )


def test_quotas_are_rows_of_their_table(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        "[quotas.research]\ngpus = 32\ncpus = 256\nborrow_price = 1.5\nparent = 'ml'\n\n"
        '[quotas."team/a"]\nmemory_gib = 512.5\nborrow = false\n',
    )

    # the price of borrowing is that of devices; borrow = false: at most what is promised
    assert (
        Quota("research", 32.0, parent="ml", borrow_price=1.5, source="project file"),
        Quota("research", 256.0, parent="ml", resource=QuotaResource.CPUS, source="project file"),
        Quota("team/a", 512.5, resource=QuotaResource.MEMORY_GIB, max=512.5, source="project file"),
    ) == load_settings(file).quotas


def test_a_flag_changes_a_quota_and_says_so(tmp_path: Path) -> None:
    settings = load_settings(
        written(tmp_path, "[quotas.a]\ngpus = 8\n"), (parse_set("quotas.a.gpus=4"), parse_set("quotas.b.gpus=2"))
    )

    assert [("a", 4.0), ("b", 2.0)] == [(quota.tenant, quota.nominal) for quota in settings.quotas]
    assert [("quotas.a.gpus", 4.0, "--set quotas.a.gpus"), ("quotas.b.gpus", 2.0, "--set quotas.b.gpus")] == [
        (origin.key, origin.value, origin.source) for origin in settings.origins if origin.key.startswith("quotas")
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[quotas.a]\ngpus = -1", "quotas.a.gpus is off"),
        ("[quotas.a]\ngpus = 'many'", "quotas.a.gpus is off"),
        ("[quotas.a]\nborrow = true", "[quotas.a] promises nothing"),
        ("[quotas.a]\ngpu = 8", "quotas.a.gpu is not a known key"),
        ("[quotas]\na = 8", "quotas.a is a section, not a value"),
    ],
)
def test_a_quota_that_is_off_is_told(tmp_path: Path, text: str, message: str) -> None:
    (fault,) = faults_of(written(tmp_path, text))

    assert message == fault.message


def test_a_slip_in_the_key_of_a_quota_is_told_with_the_nearest(tmp_path: Path) -> None:
    (fault,) = faults_of(written(tmp_path, "[quotas.a]\ngpu = 8"))

    assert fault.hint == "Did you mean quotas.a.gpus?"
