"""Small workloads and an engine made up for tests, whose every answer is stated."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from schedplan.compare_engines.profile import Profile, profile_of
from schedplan.engines.atom import ATOM_NAMES
from schedplan.engines.fact import Confidence, Engine, Fact, Role, Value
from schedplan.model.cluster import Cluster, Market, Pool
from schedplan.model.workload import Job, JobState, Service, WorkerShape

HOUR_S = 3600
FOUR_NODES = Cluster((Pool("gpu", 4, 4, 4, gpus=8),))
WITH_SPOT = Cluster((Pool("gpu", 4, 4, 4, gpus=8), Pool("spot", 4, 0, 4, gpus=8, market=Market.SPOT)))


def job(name: str, workers: int = 1, gpus: float = 1.0, hours: float = 1.0, at_h: float = 0.0, **other: object) -> Job:
    """Return a finished job of a log."""
    made = Job(
        name,
        workers=workers,
        shape=WorkerShape(gpus=gpus),
        runtime_minutes=hours * 60,
        submit_s=round(at_h * HOUR_S),
        state=JobState.COMPLETED,
    )
    return replace(made, **other)  # type: ignore[arg-type]


def profile(*jobs: Job, cluster: Cluster = FOUR_NODES, services: tuple[Service, ...] = ()) -> Profile:
    return profile_of(cluster, jobs, services)


def engine(name: str, default: Value = Value.NO, role: Role = Role.PLACER, **answers: Value) -> Engine:
    """Return an engine that answers `default`, but for the atoms named (with _ for -)."""
    named = {atom.replace("_", "-"): value for atom, value in answers.items()}
    assert named.keys() <= set(ATOM_NAMES)
    facts = tuple(_fact(name, atom, named.get(atom, default)) for atom in ATOM_NAMES)
    return Engine(name, name.title(), role, "Made up.", "none", "nobody", "1", (), "https://example.org", date(2026, 11, 30), facts)


def _fact(name: str, atom: str, value: Value) -> Fact:
    confidence = Confidence.UNVERIFIED if value is Value.NOT_VERIFIED else Confidence.CITED
    return Fact(name, atom, value, f"{name} on {atom}.", "1", "https://example.org", date(2026, 11, 30), confidence)
