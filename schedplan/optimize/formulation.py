"""The model of one layout: variables, every constraint by its name, the objective. A table of contents."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ortools.sat.python import cp_model

from schedplan.measures.objective import Normalisation
from schedplan.model.problem import Objective
from schedplan.model.workload import Job
from schedplan.optimize import node_devices
from schedplan.optimize import spending as money
from schedplan.optimize.constraints import (
    after,
    at_most,
    budget,
    capacity,
    device_group,
    disruption,
    gang,
    hold,
    min_on_time,
    missed,
    outage,
    pieces,
    pin,
    place,
    preempt,
    quota,
    reserve,
    rules,
    service,
    slices,
    spread,
    supply,
    warm_up,
)
from schedplan.optimize.layout import Layout
from schedplan.optimize.objective import GoalForms, LinearForm, ScaledObjective, minimise, objective
from schedplan.optimize.rows import Rows
from schedplan.optimize.solvers.linear import Program
from schedplan.optimize.variables import Variables, variables


@dataclass(frozen=True)
class Formulation:
    """A model ready to be solved; `form` and `scaled` None where it only asks for feasibility.

    arrays: rows and costs of a layout too wide for a solver's model; `model` then holds the variables alone.
    """

    model: cp_model.CpModel
    variables: Variables
    rows: Rows
    goals: GoalForms
    form: LinearForm | None = None
    scaled: ScaledObjective | None = None
    arrays: Program | None = None


def formulate(
    layout: Layout, normalisation: Normalisation | None, excluded: tuple[Job, ...] = (), *, only: frozenset[str] | None = None
) -> Formulation:
    """Return the model of a layout; without a normalisation the rows alone, every named rule on a literal of its own.

    only: the named rules that count, firmly; those of any other are left out.
    """
    rows = Rows(cp_model.CpModel(), is_relaxable=normalisation is None and only is None, only=only)
    plain = build(layout, excluded, rows, with_moves=normalisation is not None)
    return plain if normalisation is None else aimed(plain, layout.problem.objective, normalisation)


def build(layout: Layout, excluded: tuple[Job, ...] = (), rows: Rows | None = None, *, with_moves: bool = True) -> Formulation:
    """Return the rows of every constraint of a layout, without an aim; with_moves: also those that count what moves."""
    rows = rows or Rows(cp_model.CpModel())
    chosen = variables(layout, rows.model)
    work = capacity.work(chosen)
    place.add(chosen, rows)
    pieces.add(chosen, rows)
    after.add(chosen, rows)
    supply.add(chosen, rows)
    capacity.add(chosen, work, rows)
    gang.add(chosen, work, rows)
    slices.add(chosen, work, rows)
    device_group.add(chosen, work, rows)
    node_devices.add(chosen, rows)
    service.add(chosen, rows)
    warm_up.add(chosen, rows)
    rules.add(chosen, rows)
    min_on_time.add(chosen, rows)
    spread.add(chosen, rows)
    reserve.add(chosen, rows)
    hold.add(chosen, rows)
    outage.add(chosen, rows)
    pin.add(chosen, rows)
    preempt.add(chosen, rows)
    spending = money.spending(chosen, quota.add(chosen, rows), rows)
    budget.add(chosen, spending, rows)
    moves = disruption.add(chosen, rows) if with_moves else ()
    unserved = missed.add(chosen, rows)
    return Formulation(rows.model, chosen, rows, GoalForms(chosen, spending, excluded, moves, unserved))


def aimed(plain: Formulation, wanted: Objective, normalisation: Normalisation) -> Formulation:
    """Set what a model minimises and which goals it holds; return it with how to read it. Once for each model."""
    at_most.add(plain.model, plain.goals, wanted.at_most)
    form = objective(plain.goals, wanted, normalisation)
    return replace(plain, form=form, scaled=minimise(plain.model, form))


def copied(plain: Formulation) -> Formulation:
    """Return a copy of a model without an aim, so that the rows are built only once for many aims."""
    return replace(plain, model=plain.model.clone())
