"""GKE Autopilot: kube-scheduler on nodes that are started for the pods that need them.

Facts: docs.cloud.google.com/kubernetes-engine/docs/how-to/capacity-provisioning (a new node takes 80 to 120 s; read 2026-11).
"""

from __future__ import annotations

from dataclasses import replace

from schedplan.engines.parameter import Parameter, Tier, Values
from schedplan.engines.part import NodeStart
from schedplan.engines.policies.kube_scheduler import RATES, SCORING, pod_by_pod
from schedplan.engines.policies.kueue import PARAMETERS as KUEUE_PARAMETERS
from schedplan.engines.policies.kueue import kueue
from schedplan.engines.policy import Policy

ENGINE = "gke-autopilot"
NODES = (
    Parameter(
        ENGINE,
        "node-start",
        100.0,
        "seconds until a node that was asked for takes pods",
        Tier.DOCUMENTS,
        most=86_400,
        band=(80, 120),
    ),
    Parameter(
        ENGINE, "node-idle", 600.0, "seconds after which an empty node is given back", Tier.ASSUMED, most=1e6, band=(60, 3600)
    ),
)
PARAMETERS = (*(replace(one, tuned=None) for one in SCORING), *RATES, *NODES)
_WITH_NODES = tuple(replace(one, default=True, tuned=None) if one.name == "topology-aware" else one for one in KUEUE_PARAMETERS)
WITH_KUEUE = (*(replace(one, tuned=None) if one in SCORING else one for one in _WITH_NODES), *NODES)


def autopilot(values: Values) -> Policy:
    """Return the policy of Autopilot alone."""
    return _on_started_nodes(pod_by_pod(values), values, "GKE Autopilot: pod by pod on nodes started for them")


def autopilot_with_kueue(values: Values) -> Policy:
    """Return the policy of Autopilot below Kueue, which asks for all nodes of a job at once."""
    return _on_started_nodes(kueue(values), values, "Kueue on GKE Autopilot: all nodes of a job are asked for at once")


def _on_started_nodes(placed: Policy, values: Values, summary: str) -> Policy:
    start_s, idle_s = values.whole("gke-autopilot.node-start"), values.whole("gke-autopilot.node-idle")
    return replace(
        placed,
        name=ENGINE,
        summary=summary,
        node_start=NodeStart(
            f"a node that has been empty for {idle_s} s is given back; a job that is placed on such a one starts {start_s} s later",
            start_s,
            idle_s,
        ),
        differs=(*placed.differs, "no more nodes than the tables have; what is given back is still paid for in the cost shown"),
        sources=(*placed.sources, "docs.cloud.google.com/kubernetes-engine/docs/how-to/capacity-provisioning"),
    )
