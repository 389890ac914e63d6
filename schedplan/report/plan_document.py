"""What a plan says, first in words, then in numbers, charts and tables. It computes nothing that measures define."""

from __future__ import annotations

from schedplan.model.findings import Severity
from schedplan.model.forecast import Forecast, Quality, Series
from schedplan.model.plan import Baseline, Plan, PlanStatus
from schedplan.model.problem import Problem
from schedplan.report.charts import Step, Waterfall
from schedplan.report.document import (
    Block,
    Document,
    Entry,
    Inline,
    KeyValues,
    Kind,
    Notice,
    Paragraph,
    Quantity,
    Section,
    SectionRole,
    Tone,
)
from schedplan.report.figures import counted
from schedplan.report.goal_sections import FRONT_TABLE, front_section, stages_section, stages_sentence
from schedplan.report.load_charts import capacity_chart, cost_chart, fan_chart, nodes_chart, replica_chart
from schedplan.report.occupancy import gantts
from schedplan.report.plan_facts import Provenance, is_tight, left_out_notices, placed_words, plan_cost, plan_facts, whole_value
from schedplan.report.plan_tables import (
    baselines_section,
    conflict_section,
    goals_section,
    jobs_section,
    measures_section,
    placements_section,
    policies_section,
    provenance_section,
    replicas_section,
    unplaced_section,
)
from schedplan.report.quality_table import quality_table

WARNINGS_FIRST = 3
SERVICES_SHOWN = 4

_BADGES = {
    PlanStatus.OPTIMAL: ("Proven optimal", Tone.GOOD),
    PlanStatus.FEASIBLE: ("Feasible", Tone.CAUTION),
    PlanStatus.INFEASIBLE: ("No plan possible", Tone.BAD),
    PlanStatus.UNKNOWN: ("No plan found", Tone.BAD),
}


def plan_document(
    problem: Problem,
    plan: Plan,
    forecasts: tuple[Forecast, ...] = (),
    histories: tuple[Series, ...] = (),
    qualities: tuple[Quality, ...] = (),
    provenance: tuple[tuple[str, str], ...] = (),
    *,
    inputs: tuple[tuple[str, str], ...] = (),
    versions: tuple[tuple[str, str], ...] = (),
) -> Document:
    """Return the document of a plan.

    histories: what the forecasts were made from, found by `unique_id`. provenance: (label, words) of where the plan comes from;
    inputs: (path, SHA-256); versions: (program, version).
    """
    origin = Provenance(inputs, versions, provenance)
    badge, tone = _BADGES[plan.proof.status]
    sections = (
        _answer(problem, plan),
        unplaced_section(problem, plan),
        conflict_section(problem, plan),
        stages_section(plan),
        front_section(problem, plan),
        _waterfall(problem, plan),
        _schedule(problem, plan),
        _every_node(problem, plan),
        _load(problem, plan),
        _forecast(problem, forecasts, histories, qualities),
        baselines_section(problem, plan),
        policies_section(plan),
        goals_section(plan),
        jobs_section(problem, plan),
        placements_section(problem, plan),
        replicas_section(problem, plan),
        measures_section(plan),
        _warnings(plan),
        _assumptions(problem),
        provenance_section(plan, origin),
    )
    return Document(
        kind="plan",
        title=problem.name,
        subtitle=_subtitle(problem),
        badge=badge,
        badge_tone=Tone.GOOD if is_tight(plan) else tone,
        timezone=problem.timezone,
        sections=tuple(section for section in sections if section.blocks),
        facts=plan_facts(problem, plan, origin),
        main_table=FRONT_TABLE if plan.front else "placements" if plan.placements else None,
    )


def _subtitle(problem: Problem) -> tuple[Inline, ...]:
    grid = problem.grid
    start, end = Quantity(grid.start_s, Kind.INSTANT), Quantity(grid.end_s, Kind.INSTANT)
    nodes = sum(pool.nodes for pool in problem.cluster.pools)
    work = ", ".join(counted(*pair) for pair in ((len(problem.jobs), "job"), (len(problem.services), "service")) if pair[0])
    return (start, " to ", end, f" · {counted(nodes, 'node')}", *([f" · {work}"] if work else []))


def _answer(problem: Problem, plan: Plan) -> Section:
    headline = Paragraph(_headline(problem, plan), is_headline=True)
    blocks: list[Block] = [headline, *left_out_notices(plan), Paragraph(_sentences(problem, plan))]
    entries = _key_entries(problem, plan) if _has_plan(plan) else ()
    if entries:
        blocks.append(KeyValues("key-numbers", "", entries, is_key=True))
    blocks += [Notice(Severity.WARNING, text) for text in plan.warnings[:WARNINGS_FIRST]]
    more = len(plan.warnings) - WARNINGS_FIRST
    if more > 0:
        blocks.append(Paragraph((f"{counted(more, 'more warning')} below.",)))
    return Section("answer", "The answer", tuple(blocks), SectionRole.ANSWER)


