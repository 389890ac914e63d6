"""From tables to a saved replay and its verdict, through the command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner, Result

from schedplan.cli.app import app
from schedplan.errors import InputError
from schedplan.tables.artefact_simulation import read_simulation

JOBS = """job,submit_time,gpus_per_worker,workers,runtime_minutes,time_limit_minutes,state,tenant
a,2026-01-01T00:00:00Z,1,3,10,,completed,x
b,2026-01-01T00:01:00Z,1,2,10,,completed,x
c,2026-01-01T00:02:00Z,1,1,9,8,failed,y
d,2026-01-01T00:02:00Z,1,9,1,,completed,y
"""
NODES = "node,count,gpus\nn,2,2\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "jobs.csv").write_text(JOBS, encoding="utf-8")
    (tmp_path / "nodes.csv").write_text(NODES, encoding="utf-8")
    text = '[project]\nname = "log"\n[inputs]\njobs = "jobs.csv"\nnodes = "nodes.csv"\n[check]\nrules = ["wait_s_mean <= 3min"]\n'
    (tmp_path / "schedplan.toml").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def test_a_log_under_easy(project: Path) -> None:
    """The schedule of the golden case: b is reserved 00:10, c (8 minutes by its limit) ends exactly then; d is too large."""
    shown = run("simulate", "--policy", "easy", "-o", "json")

    assert shown.exit_code == 0, shown.stderr
    said = json.loads(shown.stdout)
    assert ("simulation", "easy", 1) == (said["kind"], said["policy"], said["replications"])
    assert {"larger than the machine": 1} == said["dropped"]
    assert "1 of 4 jobs state a limit" in said["settings"]["estimates"]
    jobs = pq.read_table(project / "runs" / "simulation" / "jobs_out.parquet").to_pylist()
    assert [("a", 0, "completed"), ("b", 540, "completed"), ("c", 0, "timeout")] == [
        (row["job"], row["wait_s"], row["state"]) for row in jobs
    ]
    assert ["n/1*2;n/2*1", "n/1*2", "n/2*1"] == [row["node"] for row in jobs]
    events = pq.read_table(project / "runs" / "simulation" / "timeline.parquet").to_pylist()
    at_ten = [(row["event"], row["job"], row["node"], row["devices"]) for row in events if row["time"].minute == 10]
    assert [("end", "a", "n/1", 2.0), ("end", "a", "n/2", 1.0), ("limit", "c", "n/2", 1.0), ("start", "b", "n/1", 2.0)] == at_ten
    assert ["uses" in (row["reason"] or "") or "ends by" in (row["reason"] or "") for row in events if row["event"] == "start"] == [
        False,
        False,
        True,
        False,
    ]


def test_recorded_waits_stand_beside_replayed_ones(project: Path) -> None:
    """a waited 0 s, as replayed; b 1,740 s and is replayed to wait 540 s."""
    head, a, b, *rest = JOBS.splitlines()
    rows = [f"{head},start_time", f"{a},2026-01-01T00:00:00Z", f"{b},2026-01-01T00:30:00Z", *(f"{row}," for row in rest)]
    (project / "jobs.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    notes = json.loads(run("simulate", "--policy", "easy", "-o", "json").stdout)["assumptions"]

    told = [note for note in notes if "waits" in note]
    assert "waits of the 2 jobs whose start is recorded: mean 14 min 30 s recorded, 4 min 30 s replayed" in told[0]
    assert "earlier 1, later 0, in the same second 1" in told[0]
    assert "shorter on average" in told[1]


def test_ended_jobs_that_are_left_out_beside_an_open_one_are_a_warning(project: Path) -> None:
    whole = run("simulate", "--policy", "easy", "-o", "json")
    (project / "jobs.csv").write_text(f"{JOBS}e,2026-01-01T00:03:00Z,1,1,5,,pending,x\n", encoding="utf-8")
    rest = run("simulate", "--policy", "easy", "-o", "json", "--force")

    # a to d have ended, e waits: 4 of 5 are history
    told = "jobs that ended are history and not replayed, for others wait or run: 4 of 5"
    assert (0, 0) == (whole.exit_code, rest.exit_code)
    assert "are history" not in whole.output
    assert told in rest.output


def test_the_gate_on_a_replay(project: Path) -> None:
    run("simulate", "--policy", "easy", "-q")

    # Waits 0, 540, 0: mean 180 s <= 3 min.
    assert run("check", "runs/simulation").exit_code == 0
    assert run("check", "runs/simulation", "--rule", "unplaced == 0").exit_code == 1
    (project / "jobs.csv").write_text(JOBS.replace("a,2026-01-01T00:00", "a,2026-01-01T00:01"), encoding="utf-8")
    stale = run("check", "runs/simulation")
    assert (2, True) == (stale.exit_code, "stale" in stale.stderr)


def test_a_changed_byte_is_noticed(project: Path) -> None:
    run("simulate", "-q")
    for name in ("simulate.json", "timeline.parquet", "jobs_out.parquet"):
        path = project / "runs" / "simulation" / name
        content = path.read_bytes()
        path.write_bytes(content[:100] + bytes([content[100] ^ 1]) + content[101:])
        with pytest.raises(InputError):
            read_simulation(path.parent)
        path.write_bytes(content)

    assert "fcfs" == read_simulation(project / "runs" / "simulation").policy


def test_without_nodes_a_machine_is_asked_for(project: Path) -> None:
    refused = run("simulate", "jobs.csv")

    assert (2, True) == (refused.exit_code, "--machine" in refused.stderr)
    assert run("simulate", "jobs.csv", "--machine", "1x4gpu", "--out", "other").exit_code == 0
    assert (project / "other" / "simulate.json").is_file()


def test_a_plan_is_followed_from_its_start(project: Path) -> None:
    """Two jobs of an hour on one device, planned one after the other: the replay starts them as planned."""
    (project / "jobs.csv").write_text("job,gpus_per_worker,runtime_minutes\na,2,60\nb,2,60\n", encoding="utf-8")
    (project / "nodes.csv").write_text("node,gpus\nn,2\n", encoding="utf-8")
    text = '[inputs]\njobs = "jobs.csv"\nnodes = "nodes.csv"\n[horizon]\nstart = 2026-01-01T00:00:00\nhours = 3\n'
    (project / "schedplan.toml").write_text(text, encoding="utf-8")
    assert run("optimize", "-q").exit_code == 0
    shown = run("simulate", "--plan", "runs/plan", "-o", "json")

    assert shown.exit_code == 0, shown.stderr
    measures = {one["name"]: one["value"] for one in json.loads(shown.stdout)["measures"] if not one["labels"]}
    assert (1800.0, 7200.0, 1.0) == (measures["wait_s_mean"], measures["makespan_s"], measures["utilization"])
    assert run("simulate", "--policy", "fcfs", "--plan", "runs/plan").exit_code == 2


def test_an_elastic_gang_is_replayed_with_the_workers_of_its_plan(project: Path) -> None:
    """Four workers asked for and two devices there: two of them run 60 x 4 / 2 = 120 minutes."""
    (project / "jobs.csv").write_text("job,workers,min_workers,gpus_per_worker,runtime_minutes\na,4,2,1,60\n", encoding="utf-8")
    (project / "nodes.csv").write_text("node,gpus\nn,2\n", encoding="utf-8")
    text = '[inputs]\njobs = "jobs.csv"\nnodes = "nodes.csv"\n[horizon]\nstart = 2026-01-01T00:00:00\nhours = 3\n'
    (project / "schedplan.toml").write_text(text, encoding="utf-8")
    assert run("optimize", "-q").exit_code == 0
    shown = run("simulate", "--plan", "runs/plan", "-o", "json")
    explained = " ".join(run("explain", "runs/plan", "a").stdout.split())

    assert shown.exit_code == 0, shown.stderr
    measures = {one["name"]: one["value"] for one in json.loads(shown.stdout)["measures"] if not one["labels"]}
    assert (7200.0, 1.0) == (measures["makespan_s"], measures["utilization"])
    assert run("verify", "runs/plan").exit_code == 0
    assert "it runs with 2 of its 4 workers (at least 2), 2 times as long: 2 h" in explained


def test_the_same_bytes_under_two_hash_seeds(project: Path) -> None:
    command = [sys.executable, "-m", "schedplan", "simulate", "--policy", "volcano", "-q", "-o", "json", "--out"]
    found = [
        subprocess.run([*command, f"run{seed}"], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True).stdout
        for seed in ("1", "2")
    ]

    assert found[0] == found[1]
    for name in ("simulate.json", "timeline.parquet", "jobs_out.parquet"):
        assert (project / "run1" / name).read_bytes() == (project / "run2" / name).read_bytes()


def test_every_rule_of_a_policy_is_printed() -> None:
    said = json.loads(run("policies", "volcano", "-o", "json").stdout)["policy"]

    rules = [
        "share",
        "queue",
        "admission",
        "quota",
        "blocking",
        "backfill",
        "gang",
        "node choice",
        "tie",
        "estimate",
        "preemption",
        "replicas",
        "nodes",
        "cycle",
    ]
    assert sorted(rules) == sorted(said["rules"])
    assert all(said["rules"].values())
    assert run("policies", "vulcano").exit_code == 2


def test_a_replay_says_that_profiles_count_their_compute_slices_alone(project: Path) -> None:
    (project / "jobs.csv").write_text("job,slice_profile,runtime_minutes\na,3g.20gb,60\n", encoding="utf-8")
    (project / "nodes.csv").write_text("node,gpus,accelerator,gpu_memory_gib,slices_per_gpu\nn,1,A100,40,7\n", encoding="utf-8")
    text = '[inputs]\njobs = "jobs.csv"\nnodes = "nodes.csv"\n[horizon]\nstart = 2026-01-01T00:00:00\nhours = 3\n'
    (project / "schedplan.toml").write_text(text, encoding="utf-8")
    shown = run("simulate", "--policy", "fcfs")

    assert shown.exit_code == 0, shown.stderr
    assert "jobs that ask for a named profile (slice_profile), replayed by its compute slices alone" in shown.stdout + shown.stderr


def test_services_beside_jobs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two replicas at 0.7 of 2 x 1 request/s, then three: the fourth device is the job's, the fifth of a gang of two is missing."""
    (tmp_path / "nodes.csv").write_text("node,gpus\nn,4\n", encoding="utf-8")
    (tmp_path / "services.csv").write_text(
        "service,slo_ms,slo_quantile,service_ms,gpus_per_replica\ns,9000,mean,1000,1\n", encoding="utf-8"
    )
    rows = "".join(f"s,2026-01-01T0{hour}:00:00Z,{rate}\n" for hour, rate in enumerate([1.4, 1.4, 2.0, 2.0]))
    (tmp_path / "load.csv").write_text(f"unique_id,ds,y\n{rows}", encoding="utf-8")
    (tmp_path / "jobs.csv").write_text(
        "job,submit_time,gpus_per_worker,runtime_minutes,state\na,2026-01-01T00:00:00Z,1,10,pending\n", encoding="utf-8"
    )
    text = '[inputs]\njobs = "jobs.csv"\nnodes = "nodes.csv"\nservices = "services.csv"\nload = "load.csv"\n'
    (tmp_path / "schedplan.toml").write_text(f"{text}[horizon]\nstart = 2026-01-01T00:00:00Z\nhours = 4\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    shown = run("simulate", "-o", "json")
    folder = tmp_path / "runs" / "simulation"

    assert shown.exit_code == 0, shown.stderr
    measured = {(one["name"], one["labels"].get("service")): one["value"] for one in json.loads(shown.stdout)["measures"]}
    # 2 replicas until 02:00:15, where 2 on 2 has no steady state: 15 s x 2 requests are late of 2 h x (1.4 + 2.0).
    assert 30 == measured["missed_requests", "s"]
    assert 1 - 30 / (7200 * 3.4) == pytest.approx(measured["slo_attainment", None])
    spans = pq.read_table(folder / "services_out.parquet").to_pylist()
    assert [2, 3] == list(dict.fromkeys(row["ready"] for row in spans))
    assert 3 == pq.read_table(folder / "replicas_out.parquet").num_rows
    assert run("simulate", "--force", "-q").exit_code == 0
    assert run("check", str(folder), "--rule", "slo_attainment >= 0.99").exit_code == 0


def test_places_are_kept_for_the_jobs_themselves(project: Path) -> None:
    """a to d are 3 + 2 + 1 + 9 workers of a device, on 4 devices: 4 / 15 of them at most have a place."""
    shown = run("simulate", "--policy", "plan-guided", "-o", "json")

    assert shown.exit_code == 0, shown.stderr
    told = next(words for words in json.loads(shown.stdout)["assumptions"] if "places kept" in words)
    assert "times the 15 workers of the jobs that are replayed" in told
    assert float(told.split(", ")[1].split(" times")[0]) <= 4 / 15 + 1e-3
    assert run("simulate", "--policy", "easy", "--set", "policy.nodes=plan-guided").exit_code == 2


def test_replications_with_bands_and_ties(project: Path) -> None:
    """c goes by b under easy alone; that easy-sjbf does no other with three jobs is a tie, band 0 to 0."""
    shown = run("simulate", "--policy", "easy", "--replications", "4", "--against", "easy-sjbf", "--against", "fcfs", "-o", "json")

    assert shown.exit_code == 0, shown.stderr
    said = json.loads(shown.stdout)
    assert 4 == said["replications"]
    waits = next(one for one in said["bands"] if one["name"] == "wait_s_mean" and not one["labels"])
    assert waits["low"] <= waits["mean"] <= waits["high"]
    found = {(one["policy"], one["name"]): one for one in said["differences"]}
    assert found["easy-sjbf", "wait_s_mean"]["is_tie"]
    assert (0.0, 0.0) == (found["easy-sjbf", "wait_s_mean"]["low"], found["easy-sjbf", "wait_s_mean"]["high"])
    assert not found["fcfs", "wait_s_mean"]["is_tie"]
    assert found["fcfs", "wait_s_mean"]["low"] > 0
    record = read_simulation(project / "runs" / "simulation")
    assert said["bands"][0]["mean"] == record.bands[0].mean
    assert 2 == len({one.policy for one in record.differences})
    assert run("simulate", "--against", "fcfs").exit_code == 2


def test_measures_for_prometheus(project: Path) -> None:
    shown = run("simulate", "--policy", "easy", "-o", "json")
    lines = (project / "runs" / "simulation" / "measures.prom").read_text(encoding="utf-8").splitlines()
    found = [one for one in json.loads(shown.stdout)["measures"] if one["value"] is not None]

    assert "# TYPE schedplan_wait_seconds gauge" in lines
    assert 'schedplan_wait_seconds{project="log",tenant="y",stat="mean"} 0' in lines
    # Beside the measures stands the end of the replay.
    assert len(found) + 1 == sum(not line.startswith("#") for line in lines)
