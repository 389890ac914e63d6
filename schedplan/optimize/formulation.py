"""The model of one layout: variables, every constraint by its name, the objective. A table of contents."""

from __future__ import annotations

from dataclasses import dataclass

from ortools.sat.python import cp_model

from schedplan.measures.objective import Normalisation
from schedplan.model.workload import Job
from schedplan.optimize import node_devices
from schedplan.optimize import spending as money
from schedplan.optimize.constraints import (
    after,
    budget,
    capacity,
    device_group,
    disruption,
    gang,
    hold,
    min_on_time,
    outage,
    pin,
    place,
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
from schedplan.optimize.variables import Variables, variables


@dataclass(frozen=True)
class Formulation:
    """A model ready to be solved; `form` and `scaled` None where it only asks for feasibility."""

    model: cp_model.CpModel
    variables: Variables
    rows: Rows
    form: LinearForm | None
    scaled: ScaledObjective | None


def formulate(
    layout: Layout, normalisation: Normalisation | None, excluded: tuple[Job, ...] = (), *, only: frozenset[str] | None = None
) -> Formulation:
    """Return the model of a layout; without a normalisation the rows alone, every named rule on a literal of its own.

    only: the named rules that count, firmly; those of any other are left out.
    """
    model = cp_model.CpModel()
    rows = Rows(model, is_relaxable=normalisation is None and only is None, only=only)
    chosen = variables(layout, model)
    work = capacity.work(chosen)
    place.add(chosen, rows)
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
    spending = money.spending(chosen, quota.add(chosen, rows), rows)
    budget.add(chosen, spending, rows)
    if normalisation is None:
        return Formulation(model, chosen, rows, None, None)
    form = objective(GoalForms(chosen, spending, excluded, disruption.add(chosen, rows)), layout.problem.objective, normalisation)
    return Formulation(model, chosen, rows, form, minimise(chosen, form))
