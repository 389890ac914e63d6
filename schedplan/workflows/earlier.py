"""The plan that a new one keeps to: read from its folder, and carried in the new plan's record, to verify that by itself."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from schedplan.errors import InputError
from schedplan.model.earlier import Earlier, Stay, Stood
from schedplan.model.plan import PlanStatus
from schedplan.model.problem import Problem
from schedplan.tables.artefacts import PLAN_FOLDER, read_plan
from schedplan.workflows.recorded import STATIC_KEY


def earlier_plan(folder: Path) -> Earlier:
    """Return what stood where in a saved plan; jobs that ran in pieces have no place to keep to.

    Raises InputError where no plan is saved, it is the answer that nothing is feasible, or it is of one instant.
    """
    plan, context = read_plan(folder)
    if plan.proof.status is PlanStatus.INFEASIBLE or any(key == STATIC_KEY for key, _ in context.settings.values):
        raise InputError(
            f"{folder}: nothing stands anywhere at any time in it, so no plan can keep to it",
            code="SP1115",
            hint="Name the folder of a plan that `schedplan optimize` made without --static.",
        )
    edges_s = context.grid.edges_s
    stays: dict[str, tuple[int, dict[str, int]]] = {}
    for part in (one for one in plan.decisions.parts if one.end_edge is None):
        nodes = stays.setdefault(part.job, (edges_s[part.start_slot], {}))[1]
        nodes[part.node] = nodes.get(part.node, 0) + part.workers
    jobs = tuple(Stay(job, start_s, tuple(sorted(nodes.items()))) for job, (start_s, nodes) in sorted(stays.items()))
    replicas = tuple(
        Stood(part.service, edges_s[part.slot], edges_s[part.slot + 1], part.node, part.replicas)
        for part in sorted(plan.decisions.replicas)
    )
    sha256 = hashlib.sha256((folder / PLAN_FOLDER.record).read_bytes()).hexdigest()
    return Earlier(sha256, edges_s, jobs, replicas)


def idle_earlier(problem: Problem) -> tuple[str, ...]:
    """Return what has to be said of an earlier plan that places none of the work of a problem: most likely it is another's."""
    earlier = problem.earlier
    if earlier is None:
        return ()
    jobs, services = {stay.job for stay in earlier.jobs}, {stood.service for stood in earlier.replicas}
    if jobs & problem.job_by_name.keys() or services & problem.service_by_name.keys():
        return ()
    return ("the plan of --from places no job and no service of this project, so there is nothing to keep to",)


def earlier_text(earlier: Earlier) -> str:
    """Return an earlier plan as the text that a record carries."""
    return json.dumps(
        {
            "sha256": earlier.sha256,
            "edges_s": earlier.edges_s,
            "jobs": [[stay.job, stay.start_s, stay.nodes] for stay in earlier.jobs],
            "replicas": [[one.service, one.start_s, one.end_s, one.node, one.replicas] for one in earlier.replicas],
        }
    )


def earlier_of_text(text: str) -> Earlier:
    """Return the earlier plan that a record carries; InputError where the text is none."""
    try:
        record = json.loads(text)
        jobs = tuple(
            Stay(str(job), int(start_s), tuple((str(node), int(workers)) for node, workers in nodes))
            for job, start_s, nodes in record["jobs"]
        )
        replicas = tuple(
            Stood(str(service), int(start_s), int(end_s), str(node), int(count))
            for service, start_s, end_s, node, count in record["replicas"]
        )
        return Earlier(str(record["sha256"]), tuple(int(edge) for edge in record["edges_s"]), jobs, replicas)
    except (KeyError, TypeError, ValueError):
        raise InputError("the earlier plan that this one keeps to can't be read from its record", code="SP1113") from None
