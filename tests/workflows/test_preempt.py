"""`--preempt`: the plan of a stopped job can be rebuilt and verified from the tables."""

from __future__ import annotations

from pathlib import Path

from schedplan.config.load import load_settings
from schedplan.config.project import ProjectPlace
from schedplan.workflows.optimize import plan_project, save, solve_options
from schedplan.workflows.project import open_project
from schedplan.workflows.verify import verify_plan

NODES = "node,gpus,accelerator\nm,1,A100\nn,1,H100\n"
JOBS = (
    "job,state,placement,start_time,priority,gpus_per_worker,accelerators,runtime_minutes,checkpoint_minutes,earliest_start\n"
    "r,running,n*1,2026-11-30T23:00,0,1,H100,240,30,\n"
    "q,running,m*1,2026-11-30T23:00,9,1,,240,30,\n"
    "w,pending,,,5,1,H100,60,,2026-12-01T00:00\n"
)
PROJECT = '[project]\nname = "p"\n[horizon]\nhours = 6\nstart = 2026-12-01T00:00:00\n'


def test_a_stopped_job_asks_again_what_it_asked_and_is_verified(tmp_path: Path) -> None:
    for name, text in (("nodes.csv", NODES), ("jobs.csv", JOBS), ("schedplan.toml", PROJECT)):
        (tmp_path / name).write_text(text, "utf-8")
    settings = load_settings(tmp_path / "schedplan.toml")
    project = open_project(ProjectPlace(settings.file, (), ()), settings)
    found = plan_project(project, solve_options(settings), preempt=True)
    save(found, project, tmp_path / "plan")

    # r keeps 60 of its 240 min, and needs an H100 again: 180 min behind w
    starts = {part.job: (part.node, part.start_slot) for part in found.plan.decisions.parts}
    assert {"w": ("n", 0), "r": ("n", 1), "q": ("m", 0)} == starts
    assert () == verify_plan(tmp_path / "plan").findings
