"""topology: all workers inside the domain that the job asks for, a device group beside what else holds devices of the node."""

from __future__ import annotations

from collections.abc import Iterator

from schedplan.measures.gang_family import domain_of, is_on_one_node
from schedplan.measures.rules.case import Case, broken
from schedplan.model.cluster import Pool
from schedplan.model.findings import Finding
from schedplan.model.workload import JobState, Topology


def topology(case: Case) -> Iterator[Finding]:
    for name, parts in ((name, piece) for name, pieces in case.pieces_of.items() for piece in pieces):
        job = case.problem.job_by_name[name]
        if job.topology in (Topology.ANY, Topology.CLUSTER) or job.state is JobState.RUNNING:
            continue
        domains = sorted({_domain(job.topology, case.pool(part.node), part.node) or "none" for part in parts})
        if len(domains) > 1 or "none" in domains:
            kind = "node" if job.topology is Topology.DEVICE_GROUP else job.topology.value
            yield broken("topology", f"job {name}", f"needs one {kind} for all workers; they stand in: {', '.join(domains)}")
    for found in case.unassigned:
        if found.rule == "device_group":
            yield broken(
                "topology", f"node {found.node}", "device groups: the jobs that ask for one do not all fit inside one each"
            )


def _domain(topology: Topology, pool: Pool, node: str) -> str | None:
    return node if is_on_one_node(topology) else domain_of(pool, topology)
