"""The rules of a conflict in words: rule, subject and the numbers that show it, from the name that its rows have in the model.

A name is `RULE SUBJECT`, as in `rows.when("quota research", ...)`. A rule that has no words here is told by its statement, the
first sentence of its file among the constraints.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from schedplan.measures.costs import paid_anyway
from schedplan.measures.domains import domain_of_node
from schedplan.measures.eligibility import pools_for_service, workers_per_node
from schedplan.measures.outages import outage_evidence
from schedplan.measures.pins import pin_evidence
from schedplan.measures.warm_up import lag_minutes
from schedplan.measures.work import last_end
from schedplan.model.plan import ConflictItem
from schedplan.model.problem import Problem
from schedplan.model.workload import Job, JobState, Service
from schedplan.optimize.requirement import alone_latency_ms, least_replicas_by_slot
from schedplan.timegrid import format_local

_CONSTRAINTS = Path(__file__).parent.parent / "constraints"


def item(problem: Problem, rule: str, group: int) -> ConflictItem:
    """Return a named rule of a model as an item of the conflict with that number."""
    name, _, subject = rule.partition(" ")
    told = _TOLD.get(name)
    if told is not None:
        return told(problem, subject, group)
    return ConflictItem(name, _subject(problem, subject), statement(name), group)


@lru_cache(maxsize=64)
def statement(rule: str) -> str:
    """Return what a constraint says of itself, without its name; empty where there is no file of that name."""
    file = _CONSTRAINTS / f"{rule}.py"
    if not file.is_file():
        return ""
    first_line = (ast.get_docstring(ast.parse(file.read_text("utf-8"))) or "").partition("\n")[0]
    return first_line.partition(": ")[2].rstrip(".")


def _subject(problem: Problem, name: str) -> str:
    """Return a name with what it is a name of, where that is known."""
    for kind, names in (("job", problem.job_by_name), ("service", problem.service_by_name), ("pool", problem.cluster.by_name)):
        if name in names:
            return f"{kind} {name}"
    return name or "cluster"


def _required(problem: Problem, name: str, group: int) -> ConflictItem:
    job = problem.job_by_name[name]
    if job.state is JobState.RUNNING:
        nodes = ", ".join(part.node for part in job.placement[:3]) + (" and more" if len(job.placement) > 3 else "")
        return ConflictItem("running", f"job {name}", f"runs on {nodes} and stays there", group)
    return ConflictItem("required", f"job {name}", f"{_size(job)} must be placed {_window(problem, job)}", group)


def _size(job: Job) -> str:
    count = f"{job.least_workers} to {job.workers}" if job.is_elastic else f"{job.workers}"
    workers = f"{count} worker{'s' if job.workers > 1 else ''}"
    if job.shape.gpus:
        return f"{workers} of {job.shape.gpus:g} device{'s' if job.shape.gpus != 1 else ''}"
    return f"{workers} of {job.shape.cpus:g} cores" if job.shape.cpus else workers


def _window(problem: Problem, job: Job) -> str:
    grid = problem.grid
    first, last = grid.release_slot(job.release_s), last_end(problem, job)
    start, end = (format_local(grid.edges_s[min(edge, grid.n_slots)], problem.zone) for edge in (first, last))
    return f"for {job.runtime_minutes:g} min between {start} and {end}"


def _service(problem: Problem, name: str, group: int) -> ConflictItem:
    return ConflictItem("service", f"service {name}", _service_evidence(problem, problem.service_by_name[name]), group)


def _service_evidence(problem: Problem, service: Service) -> str:
    alone_ms = alone_latency_ms(problem, service)
    if alone_ms is not None and alone_ms > service.slo_ms:
        at = "on average" if service.slo_quantile is None else f"at the {service.slo_quantile:g} quantile"
        return (
            f"a request takes {alone_ms:.0f} ms {at} without any waiting, and the target is {service.slo_ms:g} ms;"
            " no number of replicas mends that"
        )
    peak_rps = problem.demand_of[service.name].peak_rps
    told = f"up to {float(peak_rps.max()):,.0f} requests/s must be served"
    pools = pools_for_service(problem.cluster, service)
    if not pools:
        return f"{told}; no node takes a replica"
    slot = int(peak_rps.argmax())
    needs = [least_replicas_by_slot(problem, service, pool.accelerator)[slot] for pool in pools]
    least = min((need for need in needs if need is not None), default=None)
    holds = sum(pool.nodes * workers_per_node(pool, service.shape) for pool in pools)
    return told if least is None else f"{told}, by {least} replicas or more; the nodes that take it hold {holds} when empty"


def _spread(problem: Problem, name: str, group: int) -> ConflictItem:
    kind, least = problem.service_by_name[name].spread or ("", 0)
    told = f"it must stand in {least} {kind}s at least; {_domains_there(problem, name, kind)} may hold it"
    return ConflictItem("spread", f"service {name}", told, group)


def _reserve(problem: Problem, name: str, group: int) -> ConflictItem:
    kind = problem.limits.reserve.value
    told = f"the loss of any one {kind} must leave enough replicas; {_domains_there(problem, name, kind)} may hold it"
    return ConflictItem("reserve", f"service {name}", told, group)


def _hold(problem: Problem, name: str, group: int) -> ConflictItem:
    minutes = problem.service_by_name[name].min_hold_minutes
    return ConflictItem("hold", f"service {name}", f"its number of replicas may change every {minutes:g} min at most", group)


def _warm_up(problem: Problem, name: str, group: int) -> ConflictItem:
    service = problem.service_by_name[name]
    pools = pools_for_service(problem.cluster, service)
    soonest = min((lag_minutes(service, pool) for pool in pools), default=0.0)
    told = f"a new replica serves {soonest:g} min after its request at the earliest, and holds its devices meanwhile"
    return ConflictItem("warm_up", f"service {name}", told, group)


def _domains_there(problem: Problem, name: str, kind: str) -> str:
    service = problem.service_by_name[name]
    pools = pools_for_service(problem.cluster, service)
    domains = {domain_of_node(kind, pool, node) for pool in pools for node in pool.node_names()[: pool.nodes]} - {None}
    return f"{len(domains)} {kind}{'' if len(domains) == 1 else 's'}"


def _max_replicas(problem: Problem, name: str, group: int) -> ConflictItem:
    most = problem.service_by_name[name].max_replicas
    return ConflictItem("service", f"service {name}", f"at most {most} replicas are allowed", group)


def _budget(problem: Problem, day: str, group: int) -> ConflictItem:
    slots = list(dict(problem.grid.days(problem.zone))[day])
    always = float(paid_anyway(problem)[slots].sum())
    told = f"the limit is {problem.limits.budget_per_day:g} {problem.currency} a day"
    if always:
        told += f"; nodes that are paid for whether used or not take {always:,.2f} of it"
    return ConflictItem("budget", f"day {day}", told, group)


def _quota(problem: Problem, key: str, group: int) -> ConflictItem:
    ceiling = next(ceiling for ceiling in problem.ceilings if ceiling.key == key)
    return ConflictItem(
        "quota", ceiling.subject, f"at most {ceiling.limit:g} {ceiling.scope.resource.value} may count in any slot", group
    )


def _rules(problem: Problem, text: str, group: int) -> ConflictItem:
    told = "what its left side matches may not stand where its right side matches"
    return ConflictItem("rules", f"rule {text}", told, group)


def _after(problem: Problem, name: str, group: int) -> ConflictItem:
    waits = problem.waits_for[name]
    told = f"it starts only when {waits[0]} has ended" if len(waits) == 1 else f"it starts only when {', '.join(waits)} have ended"
    return ConflictItem("after", f"job {name}", told, group)


def _gang(problem: Problem, gang: str, group: int) -> ConflictItem:
    rows = ", ".join(job.name for job in problem.jobs if job.gang == gang and job.name in problem.gang_rows)
    return ConflictItem("gang", f"gang {gang}", f"its rows {rows} start in one slot, or none does", group)


def _outage(problem: Problem, subject: str, group: int) -> ConflictItem:
    return ConflictItem("outage", subject, outage_evidence(problem, subject), group)


def _slices(problem: Problem, name: str, group: int) -> ConflictItem:
    geometry = problem.cluster.by_name[name].geometry
    if geometry is None:
        raise AssertionError("only devices of a known geometry have rows of slices")
    has = f"{geometry.compute_slices} compute and {geometry.memory_slices} memory slices"
    told = f"a device has {has}, a profile may start at few of them, and stays where it starts"
    return ConflictItem("slices", f"pool {name}", told, group)


def _device_group(problem: Problem, name: str, group: int) -> ConflictItem:
    """Of a job where it stands on single nodes, of a pool where its nodes are counted together."""
    job = problem.job_by_name.get(name)
    if job is not None:
        return ConflictItem("device_group", f"job {name}", f"its {_size(job)} must stand inside one device group", group)
    pool = problem.cluster.by_name[name]
    told = f"a node has {pool.device_groups} groups of {pool.gpus // pool.device_groups} devices"
    return ConflictItem("device_group", f"pool {name}", told, group)


def _min_on_time(problem: Problem, name: str, group: int) -> ConflictItem:
    told = f"on spot it must end by its deadline with {problem.limits.min_on_time:.1%} at least"
    return ConflictItem("min_on_time", f"job {name}", told, group)


def _pin(problem: Problem, name: str, group: int) -> ConflictItem:
    pins = [pin for pin in problem.pins if pin.work == name]
    return ConflictItem("pin", pins[0].subject, "; ".join(pin_evidence(problem, pin) for pin in pins), group)


_TOLD: dict[str, Callable[[Problem, str, int], ConflictItem]] = {
    "required": _required,
    "after": _after,
    "gang": _gang,
    "service": _service,
    "max_replicas": _max_replicas,
    "budget": _budget,
    "quota": _quota,
    "rules": _rules,
    "outage": _outage,
    "pin": _pin,
    "spread": _spread,
    "reserve": _reserve,
    "hold": _hold,
    "min_on_time": _min_on_time,
    "slices": _slices,
    "device_group": _device_group,
    "warm_up": _warm_up,
}
