"""The objective as one linear form: the goals' values over their divisors, and the price of leaving work out.

F = Σ_k w_k f_k / divisor_k + unplaced. The f_k are those of `measures`; a test holds the two against each other.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from ortools.sat.python import cp_model

from schedplan.measures.emissions import emission_of, replica_duty
from schedplan.measures.missed import services_importance
from schedplan.measures.objective import Normalisation
from schedplan.measures.pieces import Piece, piece_lateness, work_minutes
from schedplan.measures.work import (
    counted,
    counted_share,
    endless_wait,
    importance,
    node_share,
    reference_work_h,
)
from schedplan.model.cluster import Pool
from schedplan.model.problem import GOALS, Objective
from schedplan.model.workload import Job
from schedplan.optimize.constraints.elastic import Choice, choice_duty
from schedplan.optimize.constraints.missed import Missed
from schedplan.optimize.layout import Layout
from schedplan.optimize.spending import Spending
from schedplan.optimize.variables import Amount, Start, Variables
from schedplan.units import objective_scale

UNPLACED = "unplaced"


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

    def form(self) -> LinearForm:
        return LinearForm(dict(self.coefficients), self.uppers, self.constant)


def objective(goals: GoalForms, wanted: Objective, normalisation: Normalisation) -> LinearForm:
    """Return F over the variables of a model, for the weights of `wanted`."""
    whole = _Builder()
    factors = {goal: wanted.weight(goal) / normalisation.of(goal).divisor for goal in GOALS if wanted.weight(goal)}
    for goal, factor in (factors | {UNPLACED: wanted.unplaced}).items():
        form = goals.of(goal)
        for index, coefficient in form.coefficients.items():
            whole.coefficients[index] += factor * coefficient
        whole.uppers.update(form.uppers)
        whole.constant += factor * form.constant
    return whole.form()


def minimise(model: cp_model.CpModel, form: LinearForm) -> ScaledObjective:
    """Set the integer objective of a model; return how to read it."""
    largest = sum(abs(value) * form.uppers[index] for index, value in form.coefficients.items())
    scale = objective_scale(largest)
    indices = sorted(form.coefficients)
    whole = [round(form.coefficients[index] * scale) for index in indices]
    model.minimize(cp_model.LinearExpr.weighted_sum([model.get_int_var_from_proto_index(index) for index in indices], whole))
    lost = sum(
        abs(form.coefficients[index] * scale - value) * form.uppers[index] for index, value in zip(indices, whole, strict=True)
    )
    return ScaledObjective(scale, form.constant, lost / scale)


class GoalForms:
    """The goals of one model in natural units, each made when it is first asked for.

    excluded: jobs that no plan can place. moves: what moves against an earlier plan, in device-hours. missed: demand that may go
    unserved.
    """

    def __init__(
        self,
        variables: Variables,
        spending: Spending,
        excluded: tuple[Job, ...],
        moves: tuple[tuple[Amount, float], ...] = (),
        missed: tuple[Missed, ...] = (),
    ) -> None:
        self._variables = variables
        self._spending = spending
        self._excluded = excluded
        self._moves = moves
        self._missed = missed
        self._made: dict[str, LinearForm] = {}

    def of(self, goal: str) -> LinearForm:
        """Return a goal of GOALS, or the share of all importance that is left out (UNPLACED)."""
        if goal not in self._made:
            self._made[goal] = self._form(goal)
        return self._made[goal]

    def _form(self, goal: str) -> LinearForm:
        builder = _Builder()
        if goal == "latency":
            _add_latency(builder, self._variables, self._excluded)
            for amount, device_h in self._moves:
                builder.add(amount, device_h)
            rate = self._variables.layout.problem.objective.rates.missed
            for missed in self._missed:
                builder.add(missed.amount, rate * missed.importance)
        elif goal == "utilization":
            _add_idle(builder, self._variables)
            for missed in self._missed:
                builder.add(missed.amount, missed.work_h)
        elif goal == "cost":
            _add_cost(builder, self._spending)
        elif goal == "carbon":
            _add_carbon(builder, self._variables)
        else:
            _add_unplaced(builder, self._variables, self._excluded, self._missed)
        return builder.form()


def _add_latency(builder: _Builder, variables: Variables, excluded: tuple[Job, ...]) -> None:
    problem = variables.layout.problem
    grid = problem.grid
    for start in variables.starts:
        column = start.column
        job, pool = variables.layout.classes[column.class_idx].job, _first_pool(variables.layout, start)
        span_s = grid.slot_start_s(column.start_slot), grid.edges_s[column.end_edge]
        builder.add(start.gangs, piece_lateness(problem, job, pool, column.piece, *span_s))
    for job_class, left_out in zip(variables.layout.classes, variables.left_out, strict=True):
        builder.add(left_out, endless_wait(problem, job_class.job))
    builder.constant += sum(endless_wait(problem, job) for job in excluded)


def _add_idle(builder: _Builder, variables: Variables) -> None:
    layout = variables.layout
    problem = layout.problem
    grid = problem.grid
    for cell, on in zip(layout.cells, variables.on, strict=True):
        for slot, amount in enumerate(on):
            builder.add(amount, counted(cell.pool, problem.cluster) * float(grid.hours[slot]))
    for pool, slots in layout.outside:
        builder.constant += counted(pool, problem.cluster) * sum(float(grid.hours[slot]) for slot in slots)
    for start in variables.starts:
        job = layout.classes[start.column.class_idx].job
        hours = (grid.edges_s[start.column.end_edge] - grid.slot_start_s(start.column.start_slot)) / 3600
        builder.add(start.gangs, -start.column.workers * counted_share(job.shape, problem.cluster) * hours * _duty(layout, start))
    builder.constant -= reference_work_h(problem)


def _add_cost(builder: _Builder, spending: Spending) -> None:
    for priced in spending.by_slot:
        for amount, cost in priced:
            builder.add(amount, cost)


def _add_unplaced(builder: _Builder, variables: Variables, excluded: tuple[Job, ...], missed: tuple[Missed, ...]) -> None:
    problem = variables.layout.problem
    total = sum(importance(problem, job) for job in problem.jobs) + services_importance(problem)
    if total == 0:
        return
    for job_class, left_out in zip(variables.layout.classes, variables.left_out, strict=True):
        builder.add(left_out, importance(problem, job_class.job) / total)
    builder.constant += sum(importance(problem, job) for job in excluded) / total
    for unserved in missed:
        builder.add(unserved.amount, unserved.importance / total)


def _add_carbon(builder: _Builder, variables: Variables) -> None:
    """Add idle power of the nodes that are on, and what the work on them adds by its duty (`measures.emissions`)."""
    layout = variables.layout
    problem = layout.problem
    emissions = {pool.name: emission_of(problem, pool) for pool in problem.cluster.pools}
    for cell, on in zip(layout.cells, variables.on, strict=True):
        emission = emissions[cell.pool.name]
        if emission is not None:
            for slot, amount in enumerate(on):
                builder.add(amount, float(emission.idle[slot]))
    for pool, slots in layout.outside:
        emission = emissions[pool.name]
        builder.constant += 0.0 if emission is None else float(emission.idle[list(slots)].sum())
    for start in variables.starts:
        shape, span = layout.classes[start.column.class_idx].job.shape, slice(start.column.start_slot, start.column.end_edge)
        for pool, amount, workers in _standing(layout, start):
            emission = emissions[pool.name]
            if emission is not None:
                full_g = node_share(pool, shape) * float(emission.duty[span].sum())
                builder.add(amount, workers * full_g * _duty(layout, start))
    for service, replicas in zip(problem.services, variables.replicas, strict=True):
        for cell_idx, amounts in replicas.items():
            pool = layout.cells[cell_idx].pool
            emission = emissions[pool.name]
            if emission is not None:
                per_slot = emission.duty * replica_duty(problem, service, pool.accelerator) * node_share(pool, service.shape)
                for slot, amount in enumerate(amounts):
                    builder.add(amount, float(per_slot[slot]))


def _duty(layout: Layout, start: Start) -> float:
    """Return the share of its booked slots in which a start counts as busy."""
    column, job = start.column, layout.classes[start.column.class_idx].job
    if column.piece is not Piece.WHOLE:
        edges_s = layout.problem.grid.edges_s
        booked_minutes = (edges_s[column.end_edge] - edges_s[column.start_slot]) / 60.0
        return work_minutes(job, _first_pool(layout, start), column.piece, booked_minutes) / booked_minutes
    if not job.is_elastic:
        return 1.0
    pool = _first_pool(layout, start)
    return choice_duty(layout.problem, job, pool, Choice(column.start_slot, column.end_edge, column.workers))


def _first_pool(layout: Layout, start: Start) -> Pool:
    cells = layout.site(start.column).cells
    job = layout.classes[start.column.class_idx].job
    return layout.cells[cells[0]].pool if cells else layout.problem.cluster.pool_of_node[job.placement[0].node]


def _standing(layout: Layout, start: Start) -> list[tuple[Pool, Amount, int]]:
    """Return (pool, variable, workers that each unit of it puts there) of a start; also off the cells, where running jobs stand."""
    job_class = layout.classes[start.column.class_idx]
    if job_class.fixed is not None:
        pools = layout.problem.cluster.pool_of_node
        return [(pools[placed.node], start.gangs, placed.workers) for placed in job_class.job.placement]
    if len(start.workers) == 1:
        return [(layout.cells[start.workers[0][0]].pool, start.gangs, start.column.workers)]
    return [(layout.cells[cell_idx].pool, workers, 1) for cell_idx, workers in start.workers]
