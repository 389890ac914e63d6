"""A policy made of another by choosing parts of it by name. It knows every part that has a name, and what does not go
together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from typing import TypeVar

from schedplan.engines.backfills import BACKFILLS
from schedplan.engines.node_choices import NODE_CHOICES
from schedplan.engines.orders import ORDERS
from schedplan.engines.part import BackfillKind, Blocking, Compression, CycleKind, Gang, GangKind, PreemptionKind, Tie
from schedplan.engines.policy import WHOLE_GANG, Policy
from schedplan.engines.preemptions import PREEMPTIONS
from schedplan.engines.scalings import SCALINGS
from schedplan.engines.shares import A_DAY_S, SHARES
from schedplan.errors import UsageError
from schedplan.model.policy_parts import Choices

Part = TypeVar("Part")

BLOCKINGS = {"head": Blocking.HEAD, "skip": Blocking.SKIP}
GANGS = {
    "atomic": WHOLE_GANG,
    "per-worker": Gang(
        "none: workers take their places one by one and hold them while the rest waits; the job runs from when the last has its"
        " place,"
        " and two gangs may hold parts for ever",
        GangKind.PER_WORKER,
    ),
}
TIES = {"smallest-name": Tie.SMALLEST_NAME, "random": Tie.RANDOM}
CYCLES = {kind.value: kind for kind in CycleKind}
COMPRESSIONS = {compression.value: compression for compression in Compression}


def composed(policy: Policy, choices: Choices) -> Policy:
    """Return a policy with the chosen parts, named after them; the policy itself where nothing is chosen.

    Raises UsageError for an unknown name (with the nearest), and for parts that do not go together.
    """
    if not choices.given:
        return policy
    if policy.blocking is Blocking.PLAN:
        raise UsageError("the policy plan has no parts to choose: its plan says who starts when and where")
    made = replace(
        policy,
        name=f"{policy.name} with {', '.join(f'{part} {name}' for part, name in choices.given)}",
        order=_named("order", ORDERS, choices.order, policy.order),
        blocking=_named("blocking", BLOCKINGS, choices.blocking, policy.blocking),
        gang=_named("gang", GANGS, choices.gang, policy.gang),
        nodes=_named("nodes", NODE_CHOICES, choices.nodes, policy.nodes),
    )
    made = _with_scaling(made, choices)
    made = _with_backfill(_with_share(_with_preemption(_with_cycle(made, choices), choices), choices), choices)
    if choices.tie is not None:
        made = replace(made, nodes=replace(made.nodes, tie=_named("tie", TIES, choices.tie, made.nodes.tie)))
    _refuse_what_does_not_go_together(made)
    return made


def part_names() -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return every part that is chosen by name, with its names."""
    tables: tuple[tuple[str, Mapping[str, object]], ...] = (
        ("order", ORDERS),
        ("share", SHARES),
        ("blocking", BLOCKINGS),
        ("backfill", BACKFILLS),
        ("compression", COMPRESSIONS),
        ("gang", GANGS),
        ("nodes", NODE_CHOICES),
        ("tie", TIES),
        ("preemption", PREEMPTIONS),
        ("scaling", SCALINGS),
        ("cycle", CYCLES),
    )
    return tuple((part, tuple(table)) for part, table in tables)


def _named(part: str, table: Mapping[str, Part], name: str | None, own: Part) -> Part:
    if name is None:
        return own
    if name in table:
        return table[name]
    near = get_close_matches(name, table, n=1)
    hint = f"Did you mean {near[0]}?" if near else f"There are: {', '.join(table)}."
    raise UsageError(f"there is no {part} {name!r}", hint=hint)


def _with_share(policy: Policy, choices: Choices) -> Policy:
    if choices.share is None and choices.half_life_hours is None:
        return policy
    if choices.share is None and policy.share.half_life_s is None:
        raise UsageError(
            f"half_life_hours = {choices.half_life_hours:g}: the policy does not look at past usage",
            hint="Choose share fair-share.",
        )
    half_life_s = (
        round(choices.half_life_hours * 3600) if choices.half_life_hours is not None else policy.share.half_life_s or A_DAY_S
    )
    make = _named("share", SHARES, choices.share or "fair-share", SHARES["none"])
    return replace(policy, share=make(half_life_s))


