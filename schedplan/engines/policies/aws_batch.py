"""AWS Batch: first in, first out, and the head holds the queue; or the share that has used least first.

Facts: docs.aws.amazon.com/batch/latest/userguide (read 2026-11).
"""

from __future__ import annotations

from schedplan.engines.node_choices import BEST_FIT
from schedplan.engines.orders import PRIORITY_THEN_ARRIVAL
from schedplan.engines.parameter import Parameter, Tier, Values
from schedplan.engines.part import Blocking
from schedplan.engines.policy import NO_SHARE, Policy
from schedplan.engines.shares import decayed

ENGINE = "aws-batch"
PARAMETERS = (
    Parameter(ENGINE, "fair-share", False, "a fair-share policy, an identifier per tenant", Tier.DOCUMENTS, tuned=True),
    Parameter(
        ENGINE, "share-decay", 600.0, "shareDecaySeconds; 0 stands for 600", Tier.DOCUMENTS, tuned=604_800.0, least=1, most=604_800
    ),
)


def aws_batch(values: Values) -> Policy:
    """Return the policy of one job queue on the machine as it stands."""
    is_fair = values.flag("aws-batch.fair-share")
    return Policy(
        name=ENGINE,
        summary="AWS Batch: one queue whose head blocks" + (", the share that used least first" if is_fair else ""),
        order=PRIORITY_THEN_ARRIVAL,
        share=decayed(values.whole("aws-batch.share-decay")) if is_fair else NO_SHARE,
        blocking=Blocking.HEAD,
        nodes=BEST_FIT,
        differs=(
            "instances are there from the start: none is bought for the queue, and none boots",
            "several queues and the order of compute environments are not modelled",
            "usage decays by half in shareDecaySeconds; how the engine weighs it within them is not documented",
        ),
        sources=("docs.aws.amazon.com/batch/latest/userguide/job_scheduling.html",),
    )
