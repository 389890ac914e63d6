"""Needs: how much each capability weighs, by the profile of the workload and by what the user says. It scores no engine.

    weight of an atom       w = 1 + 4 x the largest of the features that ask for it
    weight of a dimension   W = mean of w over its atoms x the user's factor for it

The user's factors multiply: `scenario=2` a dimension, `gang=3` an atom; 0 leaves one out.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from math import fsum

from schedplan.compare_engines.profile import Feature, Profile
from schedplan.engines.atom import ATOMS, Atom, Dimension
from schedplan.errors import UsageError
from schedplan.units import QuantityError, parse_number

MOST_FROM_FEATURE = 4.0

ASKED_BY: dict[str, tuple[Feature, ...]] = {
    "gang": (Feature.GANGS,),
    "job-queue": (Feature.ARRIVALS,),
    "quota-borrowing": (Feature.TENANTS,),
    "preemption": (Feature.PRIORITIES,),
    "reclaim": (Feature.TENANTS,),
    "backfill": (Feature.LIMITS,),
    "head-reservation": (Feature.BIG_JOBS,),
    "serving-autoscaling": (Feature.SERVING, Feature.SWING),
    "shared-pool": (Feature.SERVING,),
    "hyperparameter-search": (Feature.TUNING,),
    "demand-forecast": (Feature.SWING,),
    "usage-history": (Feature.TENANTS,),
    "job-priority": (Feature.PRIORITIES, Feature.TENANTS),
    "rebalancing": (Feature.BIG_JOBS,),
    "fractional-gpu": (Feature.FRACTIONS,),
    "mig": (Feature.FRACTIONS,),
    "topology": (Feature.BIG_JOBS,),
    "spot-fallback": (Feature.SPOT,),
    "node-autoscaling": (Feature.SWING, Feature.SPOT),
    "wait-reason": (Feature.ARRIVALS,),
    "start-prediction": (Feature.LIMITS,),
}


@dataclass(frozen=True, slots=True)
class Factor:
    """The user's factor for a dimension or an atom."""

    name: str
    factor: float


@dataclass(frozen=True, slots=True)
class Need:
    """An atom with its weight; feature: which one asks most for it, None where none does."""

    atom: Atom
    weight: float
    feature: Feature | None


@dataclass(frozen=True, slots=True)
class DimensionNeed:
    """A dimension with its weight and its needs, in the order of the atoms."""

    dimension: Dimension
    weight: float
    needs: tuple[Need, ...]


def parse_factors(text: str | None) -> tuple[Factor, ...]:
    """Return what `scenario=2,gang=3` says; UsageError for an unknown name, a twin or a factor that is no number >= 0."""
    if text is None:
        return ()
    known = (*(dimension.value for dimension in Dimension), *(atom.name for atom in ATOMS if atom.is_scored))
    found: list[Factor] = []
    for part in text.split(","):
        name, equals, number = (piece.strip() for piece in part.partition("="))
        if not equals:
            raise UsageError(f"--weights: {part.strip()!r} is no NAME=FACTOR", hint="Give it as --weights scenario=2,cost=0.5")
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f"Did you mean {near[0]}?" if near else f"Dimensions: {', '.join(one.value for one in Dimension)}."
            raise UsageError(f"--weights: there is no dimension or capability {name!r}", hint=hint)
        if any(one.name == name for one in found):
            raise UsageError(f"--weights: {name} is given twice", hint="Keep one of the two.")
        found.append(Factor(name, _factor(name, number)))
    return tuple(found)


def needs_of(profile: Profile, factors: tuple[Factor, ...] = ()) -> tuple[DimensionNeed, ...]:
    """Return the weight of every scored atom and dimension. UsageError where the user's factors leave nothing to weigh."""
    factor_of = {one.name: one.factor for one in factors}
    found = tuple(_dimension_need(dimension, profile, factor_of) for dimension in Dimension)
    if not any(one.weight > 0 for one in found):
        raise UsageError("--weights leave nothing to weigh", hint="Give at least one dimension a factor above 0.")
    return found


def _dimension_need(dimension: Dimension, profile: Profile, factor_of: dict[str, float]) -> DimensionNeed:
    atoms = [atom for atom in ATOMS if atom.dimension is dimension and atom.is_scored]
    needs = tuple(_need(atom, profile, factor_of.get(atom.name, 1.0)) for atom in atoms)
    weight = fsum(need.weight for need in needs) / len(needs) * factor_of.get(dimension.value, 1.0)
    return DimensionNeed(dimension, weight, needs)


def _need(atom: Atom, profile: Profile, factor: float) -> Need:
    asking = ASKED_BY.get(atom.name, ())
    strongest = max(asking, key=lambda feature: profile.value_of[feature], default=None)
    value = 0.0 if strongest is None else profile.value_of[strongest]
    return Need(atom, (1.0 + MOST_FROM_FEATURE * value) * factor, strongest if value > 0 else None)


def _factor(name: str, number: str) -> float:
    try:
        value = parse_number(number)
    except QuantityError as problem:
        raise UsageError(f"--weights: {name}={number!r} is not {problem}", hint="Give it as --weights scenario=2") from problem
    if value < 0:
        raise UsageError(f"--weights: {name}={number} is below 0", hint="0 leaves it out.")
    return value
