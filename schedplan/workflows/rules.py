"""The rules of a project beside its nodes and jobs: a label that no node has is refused, what a rule does not reach is said."""

from __future__ import annotations

from schedplan.errors import ConfigError, Fault
from schedplan.model.cluster import Cluster
from schedplan.model.forbid import Forbid, unknown_labels
from schedplan.model.problem import Problem

JOBS_NAMED = 3


def known_rules(rules: tuple[Forbid, ...], cluster: Cluster) -> tuple[Forbid, ...]:
    """Return the rules; ConfigError where the right side of some names what is neither a field nor a label of any node."""
    faults = tuple(
        Fault("SP2002", f"rules.forbid: {rule.text!r}: {field} is no field or label of the nodes", hint=hint)
        for rule in rules
        for field, hint in unknown_labels(rule, cluster.pools)
    )
    if faults:
        raise ConfigError.of_faults(faults)
    return rules


def unbroken_told(problem: Problem) -> tuple[str, ...]:
    """Return what has to be said of best effort: selectors that select no job, and jobs that run in one piece all the same."""
    idle = tuple(
        f"the selector {one.text!r} of best_effort selects no job of the plan"
        for one in problem.best_effort
        if not any(one.covers(job) for job in problem.jobs)
    )
    jobs_of: dict[str, list[str]] = {}
    for name, why in problem.unbroken.items():
        jobs_of.setdefault(why, []).append(name)
    return (*idle, *(_unbroken(why, names) for why, names in sorted(jobs_of.items())))


def _unbroken(why: str, names: list[str]) -> str:
    first = ", ".join(sorted(names)[:JOBS_NAMED])
    if len(names) == 1:
        return f"job {first} is best effort and runs in one piece all the same: {why}"
    more = f" and {len(names) - JOBS_NAMED} more" if len(names) > JOBS_NAMED else ""
    return f"jobs {first}{more} are best effort and run in one piece all the same; of each: {why}"
