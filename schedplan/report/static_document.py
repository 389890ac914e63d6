"""What a static plan says: how much is placed and how much any plan could, by kinds of nodes and of jobs, and the proof in prices.

Nodes that are alike are one row, jobs that are alike likewise, so that it stays readable for thousands of both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from schedplan.model.cluster import Pool
from schedplan.model.findings import Severity
from schedplan.model.plan import Plan, PlanStatus, Unplaced
from schedplan.model.problem import Problem
from schedplan.model.workload import Job
from schedplan.optimize.static.certificate import (
    DEAREST_DEVICE,
    SIZE_AT_MOST,
    SIZE_PLACED,
)
from schedplan.report.charts import ChartPoint, PointChart
from schedplan.report.document import (
    Block,
    Cell,
    Column,
    Document,
    Kind,
    Notice,
    Paragraph,
    Section,
    SectionRole,
    Table,
    Tone,
)
from schedplan.report.figures import counted
from schedplan.report.plan_facts import Provenance, is_tight, plan_facts
from schedplan.report.plan_tables import conflict_section, goals_section, measures_section, provenance_section, replicas_section
from schedplan.report.static_answer import answer_section, beside_section, more_warnings, worked

MOST_POOLS_SHOWN = 200
MOST_KINDS_SHOWN = 200
MOST_NODES_SHOWN = 200
NAMES_SHOWN = 3

_BADGES = {
    PlanStatus.OPTIMAL: ("Proven optimal", Tone.GOOD),
    PlanStatus.FEASIBLE: ("Feasible", Tone.CAUTION),
    PlanStatus.INFEASIBLE: ("No placement possible", Tone.BAD),
    PlanStatus.UNKNOWN: ("No placement found", Tone.BAD),
}


def static_document(
    problem: Problem, plan: Plan, *, inputs: tuple[tuple[str, str], ...] = (), versions: tuple[tuple[str, str], ...] = ()
) -> Document:
    """Return the document of a static plan. inputs: (path, SHA-256); versions: (program, version)."""
    origin = Provenance(inputs, versions)
    badge, tone = _BADGES[plan.proof.status]
    sections = (
        answer_section(problem, plan),
        beside_section(problem, plan),
        _left_out_section(problem, plan),
        conflict_section(problem, plan),
        _nodes_section(problem, plan),
        _work_section(problem, plan),
        replicas_section(problem, plan),
        _single_nodes_section(problem, plan),
        _proof_section(problem, plan),
        goals_section(plan),
        measures_section(_few_measures(problem, plan)),
        Section("warnings", "More warnings", more_warnings(plan)),
        Section("assumptions", "What was assumed", tuple(Notice(Severity.NOTE, text) for text in problem.assumptions)),
        provenance_section(plan, origin),
    )
    nodes = sum(pool.nodes for pool in problem.cluster.pools)
    work = ", ".join(counted(*pair) for pair in ((len(problem.jobs), "job"), (len(problem.services), "service")) if pair[0])
    return Document(
        kind="plan",
        title=problem.name,
        subtitle=(f"Placement at one instant · {counted(nodes, 'node')}", *([f" · {work}"] if work else [])),
        badge=badge,
        badge_tone=Tone.GOOD if is_tight(plan) else tone,
        timezone=problem.timezone,
        sections=tuple(section for section in sections if section.blocks),
        facts=plan_facts(problem, plan, origin),
        main_table="node-kinds" if plan.node_use is not None else None,
    )


@dataclass
class _NodeKind:
    pool: Pool
    nodes: int = 0
    in_use: int = 0
    held: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0])
    stranded: float = 0.0


def _nodes_section(problem: Problem, plan: Plan) -> Section:
    columns = (
        Column("like", "Nodes like"),
        Column("accelerator", "Device"),
        Column("gpus", "Devices each", Kind.COUNT),
        Column("cpus", "Cores each", Kind.NUMBER),
        Column("memory_gib", "Memory each", Kind.NUMBER, "GiB"),
        Column("nodes", "Nodes", Kind.COUNT),
        Column("in_use", "in use", Kind.COUNT),
        Column("devices", "Devices", Kind.COUNT),
        Column("devices_held", "held", Kind.SHARE),
        Column("cpus_held", "Cores held", Kind.SHARE),
        Column("memory_held", "Memory held", Kind.SHARE),
        Column("stranded", "Stranded devices", Kind.NUMBER),
    )
    rows = tuple(_kind_row(kind) for kind in _node_kinds(problem, plan))
    caption = "Nodes that are alike are one row. Stranded: free devices on nodes where no job that waits has room."
    return Section(
        "nodes", "The nodes", (*_fullness(problem, plan), Table("node-kinds", "", columns, rows, caption)) if rows else ()
    )


def _fullness(problem: Problem, plan: Plan) -> tuple[PointChart, ...]:
    """How much of their devices nodes hold, from the emptiest to the fullest; only of many nodes."""
    if plan.node_use is None or len(problem.cluster.nodes) <= MOST_NODES_SHOWN:
        return ()
    devices = np.array([float(problem.cluster.pool_of_node[node].gpus) for node in problem.cluster.nodes])
    has_devices = devices > 0
    if not has_devices.any():
        return ()
    shares = 100.0 * _held(problem, plan)[has_devices, 0] / devices[has_devices]
    levels = np.quantile(np.minimum(shares, 100.0), np.arange(101) / 100.0)
    points = tuple(ChartPoint(float(x), float(y), f"{x} of 100 nodes hold {y:.3g} % or less") for x, y in enumerate(levels))
    caption = "How much of their devices nodes hold, sorted: so many of 100 nodes with devices hold so much or less."
    return (PointChart("fullness", "How full the nodes are", caption, "nodes of 100", "% of their devices", "held", points),)


def _kind_row(kind: _NodeKind) -> tuple[Cell, ...]:
    pool, nodes = kind.pool, kind.nodes
    devices, cpus, memory = (
        held / (nodes * each) if each else None
        for held, each in zip(kind.held, (pool.gpus, pool.cpus, pool.memory_gib), strict=True)
    )
    sizes = (pool.gpus, pool.cpus, pool.memory_gib)
    return (pool.name, pool.accelerator, *sizes, nodes, kind.in_use, nodes * pool.gpus, devices, cpus, memory, kind.stranded)


def _node_kinds(problem: Problem, plan: Plan) -> Sequence[_NodeKind]:
    """Kinds of nodes by device, then size; what stands on each counted as asked."""
    if plan.node_use is None:
        return ()
    held = _held(problem, plan)
    kinds: dict[tuple[object, ...], _NodeKind] = {}
    for row, node in enumerate(problem.cluster.nodes):
        pool = problem.cluster.pool_of_node[node]
        key = (pool.accelerator or "", pool.gpus, pool.cpus or 0.0, pool.memory_gib or 0.0, pool.market.value, pool.status.value)
        kind = kinds.setdefault(key, _NodeKind(pool))
        kind.nodes += 1
        kind.in_use += bool(held[row].any())
        kind.stranded += float(plan.node_use.devices_stranded[row, 0])
        kind.held = [total + float(amount) for total, amount in zip(kind.held, held[row], strict=True)]
    return [kinds[key] for key in sorted(kinds, key=str)]


def _held(problem: Problem, plan: Plan) -> NDArray[np.float64]:
    """Devices, cores and GiB held per node, float64 [node, 3]."""
    held = np.zeros((len(problem.cluster.nodes), 3))
    for part in plan.decisions.parts:
        shape = problem.job_by_name[part.job].shape
        held[problem.cluster.node_idx[part.node]] += part.workers * np.array([shape.gpus, shape.cpus, shape.memory_gib])
    for stand in plan.decisions.replicas:
        shape = problem.service_by_name[stand.service].shape
        held[problem.cluster.node_idx[stand.node]] += stand.replicas * np.array([shape.gpus, shape.cpus, shape.memory_gib])
    return held


def _single_nodes_section(problem: Problem, plan: Plan) -> Section:
    """What stands on each node, where there are few of them."""
    if plan.node_use is None or len(problem.cluster.nodes) > MOST_NODES_SHOWN:
        return Section("single-nodes", "What stands where", ())
    stands: dict[str, list[str]] = {node: [] for node in problem.cluster.nodes}
    for row in plan.placements:
        workers = row.worker_last - row.worker_first + 1
        stands[row.node].append(
            f"{row.job}{f' ×{workers}' if workers > 1 else ''}{f' on {row.device_slots}' if row.device_slots else ''}"
        )
    for stand in plan.decisions.replicas:
        stands[stand.node].append(f"{stand.service} ×{stand.replicas}")
    columns = (Column("node", "Node"), Column("holds", "What stands there"))
    rows = tuple((node, "; ".join(work)) for node, work in stands.items())
    return Section("single-nodes", "What stands where", (Table("single-nodes-table", "", columns, rows),))


def _work_section(problem: Problem, plan: Plan) -> Section:
    placed = {part.job for part in plan.decisions.parts}
    kinds: dict[tuple[float, ...], list[Job]] = {}
    for job in problem.jobs:
        kinds.setdefault((job.shape.gpus, job.shape.cpus, job.shape.memory_gib, job.workers, job.priority), []).append(job)
    columns = (
        Column("gpus", "Devices", Kind.NUMBER, is_mixed=True),
        Column("cpus", "Cores", Kind.NUMBER, is_mixed=True),
        Column("memory_gib", "Memory", Kind.NUMBER, "GiB", is_mixed=True),
        Column("workers", "Workers", Kind.COUNT),
        Column("priority", "Priority", Kind.COUNT, is_detail=True),
        Column("jobs", "Jobs", Kind.COUNT),
        Column("placed", "placed", Kind.COUNT),
        Column("left_out", "left out", Kind.COUNT),
    )
    order = sorted(kinds, key=lambda key: (-len(kinds[key]), key))
    rows: list[tuple[Cell, ...]] = []
    for key in order[:MOST_KINDS_SHOWN]:
        here = sum(job.name in placed for job in kinds[key])
        gpus, cpus, memory, workers, priority = key
        rows.append((gpus, cpus, memory, int(workers), int(priority), len(kinds[key]), here, len(kinds[key]) - here))
    more = len(order) - len(rows)
    caption = "What one worker asks for; jobs that ask for the same are one row."
    caption += f" {counted(more, 'rarer kind')} {'is' if more == 1 else 'are'} not shown." if more else ""
    table = Table("job-kinds", "", columns, tuple(rows), caption)
    return Section("work", "The jobs", (table,) if rows else (), SectionRole.DETAIL)


def _left_out_section(problem: Problem, plan: Plan) -> Section:
    alike: dict[tuple[str, str, str, float | None], list[Unplaced]] = {}
    for row in plan.unplaced:
        alike.setdefault((row.rule, row.evidence, row.repair, row.repair_cost), []).append(row)
    columns = (
        Column("count", "Left out", Kind.COUNT),
        Column("names", "Jobs"),
        Column("rule", "Rule"),
        Column("evidence", "Why"),
        Column("repair", "What would help"),
        Column("repair_cost", "at, an hour", Kind.MONEY, problem.currency),
    )
    order = sorted(alike.items(), key=lambda item: (-len(item[1]), item[0][:3]))
    rows = tuple(
        (sum(row.count for row in told), _names(told), rule, evidence, repair, cost or None)
        for (rule, evidence, repair, cost), told in order[:MOST_KINDS_SHOWN]
    )
    caption = "Jobs that are alike are one row; unplaced.parquet names every one."
    return Section("unplaced", "Left out", (Table("unplaced-table", "", columns, rows, caption),) if rows else ())


def _names(rows: list[Unplaced]) -> str:
    more = len(rows) - NAMES_SHOWN
    return ", ".join(row.name for row in rows[:NAMES_SHOWN]) + (f" and {more:,} more" if more > 0 else "")


def _proof_section(problem: Problem, plan: Plan) -> Section:
    at_most, size = worked(plan, SIZE_AT_MOST), worked(plan, SIZE_PLACED)
    if at_most is None or size is None or not plan.proof.prices:
        return Section("bound", "Why no placement is better", ())
    dearest = worked(plan, DEAREST_DEVICE)
    words = (
        "Take these prices for what a node offers. However a device is cut into shares, they are worth no more than the device "
        f"(at most {dearest or 0.0:.6g}), so no placement is worth more than all nodes at these prices and, for each job, what its "
        f"size is above its price: {at_most:,.10g} in all, added up exactly. This placement reaches {size:,.10g}."
    )
    grouped: dict[tuple[str, float], list[str]] = {}
    for price in plan.proof.prices:
        grouped.setdefault((price.item, round(price.value, 9)), []).append(price.pool)
    columns = (
        Column("item", "What"),
        Column("value", "Price", Kind.NUMBER, digits=6),
        Column("kinds", "Kinds of nodes", Kind.COUNT),
        Column("like", "Nodes like"),
    )
    order = sorted(grouped.items(), key=lambda item: (_item_order(item[0][0]), -item[0][1]))
    rows = tuple((item, value, len(pools), ", ".join(pools[:NAMES_SHOWN])) for (item, value), pools in order)
    caption = "Price of a core, a GiB, a device, a share of so many slices of one device, in weighed size. All else costs nothing."
    blocks: tuple[Block, ...] = (Paragraph((words,)), Table("prices", "", columns, rows, caption))
    return Section("bound", "Why no placement is better", blocks, SectionRole.MORE)


def _item_order(item: str) -> tuple[str, int]:
    kind, _, rest = item.partition(" ")
    return kind, int(rest) if rest.isdecimal() else 0


def _few_measures(problem: Problem, plan: Plan) -> Plan:
    """The plan without the measures of single pools where there are too many to read."""
    if len(problem.cluster.pools) <= MOST_POOLS_SHOWN:
        return plan
    return replace(plan, measures=tuple(one for one in plan.measures if "pool" not in dict(one.labels)))
