"""Replays: what the user's own jobs measured under the rules of each policy, and which engine a policy stands in for.

How a replay is made is not known here: it comes as a function from the name of a policy to measures.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from schedplan.engines.fact import Engine, Fidelity
from schedplan.engines.policy import Policy
from schedplan.model.findings import Measure

Replay = Callable[[str], tuple[Measure, ...]]

TEXTBOOK_POLICIES = ("fcfs", "easy", "best-fit")
"""Replayed whatever the engines are: what everybody knows, to hold the others against."""

PLAN_POLICY = "plan"
"""Follows a plan of optimize; replayed where there is one."""

PLAN_ROW = "plan of optimize"


@dataclass(frozen=True, slots=True)
class StandIn:
    """An engine that a policy stands in for. is_preset: the policy was made after it; else it only comes near it."""

    engine: str
    fidelity: Fidelity
    is_preset: bool
    not_modelled: tuple[str, ...]
    source: str


@dataclass(frozen=True, slots=True)
class ReplayRow:
    """A policy with what it measured. rules: those it follows, as (name, words); not_modelled: what it leaves out of the engine
    it was made after. stand_ins: empty for a textbook rule that is no engine's own."""

    policy: str
    summary: str
    stand_ins: tuple[StandIn, ...]
    rules: tuple[tuple[str, str], ...]
    not_modelled: tuple[str, ...]
    measures: tuple[Measure, ...]

    def value(self, name: str) -> float | None:
        """Return a measure of the whole, None where it was not measured or has no value."""
        return next((one.value for one in self.measures if one.name == name and not one.labels), None)


def chosen_policies(policies: tuple[Policy, ...], engines: tuple[Engine, ...], *, has_plan: bool = False) -> tuple[Policy, ...]:
    """Return the policies to replay for some engines: the textbook ones, every preset and stand-in of the engines, then the one
    that follows a plan where there is one."""
    names = {engine.name for engine in engines}
    near = {engine.replay.policy for engine in engines if engine.replay is not None}
    textbook = [policy for name in TEXTBOOK_POLICIES for policy in policies if policy.name == name]
    own = [policy for policy in policies if policy not in textbook and (policy.engine in names or policy.name in near)]
    following = [policy for policy in policies if has_plan and policy.name == PLAN_POLICY]
    return (*textbook, *own, *following)


def replayed(policies: tuple[Policy, ...], engines: tuple[Engine, ...], replay: Replay) -> tuple[ReplayRow, ...]:
    """Return one row per policy, in their order."""
    return tuple(
        ReplayRow(policy.name, policy.summary, _stand_ins(policy, engines), policy.rules(), policy.differs, replay(policy.name))
        for policy in policies
    )


def _stand_ins(policy: Policy, engines: tuple[Engine, ...]) -> tuple[StandIn, ...]:
    found = []
    for engine in engines:
        model = engine.replay
        if model is not None and (policy.name == model.policy or policy.engine == engine.name):
            found.append(StandIn(engine.name, model.fidelity, policy.engine == engine.name, model.not_modelled, model.source))
    return tuple(found)
