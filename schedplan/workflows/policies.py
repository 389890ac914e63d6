"""Policies: what each of them does, printed."""

from __future__ import annotations

from schedplan.engines.policy_table import POLICIES, policy
from schedplan.report.document import Document
from schedplan.report.policy_document import policies_document, policy_document


def policies_known(name: str | None) -> Document:
    """Return the list of policies, or all rules of one; UsageError, with the nearest name, for an unknown one."""
    return policies_document(POLICIES) if name is None else policy_document(policy(name))
