"""Jobs left out of a static placement: for each the rule, the numbers that show it, and what would help.

One answer is worked out per class of jobs, and given for every job of it by name.
"""

from __future__ import annotations

from collections import Counter
from math import ceil

import numpy as np
from numpy.typing import NDArray

from schedplan.measures.eligibility import job_refusal, workers_per_node
from schedplan.measures.quotas import QuotaRefusal, quota_refusal
from schedplan.model.cluster import Pool
from schedplan.model.plan import Decisions, Unplaced
from schedplan.model.problem import Problem
from schedplan.model.workload import Job
from schedplan.optimize.constraints.topology import is_on_one_node
from schedplan.optimize.static.assembly import NOW, Assembly
from schedplan.optimize.static.instance import JobClass
from schedplan.optimize.static.nodes import Nodes

TOLD = 3


def left_out_rows(assembly: Assembly, decisions: Decisions) -> tuple[Unplaced, ...]:
    """Return one row per job that no part places, by name."""
    placed = {part.job for part in decisions.parts}
    rows = []
    for job_class in assembly.instance.classes:
        missing = [job.name for job in job_class.jobs if job.name not in placed]
        if missing:
            rule, evidence, repair, cost = _by_ties(assembly, job_class) or _answer(assembly.nodes, job_class, len(missing))
            rows += [Unplaced("job", name, 1, rule, evidence, repair, cost) for name in missing]
    return tuple(sorted(rows, key=lambda row: row.name))


def quota_told(refusal: QuotaRefusal, alone: QuotaRefusal | None) -> tuple[str, str, str]:
    """Return (rule, evidence, repair) of a job that a quota keeps out beside what is placed; alone: what keeps it out by itself."""
    if alone is not None:
        return "quota", f"even alone, {_counted(alone)}", "raise the quota, or ask for less"
    return "quota", _counted(refusal), "raise the quota, or leave out other work of it"


def rows_told(problem: Problem, job: Job) -> tuple[str, str, str]:
    """Return the same of a row of a gang that found no place for all its rows."""
    rows = len(problem.gang_rows[job.name])
    evidence = f"the {rows} rows of gang {job.gang} stand together or not at all; beside what is placed there is no room for all"
    return "gang", evidence, "add nodes that take them, or split the gang"


def _counted(refusal: QuotaRefusal) -> str:
    unit = refusal.ceiling.scope.resource.value
    return f"{refusal.counted:g} {unit} would count for {refusal.ceiling.subject} with it; at most {refusal.most:g} may"


def holds_nowhere(nodes: Nodes, job_class: JobClass) -> bool:
    """Whether even empty nodes do not hold one job of a class."""
    return _most_jobs(nodes, job_class) < 1


def _by_ties(assembly: Assembly, job_class: JobClass) -> tuple[str, str, str, float | None] | None:
    """What keeps a class out besides room on nodes: a quota on all nodes that may hold it, or the other rows of its gang."""
    job, needs, types = job_class.job, assembly.instance.needs[job_class.idx], assembly.instance.types
    models = dict.fromkeys(one.pool.accelerator for one in types if needs[one.idx] is not None)
    refusals = [assembly.allowance.refusal(job, model, job.workers, NOW) for model in models]
    if refusals and refusals[0] is not None and None not in refusals:
        alone = quota_refusal(assembly.instance.problem, job, next(iter(models)), job.workers)
        return (*quota_told(refusals[0], alone), None)
    if models and job_class.idx in assembly.instance.bundle_of:
        return (*rows_told(assembly.instance.problem, job), None)
    return None


