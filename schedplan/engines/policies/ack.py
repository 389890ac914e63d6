"""ACK Pro: gangs as in Coscheduling, elastic quotas, and kube-queue in front.

Facts: alibabacloud.com/help document_detail/178169 and the pages on kube-queue and GPU labels (read 2026-11). Weights of its scores
are not published: those of kube-scheduler with devices packed stand for them.
"""

from __future__ import annotations

from dataclasses import replace

from schedplan.engines.parameter import Parameter, Tier, Values
from schedplan.engines.part import Admission
from schedplan.engines.policies.coscheduling import permit
from schedplan.engines.policies.kube_scheduler import RATES, SCORING, pod_by_pod
from schedplan.engines.policy import Policy

ENGINE = "ack"
PARAMETERS = (
    *(replace(one, tier=Tier.ASSUMED) for one in (*SCORING, *RATES)),
    Parameter(
        ENGINE, "gang-timeout", 60.0, "seconds that pods of a gang keep their nodes", Tier.ASSUMED, least=1, band=(30.0, 300.0)
    ),
    Parameter(ENGINE, "kube-queue", False, "kube-queue holds jobs back until their quota fits", Tier.DOCUMENTS, tuned=True),
)


def ack(values: Values) -> Policy:
    """Return the policy of ACK Pro."""
    plain = pod_by_pod(values)
    queued = Admission(
        "kube-queue: jobs wait in their tenant's queue until quota, and the machine as one sum, hold them",
        overcommit=1.0,
        by_quota=True,
    )
    return replace(
        plain,
        name=ENGINE,
        summary="ACK Pro: gangs all or nothing, elastic quotas" + (", kube-queue" if values.flag("ack.kube-queue") else ""),
        gang=permit(values.whole("ack.gang-timeout"), 0.1),
        admission=queued if values.flag("ack.kube-queue") else plain.admission,
        differs=(
            *plain.differs[:3],
            "weights of scores and the timeout of gangs are not published: assumed",
            "elastic quotas stop nothing that borrowed",
        ),
        sources=("alibabacloud.com/help document_detail/178169",),
    )
