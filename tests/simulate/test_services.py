"""Services as a fluid: against closed forms, against single requests as jobs, against small steps, and the laws of conservation."""

from __future__ import annotations

import random
from math import fsum

import numpy as np
import pytest

from schedplan.engines.composition import composed
from schedplan.engines.policy_table import policy
from schedplan.measures.replay import replay_measures, waits_s
from schedplan.measures.timeline_check import broken_laws
from schedplan.model.cluster import Cluster, Market, Pool
from schedplan.model.policy_parts import Choices
from schedplan.model.service_run import ServicesRun
from schedplan.model.timeline import Timeline
from schedplan.model.workload import Job, Service, WorkerShape
from schedplan.simulate.autoscaler import Steps
from schedplan.simulate.fleet import FleetWork, ServiceLoad
from schedplan.simulate.fluid import Fluid, Serving
from schedplan.simulate.options import Detail, ReplayOptions
from schedplan.simulate.replay import replay
from tests.simulate.test_queueing import erlang_c, poisson_jobs

SECOND_MS = 1000.0


def service(name: str = "s", cv: float = 1.0, replicas: int = 1, slo_ms: float = 5000.0) -> Service:
    shape = WorkerShape(gpus=1)
    return Service(
        name, slo_ms, SECOND_MS, service_cv=cv, slo_quantile=None, shape=shape, min_replicas=replicas, max_replicas=replicas
    )


def mean_ms(cv: float, servers: int, rate: float) -> float:
    one = ServiceLoad(service(cv=cv, replicas=servers), Steps((0,), (rate,)))
    found = replay(
        Cluster((Pool("n", gpus=servers),)),
        (),
        composed(policy("fcfs"), Choices(scaling="none")),
        services=FleetWork((one,), 0, 3600),
    )
    measured = {measure.name: measure.value for measure in replay_measures(found.timeline) if measure.labels}
    value = measured["latency_ms_mean"]
    assert value is not None
    return value


@pytest.mark.parametrize(("servers", "load", "waits"), [(1, 0.5, 1.0), (2, 1, 0.333333), (3, 2, 0.444444), (10, 8, 0.204590)])
def test_mean_waits_of_erlang_c(servers: int, load: float, waits: float) -> None:
    """The table of design/replay.md, mean wait in service times."""
    assert SECOND_MS * (1 + waits) == pytest.approx(mean_ms(1.0, servers, load), abs=1e-2)


@pytest.mark.parametrize("load", [0.3, 0.5, 0.9])
def test_mean_wait_of_one_server_with_equal_requests(load: float) -> None:
    """M/D/1: load / (2 (1 - load)) service times."""
    assert SECOND_MS * (1 + load / (2 * (1 - load))) == pytest.approx(mean_ms(0.0, 1, load), rel=1e-9)


def test_requests_as_jobs_wait_as_the_fluid_says() -> None:
    """30,000 jobs of one device on 3 devices at load 2, two seeds: mean wait within 3 % of the fluid at the load drawn."""
    seen, expected = [], []
    for seed in range(2):
        found = replay(Cluster((Pool("n", gpus=3),)), poisson_jobs(seed, 2.0), policy("fcfs"), ReplayOptions(detail=Detail.POOL))
        drawn = float(found.timeline.run_s.sum()) / int(found.timeline.submit_s[-1])
        seen.append(float(waits_s(found.timeline).mean()) / float(found.timeline.run_s.mean()))
        expected.append(mean_ms(1.0, 3, drawn) / SECOND_MS - 1)

    assert np.mean(expected) == pytest.approx(np.mean(seen), rel=0.03)


