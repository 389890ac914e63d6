"""Room: whether work fits on the nodes at all, by arithmetic on an empty cluster."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from schedplan.measures.eligibility import job_refusal, service_refusal, workers_per_node
from schedplan.measures.gang_family import NAMED_DOMAINS, domain_of, family_key, is_on_one_node
from schedplan.model.cluster import Pool
from schedplan.model.findings import Finding, Severity
from schedplan.model.workload import Job
from schedplan.validate.rule import Rule, about_jobs, listed, must_or_should
from schedplan.validate.subject import Subject

MOST_NUMBERS = 4_096
_FORGIVEN_H = 1e-6


def _no_nodes(subject: Subject) -> Iterator[Finding]:
    has_work = bool(subject.open_jobs or subject.services)
    if has_work and sum(pool.nodes for pool in subject.cluster.pools) == 0:
        message = "there is work, and not a single ready node"
        yield Finding("SP1210", Severity.ERROR, "nodes", message, "Give nodes with count or max_count above 0 and status ready.")


def _refused(subject: Subject) -> Iterator[Finding]:
    pools = subject.cluster.pools
    for jobs in subject.alike:
        job = jobs[0]
        if pools and not subject.pools_for(job):
            refusals = [job_refusal(pool, job) for pool in pools]
            reasons = tuple(dict.fromkeys(refusal.message for refusal in refusals if refusal is not None))
            yield Finding("SP1211", must_or_should(job.required), about_jobs(jobs), f"no node takes it: {listed(reasons, 3)}")
    for service in subject.services:
        found = [service_refusal(pool, service) for pool in pools]
        if pools and all(refusal is not None for refusal in found):
            reasons = tuple(dict.fromkeys(refusal.message for refusal in found if refusal is not None))
            yield Finding("SP1211", Severity.ERROR, f"service {service.name}", f"no node takes it: {listed(reasons, 3)}")


def _gang_too_large(subject: Subject) -> Iterator[Finding]:
    return (finding for finding in _gangs(subject) if finding.code == "SP1212")


def _fits_in_sum_only(subject: Subject) -> Iterator[Finding]:
    return (finding for finding in _gangs(subject) if finding.code == "SP1213")


def _gangs(subject: Subject) -> Iterator[Finding]:
    """A gang against the largest group of nodes it may span: one cluster, device model, market and asked domain."""
    for jobs in subject.alike:
        job = jobs[0]
        groups = _groups(subject, job)
        if not groups or max(_workers(job, pools) for pools in groups) >= job.least_workers:
            continue
        largest = max(groups, key=lambda pools: (_workers(job, pools), pools[0].name))
        place = f"the largest place for it ({_place(job, largest)})"
        severity = must_or_should(job.required)
        devices = sum(pool.gpus * pool.nodes for pool in largest)
        if 0 < job.devices <= devices and not job.is_elastic and not is_on_one_node(job.topology):
            per_node = listed(
                tuple(f"{workers_per_node(pool, job.shape)} on each of {pool.nodes} nodes of {pool.name}" for pool in largest)
            )
            message = (
                f"it fits in sum, not on nodes: {job.workers} workers x {job.shape.gpus:g} devices = {job.devices:g} of {devices}"
                f" devices, but {place} holds {_workers(job, largest)} workers ({per_node})"
            )
            yield Finding("SP1213", severity, about_jobs(jobs), message, "Use smaller workers, or more of them per node.")
        else:
            least = f"{job.least_workers} or more of its {job.workers}" if job.is_elastic else f"{job.workers}"
            message = f"it needs {least} workers at once; {place} holds {_workers(job, largest)}"
            hint = "Add nodes, split the job, or ask for a wider topology."
            yield Finding("SP1212", severity, about_jobs(jobs), message, hint, column="workers")


def _work_beyond_devices(subject: Subject) -> Iterator[Finding]:
    """Device-hours of open jobs on their fastest devices against those of all devices that take any of them, in the horizon."""
    if subject.grid is None:
        return
    hours = (subject.grid.end_s - subject.grid.start_s) / 3600
    asked_h = 0.0
    names: set[str] = set()
    n_jobs = 0
    for group in subject.alike:
        if not group[0].devices:
            continue
        pools = subject.pools_for(group[0])
        if not pools:
            continue  # told by SP1211
        names.update(pool.name for pool in pools)
        minutes = [found for found in (subject.shortest_minutes(job) for job in group) if found is not None]
        asked_h += group[0].devices * sum(min(found, hours * 60) for found in minutes) / 60
        n_jobs += len(minutes)
    devices = sum(pool.gpus * pool.nodes for pool in subject.cluster.pools if pool.name in names)
    if devices and asked_h > devices * hours + _FORGIVEN_H:
        left = 1 - devices * hours / asked_h
        message = (
            f"{n_jobs} waiting jobs ask for {asked_h:,.0f} device-hours within the horizon of {hours:g} h; the {devices:,} devices"
            f" that take any of them have {devices * hours:,.0f}: at least {left:.0%} of it finds no place"
        )
        hint = "Lengthen the horizon ([horizon] hours), add nodes, or expect work to be left out."
        yield Finding("SP1219", Severity.NOTE, "nodes", message, hint)


def _numbers_of_workers(subject: Subject) -> Iterator[Finding]:
    for job in subject.open_jobs:
        numbers = job.workers - job.least_workers + 1
        if job.is_elastic and numbers > MOST_NUMBERS and subject.spot_pools_for(job):
            message = (
                f"it may run with {job.least_workers:,} to {job.workers:,} workers, and on spot nodes each number is a choice of"
                f" its own; at most {MOST_NUMBERS:,} are tried"
            )
            hint = "Raise min_workers, or make its workers larger."
            yield Finding("SP1217", Severity.ERROR, f"job {job.name}", message, hint, column="min_workers")


def _least_replicas(subject: Subject) -> Iterator[Finding]:
    for service in subject.services:
        pools = [pool for pool in subject.cluster.pools if service_refusal(pool, service) is None]
        room = sum(pool.nodes * workers_per_node(pool, service.shape) for pool in pools)
        if pools and room < service.min_replicas:
            message = f"it needs at least {service.min_replicas} replicas; all nodes that take it hold {room} when empty"
            yield Finding("SP1214", Severity.ERROR, f"service {service.name}", message, "Lower min_replicas, or add nodes.")


def _no_device_asked(subject: Subject) -> Iterator[Finding]:
    pools = subject.cluster.pools
    jobs = tuple(job for job in subject.open_jobs if job.shape.gpus == 0)
    if jobs and pools and all(pool.gpus > 0 for pool in pools):
        message = "no device is asked for, though every node has some: such work takes none and may share a node with any other"
        hint = "Give gpus_per_worker; where no device is meant, nothing has to be done."
        yield Finding("SP1208", Severity.WARNING, about_jobs(jobs), message, hint, column="gpus_per_worker")


def _whole_device_for_share(subject: Subject) -> Iterator[Finding]:
    """Pools that the same work takes whole devices of, told together."""
    jobs, services = _shares_by_pool(subject)
    alike: dict[tuple[int, int], list[Pool]] = defaultdict(list)
    for pool in subject.cluster.pools:
        if jobs[pool.name] or services[pool.name]:
            alike[jobs[pool.name], services[pool.name]].append(pool)
    for (n_jobs, n_services), pools in alike.items():
        names = tuple(pool.name for pool in pools)
        about = f"pool {names[0]}" if len(names) == 1 else f"{len(names)} pools: {listed(names, 3)}"
        work = " and ".join(_counted(number, noun) for number, noun in ((n_jobs, "job"), (n_services, "service")) if number)
        message = f"slices_per_gpu is 1, so each worker of {work} that asks for a share of a device takes a whole one here"
        hint = "Give slices_per_gpu where devices can be shared."
        yield Finding("SP1215", Severity.WARNING, about, message, hint, column="slices_per_gpu")


def _shares_by_pool(subject: Subject) -> tuple[Counter[str], Counter[str]]:
    """Return how many jobs and how many services ask for a share of a device and may run on each pool that is not sliced."""
    jobs: Counter[str] = Counter()
    services: Counter[str] = Counter()
    unsliced = {pool.name for pool in subject.cluster.pools if pool.gpus > 0 and pool.slices_per_gpu == 1}
    if not unsliced:
        return jobs, services
    for group in subject.alike:
        if 0 < group[0].shape.gpus < 1:
            jobs.update({pool.name: len(group) for pool in subject.pools_for(group[0]) if pool.name in unsliced})
    for service in subject.services:
        if 0 < service.shape.gpus < 1:
            takes = (pool for pool in subject.cluster.pools if pool.name in unsliced and service_refusal(pool, service) is None)
            services.update(pool.name for pool in takes)
    return jobs, services


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _groups(subject: Subject, job: Job) -> list[tuple[Pool, ...]]:
    """Return the sets of eligible pools that one gang may span. Prices may change within the horizon: they tell no sets apart."""
    members: dict[tuple[str, ...], list[Pool]] = defaultdict(list)
    for pool in subject.pools_for(job):
        if pool.nodes > 0:
            members[(domain_of(pool, job.topology) or "", *family_key(pool, None))].append(pool)
    return [tuple(pools) for pools in members.values()]


def _workers(job: Job, pools: tuple[Pool, ...]) -> int:
    if is_on_one_node(job.topology):
        return max(workers_per_node(pool, job.shape) for pool in pools)
    return sum(pool.nodes * workers_per_node(pool, job.shape) for pool in pools)


def _place(job: Job, pools: tuple[Pool, ...]) -> str:
    names = listed(tuple(pool.name for pool in pools), 3)
    return f"{job.topology.value} of {names}" if job.topology in NAMED_DOMAINS else names


RULES = (
    Rule(
        "SP1208",
        "no-device-asked",
        "Every node of the cluster has devices, and an open job asks for none. It takes no device, so any number of such jobs fits"
        " beside other work; most often the column gpus_per_worker is missing or misspelt.",
        _no_device_asked,
    ),
    Rule("SP1210", "no-nodes", "A plan needs work, and at least one node for it that is ready and that it may use.", _no_nodes),
    Rule(
        "SP1211",
        "no-eligible-node",
        "Every row of nodes refuses a single worker, even when it is empty: by status, device model, memory, size, taint, market or"
        " topology. A plan leaves such a job out; a required job or a service then has no plan at all.",
        _refused,
    ),
    Rule(
        "SP1212",
        "gang-too-large",
        "All workers of a job start together inside one cluster, device model, market and the domain it asks for; on spot also on"
        " nodes of one size and reclaim rate. This one is larger than every such place when empty, so it can never start.",
        _gang_too_large,
    ),
    Rule(
        "SP1213",
        "fits-in-sum-only",
        "The devices of a place add up to what the gang needs, yet too few of its workers fit on each node: what is left of a"
        " node is too small for one more. Capacity that is counted in sum promises what the nodes can't hold.",
        _fits_in_sum_only,
    ),
    Rule(
        "SP1214",
        "least-replicas",
        "The least number of replicas of a service has to fit on the nodes that take it.",
        _least_replicas,
    ),
    Rule(
        "SP1215",
        "whole-device-for-share",
        "Work asks for a share of a device, and a pool that takes it says slices_per_gpu = 1 (the default): there a share takes a"
        " whole device, and what is left of it stays empty. Give slices_per_gpu where devices are shared.",
        _whole_device_for_share,
    ),
    Rule(
        "SP1217",
        "elastic-range",
        "On spot nodes an elastic gang loses its run the less often the fewer nodes it holds, and the more often the longer it"
        " runs, so that each number of workers between min_workers and workers is a choice of its own. Too many of them are"
        " refused.",
        _numbers_of_workers,
    ),
    Rule(
        "SP1219",
        "work-beyond-devices",
        "The device-hours that waiting jobs ask for on their fastest devices, none counted beyond the horizon, are more than all"
        " devices that take any of them have from its beginning to its end. Each job may fit, and yet not all of them do.",
        _work_beyond_devices,
    ),
)
