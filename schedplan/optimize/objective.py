"""The objective as one linear form: the goals' values over their divisors, and the price of leaving work out.

F = Σ_k w_k f_k / divisor_k + unplaced. The f_k are those of `measures`; a test holds the two against each other.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from ortools.sat.python import cp_model

from schedplan.measures.objective import Normalisation
from schedplan.measures.work import counted, counted_share, endless_wait, importance, lateness, reference_work_per_h
from schedplan.model.problem import Problem
from schedplan.model.workload import Job
from schedplan.optimize.spending import Spending
from schedplan.optimize.variables import Amount, Variables
from schedplan.units import objective_scale


@dataclass(frozen=True)
class LinearForm:
    """Σ coefficient · variable + constant, by variable index."""

    coefficients: dict[int, float]
    uppers: dict[int, int]
    constant: float


@dataclass(frozen=True, slots=True)
class ScaledObjective:
    """How an integer objective reads in units of F: value / scale + constant, off by at most `error`."""

    scale: float
    constant: float
    error: float

    def bound(self, integer_bound: float) -> float:
        """Return a proven lower bound on F from one on the integer objective."""
        return integer_bound / self.scale + self.constant - self.error


class _Builder:
    def __init__(self) -> None:
        self.coefficients: dict[int, float] = defaultdict(float)
        self.uppers: dict[int, int] = {}
        self.constant = 0.0

    def add(self, amount: Amount, coefficient: float) -> None:
        if isinstance(amount, cp_model.IntVar):
            self.coefficients[amount.index] += coefficient
            self.uppers[amount.index] = max(amount.proto.domain)
        elif isinstance(amount, int):
            self.constant += amount * coefficient
        else:
            raise TypeError("an objective term is a variable or a constant")


def objective(variables: Variables, spending: Spending, normalisation: Normalisation, excluded: tuple[Job, ...]) -> LinearForm:
    """Return F over the variables of a model; `excluded` are the jobs that no plan can place (a constant of it)."""
    problem = variables.layout.problem
    builder = _Builder()
    _add_latency(builder, variables, _factor(problem, normalisation, "latency"), excluded)
    _add_idle(builder, variables, _factor(problem, normalisation, "utilization"))
    factor = _factor(problem, normalisation, "cost")
    for priced in spending.by_slot:
        for amount, cost in priced:
            builder.add(amount, factor * cost)
    _add_unplaced(builder, variables, excluded)
    return LinearForm(dict(builder.coefficients), builder.uppers, builder.constant)


def minimise(variables: Variables, form: LinearForm) -> ScaledObjective:
    """Set the integer objective of a model; return how to read it."""
    largest = sum(abs(value) * form.uppers[index] for index, value in form.coefficients.items())
    scale = objective_scale(largest)
    indices = sorted(form.coefficients)
    whole = [round(form.coefficients[index] * scale) for index in indices]
    model = variables.model
    model.minimize(cp_model.LinearExpr.weighted_sum([model.get_int_var_from_proto_index(index) for index in indices], whole))
    lost = sum(
        abs(form.coefficients[index] * scale - value) * form.uppers[index] for index, value in zip(indices, whole, strict=True)
    )
    return ScaledObjective(scale, form.constant, lost / scale)


def services_work_h(problem: Problem) -> float:
    """Return the counted-resource-hours that the services' expected demand takes over the horizon at reference speed."""
    hours = problem.grid.hours
    return sum(
        reference_work_per_h(service, problem.cluster, float(rate)) * float(hours[slot])
        for service in problem.services
        for slot, rate in enumerate(problem.demand_of[service.name].mean_rps)
    )


def _factor(problem: Problem, normalisation: Normalisation, goal: str) -> float:
    weight = problem.objective.weight(goal)
    return weight / normalisation.of(goal).divisor if weight else 0.0


def _add_latency(builder: _Builder, variables: Variables, factor: float, excluded: tuple[Job, ...]) -> None:
    problem = variables.layout.problem
    grid = problem.grid
    for start in variables.starts:
        column = start.column
        job = variables.layout.classes[column.class_idx].job
        late = lateness(problem, job, grid.slot_start_s(column.start_slot), grid.edges_s[column.end_edge])
        builder.add(start.gangs, factor * late)
    for job_class, left_out in zip(variables.layout.classes, variables.left_out, strict=True):
        builder.add(left_out, factor * endless_wait(problem, job_class.job))
    builder.constant += factor * sum(endless_wait(problem, job) for job in excluded)


def _add_idle(builder: _Builder, variables: Variables, factor: float) -> None:
    layout = variables.layout
    problem = layout.problem
    grid = problem.grid
    for cell, on in zip(layout.cells, variables.on, strict=True):
        for slot, amount in enumerate(on):
            builder.add(amount, factor * counted(cell.pool, problem.cluster) * float(grid.hours[slot]))
    for pool, slots in layout.outside:
        builder.constant += factor * counted(pool, problem.cluster) * sum(float(grid.hours[slot]) for slot in slots)
    for start in variables.starts:
        job = layout.classes[start.column.class_idx].job
        hours = (grid.edges_s[start.column.end_edge] - grid.slot_start_s(start.column.start_slot)) / 3600
        builder.add(start.gangs, -factor * job.workers * counted_share(job.shape, problem.cluster) * hours)
    builder.constant -= factor * services_work_h(problem)


def _add_unplaced(builder: _Builder, variables: Variables, excluded: tuple[Job, ...]) -> None:
    problem = variables.layout.problem
    total = sum(importance(problem, job) for job in problem.jobs)
    if total == 0:
        return
    price = problem.objective.unplaced / total
    for job_class, left_out in zip(variables.layout.classes, variables.left_out, strict=True):
        builder.add(left_out, price * importance(problem, job_class.job))
    builder.constant += price * sum(importance(problem, job) for job in excluded)
