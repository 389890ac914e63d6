"""The tables of a plan, each in its section; a section without rows has no blocks."""

from __future__ import annotations

from schedplan.measures.exchange import exchange_rates
from schedplan.model.findings import Measure
from schedplan.model.plan import ConflictItem, Placement, Plan, Term
from schedplan.model.problem import Problem
from schedplan.report.document import (
    Block,
    Cell,
    Column,
    Entry,
    KeyValues,
    Kind,
    Paragraph,
    Quantity,
    Section,
    SectionRole,
    Table,
    finite,
)
from schedplan.report.figures import counted
from schedplan.report.plan_facts import Provenance, plan_cost

_GOAL_WORDS = {
    "latency": "Waiting, weighed by priority",
    "utilization": "Paid for but idle",
    "cost": "Cost",
    "carbon": "Carbon",
    "unplaced": "Work left out",
}


def baselines_section(problem: Problem, plan: Plan) -> Section:
    """Return the named baselines beside the plan."""
    cost = plan_cost(plan)
    columns = (
        Column("name", "Way to run the same work"),
        Column("cost", "Cost", Kind.MONEY, problem.currency, 0),
        Column("saving", "The plan saves", Kind.SHARE),
        Column("description", "What it is"),
    )
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (one.name, one.cost, 1 - cost / one.cost if cost is not None and one.cost > 0 else None, one.description)
        for one in plan.baselines
    )
    table = Table("baselines-table", "", columns, rows, "Each is priced for the same work, prices and horizon.")
    return Section("baselines", "Against running it without a plan", (table,) if rows else ())


def policies_section(plan: Plan) -> Section:
    """Return what simple policies make of the same work, by the objective."""
    columns = (
        Column("name", "Policy"),
        Column("objective", "Objective", Kind.NUMBER, digits=4),
        Column("more", "More than the plan", Kind.SHARE, digits=1),
        Column("left_out", "Jobs left out", Kind.COUNT),
        Column("description", "What it does"),
    )
    own = plan.proof.objective
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            one.name,
            finite(one.objective),
            one.objective / own - 1 if one.objective is not None and own is not None and own > 0 else None,
            one.left_out,
            f"{one.description}; breaks a rule: {one.broken}" if one.broken else one.description,
        )
        for one in plan.policies
    )
    caption = (
        "Each places the same work by arithmetic, every job in one piece, under every rule that the plan keeps. The lower the"
        " objective, the better."
    )
    return Section("policies", "Against simple policies", (Table("policies-table", "", columns, rows, caption),) if rows else ())


def goals_section(plan: Plan) -> Section:
    """Return the terms of the objective and what one goal is worth in another."""
    if not plan.terms:
        return Section("goals", "What was weighed", ())
    columns = (
        Column("goal", "Goal"),
        Column("value", "This plan", Kind.NUMBER, is_mixed=True),
        Column("reference", "Reference plan", Kind.NUMBER, is_mixed=True),
        Column("ideal", "Ideal", Kind.NUMBER, is_mixed=True),
        Column("unit", "Unit"),
        Column("weight", "Weight", Kind.NUMBER, digits=2),
        Column("contribution", "In the objective", Kind.NUMBER, digits=4),
    )
    caption = (
        "The ideal is a bound by arithmetic for each goal alone, for the work that the reference plan places, in one piece: no plan"
        " need reach it, and one that places more, or in pieces, may pass it. The lower the objective, the better."
    )
    blocks: list[Block] = [Table("terms", "", columns, tuple(_term_row(term) for term in plan.terms), caption)]
    idle = [_GOAL_WORDS.get(term.name, term.name) for term in plan.terms if not term.in_conflict and term.weight > 0]
    if idle:
        words = f"Nothing to win or lose between the reference plan and the ideal: {', '.join(idle)}."
        blocks.append(Paragraph((words,)))
    rates = plan.rates or exchange_rates(plan.terms)
    if rates:
        is_money = any(term.name == "cost" and term.weight > 0 for term in plan.terms)
        rate_columns = (
            Column("what", "This"),
            Column("worth", "counts as much as", Kind.MONEY if is_money else Kind.NUMBER, rates[0].unit),
        )
        rows = tuple((rate.what, rate.worth) for rate in rates)
        blocks.append(Table("exchange-rates", "What one goal is worth in another", rate_columns, rows))
    points = tuple((dict(one.labels)["reward"], one.value) for one in plan.measures if one.name == "reward" and one.labels)
    if points:
        total = next(one.value for one in plan.measures if one.name == "reward" and not one.labels)
        reward_columns = (Column("reward", "Reward"), Column("points", "Points", Kind.NUMBER))
        scored = "Points score a plan; they are no part of the objective."
        blocks.append(Table("rewards", "What the plan scores", reward_columns, (*points, ("all of them", total)), scored))
    return Section("goals", "What was weighed", tuple(blocks), SectionRole.MORE)


