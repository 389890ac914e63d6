"""The comparison: engines at the gates, their fit, and the replays beside them, kept apart until the recommendation names both."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from schedplan.compare_engines.fit import Fit, fit_of
from schedplan.compare_engines.gates import Gate, GateResult, Outcome, gates_of, held_against
from schedplan.compare_engines.needs import DimensionNeed, Factor, needs_of
from schedplan.compare_engines.profile import Profile
from schedplan.compare_engines.replays import ReplayRow
from schedplan.compare_engines.sensitivity import WeightMove, weight_moves
from schedplan.engines.fact import Engine
from schedplan.model.findings import Measure

LEVEL = 0.01
"""Fits closer than this are called level: our choice, half of what one partial answer of middling weight makes."""


class Standing(Enum):
    """What the gates leave of an engine."""

    PASSES = "passes"
    CONDITIONAL = "with conditions"
    EXCLUDED = "excluded"
    NO_SCHEDULER = "no scheduler"


_ORDER = tuple(Standing)


@dataclass(frozen=True, slots=True)
class Candidate:
    """An engine with its gate results and its fit."""

    engine: Engine
    standing: Standing
    results: tuple[GateResult, ...]
    fit: Fit

    def results_with(self, *outcomes: Outcome) -> tuple[GateResult, ...]:
        """Return the gate results that have one of the outcomes."""
        return tuple(result for result in self.results if result.outcome in outcomes)

    @property
    def score(self) -> float:
        return self.fit.score if self.fit.score is not None else 0.0


@dataclass(frozen=True)
class Comparison:
    """Everything that was compared. candidates: by standing, then fit, best first; plan_measures: those of the plan of optimize,
    empty where none was made; moves: how far one weight must move for another engine to draw level with the best."""

    profile: Profile
    gates: tuple[Gate, ...]
    needs: tuple[DimensionNeed, ...]
    factors: tuple[Factor, ...]
    candidates: tuple[Candidate, ...]
    moves: tuple[WeightMove, ...]
    replays: tuple[ReplayRow, ...]
    plan_measures: tuple[Measure, ...]

    @property
    def best(self) -> Candidate | None:
        """The best fit among those that pass every gate, else among those that pass with conditions; None where there is none."""
        return next((one for one in self.candidates if one.standing in (Standing.PASSES, Standing.CONDITIONAL)), None)

    def with_standing(self, standing: Standing) -> tuple[Candidate, ...]:
        """Return the candidates of one standing, best fit first."""
        return tuple(one for one in self.candidates if one.standing is standing)

    def replays_of(self, engine: Engine) -> tuple[ReplayRow, ...]:
        """Return the replays of an engine's presets, default first; empty where no model stands in for it."""
        return tuple(row for row in self.replays if row.stack == engine.name)


def compare(
    profile: Profile,
    engines: tuple[Engine, ...],
    requirements: tuple[str, ...] = (),
    factors: tuple[Factor, ...] = (),
    replays: tuple[ReplayRow, ...] = (),
    plan_measures: tuple[Measure, ...] = (),
) -> Comparison:
    """Return engines compared for a workload. UsageError where the user's factors leave nothing to weigh."""
    gates, needs = gates_of(profile, requirements), needs_of(profile, factors)
    candidates = tuple(sorted((_candidate(engine, gates, needs) for engine in engines), key=_rank))
    peers = tuple(one for one in candidates if one.standing is candidates[0].standing) if candidates else ()
    moves = weight_moves(peers[0].fit, tuple(one.fit for one in peers[1:])) if peers and peers[0].engine.is_scheduler else ()
    return Comparison(profile, gates, needs, factors, candidates, moves, replays, plan_measures)


def _candidate(engine: Engine, gates: tuple[Gate, ...], needs: tuple[DimensionNeed, ...]) -> Candidate:
    results = tuple(held_against(gate, engine) for gate in gates)
    return Candidate(engine, _standing(engine, results), results, fit_of(engine, needs))


def _standing(engine: Engine, results: tuple[GateResult, ...]) -> Standing:
    if not engine.is_scheduler:
        return Standing.NO_SCHEDULER
    outcomes = {result.outcome for result in results}
    if Outcome.FAILED in outcomes:
        return Standing.EXCLUDED
    return Standing.CONDITIONAL if outcomes & {Outcome.CONDITION, Outcome.UNKNOWN} else Standing.PASSES


def _rank(candidate: Candidate) -> tuple[int, float, str]:
    return (_ORDER.index(candidate.standing), -candidate.score, candidate.engine.name)
