"""The public functions. Whatever a command does is here as a typed function; nothing else of the package is public.

from pathlib import Path
from schedplan import api

api.ingest(Path("sacct.txt"), Path("sinfo.txt"), out=Path("shop/data"))
project = api.project(Path("shop"))
planned = api.plan(project)
print(planned.plan.proof.gap, [row.node for row in planned.plan.placements])
api.save_plan(planned, project, Path("runs/plan"))
"""

from __future__ import annotations

import os
from pathlib import Path

from schedplan.config.load import load_settings
from schedplan.config.override import parse_set
from schedplan.config.project import locate_project
from schedplan.ingest.account import Account
from schedplan.ingest.readers import AUTO
from schedplan.optimize.options import SolveOptions
from schedplan.workflows.check import Checked
from schedplan.workflows.check import check_plan as check
from schedplan.workflows.compare_engines import Compared, CompareOptions, compare_options
from schedplan.workflows.compare_engines import compare_project as compare_engines
from schedplan.workflows.diff import Difference
from schedplan.workflows.diff import diff_plans as diff
from schedplan.workflows.export import Exported
from schedplan.workflows.export import export_plan as export
from schedplan.workflows.fit_check import check_fit
from schedplan.workflows.forecast import Forecasted
from schedplan.workflows.forecast import forecast_project as forecast
from schedplan.workflows.goals import AskedGoals
from schedplan.workflows.ingest import ingest_files
from schedplan.workflows.optimize import Planned, plan_project, solve_options
from schedplan.workflows.optimize import save as save_plan
from schedplan.workflows.plan import SavedPlan, open_plan
from schedplan.workflows.project import Project, open_project
from schedplan.workflows.report import report_plan as report
from schedplan.workflows.validate import validate_project as validate
from schedplan.workflows.verify import Verification
from schedplan.workflows.verify import verify_plan as verify

__all__ = [
    "Account",
    "AskedGoals",
    "Checked",
    "CompareOptions",
    "Compared",
    "Difference",
    "Exported",
    "Forecasted",
    "Planned",
    "Project",
    "SavedPlan",
    "SolveOptions",
    "Verification",
    "check",
    "check_fit",
    "compare_engines",
    "compare_options",
    "diff",
    "export",
    "forecast",
    "ingest",
    "open_plan",
    "plan",
    "project",
    "report",
    "save_plan",
    "validate",
    "verify",
]


def project(*data: Path, config: Path | None = None, assign: tuple[str, ...] = ()) -> Project:
    """Return a project: its folder, a folder of tables, or single tables. `assign`: `section.key=value`, as with --set.

    Raises UsageError, ConfigError or InputError.
    """
    place = locate_project(data, config, Path())
    settings = load_settings(place.file, tuple(parse_set(text) for text in assign), os.environ)
    return open_project(place, settings)


def ingest(
    *sources: Path,
    out: Path,
    reader: str = AUTO,
    timezone: str = "UTC",
    renames: tuple[tuple[str, str], ...] = (),
    units: tuple[tuple[str, str], ...] = (),
    force: bool = False,
) -> Account:
    """Write what files hold as canonical Parquet into the folder `out`; return the account of every row.

    renames: (column of a file, column of its table); units: (column of the table, unit of its cells). Nothing is written where a
    file has a fault. Raises UsageError, InputError, OutputError.
    """
    account, _ = ingest_files(sources, out, timezone=timezone, renames=renames, reader=reader, force=force, units=units)
    return account


def plan(
    project: Project,
    options: SolveOptions | None = None,
    *,
    runtime_minutes: float | None = None,
    goals: AskedGoals | None = None,
) -> Planned:
    """Return the plan of a project; goals: an order to take them in, or a front of two.

    Raises InputError for tables that make no problem, SolverError without a plan.
    """
    return plan_project(project, options or solve_options(project.settings), runtime_minutes, asked=goals)
