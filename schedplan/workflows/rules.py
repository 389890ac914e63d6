"""The rules of a project beside its nodes: what a rule says of a label that no node has is refused, not passed over."""

from __future__ import annotations

from schedplan.errors import ConfigError, Fault
from schedplan.model.cluster import Cluster
from schedplan.model.forbid import Forbid, unknown_labels


def known_rules(rules: tuple[Forbid, ...], cluster: Cluster) -> tuple[Forbid, ...]:
    """Return the rules; ConfigError where the right side of some names what is neither a field nor a label of any node."""
    faults = tuple(
        Fault("SP2002", f"rules.forbid: {rule.text!r}: {field} is no field or label of the nodes", hint=hint)
        for rule in rules
        for field, hint in unknown_labels(rule, cluster.pools)
    )
    if faults:
        raise ConfigError.of_faults(faults)
    return rules
