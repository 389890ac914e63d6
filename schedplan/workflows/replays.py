"""Many replays of one work, measured: one after another, or shared out among processes where they are long."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from schedplan.engines.policy import Policy
from schedplan.errors import SchedplanError
from schedplan.measures.replay import replay_measures
from schedplan.model.findings import Measure
from schedplan.parallel.outcome import Outcome
from schedplan.parallel.run import run_each, usable_cores
from schedplan.workflows.replayed_work import ReplayedWork, replay_work

LONG = 4_000
"""Jobs from which on a replay is long enough for a process of its own: our choice, about half a second."""
MOST_PROCESSES = 8


@dataclass(frozen=True)
class Asked:
    """A policy, and the work that it is to do."""

    work: ReplayedWork
    policy: Policy


@dataclass(frozen=True)
class Measured:
    """What one replay measured, assumed, and what must be known of it."""

    measures: tuple[Measure, ...]
    notes: tuple[str, ...]
    warnings: tuple[str, ...]


def replayed_all(asked: Sequence[Asked], seed: int, currency: str, say: Callable[[str], None]) -> tuple[Measured, ...]:
    """Return what each replay measured, in order; the same whatever the number of processes."""
    workers = min(usable_cores(), MOST_PROCESSES, len(asked))
    if workers < 2 or max((len(one.work.jobs) for one in asked), default=0) < LONG:
        return tuple(_told(one, seed, currency, f"replay {one.policy.name}", say) for one in asked)
    say(f"replay {len(asked)} policies in {workers} processes")
    found = run_each(_measured, [(one, seed, currency) for one in asked], workers, 1)
    return tuple(_whole(one) for one in found)


def _told(one: Asked, seed: int, currency: str, phase: str, say: Callable[[str], None]) -> Measured:
    say(phase)
    return _measured((one, seed, currency))


def _measured(given: tuple[Asked, int, str]) -> Measured:
    one, seed, currency = given
    result = replay_work(one.work, one.policy, seed)
    return Measured(replay_measures(result.timeline, currency), result.notes, result.warnings)


def _whole(outcome: Outcome[Measured]) -> Measured:
    if outcome.value is None:
        why = "no answer" if outcome.failure is None else f"{outcome.failure.kind}: {outcome.failure.message}"
        raise SchedplanError(f"a replay in a process of its own failed: {why}")
    return outcome.value