def _with_backfill(policy: Policy, choices: Choices) -> Policy:
    if choices.backfill is None and choices.depth is None and choices.compression is None:
        return policy
    own = policy.backfill
    compression = _named("compression", COMPRESSIONS, choices.compression, own.compression)
    kept = next((name for name, make in BACKFILLS.items() if make(own.depth, own.compression) == own), "none")
    make = _named("backfill", BACKFILLS, choices.backfill or kept, BACKFILLS["none"])
    made = make(choices.depth if choices.depth is not None else own.depth, compression)
    if made.kind is BackfillKind.NONE and choices.depth is not None:
        raise UsageError(f"depth = {choices.depth}: the policy does not backfill", hint="Choose backfill easy or conservative.")
    if made.kind is not BackfillKind.CONSERVATIVE and choices.compression is not None:
        raise UsageError(f"compression = {choices.compression}: only conservative backfill has reservations to move")
    return replace(policy, backfill=made)


def _with_preemption(policy: Policy, choices: Choices) -> Policy:
    if choices.preemption is None and choices.grace_minutes is None:
        return policy
    kind = choices.preemption or policy.preemption.kind.value
    make = _named("preemption", PREEMPTIONS, kind, PREEMPTIONS["none"])
    if make is PREEMPTIONS["none"] and choices.grace_minutes is not None:
        raise UsageError(
            f"grace_minutes = {choices.grace_minutes:g}: the policy stops nothing", hint="Choose preemption priority or reclaim."
        )
    grace_s = policy.preemption.grace_s if choices.grace_minutes is None else round(choices.grace_minutes * 60)
    return replace(policy, preemption=make(grace_s))


def _with_scaling(policy: Policy, choices: Choices) -> Policy:
    if choices.scaling is None and choices.scaling_target is None:
        return policy
    make = _named("scaling", SCALINGS, choices.scaling or policy.scaling.kind.value, SCALINGS["none"])
    return replace(policy, scaling=make(policy.scaling.target if choices.scaling_target is None else choices.scaling_target))


def _with_cycle(policy: Policy, choices: Choices) -> Policy:
    if choices.cycle is None and choices.period_seconds is None:
        return policy
    kind = _named("cycle", CYCLES, choices.cycle, CycleKind.PERIOD if choices.period_seconds is not None else policy.cycle.kind)
    if kind is not CycleKind.PERIOD and choices.period_seconds is not None:
        raise UsageError(f"period_seconds = {choices.period_seconds} with cycle {kind.value}", hint="Choose cycle period.")
    own = policy.cycle
    return replace(policy, cycle=replace(own, kind=kind, period_s=choices.period_seconds or own.period_s))


def _refuse_what_does_not_go_together(policy: Policy) -> None:
    backfills = policy.backfill.kind is not BackfillKind.NONE
    faults = (
        (
            policy.backfill.kind is BackfillKind.CONSERVATIVE and policy.share.key is not None,
            "conservative backfill reserves in an order that lasts, and a share changes it with each start",
        ),
        (
            policy.backfill.kind is BackfillKind.CONSERVATIVE and policy.preemption.kind is not PreemptionKind.NONE,
            "conservative backfill has a place for every job, and stops none",
        ),
        (
            policy.preemption.grace_s > 0 and policy.blocking is not Blocking.SKIP,
            "grace for what is stopped needs blocking skip: others start meanwhile",
        ),
        (
            backfills and policy.nodes.is_guided,
            "places that a plan keeps and reservations of backfilling do not know of each other",
        ),
        (backfills and policy.blocking is Blocking.SKIP, "backfill goes by a job that blocks, and with blocking skip none does"),
        (
            policy.gang.kind is GangKind.PER_WORKER and policy.blocking is not Blocking.SKIP,
            "workers that take their places one by one need blocking skip",
        ),
        (
            policy.gang.kind is GangKind.PER_WORKER and policy.preemption.kind is not PreemptionKind.NONE,
            "a job whose workers take their places one by one stops no other",
        ),
        (
            policy.admission.overcommit is not None and policy.blocking is not Blocking.SKIP,
            f"{policy.name.split()[0]} admits jobs by overcommit, which needs blocking skip",
        ),
    )
    for is_fault, words in faults:
        if is_fault:
            raise UsageError(words, hint="`schedplan policies` lists the parts there are.")
