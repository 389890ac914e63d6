"""Replications: the same work replayed as it might have come, under one policy or several. It saves nothing."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from schedplan.engines.composition import composed
from schedplan.engines.policy_table import policy as policy_of
from schedplan.errors import SchedplanError
from schedplan.measures.bands import bands, differences
from schedplan.measures.replay import replay_measures
from schedplan.model.band import Band, PairedDifference
from schedplan.model.findings import Measure
from schedplan.model.policy_parts import Choices
from schedplan.parallel.run import run_each, usable_cores
from schedplan.simulate.options import EventOrder
from schedplan.simulate.resample import resampled
from schedplan.workflows.replayed_work import ReplayedWork, replay_work


@dataclass(frozen=True, slots=True)
class PolicyChoice:
    """A policy by name, and the parts that take the place of its own."""

    name: str
    parts: Choices = field(default_factory=Choices)


@dataclass(frozen=True, slots=True)
class Trials:
    """What is asked for: how often, from which seed on, under what event order and run time of jobs without any."""

    count: int
    seed: int
    order: EventOrder
    otherwise_minutes: float | None
    currency: str


@dataclass(frozen=True)
class Replicated:
    """Bands of the first policy, and how the others differ from it. seeds: of the replications."""

    bands: tuple[Band, ...]
    differences: tuple[PairedDifference, ...]
    seeds: tuple[int, ...]


@dataclass(frozen=True)
class _Trial:
    work: ReplayedWork
    policy: PolicyChoice
    trials: Trials
    replication: int


def replicated(work: ReplayedWork, policies: tuple[PolicyChoice, ...], trials: Trials) -> Replicated:
    """Return the bands of the first policy and the paired differences of the others from it, by as many processes as cores.

    Replication 0 is the work as given. Whatever a policy, spot interruptions and submissions are those of the replication.
    """
    asked = [_Trial(work, one, trials, number) for one in policies for number in range(trials.count)]
    outcomes = run_each(_measured, asked, usable_cores(), chunk=1)
    found: list[tuple[Measure, ...]] = []
    for outcome in outcomes:
        if outcome.failure is not None or outcome.value is None:
            raise SchedplanError(f"a replication ended before its replay did: {outcome.failure}")
        found.append(outcome.value)
    of_policy = [found[idx * trials.count : (idx + 1) * trials.count] for idx in range(len(policies))]
    told = tuple(
        difference
        for one, measures in zip(policies[1:], of_policy[1:], strict=True)
        for difference in differences(one.name, measures, policies[0].name, of_policy[0], trials.seed)
    )
    return Replicated(bands(of_policy[0], trials.seed), told, tuple(trials.seed + number for number in range(trials.count)))


def _measured(trial: _Trial) -> tuple[Measure, ...]:
    trials, work = trial.trials, trial.work
    jobs = resampled(work.jobs, trials.seed, trial.replication, work.start_s)
    chosen = composed(policy_of(trial.policy.name), trial.policy.parts)
    seed = trials.seed + trial.replication
    found = replay_work(replace(work, jobs=jobs), chosen, seed, trials.order, trials.otherwise_minutes)
    return replay_measures(found.timeline, trials.currency)
