"""The shop's day and real jobs: gates, replays and sources by numbers of those workloads."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from schedplan.compare_engines.comparison import Standing
from schedplan.compare_engines.gates import Outcome
from schedplan.compare_engines.replays import ReplayRow
from schedplan.config.load import load_settings
from schedplan.config.project import ProjectPlace
from schedplan.engines.fact import Value
from schedplan.engines.stack_facts import stack_engine
from schedplan.engines.stack_table import STACKS
from schedplan.workflows.compare_engines import Compared, compare_options, compare_project
from schedplan.workflows.ingest import ingest_files
from schedplan.workflows.project import open_project

SHOP = Path(__file__).parents[2] / "samples" / "ecommerce-day"
N_PHILLY = 3_000


@pytest.fixture(scope="module")
def shop() -> Compared:
    settings = load_settings(SHOP)
    return compare_project(open_project(ProjectPlace(settings.file, (), ()), settings), compare_options())


def test_the_shop_keeps_out_what_cannot_hold_its_gang_on_spot_or_its_service(shop: Compared) -> None:
    """A gang of 10 may run on spot beside a service: AWS Batch has neither, Slurm runs no services."""
    excluded = {
        one.engine.name: {result.gate.name for result in one.results_with(Outcome.FAILED)}
        for one in shop.comparison.with_standing(Standing.EXCLUDED)
    }

    assert excluded == {"aws-batch": {"gang-on-spot", "serving"}, "slurm": {"serving"}}


def test_every_gate_result_of_the_shop_rests_on_facts_with_a_source(shop: Compared) -> None:
    for one in shop.comparison.with_standing(Standing.EXCLUDED):
        for result in one.results_with(Outcome.FAILED):
            assert all(fact.source.startswith("https://") for fact in result.facts)
            assert result.statement in {fact.note for fact in result.facts}


def test_the_shops_one_gang_starts_at_once_under_every_policy_and_the_plan_stands_beside(shop: Compared) -> None:
    """20 devices, a gang of 10 released at 02:00: nothing is ever in its way, but for the 100 s that Autopilot's nodes take."""
    rows = {row.policy: row for row in shop.comparison.replays}

    assert {"fcfs", "easy", "best-fit", "kube-scheduler", "volcano", "plan"} <= rows.keys()
    assert {0.0} == {row.value("wait_s_mean") for policy, row in rows.items() if "autopilot" not in policy}
    assert {100.0} == {row.value("wait_s_mean") for policy, row in rows.items() if "autopilot" in policy}
    assert {1.0} == {row.value("gang_start_rate") for row in rows.values()}
    assert {measure.name for measure in shop.comparison.plan_measures} >= {"cost", "utilization", "slo_attainment"}


@pytest.fixture(scope="module")
def philly(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Compared:
    """Return engines compared for the first 3,000 Philly jobs by time, on 12 nodes of 8 devices."""
    folder = tmp_path_factory.mktemp("philly")
    text = gzip.decompress((shared_data / "traces" / "philly_2017_vcA.csv.gz").read_bytes()).decode()
    head, *rows = text.splitlines()
    source = folder / "philly.csv"
    source.write_text("\n".join([head, *sorted(rows)[:N_PHILLY]]) + "\n", encoding="utf-8")
    ingest_files((source,), folder / "data", timezone="UTC", renames=(), reader="auto", force=False)
    settings = load_settings(None)
    project = open_project(ProjectPlace(None, (folder / "data",), ()), settings)
    return compare_project(project, compare_options(require="gang,on-premises", machine="12x8gpu"))


@pytest.mark.real_data
def test_what_claims_whole_gangs_never_starts_one_in_part_and_kube_scheduler_does(philly: Compared) -> None:
    rates = {row.policy: row.value("gang_start_rate") or 0.0 for row in philly.comparison.replays}
    whole = {policy for policy, rate in rates.items() if rate == 1.0}

    claims = {stack.name for stack in STACKS if stack_engine(stack).fact_of["gang"].value is Value.YES}
    split = {row.policy for row in philly.comparison.replays} - whole
    assert {policy.removesuffix("-tuned") for policy in split} & claims == {"yunikorn"}
    assert {"yunikorn", "yunikorn-tuned", "kube-scheduler", "kube-scheduler-tuned", "gke-autopilot", "gke-autopilot-tuned"} == split
    assert 0.0 < rates["kube-scheduler"] < 1.0


@pytest.mark.real_data
def test_philly_excludes_the_services_that_do_not_run_on_premises(philly: Compared) -> None:
    assert {"aws-batch", "gke-autopilot", "autopilot+kueue"} == {
        one.engine.name for one in philly.comparison.with_standing(Standing.EXCLUDED)
    }
    assert philly.comparison.profile.n_jobs == N_PHILLY


@pytest.mark.real_data
def test_backfill_lets_philly_wait_less_than_first_come_first_served(philly: Compared) -> None:
    rows: dict[str, ReplayRow] = {row.policy: row for row in philly.comparison.replays}
    fcfs, easy = (rows[name].value("wait_s_mean") for name in ("fcfs", "easy"))

    assert fcfs is not None
    assert easy is not None
    assert easy < fcfs
    assert rows["easy"].stack is None