def _has_plan(plan: Plan) -> bool:
    return plan.proof.status in (PlanStatus.OPTIMAL, PlanStatus.FEASIBLE)


def _headline(problem: Problem, plan: Plan) -> tuple[Inline, ...]:
    if plan.proof.status is PlanStatus.INFEASIBLE:
        return ("No plan can meet every rule at once.",)
    if plan.proof.status is PlanStatus.UNKNOWN:
        return ("No plan was found within the limits given to the solver.",)
    span = Quantity(problem.grid.end_s - problem.grid.start_s, Kind.DURATION)
    cost = plan_cost(plan)
    if not cost:
        told = placed_words(_placed(plan), len(problem.jobs)) if problem.jobs else "The replicas are planned"
        return (f"{told} over ", span, ".")
    words: tuple[Inline, ...] = (Quantity(cost, Kind.MONEY, problem.currency, 0), " for ", span)
    if not plan.baselines or plan.baselines[0].cost <= 0:
        return (*words, ".")
    first = plan.baselines[0]
    change = cost / first.cost - 1
    if abs(change) < 0.0005:
        return (*words, f": what “{first.name}” costs too.")
    return (*words, ": ", Quantity(abs(change), Kind.SHARE), f" {'less' if change < 0 else 'more'} than “{first.name}”.")


def _placed(plan: Plan) -> int:
    return len({placement.job for placement in plan.placements})


def _sentences(problem: Problem, plan: Plan) -> tuple[Inline, ...]:
    proof = plan.proof
    if proof.status is PlanStatus.INFEASIBLE:
        return ("The rules that exclude one another are named below, with the changes that would make a plan possible.",)
    if proof.status is PlanStatus.UNKNOWN:
        return ("That is no proof that there is none: give the solver more steps, or relax a rule.",)
    parts: list[Inline] = [*_proof_sentence(plan)]
    if problem.services:
        parts += _service_sentence(plan)
    if problem.jobs:
        parts.append(f" {placed_words(_placed(plan), len(problem.jobs))}.")
    if whole_value(plan, "utilization") is not None:
        parts += [" ", Quantity(whole_value(plan, "utilization"), Kind.SHARE), " of what is paid for is in use."]
    return tuple(parts)


def _proof_sentence(plan: Plan) -> tuple[Inline, ...]:
    if plan.stages:
        return (stages_sentence(plan),)
    if plan.proof.status is PlanStatus.OPTIMAL:
        return ("Proven optimal: under these inputs, rules and weights no plan is better.",)
    if plan.proof.gap is None:
        return ("The plan keeps every rule; how far it is from the best possible is not known.",)
    return ("The plan keeps every rule and is within ", Quantity(plan.proof.gap, Kind.SHARE, digits=2), " of the best possible.")


def _service_sentence(plan: Plan) -> tuple[Inline, ...]:
    attained = whole_value(plan, "slo_attainment")
    if attained is None:
        return ()
    if attained >= 1:
        return (" Every service meets its latency target in every slot.",)
    if whole_value(plan, "missed_requests"):
        return (" ", Quantity(attained, Kind.SHARE), " of the requests are served in slots that meet their latency target.")
    return (" ", Quantity(attained, Kind.SHARE), " of the requests fall into slots that meet their latency target.")


def _key_entries(problem: Problem, plan: Plan) -> tuple[Entry, ...]:
    entries: list[Entry] = []
    cost = plan_cost(plan)
    if cost is not None:
        entries.append(Entry("Cost", Quantity(cost, Kind.MONEY, problem.currency, 0), "over the whole horizon"))
        entries += _saving_entries(plan.baselines, cost, problem.currency)
    if whole_value(plan, "utilization") is not None:
        entries.append(Entry("Utilization", Quantity(whole_value(plan, "utilization"), Kind.SHARE), "of what is paid for"))
    carbon_g = whole_value(plan, "carbon_g")
    if carbon_g is not None:
        entries.append(Entry("Carbon", Quantity(carbon_g / 1000, Kind.NUMBER, "kg CO2e"), "by power, duty and intensity"))
    attained = whole_value(plan, "slo_attainment")
    if problem.services and attained is not None:
        tone = Tone.GOOD if attained >= 1 else Tone.BAD
        entries.append(Entry("SLO met", Quantity(attained, Kind.SHARE), "of requests in time", tone))
    if problem.jobs:
        placed, total = _placed(plan), len(problem.jobs)
        tone = Tone.GOOD if placed == total else Tone.CAUTION
        entries.append(Entry("Jobs placed", Quantity(f"{placed:,} of {total:,}"), _deadline_note(plan), tone))
    entries.append(_gap_entry(plan))
    return tuple(entries)