def _term_row(term: Term) -> tuple[Cell, ...]:
    name = _GOAL_WORDS.get(term.name, term.name)
    values = (finite(term.value), finite(term.reference), finite(term.ideal))
    return (name, *values, term.unit, term.weight, finite(term.contribution))


def conflict_section(problem: Problem, plan: Plan) -> Section:
    """Return the rules that exclude one another, and what would help."""
    blocks: list[Block] = []
    if plan.proof.conflict:
        columns: tuple[Column, ...] = (Column("rule", "Rule"), Column("subject", "About"), Column("evidence", "Numbers"))
        conflict_rows: list[tuple[Cell, ...]] = [(item.rule, item.subject, item.evidence) for item in plan.proof.conflict]
        title, caption = _conflict_words(plan.proof.conflict)
        if _is_mixed(plan.proof.conflict):
            columns = (Column("conflict", "Conflict", Kind.COUNT), *columns)
            conflict_rows = [(item.group + 1, *row) for item, row in zip(plan.proof.conflict, conflict_rows, strict=True)]
        blocks.append(Table("conflict-rules", title, columns, tuple(conflict_rows), caption))
    if plan.proof.repairs:
        repair_columns = (
            Column("change", "Change"),
            Column("cost", "Cost", Kind.MONEY, problem.currency),
            Column("inputs", "In the inputs", is_detail=True),
        )
        repair_rows = tuple(
            (repair.change, repair.cost, "; ".join(edit.text for edit in repair.edits)) for repair in plan.proof.repairs
        )
        caption = (
            "Each was tried: with it alone there is a plan. The cost is that of the nodes it adds or opens, or of a higher budget,"
            " not of the plan. Cheapest first, then those without a price."
        )
        blocks.append(Table("repairs", "Changes that make a plan possible", repair_columns, repair_rows, caption))
    elif plan.proof.conflict:
        blocks.append(
            Paragraph(("No change of the kinds that were tried, nor two or three of them together, makes a plan possible.",))
        )
    return Section("conflict", "Why there is no plan", tuple(blocks))


def _is_mixed(conflict: tuple[ConflictItem, ...]) -> bool:
    """Whether there are several conflicts, some of them of more than one rule."""
    groups = {item.group for item in conflict}
    return 1 < len(groups) < len(conflict)


def _conflict_words(conflict: tuple[ConflictItem, ...]) -> tuple[str, str]:
    """Return (title, caption): a single rule, rules that only together have no plan, or several conflicts side by side."""
    groups = len({item.group for item in conflict})
    if len(conflict) == 1:
        return "What can't be met", "Without it there is a plan."
    if groups == 1:
        return "Rules that exclude one another", "Drop any one of them and the others can be met."
    if groups == len(conflict):
        return "What can't be met", "Each of these alone leaves no plan."
    return "Conflicts", "Each conflict alone leaves no plan; drop any one rule of it and its others can be met."


