"""`compare-engines` and `engines` as they are typed: whole answers, forms, refusals, and the same bytes every time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from schedplan.cli.app import app

SAMPLES = Path(__file__).parents[2] / "samples"
THREE_NODES = str(SAMPLES / "three-nodes-1-1-2")
LOG = """\
job,submit_time,state,workers,gpus_per_worker,runtime_minutes,tenant
a,2026-12-01T00:00:00Z,completed,4,1,60,x
b,2026-12-01T00:10:00Z,completed,8,1,30,y
c,2026-12-01T00:20:00Z,completed,1,1,90,x
"""


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def answer(*arguments: str) -> dict[str, Any]:
    result = run(*arguments, "-o", "json")
    assert result.exit_code == 0, result.stderr

    found: dict[str, Any] = json.loads(result.stdout)
    return found


def table(document: dict[str, Any], name: str) -> list[dict[str, Any]]:
    blocks = [block for section in document["sections"] for block in section["blocks"] if block.get("id") == name]
    (block,) = blocks
    return list(block["rows"])


def test_the_list_of_engines_has_all_twelve() -> None:
    assert len(table(answer("engines"), "engines")) == 12


def test_an_engine_is_printed_with_source_and_day_of_every_fact() -> None:
    rows = table(answer("engines", "Volcano"), "facts")

    assert len(rows) == 41
    assert all(row["source"].startswith("https://") and row["checked_on"].startswith("2026-") for row in rows)


@pytest.mark.parametrize(
    ("arguments", "said", "hint"),
    [
        (("engines", "vulcano"), "there is no engine 'vulcano'", "Did you mean volcano?"),
        (("compare-engines", THREE_NODES, "--engines", "volcano,kia"), "there is no engine 'kia'", "Did you mean kai?"),
        (("compare-engines", THREE_NODES, "--require", "gangs"), "there is no requirement 'gangs'", "Did you mean gang?"),
        (("compare-engines", THREE_NODES, "--weights", "costs=1"), "no dimension or capability 'costs'", "Did you mean cost?"),
        (("compare-engines", THREE_NODES, "--engines", ","), "--engines names none", "`schedplan engines` lists them."),
        (
            ("compare-engines", THREE_NODES, "--set", "vulcano.binpack.gpu=1"),
            "no engine 'vulcano'",
            "Did you mean volcano.binpack.gpu?",
        ),
        (("compare-engines", THREE_NODES, "--set", "kai.period=5"), "kai has no parameter 'period'", "kai has: schedule-period,"),
        (("compare-engines", THREE_NODES, "--set", "kai.reclaim=maybe"), "it takes true or false", "kai.reclaim: queues below"),
        (
            ("compare-engines", THREE_NODES, "--engines", "kai", "--set", "slurm.bf_max_job_test=9"),
            "none of the engines compared",
            "",
        ),
        (("compare-engines", THREE_NODES, "--presets", "best"), "there is no preset 'best'", "There are: default, tuned."),
        (("compare-engines", THREE_NODES, "--machine", "forty"), "--machine 'forty' is no machine", "such as 40x8gpu"),
        (("compare-engines", THREE_NODES, "--out", "fit.pdf"), "its ending says no form of report", "End it with .html"),
    ],
    ids=["engine", "engines", "require", "weights", "none", "set", "parameter", "value", "left out", "presets", "machine", "form"],
)
def test_words_that_are_not_known_are_refused_with_the_nearest(arguments: tuple[str, ...], said: str, hint: str) -> None:
    result = run(*arguments)

    assert (2, "") == (result.exit_code, result.stdout)
    assert said in result.stderr
    assert hint in result.stderr


def test_a_log_needs_a_machine_and_takes_one(tmp_path: Path) -> None:
    jobs = tmp_path / "jobs.csv"
    jobs.write_text(LOG, encoding="utf-8")

    refused = run("compare-engines", str(jobs))
    found = answer("compare-engines", str(jobs), "--machine", "1x8gpu")

    assert (2, True) == (refused.exit_code, "--machine 40x8gpu" in refused.stderr)
    assert {"gang"} < set(found["engines"][0]["gates"])
    assert found["recommendation"]["engine"] == found["engines"][0]["engine"]


def test_only_the_engines_that_are_named_are_compared_and_gates_hold(tmp_path: Path) -> None:
    jobs = tmp_path / "jobs.csv"
    jobs.write_text(LOG, encoding="utf-8")

    found = answer(
        "compare-engines", str(jobs), "--machine", "1x8gpu", "--engines", "gke-autopilot,slurm,kubeflow", "--require", "on-premises"
    )

    standing = {one["engine"]: one["standing"] for one in found["engines"]}
    assert standing == {
        "slurm": "passes",
        "trainer+volcano": "passes",
        "gke-autopilot": "excluded",
        "kubeflow": "no scheduler",
    }
    assert {one["engine"]: one["fit"] for one in found["engines"]}["kubeflow"] is None


def test_a_parameter_of_ones_own_is_a_row_beside_the_presets() -> None:
    rows = table(answer("compare-engines", THREE_NODES, "--engines", "volcano", "--set", "volcano.binpack.gpu=10"), "replays")

    of_volcano = [row["preset"] for row in rows if row["stack"] == "volcano"]
    assert of_volcano == ["default", "tuned", "volcano.binpack.gpu=10"]


def test_a_stack_is_printed_with_its_card_and_its_parameters() -> None:
    document = answer("engines", "kueue+kube-scheduler")
    (card,) = table(document, "models")
    calibrated = {row["parameter"]: row for row in table(document, "parameters")}["kueue.admissions-per-s"]

    assert "kueue (admission), kube-scheduler (placer)" == card["layers"]
    assert "kueue.admissions-per-s = 42.74, 35 to 230 (calibrated on a published figure)" in card["assumed"]
    assert ("42.74", "calibrated on a published figure") == (calibrated["default"], calibrated["tier"])


@pytest.mark.parametrize("form", ["html", "md", "json"])
def test_the_report_is_written_in_the_form_of_its_ending(form: str, tmp_path: Path) -> None:
    target = tmp_path / f"fit.{form}"

    result = run("compare-engines", THREE_NODES, "--engines", "volcano,kai", "--out", str(target))

    assert result.exit_code == 0, result.stderr
    assert "Volcano" in target.read_text(encoding="utf-8")


def test_two_hash_seeds_write_the_same_bytes() -> None:
    command = [sys.executable, "-m", "schedplan", "compare-engines", THREE_NODES, "-o", "json"]
    first, second = (
        subprocess.run(command, capture_output=True, check=True, env={**os.environ, "PYTHONHASHSEED": seed}).stdout
        for seed in ("1", "2")
    )

    assert first == second


def test_reasons_are_rows_of_one_table_and_assumptions_are_counted() -> None:
    document = answer("compare-engines", THREE_NODES)
    kinds = [block["type"] for block in document["sections"][0]["blocks"]]

    assert {row["sign"] for row in table(document, "points")} <= {"for it", "against it", "replays", "would change it"}
    assert kinds.count("paragraph") == 1
