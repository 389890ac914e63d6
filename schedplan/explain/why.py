"""Why a job or service of a plan stands as it does. It reads the plan and computes anew; it never asks a solver."""

from __future__ import annotations

from difflib import get_close_matches

from schedplan.errors import UsageError
from schedplan.explain.explanation import Explanation
from schedplan.explain.why_job import explain_job
from schedplan.explain.why_not import explain_why_not
from schedplan.explain.why_service import explain_service
from schedplan.model.plan import Plan
from schedplan.model.problem import Problem


def explain(problem: Problem, plan: Plan, name: str, *, why_not: str | None = None) -> Explanation:
    """Return why the job or service `name` stands as it does, or why not on the node or pool `why_not`.

    Raises UsageError, with the nearest name, where the problem has no such job, service, node or pool.
    """
    known = (*problem.job_by_name, *problem.service_by_name)
    if name not in known:
        raise _unknown("the plan has no job or service", name, known)
    if why_not is not None:
        places = (*problem.cluster.pool_of_node, *problem.cluster.by_name)
        if why_not not in places:
            raise _unknown("the cluster has no node or pool", why_not, places)
        return explain_why_not(problem, plan, name, why_not)
    if name in problem.job_by_name:
        return explain_job(problem, plan, problem.job_by_name[name])
    return explain_service(problem, plan, problem.service_by_name[name])


def _unknown(what: str, name: str, known: tuple[str, ...]) -> UsageError:
    near = get_close_matches(name, known, n=1)
    hint = f"Did you mean {near[0]}?" if near else "`schedplan report` lists what the plan holds."
    return UsageError(f"{what} {name!r}", hint=hint)