def unplaced_section(problem: Problem, plan: Plan) -> Section:
    """Return what is left out, and why."""
    columns = (
        Column("name", "Left out"),
        Column("kind", "Kind", is_detail=True),
        Column("count", "Number", Kind.COUNT),
        Column("rule", "Rule"),
        Column("evidence", "Why"),
        Column("repair", "What would help"),
        Column("repair_cost", "Cost", Kind.MONEY, problem.currency),
    )
    rows = tuple((one.name, one.kind, one.count, one.rule, one.evidence, one.repair, one.repair_cost) for one in plan.unplaced)
    return Section("unplaced", "Left out", (Table("unplaced-table", "", columns, rows),) if rows else ())


def jobs_section(problem: Problem, plan: Plan) -> Section:
    """Return where and when each job runs, one row per job by start and name."""
    columns = (
        Column("job", "Job"),
        Column("workers", "Workers", Kind.COUNT, is_detail=True),
        Column("where", "Where"),
        Column("start", "Start", Kind.INSTANT),
        Column("end", "End", Kind.INSTANT),
        Column("slack", "Slack", Kind.DURATION),
        Column("cost", "Cost", Kind.MONEY, problem.currency),
    )
    parts_of: dict[str, list[Placement]] = {}
    for placement in plan.placements:
        parts_of.setdefault(placement.job, []).append(placement)
    rows = sorted((_job_row(problem, job, parts) for job, parts in parts_of.items()), key=lambda row: (row[3], row[0]))
    caption = (
        "End: of the last slot that it holds, which the run may leave sooner. Slack: how long before its deadline the run is over."
    )
    return Section("jobs-section", "Where jobs run", (Table("jobs", "", columns, tuple(rows), caption),) if rows else ())


def _job_row(problem: Problem, name: str, parts: list[Placement]) -> tuple[str, int, str, int, int, int | None, float]:
    nodes_of: dict[str, set[str]] = {}
    for part in parts:
        pool = problem.cluster.pool_of_node.get(part.node)
        nodes_of.setdefault(pool.name if pool else part.node, set()).add(part.node)
    places = (pool if nodes == {pool} else f"{counted(len(nodes), 'node')} of {pool}" for pool, nodes in sorted(nodes_of.items()))
    job = problem.job_by_name.get(name)
    run_end_s = max(part.run_end_s for part in parts)
    slack_s = job.deadline_s - run_end_s if job and job.deadline_s is not None else None
    # workers of a piece are numbered anew, so the last number tells how many there are at a time
    workers = max(part.worker_last for part in parts) + 1
    starts = len({part.start_s for part in parts})
    where = ", ".join(places) + (f", in {starts} pieces" if starts > 1 else "")
    start_s, end_s = min(part.start_s for part in parts), max(part.end_s for part in parts)
    return name, workers, where, start_s, end_s, slack_s, sum(part.cost for part in parts)


def placements_section(problem: Problem, plan: Plan) -> Section:
    """Return where jobs run."""
    columns = (
        Column("job", "Job"),
        Column("worker_first", "First worker", Kind.COUNT, is_detail=True),
        Column("worker_last", "Last worker", Kind.COUNT, is_detail=True),
        Column("node", "Node"),
        Column("start", "Start", Kind.INSTANT),
        Column("end", "End", Kind.INSTANT),
        Column("run_end", "Run ends", Kind.INSTANT, is_detail=True),
        Column("devices", "Devices", Kind.NUMBER),
        Column("device_slots", "Device slots", is_detail=True),
        Column("market", "Market"),
        Column("cost", "Cost", Kind.MONEY, problem.currency),
        Column("fallback_pool", "Fallback", is_detail=True),
        Column("switch_by", "Switch by", Kind.INSTANT, is_detail=True),
        Column("reason", "Why here", is_detail=True),
    )
    rows = tuple(
        (
            row.job,
            row.worker_first,
            row.worker_last,
            row.node,
            row.start_s,
            row.end_s,
            row.run_end_s,
            row.devices,
            row.device_slots,
            row.market,
            row.cost,
            row.fallback_pool,
            row.switch_by_s,
            row.reason,
        )
        for row in plan.placements
    )
    caption = "One row per job and node, of a job that runs in pieces one per piece and node."
    return Section(
        "placements-section",
        "Every placement",
        (Table("placements", "", columns, rows, caption),) if rows else (),
        SectionRole.DETAIL,
    )


