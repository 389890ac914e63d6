"""A saved plan with the project behind it: found by the paths it records, and refused where its inputs have changed."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass, replace
from pathlib import Path

from schedplan.config.load import load_settings
from schedplan.config.override import Override
from schedplan.config.project import ProjectPlace, locate_project
from schedplan.config.settings import Settings
from schedplan.errors import InputError
from schedplan.model.forecast import Series
from schedplan.model.plan import Plan
from schedplan.model.problem import Limits, Problem
from schedplan.report.document import Document
from schedplan.report.plan_document import plan_document
from schedplan.report.static_document import static_document
from schedplan.tables.artefact_context import PlanContext, refuse_stale
from schedplan.tables.artefacts import read_plan
from schedplan.workflows.earlier import earlier_of_text
from schedplan.workflows.goals import held_in
from schedplan.workflows.preempt import with_recorded_stops
from schedplan.workflows.project import Project, input_sha256, reopen_project
from schedplan.workflows.recorded import EARLIER_KEY, OF_THE_COMMAND, RUNTIME_KEY, STATIC_KEY, STOPPED_KEY
from schedplan.workflows.static import rebuilt_static


@dataclass(frozen=True)
class SavedPlan:
    """A plan, what it was made from, and its problem rebuilt from the tables as they are now."""

    folder: Path
    plan: Plan
    context: PlanContext
    project: Project
    problem: Problem

    def histories(self) -> tuple[Series, ...]:
        """Return the load before the plan, of the series it forecast."""
        from schedplan.forecast.demand import history

        forecast = {one.unique_id for one in self.context.forecasts}
        return tuple(history(series, self.problem.grid) for series in self.project.content.series if series.unique_id in forecast)

    def document(self) -> Document:
        """Return the document of the plan, as `optimize` showed it."""
        if self.problem.is_static:
            inputs = tuple((record.path, record.sha256) for record in self.context.inputs)
            return static_document(self.problem, self.plan, inputs=inputs, versions=self.context.versions)
        return plan_document(
            self.problem,
            self.plan,
            self.context.forecasts,
            self.histories(),
            self.context.quality,
            inputs=tuple((record.path, record.sha256) for record in self.context.inputs),
            versions=self.context.versions,
        )


def open_plan(folder: Path, data: Path | None = None, limits: Limits | None = None) -> SavedPlan:
    """Return a saved plan with its problem.

    data: the project's folder, where it is not the one the plan lies in or below. limits: to hold it against, in place of those
    that the project file has now; a plan is not stale when limits change, it holds them or it does not. Raises InputError where
    there is no plan or its inputs are not found, StalePlanError where they say something else than when it was made.
    """
    from schedplan.workflows.problem import rebuilt

    plan, context = read_plan(folder)
    root = data if data is not None else find_root(folder, context)
    settings = _settings(context, root)
    refuse_stale(context, root, lambda path, table: input_sha256(settings, path, table))
    project = reopen_project(settings, root, context.inputs)
    given = dict(context.settings.values)
    if STATIC_KEY in given:
        problem = rebuilt_static(project, context)
    else:
        problem = rebuilt(project, context, float(json.loads(given[RUNTIME_KEY])) if RUNTIME_KEY in given else None)
        if EARLIER_KEY in given:
            problem = replace(problem, earlier=earlier_of_text(given[EARLIER_KEY]))
        if STOPPED_KEY in given:
            problem = with_recorded_stops(project, problem, tuple(str(name) for name in json.loads(given[STOPPED_KEY])))
        held = held_in(context.settings.values)
        problem = replace(problem, objective=replace(problem.objective, at_most=held)) if held else problem
    return SavedPlan(folder, plan, context, project, problem if limits is None else replace(problem, limits=limits))


def data_option(folder: Path, context: PlanContext, root: Path) -> str:
    """Return what a command has to add to find the inputs of a plan in this folder: nothing, or ` --data ROOT`."""
    try:
        find_root(folder, context)
    except InputError:
        return f" --data {shlex.quote(str(root))}"
    return ""


def find_root(folder: Path, context: PlanContext) -> Path:
    """Return the nearest folder from the plan's upward, or the working directory, in which its inputs are found."""
    wanted = [record.path for record in context.inputs]
    if context.settings.path is not None:
        wanted.append(context.settings.path)
    here = folder.resolve()
    for root in (*here.parents, Path()):
        if all((root / path).is_file() for path in wanted):
            return root
    missing = next((path for path in wanted if not (Path() / path).is_file()), wanted[0] if wanted else "")
    raise InputError(
        f"{folder}: the inputs of this plan are not found; {missing} is in no folder above it",
        code="SP1114",
        hint="Name the project's folder with --data.",
    )


def _settings(context: PlanContext, root: Path) -> Settings:
    file = None if context.settings.path is None else root / context.settings.path
    overrides = tuple(
        Override(key, _text(json.loads(value)), "the plan")
        for key, value in context.settings.values
        if not key.startswith(OF_THE_COMMAND)
    )
    place = locate_project((), file, root) if file is not None else ProjectPlace(None, (), ())
    return load_settings(place.file, overrides, {})


def _text(value: object) -> str:
    """Return a recorded value in the grammar of `--set`."""
    return value if isinstance(value, str) else json.dumps(value)