def _saving_entries(baselines: tuple[Baseline, ...], cost: float, currency: str) -> list[Entry]:
    if not baselines or baselines[0].cost <= 0:
        return []
    saved = baselines[0].cost - cost
    tone = Tone.GOOD if saved > 0 else Tone.BAD
    return [Entry("Saved" if saved >= 0 else "Spent more", _money(abs(saved), currency), f"against “{baselines[0].name}”", tone)]


def _deadline_note(plan: Plan) -> str:
    hits = whole_value(plan, "deadline_hits")
    if hits is None:
        return ""
    return "every deadline kept" if hits >= 1 else f"{hits * 100:.3g} % of deadlines kept"


def _gap_entry(plan: Plan) -> Entry:
    gap = plan.proof.gap
    note = "to the proven bound" if gap is not None else "no bound is known"
    tone = Tone.GOOD if is_tight(plan) else Tone.CAUTION
    return Entry("Gap", Quantity(gap, Kind.SHARE, digits=2), note, tone)


def _waterfall(problem: Problem, plan: Plan) -> Section:
    blocks: tuple[Block, ...] = ()
    cost = plan_cost(plan)
    if plan.waterfall and cost is not None:
        start = cost - sum(step.amount for step in plan.waterfall)
        first = next((one.name for one in plan.baselines if abs(one.cost - start) <= 1e-6 * max(1.0, abs(start))), "start")
        steps = (
            Step(first, start, is_total=True),
            *(Step(step.name, step.amount, description=step.description) for step in plan.waterfall),
            Step("this plan", cost, is_total=True),
        )
        caption = f"From what “{first}” costs to what this plan costs, step by step, {problem.currency}."
        blocks = (Waterfall("savings-steps", "", caption, problem.currency, steps),)
    return Section("savings", "Where the saving comes from", blocks)


def _schedule(problem: Problem, plan: Plan) -> Section:
    use = plan.node_use
    if use is None or not use.on.any():
        return Section("plan", "The plan", ())
    blocks: list[Block] = [gantts(problem, plan, use)[0]]
    blocks += [chart for chart in (nodes_chart(problem, use), cost_chart(problem, use)) if chart.series]
    return Section("plan", "The plan", tuple(blocks))


def _every_node(problem: Problem, plan: Plan) -> Section:
    """The chart of single nodes, where that of the plan shows sums."""
    use = plan.node_use
    charts = () if use is None or not use.on.any() else gantts(problem, plan, use)[1:]
    return Section("every-node", "Every node", charts, SectionRole.MORE)


def _load(problem: Problem, plan: Plan) -> Section:
    if not plan.replicas:
        return Section("load", "Load and capacity", ())
    peaks = {demand.service: -float(demand.peak_rps.max()) for demand in problem.demands}
    shown = sorted(problem.services, key=lambda service: (peaks.get(service.name, 0.0), service.name))[:SERVICES_SHOWN]
    blocks: list[Block] = []
    for number, service in enumerate(shown, start=1):
        blocks += [capacity_chart(problem, plan, service, number), replica_chart(problem, plan, service, number)]
    left = len(problem.services) - len(shown)
    if left > 0:
        blocks.append(Paragraph((f"{counted(left, 'smaller service')} {'is' if left == 1 else 'are'} in the table of replicas.",)))
    return Section("load", "Load and capacity", tuple(blocks), SectionRole.MORE)


def _forecast(
    problem: Problem, forecasts: tuple[Forecast, ...], histories: tuple[Series, ...], qualities: tuple[Quality, ...]
) -> Section:
    history_of = {series.unique_id: series for series in histories}
    blocks: list[Block] = [
        fan_chart(forecast, history_of.get(forecast.unique_id), problem.quantile, number)
        for number, forecast in enumerate(forecasts[:SERVICES_SHOWN], start=1)
    ]
    if qualities:
        blocks.append(quality_table(qualities))
    return Section("forecast", "The forecast", tuple(blocks), SectionRole.MORE)


def _warnings(plan: Plan) -> Section:
    later = plan.warnings[WARNINGS_FIRST:]
    return Section("warnings", "More warnings", tuple(Notice(Severity.WARNING, text) for text in later))


def _assumptions(problem: Problem) -> Section:
    return Section("assumptions", "What was assumed", tuple(Notice(Severity.NOTE, text) for text in problem.assumptions))


def _money(value: float, currency: str) -> Quantity:
    return Quantity(value, Kind.MONEY, currency, 0)