def _answer(nodes: Nodes, job_class: JobClass, missing: int) -> tuple[str, str, str, float | None]:
    """(rule, evidence, repair, price of one slot)."""
    job, types = job_class.job, nodes.instance.types
    open_types = [one for one in types if nodes.instance.needs[job_class.idx][one.idx] is not None]
    if not open_types:
        return _refused(nodes, job)
    if holds_nowhere(nodes, job_class):
        rule = "topology" if job.topology.value not in ("any", "cluster") else "gang"
        evidence = f"needs {job.workers:,} workers at once; no group of nodes that may hold them is large enough, even when empty"
        return rule, evidence, "add nodes of one kind, or split the gang", None
    best = min(open_types, key=lambda one: (one.price / max(_per_node(job, one.pool), 1e-9), one.devices, one.idx))
    per_node = _per_node(job, best.pool)
    more = ceil(job_class.units / max(per_node, 1))
    kind = f"{best.devices} x {best.pool.accelerator}" if best.pool.accelerator else f"{best.pool.cpus or 0:g} cores"
    nodes_word = "1 more node" if more == 1 else f"{more} more nodes"
    fits = f", which holds {int(per_node):,} of such jobs" if more == 1 and per_node > 1 else ""
    return "capacity", _evidence(nodes, job_class, missing), f"{nodes_word} like {best.pool.name} ({kind}){fits}", more * best.price


def _refused(nodes: Nodes, job: Job) -> tuple[str, str, str, float | None]:
    pools = [pool for pool in nodes.instance.problem.cluster.pools if pool.nodes] or list(nodes.instance.problem.cluster.pools)
    refusals = [refusal for pool in pools if (refusal := job_refusal(pool, job)) is not None]
    if not refusals:
        return "capacity", "the cluster has no nodes", "add nodes", None
    rule = min(Counter(refusal.rule for refusal in refusals).items(), key=lambda item: (-item[1], item[0]))[0]
    told = [refusal.message for refusal in refusals if refusal.rule == rule][:TOLD]
    more = f"; and {len(refusals) - len(told):,} more" if len(refusals) > len(told) else ""
    return rule, f"no node takes it: {'; '.join(told)}{more}", "add nodes that do, or ask for less", None


def _evidence(nodes: Nodes, job_class: JobClass, missing: int) -> str:
    """How many nodes fail by devices, and how many of the rest by cores or memory."""
    k, job = job_class.idx, job_class.job
    needs = nodes.instance.needs[k]
    may_stand = np.array([needs[int(t)] is not None for t in nodes.type_of], dtype=np.bool_)
    rows = np.flatnonzero(may_stand)
    has_devices = [row for row in rows if nodes.has_devices(int(row), nodes.need(k, int(row)))]
    asked = f"{_asks(job)}, {job.shape.cpus:g} cores and {job.shape.memory_gib:.4g} GiB on one node"
    told = f"asks for {asked}; of {len(rows):,} nodes that may hold it {len(has_devices):,} have the devices free"
    if job.shape.gpus and not has_devices:
        told += f" (most on one device: {_widest(nodes, rows):.3g} of it)" if job.shape.gpus < 1 else ""
    elif has_devices:
        spare = int(nodes.room(k).sum())
        told += f", {spare:,} of those also the cores and the memory"
    gang = f" for each of {job_class.units:,} workers" if job_class.units > 1 else ""
    return f"{told}{gang}; {missing:,} such {'job is' if missing == 1 else 'jobs are'} left out"


def _asks(job: Job) -> str:
    if job.shape.gpus == 0:
        return "no device"
    if job.shape.gpus < 1:
        return f"{job.shape.gpus:g} of one device"
    return f"{job.shape.gpus:g} device{'' if job.shape.gpus == 1 else 's'}"


def _widest(nodes: Nodes, rows: NDArray[np.intp]) -> float:
    return float((nodes.slices[rows].max(axis=1, initial=0) / nodes.per_device[rows]).max(initial=0.0))


def _per_node(job: Job, pool: Pool) -> float:
    """Units of a job that an empty node of a pool holds."""
    workers = job.workers if is_on_one_node(job.topology) else 1
    return workers_per_node(pool, job.shape) / workers


def _most_jobs(nodes: Nodes, job_class: JobClass) -> int:
    """Jobs of a class that the emptied nodes of its largest family hold."""
    per_family: Counter[int] = Counter()
    for one in nodes.instance.types:
        if nodes.instance.needs[job_class.idx][one.idx] is not None:
            per_family[nodes.instance.families[job_class.idx][one.idx]] += one.count * int(_per_node(job_class.job, one.pool))
    return max((units // job_class.units for units in per_family.values()), default=0)
