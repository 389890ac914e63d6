"""How a plan is made again after a small change, near the one before: what share of the first solve's CPU it takes, how many of the
jobs that the change leaves alone move, and how it stands against its own bound.

    python -m benchmarks.again [SPEC] [--size N]      default: fleet-day, its smallest size

It knows nothing of how a plan is made.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import TYPE_CHECKING

from benchmarks import phases
from benchmarks.registry import SPECS, Spec

if TYPE_CHECKING:
    from schedplan.model.earlier import Earlier
    from schedplan.model.plan import Decisions
    from schedplan.model.problem import Problem

HEADER = "| spec | nodes | change | CPU of the first solve | untouched jobs moved | objective | bound | gap | rules broken |"
GROWS = 1.1
HOUR_S = 3600


@dataclass(frozen=True, slots=True)
class Again:
    """cpu_share: of the first solve's; moved_share: of the jobs that the change leaves alone and the first plan places."""

    change: str
    cpu_share: float
    moved_share: float
    objective: float | None
    bound: float | None
    gap: float | None
    violations: int


def a_job_more(problem: Problem, decisions: Decisions) -> tuple[Problem, set[str]]:
    """Return a problem with one more job, like one of its own, and the jobs that this touches."""
    job = replace(problem.jobs[len(problem.jobs) // 2], name="one-more")
    return replace(problem, jobs=(*problem.jobs, job)), {job.name}


def a_node_less(problem: Problem, decisions: Decisions) -> tuple[Problem, set[str]]:
    """Return a problem without the last node of its largest pool, a reserved one if there is any, and the jobs that stood there."""
    pool = max(problem.cluster.pools, key=lambda pool: (pool.market.is_sunk, pool.count, pool.name))
    lost = pool.node_names()[-1]
    most = pool.max_count if pool.market.is_sunk else pool.max_count - 1
    less = replace(pool, count=pool.count - 1, min_count=max(pool.min_count - 1, 0), max_count=most)
    pools = tuple(less if one is pool else one for one in problem.cluster.pools if one is not pool or pool.count > 1)
    cluster = replace(problem.cluster, pools=pools)
    return replace(problem, cluster=cluster), {part.job for part in decisions.parts if part.node == lost}


def a_deadline_earlier(problem: Problem, decisions: Decisions) -> tuple[Problem, set[str]]:
    """Return a problem in which the job that waits longest must be done an hour before it is, and that job."""
    from schedplan.measures.work import booked_slots, placed_workers
    from schedplan.model.workload import DeadlineKind

    workers, edges_s, ends_s = placed_workers(decisions.parts), problem.grid.edges_s, dict[str, int]()
    waits_s = dict[str, int]()
    for part in decisions.parts:
        job = problem.job_by_name[part.job]
        waits_s[part.job] = edges_s[part.start_slot] - (job.release_s or edges_s[0])
        ends_s[part.job] = edges_s[booked_slots(problem, part, workers[part.job]).stop]
    name = max(waits_s, key=lambda name: (waits_s[name], name))
    sooner = replace(problem.job_by_name[name], deadline_s=ends_s[name] - HOUR_S, deadline_kind=DeadlineKind.HARD)
    return replace(problem, jobs=tuple(sooner if job.name == name else job for job in problem.jobs)), {name}


def a_load_higher(problem: Problem, decisions: Decisions) -> tuple[Problem, set[str]]:
    """Return a problem in which the first service has a tenth more load; no job is touched."""
    first, *others = problem.demands
    more = replace(first, peak_rps=GROWS * first.peak_rps, mean_rps=GROWS * first.mean_rps)
    return replace(problem, demands=(more, *others)), set()


CHANGES: tuple[tuple[str, Callable[[Problem, Decisions], tuple[Problem, set[str]]]], ...] = (
    ("a job more", a_job_more),
    ("a node less", a_node_less),
    ("a deadline earlier", a_deadline_earlier),
    ("a load 10 % higher", a_load_higher),
)


def again(spec: Spec, size: int, folder: Path) -> list[Again]:
    """Build the project of a size in `folder`, plan it, and plan it again after each change."""
    spec.build(folder, size)
    problem = phases.forecast(*phases.load(folder))
    begin_s = process_time()
    first = phases.solve(problem)
    first_s = process_time() - begin_s
    return [_changed(name, change, problem, first.decisions, first_s) for name, change in CHANGES]


def _changed(
    name: str,
    change: Callable[[Problem, Decisions], tuple[Problem, set[str]]],
    problem: Problem,
    decisions: Decisions,
    first_s: float,
) -> Again:
    changed, touched = change(problem, decisions)
    changed = replace(changed, earlier=earlier(problem, decisions))
    begin_s = process_time()
    plan = phases.solve(changed)
    cpu_share = (process_time() - begin_s) / first_s
    before, after = _stays(decisions), _stays(plan.decisions)
    alone = before.keys() - touched
    moved = [job for job in alone if job in after and after[job] != before[job]]
    proof = plan.proof
    broken = phases.verify(changed, plan)
    return Again(name, cpu_share, len(moved) / max(len(alone), 1), proof.objective, proof.bound, proof.gap, broken)


def earlier(problem: Problem, decisions: Decisions) -> Earlier:
    """Return decisions as the plan that another one keeps to."""
    from schedplan.model.earlier import Earlier, Stay, Stood

    edges_s = problem.grid.edges_s
    jobs = tuple(Stay(job, edges_s[start], nodes) for job, (start, nodes) in sorted(_stays(decisions).items()))
    replicas = tuple(
        Stood(one.service, edges_s[one.slot], edges_s[one.slot + 1], one.node, one.replicas) for one in sorted(decisions.replicas)
    )
    return Earlier("0" * 64, edges_s, jobs, replicas)


def _stays(decisions: Decisions) -> dict[str, tuple[int, tuple[tuple[str, int], ...]]]:
    """Return when each job starts, and on which nodes with how many workers."""
    nodes: dict[str, list[tuple[str, int]]] = {}
    for part in sorted(decisions.parts):
        nodes.setdefault(part.job, []).append((part.node, part.workers))
    starts = {part.job: part.start_slot for part in decisions.parts}
    return {job: (starts[job], tuple(there)) for job, there in nodes.items()}


def row(spec: Spec, size: int, found: Again) -> str:
    """Return how a plan was made again as a row of a Markdown table."""
    values = (found.objective, found.bound)
    cells = (
        *(spec.name, f"{size:,}", found.change, f"{found.cpu_share:.0%}", f"{found.moved_share:.2%}"),
        *("–" if value is None else f"{value:.4f}" for value in values),
        *("–" if found.gap is None else f"{found.gap:.2%}", str(found.violations)),
    )
    return f"| {' | '.join(cells)} |"


def main(arguments: list[str]) -> int:
    """Plan a fleet and plan it again after every change, and print a row for each; 2 where the name is unknown."""
    size = int(arguments[arguments.index("--size") + 1]) if "--size" in arguments else None
    names = arguments[: arguments.index("--size")] if "--size" in arguments else arguments
    name = names[0] if names else "fleet-day"
    fleets = {spec.name: spec for spec in SPECS if spec.name.startswith("fleet-")}
    if name not in fleets:
        print(f"no such spec: {name}; there are {', '.join(fleets)}", file=sys.stderr)
        return 2
    spec = fleets[name]
    print(HEADER, "|---" * (HEADER.count("|") - 1) + "|", sep="\n")
    with TemporaryDirectory() as place:
        for found in again(spec, size or spec.sizes[0], Path(place)):
            print(row(spec, size or spec.sizes[0], found), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
