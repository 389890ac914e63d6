"""Sites: where a gang may stand as a whole, by the attributes, families and domains of cells. They know no time."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from schedplan.measures.eligibility import job_refusal, workers_per_group, workers_per_node
from schedplan.measures.gang_family import gang_family, loads_on
from schedplan.model.problem import Problem
from schedplan.model.workload import Job, Topology
from schedplan.optimize.cells import Cell, Level
from schedplan.optimize.constraints.topology import domain_of, is_on_one_node


@dataclass(frozen=True, slots=True)
class Site:
    """Where a gang may stand as a whole: cells of one family and one domain. `per_node` workers fit an empty node of each cell."""

    cells: tuple[int, ...]
    per_node: tuple[int, ...]


def sites(problem: Problem, cells: tuple[Cell, ...], job: Job, level: Level) -> tuple[Site, ...]:
    """Return the sites a waiting job may stand on: eligible cells by family and domain, each with room for the whole gang."""
    groups: dict[tuple[object, ...], list[tuple[int, int]]] = defaultdict(list)
    for cell in cells:
        per_node = workers_per_node(cell.pool, job.shape)
        domain = domain_of(cell.pool, job.topology)
        if job_refusal(cell.pool, job) is not None or per_node == 0:
            continue
        is_single = job.workers == 1 or is_on_one_node(job.topology)
        family = (cell.idx,) if is_single else (domain, loads_on(job, cell.pool), *gang_family(problem, cell.pool))
        groups[family].append((cell.idx, per_node))
    found = (Site(tuple(idx for idx, _ in group), tuple(per_node for _, per_node in group)) for group in groups.values())
    return tuple(site for site in found if _holds(cells, site, job))


def _holds(cells: tuple[Cell, ...], site: Site, job: Job) -> bool:
    return room(cells, site, job) >= job.least_workers


def room(cells: tuple[Cell, ...], site: Site, job: Job) -> int:
    """Return how many workers of one gang a site holds when empty."""
    if job.topology is Topology.DEVICE_GROUP:
        return max(workers_per_group(cells[idx].pool, job.shape) for idx in site.cells)
    if is_on_one_node(job.topology):
        return max(site.per_node)
    return sum(cells[idx].count * per_node for idx, per_node in zip(site.cells, site.per_node, strict=True))
