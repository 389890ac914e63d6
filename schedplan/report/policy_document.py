"""Policies as documents: a list of all, or every rule of one."""

from __future__ import annotations

from schedplan.engines.policy import Policy
from schedplan.report.document import Block, Column, Document, Facts, Paragraph, Section, SectionRole, Table


def policies_document(policies: tuple[Policy, ...], parts: tuple[tuple[str, tuple[str, ...]], ...]) -> Document:
    """Return the list of policies, and of the parts that are chosen by name."""
    columns = (Column("policy", "Policy"), Column("models", "Models"), Column("summary", "What it does"))
    table = Table("policies", "", columns, tuple((one.name, one.engine or "", one.summary) for one in policies))
    return Document(
        kind="policies",
        title="Policies",
        sections=(Section("answer", "", (table, _parts(parts)), SectionRole.ANSWER),),
        facts=Facts((("policies", tuple(_facts(one) for one in policies)), ("parts", Facts(parts)))),
        main_table="policies",
    )


def _parts(parts: tuple[tuple[str, tuple[str, ...]], ...]) -> Table:
    columns = (Column("part", "Part"), Column("names", "What --set policy.PART may name"))
    return Table("parts", "", columns, tuple((part, ", ".join(names)) for part, names in parts))


def policy_document(policy: Policy) -> Document:
    """Return every rule of a policy, what it leaves out, and its sources."""
    columns = (Column("rule", "Rule"), Column("says", "What it says"))
    blocks: list[Block] = [Paragraph((f"{policy.summary}.",), is_headline=True), Table("rules", "", columns, policy.rules())]
    if policy.differs:
        head = (Column("difference", f"Other than {policy.engine} does"),)
        blocks.append(Table("differences", "", head, tuple((text,) for text in policy.differs)))
    if policy.sources:
        blocks.append(Table("sources", "", (Column("source", "Source"),), tuple((text,) for text in policy.sources)))
    return Document(
        kind="policy",
        title=policy.name,
        sections=(Section("answer", "", tuple(blocks), SectionRole.ANSWER),),
        facts=Facts((("policy", _facts(policy)),)),
        main_table="rules",
    )


def _facts(policy: Policy) -> Facts:
    return Facts(
        (
            ("name", policy.name),
            ("summary", policy.summary),
            ("engine", policy.engine),
            ("rules", Facts(policy.rules())),
            ("differs", policy.differs),
            ("sources", policy.sources),
        )
    )
