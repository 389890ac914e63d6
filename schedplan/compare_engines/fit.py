"""Fit: how much of what a workload needs an engine has, by its facts alone. It has never heard of a replay.

points        yes 1, partial 1/2, no 0; not applicable leaves both sums
score of a dimension   sum of w x points / sum of w over the atoms that apply; a value that was not verified is taken as no
                       at half its weight
score of an engine     sum of W x score / sum of W over the dimensions that apply
"""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum

from schedplan.compare_engines.needs import DimensionNeed, Need
from schedplan.engines.atom import Dimension
from schedplan.engines.fact import Engine, Fact, Value

POINTS = {Value.YES: 1.0, Value.PARTIAL: 0.5, Value.NO: 0.0, Value.NOT_VERIFIED: 0.0}
UNVERIFIED_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class AtomScore:
    """An engine's answer to one need. weight: as counted; points None where the atom doesn't apply."""

    need: Need
    fact: Fact
    weight: float
    points: float | None


@dataclass(frozen=True, slots=True)
class DimensionScore:
    """An engine's score in a dimension, 0 to 1; None where no atom of it applies."""

    dimension: Dimension
    weight: float
    score: float | None
    atoms: tuple[AtomScore, ...]


@dataclass(frozen=True, slots=True)
class Fit:
    """An engine's fit, 0 to 1, None where nothing applies; with the dimensions behind it."""

    engine: Engine
    score: float | None
    dimensions: tuple[DimensionScore, ...]

    def of(self, dimension: Dimension) -> DimensionScore:
        return next(one for one in self.dimensions if one.dimension is dimension)

    @property
    def atoms(self) -> tuple[AtomScore, ...]:
        return tuple(atom for dimension in self.dimensions for atom in dimension.atoms)


def fit_of(engine: Engine, needs: tuple[DimensionNeed, ...]) -> Fit:
    """Return the fit of an engine to weighted needs."""
    dimensions = tuple(_dimension_score(engine, need) for need in needs)
    counted = [(one.weight, one.score) for one in dimensions if one.score is not None]
    total = fsum(weight for weight, _ in counted)
    score = fsum(weight * score for weight, score in counted) / total if total > 0 else None
    return Fit(engine, score, dimensions)


def _dimension_score(engine: Engine, need: DimensionNeed) -> DimensionScore:
    atoms = tuple(_atom_score(engine.fact_of[one.atom.name], one) for one in need.needs)
    counted = [(one.weight, one.points) for one in atoms if one.points is not None]
    total = fsum(weight for weight, _ in counted)
    score = fsum(weight * points for weight, points in counted) / total if total > 0 else None
    return DimensionScore(need.dimension, need.weight, score, atoms)


def _atom_score(fact: Fact, need: Need) -> AtomScore:
    weight = need.weight * (1.0 if fact.is_verified else UNVERIFIED_SHARE)
    return AtomScore(need, fact, weight, POINTS.get(fact.value))
