"""Golden schedules worked by hand: the arithmetic stands beside each in tests/cases/simulate."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from schedplan.engines.composition import composed
from schedplan.engines.part import Cycle, CycleKind
from schedplan.engines.policy_table import policy
from schedplan.measures.replay import replay_measures
from schedplan.measures.timeline_check import broken_laws
from schedplan.model.cluster import Cluster, Pool
from schedplan.model.outage import Outage, OutageKind
from schedplan.model.policy_parts import Choices
from schedplan.model.quota import Quota
from schedplan.model.service_run import ServicesRun
from schedplan.model.timeline import REASONS, StartReason
from schedplan.model.workload import Job, Service, Topology, WorkerShape
from schedplan.simulate.autoscaler import Steps
from schedplan.simulate.fleet import FleetWork, ServiceLoad
from schedplan.simulate.options import EventOrder, ReplayOptions
from schedplan.simulate.replay import replay

FOLDER = Path(__file__).parents[1] / "cases" / "simulate"
REASON_WORDS = {"before": StartReason.BEFORE_RESERVATION, "beside": StartReason.BESIDE_RESERVATION}


@dataclass(frozen=True)
class Case:
    name: str
    given: dict[str, Any]


CASES = [
    Case(f"{path.stem}: {given['title']}", given)
    for path in sorted(FOLDER.glob("*.toml"))
    for given in tomllib.loads(path.read_text("utf-8"))["case"]
]


def job_of(given: dict[str, Any]) -> Job:
    return Job(
        given["job"],
        submit_s=given["submit"],
        after=tuple(given.get("after", ())),
        workers=given.get("workers", 1),
        priority=given.get("priority", 0),
        tenant=given.get("tenant", "default"),
        shape=WorkerShape(gpus=given.get("gpus", 1), cpus=given.get("cpus", 0), max_per_node=given.get("most")),
        preemptible=given.get("preemptible", True),
        checkpoint_minutes=given["checkpoint"] / 60 if "checkpoint" in given else None,
        checkpoint_cost_minutes=given.get("checkpoint_cost", 0) / 60,
        restart_minutes=given.get("restart", 0) / 60,
        runtime_minutes=given["run"] / 60,
        time_limit_minutes=given["limit"] / 60 if "limit" in given else None,
        topology=Topology(given.get("topology", "cluster")),
    )


def services_of(given: dict[str, Any]) -> FleetWork | None:
    """Rates as [instant, requests/s] pairs; times in seconds."""
    if "services" not in given:
        return None
    loads = []
    for one in given["services"]:
        service = Service(
            one["service"],
            slo_ms=one.get("slo_ms", 100_000),
            service_ms=one.get("service_ms", 1000),
            slo_quantile=None,
            service_cv=one.get("cv", 1.0),
            concurrency=one.get("concurrency", 1),
            tenant=one.get("tenant", "default"),
            priority=one.get("priority", 0),
            shape=WorkerShape(gpus=one.get("gpus", 1)),
            min_replicas=one.get("min", 1),
            max_replicas=one.get("max"),
            min_hold_minutes=one.get("hold", 0) / 60,
            startup_minutes=one.get("startup", 0) / 60,
            affinity=one.get("affinity"),
            load_minutes=one.get("loading", 0) / 60,
            cache_hit_ratio=one.get("cached", 0.0),
        )
        expected = steps(one["forecast"]) if "forecast" in one else None
        loads.append(ServiceLoad(service, steps(one["load"]), expected))
    return FleetWork(tuple(loads), given.get("from", 0), given["until"])


def steps(pairs: list[list[float]]) -> Steps:
    return Steps(tuple(int(at_s) for at_s, _ in pairs), tuple(float(rate) for _, rate in pairs))


def seen_of_services(run: ServicesRun | None) -> dict[str, Any]:
    """ready: [instant, replicas that serve] where that changes; backlog: at the ends of those; late: requests that miss the SLO."""
    if run is None:
        return {}
    ready: dict[str, list[list[int]]] = {name: [] for name in run.names}
    backlog: dict[str, list[float]] = {name: [] for name in run.names}
    late = dict.fromkeys(run.names, 0.0)
    for span in run.spans:
        name = run.names[span.service]
        if not ready[name] or ready[name][-1][1] != span.ready:
            ready[name].append([span.start_s, span.ready])
            backlog[name].append(0.0)
        backlog[name][-1] = round(span.backlog_end, 6)
        late[name] = round(late[name] + span.late, 6)
    return {
        "ready": ready,
        "backlog": backlog,
        "late": late,
        "scale_ups": [[run.names[one.service], one.asked_s, one.taken_s, one.ready_s] for one in run.replicas if one.asked_s],
    }


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_case(case: Case) -> None:
    given = case.given
    cycle = Cycle(CycleKind(given["cycle"])) if "cycle" in given else None
    found = replay(
        Cluster(tuple(Pool(**node) for node in given["nodes"])),
        tuple(job_of(job) for job in given.get("jobs", ())),
        composed(policy(given["policy"]), Choices(**given.get("parts", {}))),
        ReplayOptions(order=EventOrder(given.get("order", "submissions-first")), cycle=cycle),
        quotas=tuple(Quota(**quota) for quota in given.get("quotas", ())),
        services=services_of(given),
        outages=tuple(Outage(**{**outage, "kind": OutageKind(outage["kind"])}) for outage in given.get("outages", ())),
    ).timeline
    started = [idx for idx in range(len(found.jobs)) if found.started[idx]]
    nodes_of: dict[str, set[str]] = {name: set() for name in found.jobs}
    for job, node in zip(found.parts.job, found.parts.node, strict=True):
        nodes_of[found.jobs[job]].add(found.nodes[node])
    measured = {measure.name: measure.value for measure in replay_measures(found) if not measure.labels}
    seen = {
        "starts": {found.jobs[idx]: int(found.start_s[idx]) for idx in started},
        "ends": {found.jobs[idx]: int(found.end_s[idx]) for idx in started},
        "nodes": {job: "|".join(sorted(nodes_of[job])) for job in given["expect"].get("nodes", {})},
        "reasons": {
            found.jobs[idx]: word
            for idx in started
            for word, reason in REASON_WORDS.items()
            if REASONS[found.reason[idx]] is reason
        },
        "stops": {
            found.jobs[job]: [stop.at_s for stop in found.stops if stop.job == job] for job in {stop.job for stop in found.stops}
        },
        "lost": {found.jobs[stop.job]: stop.lost_s for stop in found.stops},
        "dropped": {reason.name: count for reason, count in found.dropped},
        "unplaced": measured["unplaced"],
        "gang_start_rate": measured["gang_start_rate"],
        **seen_of_services(found.services),
    }

    assert given["expect"] == {key: seen[key] for key in given["expect"]}
    assert () == broken_laws(found, gangs_are_whole=policy(given["policy"]).engine != "kube-scheduler")
