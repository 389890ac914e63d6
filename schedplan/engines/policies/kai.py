"""KAI: queues by fair share, whole pod groups, devices packed, a cycle every second.

Facts: kai-scheduler/KAI-Scheduler docs/{scheduling-deep-dive,queues}, pkg/scheduler (read 2026-11).
"""

from __future__ import annotations

from schedplan.engines.formulas.kai import KaiScore, fair_share
from schedplan.engines.orders import PRIORITY_THEN_ARRIVAL
from schedplan.engines.parameter import Parameter, Values
from schedplan.engines.part import Blocking, Cycle, CycleKind, Gang, NodeChoice, Share, Tie
from schedplan.engines.policy import NO_PREEMPTION, Policy
from schedplan.engines.preemptions import reclaim
from schedplan.engines.shares import BILLIONTHS, decayed
from schedplan.model.view import TenantView

ENGINE = "kai"
PARAMETERS = (
    Parameter(ENGINE, "schedule-period", 1.0, "seconds between cycles", least=1, most=3600),
    Parameter(ENGINE, "placement.gpu", "binpack", "placement strategy for devices", choices=("binpack", "spread")),
    Parameter(ENGINE, "reclaim", True, "queues below what they are promised take back what others borrowed"),
    Parameter(
        ENGINE, "usage-half-life", 0.0, "time-based fair share: seconds over which past usage counts half; 0 = off", tuned=86_400.0
    ),
)


def by_fair_share(tenant: TenantView) -> int:
    """Return allocated / fair share in billionths, the largest of all resources."""
    return round(tenant.of_due * BILLIONTHS)


FAIR = Share(
    "fair share: the queue (one per tenant) with the least allocated / fair share first; fair share: what is promised, as far as it"
    " is asked for, then what remains by weight; found at each cycle",
    by_fair_share,
    due=fair_share,
)


def kai(values: Values) -> Policy:
    """Return the policy of KAI with a queue per tenant."""
    half_life_s = values.whole("kai.usage-half-life")
    packs = values.word("kai.placement.gpu") == "binpack"
    return Policy(
        name=ENGINE,
        summary="KAI: queues by fair share, pod groups all or nothing, devices packed",
        order=PRIORITY_THEN_ARRIVAL,
        share=decayed(half_life_s) if half_life_s else FAIR,
        blocking=Blocking.SKIP,
        gang=Gang("minMember of a pod group is bound, or everything is rolled back; nothing is held"),
        nodes=NodeChoice(
            f"{'binpack' if packs else 'spread'}: {'fullest' if packs else 'emptiest'} node by devices (cores where none is asked"
            " for) first",
            KaiScore(packs),
            Tie.SMALLEST_NAME,
            "kai-scheduler/KAI-Scheduler pkg/scheduler/plugins/scores",
        ),
        cycle=Cycle(CycleKind.PERIOD, period_s=values.whole("kai.schedule-period")),
        preemption=reclaim() if values.flag("kai.reclaim") else NO_PREEMPTION,
        differs=(
            "consolidation, and preemption inside a queue, are not modelled",
            "reclaim goes by what quotas promise, in the engine by fair share as well",
            "time-based fair share orders queues by past usage alone; the engine lowers their fair share by it",
            "non-preemptible work may go beyond its quota",
        ),
        sources=("kai-scheduler/KAI-Scheduler docs/scheduling-deep-dive/README.md",),
    )
