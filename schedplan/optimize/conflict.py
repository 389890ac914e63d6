"""Why nothing is feasible: the rules that can't hold together, by name and as few as possible. It proposes, it changes nothing.

The rows of every named rule hang on a literal; a core of them is found with all assumed, and shrunk by leaving out one after
the other: what remains is infeasible, and feasible without any one of its rules.
"""

from __future__ import annotations

from ortools.sat.python import cp_model

from schedplan.measures.domains import domain_of_node
from schedplan.measures.eligibility import service_refusal
from schedplan.measures.forbidding import without_rules
from schedplan.model.cluster import Pool
from schedplan.model.plan import ConflictItem
from schedplan.model.problem import Problem
from schedplan.model.workload import Service
from schedplan.optimize.formulation import formulate
from schedplan.optimize.layout import Level, layout
from schedplan.optimize.options import SolveOptions
from schedplan.optimize.requirement import alone_latency_ms
from schedplan.optimize.search import stoppable
from schedplan.packing.screen import Screened


def conflict(problem: Problem, screened: tuple[Screened, ...], options: SolveOptions) -> tuple[ConflictItem, ...]:
    """Return a minimal conflict of an infeasible problem; where arithmetic alone shows it, every required job it concerns."""
    impossible = tuple(found for found in screened if found.job.required)
    if impossible:
        return tuple(ConflictItem(found.rule, f"job {found.job.name}", found.evidence) for found in impossible)
    rules = _core(problem, tuple(found.job.name for found in screened), options)
    return tuple(_item(problem, rule) for rule in rules)


def _core(problem: Problem, left_out: tuple[str, ...], options: SolveOptions) -> tuple[str, ...]:
    opened = without_rules(problem)
    jobs = tuple(job for job in opened.jobs if job.name not in left_out)
    formulation = formulate(layout(opened, jobs, Level.POOLS, merged=False), None)
    if not _is_infeasible(formulation.model, list(formulation.rows.literals.values()), options):
        formulation = formulate(layout(opened, jobs, Level.NODES, merged=False), None)
    literals = formulation.rows.literals
    kept = list(literals)
    for rule in list(literals):
        trial = [name for name in kept if name != rule]
        if _is_infeasible(formulation.model, [literals[name] for name in trial], options):
            kept = trial
    return tuple(kept)


def _is_infeasible(model: cp_model.CpModel, assumed: list[cp_model.IntVar], options: SolveOptions) -> bool:
    model.clear_assumptions()
    model.add_assumptions(assumed)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = options.seed
    solver.parameters.max_deterministic_time = options.work_limit
    return stoppable(solver, model) == cp_model.INFEASIBLE


def _item(problem: Problem, rule: str) -> ConflictItem:
    kind, _, name = rule.partition(" ")
    if kind in ("service", "max_replicas", "spread", "reserve", "hold"):
        return _service_item(problem, kind, problem.service_by_name[name])
    if kind == "budget":
        return ConflictItem("budget", f"day {name}", _budget_evidence(problem, name))
    if kind == "quota":
        ceiling = next(ceiling for ceiling in problem.ceilings if ceiling.key == name)
        unit = ceiling.scope.resource.value
        return ConflictItem("quota", ceiling.subject, f"at most {ceiling.limit:g} {unit} may count")
    if kind == "rules":
        return ConflictItem("rules", f"rule {name}", "what its left side matches may not stand where its right side matches")
    job = problem.job_by_name[name]
    return ConflictItem(
        "required", f"job {name}", f"{job.workers} workers of {job.shape.gpus:g} devices must be placed in their window"
    )


def _service_item(problem: Problem, rule: str, service: Service) -> ConflictItem:
    subject = f"service {service.name}"
    if rule == "service":
        return ConflictItem("service", subject, _service_evidence(problem, service))
    if rule == "max_replicas":
        return ConflictItem("service", subject, f"at most {service.max_replicas} replicas are allowed")
    return ConflictItem(rule, subject, _rule_evidence(problem, rule, service))


def _service_evidence(problem: Problem, service: Service) -> str:
    alone_ms = alone_latency_ms(problem, service)
    if alone_ms is not None and alone_ms > service.slo_ms:
        at = "on average" if service.slo_quantile is None else f"at the {service.slo_quantile:g} quantile"
        return (
            f"a request takes {alone_ms:.0f} ms {at} without any waiting, and the target is {service.slo_ms:g} ms;"
            " no number of replicas mends that"
        )
    return f"up to {float(problem.demand_of[service.name].peak_rps.max()):g} requests/s must be served"


def _rule_evidence(problem: Problem, rule: str, service: Service) -> str:
    pools = [pool for pool in problem.cluster.pools if pool.nodes and service_refusal(pool, service) is None]
    if rule == "hold":
        return f"its number of replicas may change every {service.min_hold_minutes:g} min at most"
    if rule == "reserve":
        kind = problem.limits.reserve.value
        return f"the loss of any one {kind} must leave enough replicas; {_domains_there(pools, kind)} may hold it"
    kind, least = service.spread or ("", 0)
    return f"it must stand in {least} {kind}s at least; {_domains_there(pools, kind)} may hold it"


def _domains_there(pools: list[Pool], kind: str) -> str:
    domains = {domain_of_node(kind, pool, name) for pool in pools for name in pool.node_names()[: pool.nodes]} - {None}
    return f"{len(domains)} {kind}{'' if len(domains) == 1 else 's'}"


def _budget_evidence(problem: Problem, day: str) -> str:
    slots = list(dict(problem.grid.days(problem.zone))[day])
    hours = problem.grid.hours[slots]
    paid_anyway = sum(pool.always_on * float(problem.price_per_h(pool)[slots] @ hours) for pool in problem.cluster.pools)
    limit = f"the limit is {problem.limits.budget_per_day:g} {problem.currency} a day"
    return f"{limit}; nodes that are paid for whether used or not take {paid_anyway:,.2f} of it" if paid_anyway else limit
