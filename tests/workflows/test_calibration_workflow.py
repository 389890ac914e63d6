"""Latency samples from the table to the number of replicas, and what is said of them."""

from __future__ import annotations

from json import loads

import pytest
from pyarrow.parquet import read_table
from typer.testing import CliRunner, Result

from schedplan.cli.app import app
from schedplan.measures.latency import latency_ms

NODES = "node,count,accelerator,gpus\nn,8,A100,1\n"
SERVICES = "service,slo_ms,slo_quantile,service_ms,service_cv,concurrency,gpus_per_replica\nweb,1000,mean,50,0,1,1\n"
LOAD = "unique_id,ds,y,unit\n" + "".join(
    f"web,2026-11-{day:02d}T{hour:02d}:00:00Z,50,requests/s\n" for day in range(1, 15) for hour in range(24)
)


def rows(service_ms, service="web", accelerator="A100"):
    """20 samples of the model itself on one replica: 10 loads, mean and 0.95 quantile, constant service time."""
    told = [
        f"{service},{accelerator},{rate:g},1,{name},{latency_ms(service_ms, 0.0, quantile, 1, rate)}"
        for load in range(1, 11)
        for name, quantile in (("mean", None), ("0.95", 0.95))
        for rate in [load / 11 * 1000 / service_ms]
    ]
    return "service,accelerator,rate,replicas,quantile,latency_ms\n" + "\n".join(told) + "\n"


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Return a function that runs a command in a folder of its own, with these files in it."""
    monkeypatch.chdir(tmp_path)

    def call(*words: str, **tables: str) -> Result:
        tables = {"nodes": NODES, "services": SERVICES, "load": LOAD} | tables
        for name, text in tables.items():
            (tmp_path / f"{name}.csv").write_text(text)
        return CliRunner().invoke(app, [*words, *(f"{name}.csv" for name in tables)])

    return call


def replicas(folder: str) -> set[int]:
    """Return the numbers of replicas over the slots of a saved plan."""
    rows = read_table(f"{folder}/replicas.parquet").to_pylist()
    return {sum(row["replicas"] for row in rows if row["ds"] == ds) for ds in {row["ds"] for row in rows}}


def test_replicas_follow_what_was_measured(run):
    stated = run("optimize", "--out", "stated")
    measured = run("optimize", "-o", "json", "--out", "measured", latency_samples=rows(100.0))

    # 50 requests/s of 50 ms keep 2.5 replicas busy, three have a steady state; of 100 ms 5.0, which needs six. The target of a
    # second holds for both: with six servers at a load of 5 a request waits C 100 / (2 (6 - 5)) ms, C <= 1.
    assert (0, 0) == (stated.exit_code, measured.exit_code)
    assert ({3}, {6}) == (replicas("stated"), replicas("measured"))
    told = [note for note in loads(measured.stdout)["assumptions"] if "calibrated mean service time" in note]
    assert len(told) == 1
    # a constant time is fitted with the least variation there is, 0.02, and is a hair shorter for it
    assert told[0].startswith("service web: calibrated mean service time 50 -> 99.99 ms on A100 (20 samples), cv 0 -> 0.02;")
    assert "error on 4 samples held back" in told[0]
    assert told[0].endswith("; used")


def test_a_plan_made_with_samples_is_verified_with_them(run):
    made = run("optimize", "--out", "plan", latency_samples=rows(100.0))
    verified = CliRunner().invoke(app, ["verify", "plan"])

    assert (0, 0) == (made.exit_code, verified.exit_code), verified.output


def test_every_plan_of_services_names_the_law_of_its_latencies(run):
    assert any("Erlang C" in note for note in loads(run("optimize", "-o", "json").stdout)["assumptions"])


def test_validate_says_what_the_samples_say(run):
    good = loads(run("validate", "-o", "json", latency_samples=rows(100.0)).stdout)
    strange = loads(
        run("validate", "-o", "json", latency_samples=rows(100.0, "wob") + rows(100.0, "web", "B7").split("\n", 1)[1]).stdout
    )

    assert [("note", "service web")] == [(one["severity"], one["subject"]) for one in good["findings"] if one["code"] == "SP1235"]
    assert [("latency_samples", None), ("service wob", "Did you mean web?")] == [
        (one["subject"], one["hint"]) for one in strange["findings"] if one["code"] == "SP1209"
    ]


def test_samples_are_calibrated_alike_in_any_order(run):
    head, *told = rows(100.0).strip().split("\n")
    first = run("optimize", "-o", "json", latency_samples="\n".join([head, *told]) + "\n")
    again = run("optimize", "-o", "json", latency_samples="\n".join([head, *reversed(told)]) + "\n")

    assert loads(first.stdout)["assumptions"] == loads(again.stdout)["assumptions"]