@pytest.mark.parametrize("seed", range(5))
def test_the_fluid_in_small_steps(seed: int) -> None:
    """Rates and replicas at random, in steps of a thousandth of a second: the same backlog and the same late requests."""
    draw = random.Random(seed)
    fluid = Fluid(0, service(slo_ms=4000.0), 0)
    backlog = late = 0.0
    step_s = 0.001
    for at_s in range(0, 100, 10):
        fluid.rate_rps, replicas = draw.choice([0.0, 0.5, 1.5, 3.0]), draw.choice([0, 1, 2, 4])
        fluid.serving = Serving(replicas, SECOND_MS if replicas else 0.0)
        load = fluid.rate_rps
        for _ in range(int(10 / step_s)):
            if load >= replicas:
                late += load * step_s
            elif load:
                steady_s = 1 + erlang_c(replicas, load) / (replicas - load)
                late += load * step_s * (steady_s + backlog / replicas > 4.0)
            backlog = max(backlog + (load - replicas) * step_s, 0.0)
        fluid.advance(at_s + 10)

        assert backlog == pytest.approx(fluid.backlog, abs=0.02)
    assert late == pytest.approx(fsum(span.late for span in fluid.spans), abs=0.2)


@pytest.mark.parametrize("scaling", ["none", "target-utilization", "queue-length", "slo", "forecast", "forecast-breaker"])
@pytest.mark.parametrize("name", ["fcfs", "easy", "conservative", "preempt", "fgd", "capacity"])
def test_laws_with_services(name: str, scaling: str) -> None:
    for seed in range(4):
        found = mixed(name, scaling, seed)
        run = found.services
        assert run is not None

        assert () == broken_laws(found)
        assert () == broken_flow(run)


def mixed(name: str, scaling: str, seed: int) -> Timeline:
    """Jobs, two services whose load jumps, and spot nodes that go."""
    draw = random.Random(seed)
    cluster = Cluster(
        (
            Pool("a", count=3, min_count=3, max_count=3, gpus=4),
            Pool("s", count=2, min_count=0, max_count=2, gpus=4, market=Market.SPOT, interruptions_per_hour=2.0, startup_minutes=3),
        )
    )
    jobs = tuple(
        Job(
            f"j{idx:02d}",
            submit_s=draw.randint(0, 3000),
            workers=draw.choice([1, 1, 2, 4]),
            priority=draw.randint(0, 2),
            shape=WorkerShape(gpus=draw.choice([1, 1, 2])),
            runtime_minutes=draw.randint(1, 20),
            spot_ok=True,
        )
        for idx in range(30)
    )
    loads = []
    for idx in range(2):
        rates = Steps(tuple(range(0, 3600, 300)), tuple(draw.choice([0.0, 0.4, 1.3, 3.2]) for _ in range(12)))
        one = Service(
            f"s{idx}",
            4000.0,
            SECOND_MS,
            priority=draw.randint(0, 3),
            shape=WorkerShape(gpus=1),
            startup_minutes=draw.choice([0, 1]),
            markets=(Market.OWNED, Market.SPOT),
        )
        loads.append(ServiceLoad(one, rates, rates))
    options = ReplayOptions(seed=seed, loses_spot=True)
    chosen = composed(policy(name), Choices(scaling=scaling))
    return replay(cluster, jobs, chosen, options, services=FleetWork(tuple(loads), 0, 3600)).timeline


def broken_flow(run: ServicesRun) -> tuple[str, ...]:
    """Spans follow one another without gaps from start to end; what arrives is served or waits; late and busy stay in bounds."""
    found = []
    for idx, name in enumerate(run.names):
        spans = [span for span in run.spans if span.service == idx]
        edges = [run.start_s, *(span.end_s for span in spans)]
        if [span.start_s for span in spans] != edges[:-1] or edges[-1] != run.end_s:
            found.append(f"{name} has gaps")
        waiting = 0.0
        for span in spans:
            served = span.requests + span.backlog_start - span.backlog_end
            if abs(span.backlog_start - waiting) > 1e-9 or not -1e-6 <= served <= span.ready * (span.end_s - span.start_s) + 1e-6:
                found.append(f"{name} serves {served} with {span.ready} from {span.start_s} to {span.end_s}")
            if not -1e-9 <= span.late <= span.requests + 1e-6 or abs(span.busy * (span.end_s - span.start_s) - served) > 1e-6:
                found.append(f"{name} is busy {span.busy}, late {span.late} from {span.start_s}")
            waiting = span.backlog_end
    return tuple(found)
