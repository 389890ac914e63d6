"""Gates: what an engine must have before any score counts, from the workload and from `--require`. It weighs nothing.

Only a plain yes passes. A partial answer is a condition, told with its fact; a no fails; what was not verified has to be looked
up first. A program that is no scheduler is not held against the gates of one.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from enum import Enum

from schedplan.compare_engines.profile import Feature, Profile
from schedplan.engines.atom import ATOM_NAMES, atom_named
from schedplan.engines.fact import Engine, Fact, SizeLimit, Value
from schedplan.errors import UsageError

REQUIREMENTS: dict[str, tuple[str, ...]] = {
    "gang-on-spot": ("gang", "gang-on-spot"),
    "on-premises": ("runs-anywhere",),
    "kubernetes": ("kubernetes-api",),
    "no-kubernetes": ("without-kubernetes",),
    "free": ("no-licence-fee",),
    "quota": ("quota-borrowing",),
    "serving": ("shared-pool",),
    "isolation": ("isolated-slices",),
}
"""Names of requirements that are no atom, and the atoms each of them stands for. Every atom is a requirement too."""


class Outcome(Enum):
    PASSED = "passed"
    CONDITION = "with a condition"
    UNKNOWN = "not verified"
    FAILED = "failed"
    NOT_APPLICABLE = "not applicable"


@dataclass(frozen=True, slots=True)
class Gate:
    """Atoms that must be there, and why. partial_passes: whether a partial answer is enough. size: of the workload in `measure`,
    held against the size limits of engines, in place of atoms."""

    name: str
    reason: str
    atoms: tuple[str, ...] = ()
    partial_passes: bool = False
    measure: str | None = None
    size: int = 0


@dataclass(frozen=True, slots=True)
class GateResult:
    """How an engine does at a gate. facts: what the outcome rests on."""

    gate: Gate
    outcome: Outcome
    statement: str
    facts: tuple[Fact, ...] = ()
    size_limit: SizeLimit | None = None


def parse_requirements(text: str | None) -> tuple[str, ...]:
    """Return the requirements that `gang,on-premises` names; UsageError, with the nearest, for one there is not."""
    if text is None:
        return ()
    known = tuple(dict.fromkeys((*REQUIREMENTS, *ATOM_NAMES)))
    found = [part.strip().lower().replace("_", "-") for part in text.split(",")]
    for name in found:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f"Did you mean {near[0]}?" if near else f"Requirements: {', '.join(known)}."
            raise UsageError(f"--require: there is no requirement {name!r}", hint=hint)
    return tuple(dict.fromkeys(found))


def gates_of(profile: Profile, requirements: tuple[str, ...] = ()) -> tuple[Gate, ...]:
    """Return the gates of a workload, then those that were required and don't stand among them already."""
    own = tuple(_own_gates(profile))
    asked = (Gate(name, f"--require {name}", atoms_of(name)) for name in requirements)
    kept = tuple(gate for gate in own if gate.name not in requirements)
    stated = {gate.name: gate.reason for gate in own}
    return (*kept, *(_with_reason(gate, stated.get(gate.name)) for gate in asked))


def atoms_of(requirement: str) -> tuple[str, ...]:
    """Return the atoms that a requirement stands for; UsageError for an unknown one."""
    return REQUIREMENTS.get(requirement) or (atom_named(requirement).name,)


def held_against(gate: Gate, engine: Engine) -> GateResult:
    """Return how an engine does at a gate."""
    if not engine.is_scheduler:
        return GateResult(gate, Outcome.NOT_APPLICABLE, "is no scheduler; the engine below it is asked")
    if gate.measure is not None:
        return _size_result(gate, gate.measure, engine)
    facts = tuple(engine.fact_of[name] for name in gate.atoms)
    outcome = max((_outcome(fact, gate) for fact in facts), key=_SEVERITY.index)
    deciding = next(fact for fact in facts if _outcome(fact, gate) is outcome)
    return GateResult(gate, outcome, deciding.note, facts)


_SEVERITY = (Outcome.NOT_APPLICABLE, Outcome.PASSED, Outcome.CONDITION, Outcome.UNKNOWN, Outcome.FAILED)


def _own_gates(profile: Profile) -> list[Gate]:
    gates = []
    if profile.n_gangs:
        required = f", {profile.n_required_gangs:,} of them required" if profile.n_required_gangs else ""
        gates.append(
            Gate("gang", f"{_counted(profile.n_gangs, 'gang')}{required}; the largest is {profile.largest_gang}", ("gang",))
        )
    if profile.n_gangs_on_spot:
        gates.append(
            Gate(
                "gang-on-spot",
                f"{_counted(profile.n_gangs_on_spot, 'gang')} allowed on spot nodes, and there are some",
                ("gang", "gang-on-spot"),
            )
        )
    if profile.n_services and profile.n_jobs:
        reason = f"services run beside jobs: {profile.evidence(Feature.SERVING)}"
        gates.append(Gate("serving", reason, REQUIREMENTS["serving"], partial_passes=True))
    elif profile.n_services:
        gates.append(Gate("serving", profile.evidence(Feature.SERVING), ("serving-autoscaling",), partial_passes=True))
    if profile.n_fractional:
        gates.append(Gate("fractional-gpu", profile.evidence(Feature.FRACTIONS), ("fractional-gpu",), partial_passes=True))
    if profile.n_sliced:
        gates.append(
            Gate(
                "isolation", f"slice profiles are named by {profile.n_sliced:,} of the jobs and services", REQUIREMENTS["isolation"]
            )
        )
    gates.append(Gate("nodes", _counted(profile.n_nodes, "node"), measure="nodes", size=profile.n_nodes))
    gates.append(
        Gate("queues", f"a queue for each of {_counted(profile.n_tenants, 'tenant')}", measure="queues", size=profile.n_tenants)
    )
    return gates


def _with_reason(gate: Gate, reason: str | None) -> Gate:
    return gate if reason is None else Gate(gate.name, f"{gate.reason}; {reason}", gate.atoms)


def _outcome(fact: Fact, gate: Gate) -> Outcome:
    match fact.value:
        case Value.YES:
            return Outcome.PASSED
        case Value.PARTIAL:
            return Outcome.PASSED if gate.partial_passes else Outcome.CONDITION
        case Value.NO:
            return Outcome.FAILED
        case Value.NOT_VERIFIED:
            return Outcome.UNKNOWN
        case Value.NOT_APPLICABLE:
            return Outcome.NOT_APPLICABLE


def _size_result(gate: Gate, measure: str, engine: Engine) -> GateResult:
    limit = next((one for one in engine.size_limits if one.measure == measure), None)
    if limit is None:
        return GateResult(gate, Outcome.PASSED, f"no limit on {measure} is known of it")
    outcome = Outcome.PASSED if gate.size <= limit.most else Outcome.CONDITION
    return GateResult(gate, outcome, limit.note, size_limit=limit)


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun if count == 1 else noun + 's'}"