def replicas_section(problem: Problem, plan: Plan) -> Section:
    """Return the replicas per service and slot."""
    sums: dict[tuple[str, int], list[float]] = {}
    latency: dict[tuple[str, int], float | None] = {}
    for row in plan.replicas:
        total = sums.setdefault((row.service, row.ds_s), [0, 0, 0.0])
        total[0] += row.replicas
        total[1] += 1
        total[2] += row.cost
        latency[row.service, row.ds_s] = row.latency_ms
    columns = (
        Column("service", "Service"),
        Column("start", "From", Kind.INSTANT),
        Column("replicas", "Replicas", Kind.COUNT),
        Column("nodes", "on nodes", Kind.COUNT),
        Column("demand", "Planned for", Kind.NUMBER, "requests/s"),
        Column("latency", "Latency", Kind.NUMBER, "ms"),
        Column("cost", "Cost", Kind.MONEY, problem.currency),
    )
    rows = tuple(
        (service, ds_s, int(replicas), int(nodes), _demand(problem, service, ds_s), latency[service, ds_s], cost)
        for (service, ds_s), (replicas, nodes, cost) in sorted(sums.items())
    )
    caption = "Latency at the quantile of the service's target and the demand planned for, by the model of the plan."
    table = Table("replicas", "", columns, rows, caption)
    return Section("replicas-section", "Replicas per slot", (table,) if rows else (), SectionRole.DETAIL)


def _demand(problem: Problem, service: str, ds_s: int) -> float | None:
    demand, slot = problem.demand_of.get(service), problem.grid.slot_of(ds_s)
    return None if demand is None or slot is None else float(demand.peak_rps[slot])


def measures_section(plan: Plan) -> Section:
    """Return all measures."""
    columns = (
        Column("name", "Measure"),
        Column("of", "Of"),
        Column("value", "Value", Kind.NUMBER, is_mixed=True),
        Column("unit", "Unit"),
    )
    rows = tuple((measure.name, _label_words(measure), finite(measure.value), measure.unit) for measure in plan.measures)
    table = Table("measures", "", columns, rows, "The names that rules of `check` may use.")
    return Section("measures-section", "All measures", (table,) if rows else (), SectionRole.DETAIL)


def _label_words(measure: Measure) -> str:
    return ", ".join(f"{name} {value}" for name, value in measure.labels) or "the whole"


def provenance_section(plan: Plan, provenance: Provenance) -> Section:
    """Return what was read, by which versions, and how it was solved."""
    proof = plan.proof
    entries = [
        Entry("Status", Quantity(proof.status.value)),
        Entry("Objective", Quantity(finite(proof.objective), Kind.NUMBER, digits=6)),
        Entry("Bound", Quantity(finite(proof.bound), Kind.NUMBER, digits=6)),
        Entry("Gap", Quantity(finite(proof.gap), Kind.SHARE, digits=3)),
        Entry("Avoidable gap", Quantity(finite(proof.gap_avoidable), Kind.SHARE, digits=3)),
        Entry("Way of solving", Quantity(proof.route)),
        Entry("Seed", Quantity(plan.seed, Kind.COUNT)),
        *(Entry(name, Quantity(finite(value), Kind.NUMBER), "solver work") for name, value in proof.work),
        *(Entry(name, Quantity(version), "version") for name, version in provenance.versions),
        *(Entry(label, Quantity(words)) for label, words in provenance.notes),
    ]
    blocks: list[Block] = [KeyValues("proof", "", tuple(entries))]
    if provenance.inputs:
        columns = (Column("path", "Input"), Column("sha256", "SHA-256 of its content"))
        blocks.append(Table("inputs", "Inputs", columns, provenance.inputs))
    return Section("provenance", "Where this comes from", tuple(blocks), SectionRole.DETAIL)
