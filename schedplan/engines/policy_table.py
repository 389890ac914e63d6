"""Which policies there are, by name: textbook ones, then the presets of every stack. A new one is a file in policies/ and a row."""

from __future__ import annotations

from difflib import get_close_matches

from schedplan.engines.policies.conservative import CONSERVATIVE
from schedplan.engines.policies.easy import EASY, EASY_SJBF
from schedplan.engines.policies.fair import CAPACITY, DRF, FAIR_SHARE
from schedplan.engines.policies.fcfs import FCFS
from schedplan.engines.policies.node_choice import (
    BEST_FIT,
    DOT_PRODUCT,
    FGD,
    FIRST_FIT,
    GPU_CLUSTERING,
    GPU_PACKING,
    PLAN_GUIDED,
    RANDOM,
    WORST_FIT,
)
from schedplan.engines.policies.ordered import LJF, LJF_SKIP, PRIORITY, PRIORITY_SKIP, SJF, SJF_SKIP
from schedplan.engines.policies.plan import PLAN
from schedplan.engines.policies.preempting import PREEMPT
from schedplan.engines.policy import Policy
from schedplan.engines.stack_table import preset_policies
from schedplan.errors import UsageError

POLICIES: tuple[Policy, ...] = (
    FCFS,
    SJF,
    SJF_SKIP,
    LJF,
    LJF_SKIP,
    PRIORITY,
    PRIORITY_SKIP,
    PREEMPT,
    EASY,
    EASY_SJBF,
    CONSERVATIVE,
    RANDOM,
    FIRST_FIT,
    BEST_FIT,
    WORST_FIT,
    DOT_PRODUCT,
    GPU_PACKING,
    GPU_CLUSTERING,
    FGD,
    PLAN_GUIDED,
    DRF,
    FAIR_SHARE,
    CAPACITY,
    PLAN,
    *preset_policies(),
)


def policy_names() -> tuple[str, ...]:
    """Return the names in the order in which they are listed."""
    return tuple(policy.name for policy in POLICIES)


def policy(name: str) -> Policy:
    """Return the policy of a name; UsageError with the nearest for none."""
    for found in POLICIES:
        if found.name == name:
            return found
    near = get_close_matches(name, policy_names(), n=1)
    hint = f"Did you mean {near[0]}?" if near else f"There are: {', '.join(policy_names())}."
    raise UsageError(f"there is no policy {name!r}", hint=hint)
