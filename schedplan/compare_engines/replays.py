"""Replays: what the user's own jobs measured under the presets of each stack, and under rules that everybody knows.

How a replay is made is not known here: it comes as a function from policies to measures.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from schedplan.engines.parameter import Value
from schedplan.engines.policy import Policy
from schedplan.engines.policy_table import policy
from schedplan.engines.stack import Preset, Stack
from schedplan.engines.stack_table import changed_by
from schedplan.model.findings import Measure

Replay = Callable[[tuple[Policy, ...]], tuple[tuple[Measure, ...], ...]]

TEXTBOOK_POLICIES = ("fcfs", "easy", "best-fit")
"""Replayed whatever the engines are: what everybody knows, to hold the others against."""

PLAN_POLICY = "plan"
"""Follows a plan of optimize; replayed where there is one."""

PLAN_ROW = "plan of optimize"
CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class ReplayCase:
    """A policy to replay. stack None: a textbook rule or a plan, no engine's own; preset: default, tuned or changed."""

    policy: Policy
    stack: Stack | None = None
    preset: str = ""


@dataclass(frozen=True, slots=True)
class ReplayRow:
    """A case with what it measured."""

    case: ReplayCase
    measures: tuple[Measure, ...]

    @property
    def policy(self) -> str:
        return self.case.policy.name

    @property
    def stack(self) -> str | None:
        return None if self.case.stack is None else self.case.stack.name

    def value(self, name: str) -> float | None:
        """Return a measure of the whole, None where it was not measured or has no value."""
        return next((one.value for one in self.measures if one.name == name and not one.labels), None)


def replay_cases(
    stacks: tuple[Stack, ...],
    presets: tuple[Preset, ...] = tuple(Preset),
    changes: Mapping[str, Value] | None = None,
    *,
    has_plan: bool = False,
) -> tuple[ReplayCase, ...]:
    """Return what is replayed for some stacks: textbook rules, every preset, the default with what was changed, then a plan."""
    cases = [ReplayCase(policy(name)) for name in TEXTBOOK_POLICIES]
    for stack in (one for one in stacks if one.model is not None):
        cases += [ReplayCase(stack.policy(preset), stack, preset.value) for preset in presets]
        own = changed_by(stack, changes or {})
        if own:
            cases.append(ReplayCase(stack.policy(Preset.DEFAULT, own), stack, CHANGED))
    if has_plan:
        cases.append(ReplayCase(policy(PLAN_POLICY)))
    return tuple(cases)


def replayed(cases: tuple[ReplayCase, ...], replay: Replay) -> tuple[ReplayRow, ...]:
    """Return one row per case, in their order; policies that differ in their names alone are replayed once."""
    rules = [_rules(case.policy) for case in cases]
    first = {rule: case.policy for rule, case in zip(reversed(rules), reversed(cases), strict=True)}
    once = tuple(dict.fromkeys(rules))
    found = dict(zip(once, replay(tuple(first[rule] for rule in once)), strict=True))
    return tuple(ReplayRow(case, found[rule]) for case, rule in zip(cases, rules, strict=True))


def _rules(policy: Policy) -> Policy:
    """Return a policy without its names and words of its own."""
    return replace(policy, name="", summary="", engine=None, differs=(), sources=())
