"""Policies: what each of them does, printed; and the one that a project chose, with its parts."""

from __future__ import annotations

from schedplan.config.settings import PolicySettings
from schedplan.engines.composition import composed, part_names
from schedplan.engines.policy import Policy
from schedplan.engines.policy_table import POLICIES, policy
from schedplan.report.document import Document
from schedplan.report.policy_document import policies_document, policy_document


def policies_known(name: str | None, settings: PolicySettings | None = None) -> Document:
    """Return the list of policies and of their parts, or all rules of one, with the parts that settings choose.

    Raises UsageError, with the nearest name, for an unknown one, and for parts that do not go together.
    """
    chosen = settings or PolicySettings()
    if name is None and chosen == PolicySettings():
        return policies_document(POLICIES, part_names())
    return policy_document(chosen_policy(name, chosen, "fcfs"))


def chosen_policy(name: str | None, settings: PolicySettings, otherwise: str) -> Policy:
    """Return the policy of a name, else that of the settings, else `otherwise`, with the parts that the settings choose."""
    return composed(policy(name or settings.name or otherwise), settings.parts)
