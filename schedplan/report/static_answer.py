"""The answer of a static plan: how much is placed, how much any plan could place, and what simpler choices hold beside it."""

from __future__ import annotations

from schedplan.model.findings import Severity
from schedplan.model.plan import Plan, PlanStatus
from schedplan.model.problem import Problem
from schedplan.optimize.static.certificate import (
    COUNTED_AT_MOST,
    COUNTED_BY_BEST_FIT,
    COUNTED_BY_LEAST_FRAGMENTATION,
    COUNTED_PLACED,
    NODES_AT_LEAST,
    SIZE_AT_MOST,
    SIZE_PLACED,
)
from schedplan.report.document import (
    Block,
    Column,
    Entry,
    Inline,
    KeyValues,
    Kind,
    Notice,
    Paragraph,
    Quantity,
    Section,
    SectionRole,
    Table,
    Tone,
)
from schedplan.report.figures import counted
from schedplan.report.plan_facts import is_tight, left_out_notices, placed_words, whole_value

WARNINGS_FIRST = 3


def answer_section(problem: Problem, plan: Plan) -> Section:
    """Return the section that says what is placed, what any plan could place, and what to look at first."""
    if plan.node_use is None:
        headline = "No placement can meet every rule at once."
        return Section("answer", "The answer", (Paragraph((headline,), is_headline=True),), SectionRole.ANSWER)
    headline_block = Paragraph(_headline(problem, plan), is_headline=True)
    blocks: list[Block] = [headline_block, *left_out_notices(plan), Paragraph(_sentences(problem, plan))]
    blocks.append(KeyValues("key-numbers", "", _key_entries(problem, plan), is_key=True))
    blocks += _warnings(plan.warnings[:WARNINGS_FIRST])
    if len(plan.warnings) > WARNINGS_FIRST:
        blocks.append(Paragraph((f"{counted(len(plan.warnings) - WARNINGS_FIRST, 'more warning')} below.",)))
    return Section("answer", "The answer", tuple(blocks), SectionRole.ANSWER)


def beside_section(problem: Problem, plan: Plan) -> Section:
    """Return the table of what the plan holds beside choices of one node at a time; no section where they were not asked."""
    named = (
        ("best fit, one job at a time", COUNTED_BY_BEST_FIT),
        ("least growth of fragmentation, one job at a time", COUNTED_BY_LEAST_FRAGMENTATION),
        ("this placement", COUNTED_PLACED),
        ("proven limit", COUNTED_AT_MOST),
    )
    there = _counted_total(problem)
    if worked(plan, COUNTED_BY_BEST_FIT) is None or not there:
        return Section("beside", "Beside other placements", ())
    noun = _noun(problem).capitalize()
    columns = (
        Column("placement", "Placement"),
        Column("held", f"{noun} held", Kind.NUMBER, digits=2),
        Column("share", "of all", Kind.SHARE, digits=2),
    )
    found = [(words, worked(plan, name)) for words, name in named]
    rows = tuple((words, held, min(held / there, 1.0)) for words, held in found if held is not None)
    caption = "The same jobs on the same nodes; one at a time: in the order of submission, then name, each on one node for good."
    return Section("beside", "Beside other placements", (Table("beside-table", "", columns, rows, caption),))


def more_warnings(plan: Plan) -> tuple[Notice, ...]:
    """Return the warnings that the answer does not show."""
    return _warnings(plan.warnings[WARNINGS_FIRST:])


def worked(plan: Plan, name: str) -> float | None:
    """Return a number of the work of a plan's proof by name; None where it has none."""
    return dict(plan.proof.work).get(name)


def _headline(problem: Problem, plan: Plan) -> tuple[Inline, ...]:
    placed, total = len({part.job for part in plan.decisions.parts}), len(problem.jobs)
    held, there = worked(plan, COUNTED_PLACED), _counted_total(problem)
    jobs = placed_words(placed, total)
    if held is None or not there:
        return (f"{jobs}.",)
    share = Quantity(held / there, Kind.SHARE, digits=2)
    return (f"{jobs}; they hold {held:,.7g} of {there:,.7g} {_noun(problem)} (", share, ").")


def _sentences(problem: Problem, plan: Plan) -> tuple[Inline, ...]:
    most, there = worked(plan, COUNTED_AT_MOST), _counted_total(problem)
    parts: list[Inline] = []
    if most is not None and there:
        share = Quantity(min(most / there, 1.0), Kind.SHARE, digits=3)
        parts += [f"No placement of these jobs holds more than {most:,.7g} {_noun(problem)} (", share, "). "]
    if plan.proof.status is PlanStatus.OPTIMAL:
        return (*parts, "Proven optimal: no placement puts more weighed size on these nodes.")
    size, at_most = worked(plan, SIZE_PLACED), worked(plan, SIZE_AT_MOST)
    if size is not None and at_most:
        reached = Quantity(size / at_most, Kind.SHARE, digits=3)
        parts += ["The size placed, weighed by priority, is ", reached, " of what is proven to be the most."]
    return tuple(parts)


def _key_entries(problem: Problem, plan: Plan) -> tuple[Entry, ...]:
    entries: list[Entry] = []
    held, most, there = worked(plan, COUNTED_PLACED), worked(plan, COUNTED_AT_MOST), _counted_total(problem)
    if held is not None and most is not None and there:
        entries.append(Entry(f"{_noun(problem).capitalize()} held", Quantity(held / there, Kind.SHARE, digits=2), "by jobs"))
        entries.append(Entry("Proven limit", Quantity(min(most / there, 1.0), Kind.SHARE, digits=3), "of any placement"))
    placed, total = len({part.job for part in plan.decisions.parts}), len(problem.jobs)
    tone = Tone.GOOD if placed == total else Tone.CAUTION
    entries.append(Entry("Jobs placed", Quantity(f"{placed:,} of {total:,}"), "", tone))
    least = worked(plan, NODES_AT_LEAST)
    at_least = "" if least is None else f"; any placement of all jobs takes at least {least:,.0f}"
    entries.append(Entry("Nodes in use", Quantity(_nodes_in_use(plan), Kind.COUNT), f"of {len(problem.cluster.nodes):,}{at_least}"))
    cost = whole_value(plan, "cost")
    if cost:
        entries.append(Entry("Cost", Quantity(cost, Kind.MONEY, problem.currency, 2), "per hour"))
    tone = Tone.GOOD if is_tight(plan) else Tone.CAUTION
    entries.append(Entry("Gap", Quantity(plan.proof.gap, Kind.SHARE, digits=2), "of the size left out, to the proven least", tone))
    return tuple(entries)


def _nodes_in_use(plan: Plan) -> int:
    return len({part.node for part in plan.decisions.parts} | {stand.node for stand in plan.decisions.replicas})


def _counted_total(problem: Problem) -> float:
    devices, cpus, _ = problem.cluster.totals
    return devices if problem.cluster.has_devices else cpus


def _noun(problem: Problem) -> str:
    return "devices" if problem.cluster.has_devices else "cores"


def _warnings(texts: tuple[str, ...]) -> tuple[Notice, ...]:
    return tuple(Notice(Severity.WARNING, text) for text in texts)
