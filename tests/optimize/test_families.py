"""Families of nodes, looked up once for jobs that are alike: nodes, ends and prices are those of each job by itself."""

from __future__ import annotations

import pytest

from schedplan.measures.eligibility import job_refusal
from schedplan.measures.pins import may_stand
from schedplan.model.problem import Problem
from schedplan.model.workload import Job, JobState
from schedplan.optimize.constraints.elastic import choices
from schedplan.optimize.reference.families import Families
from schedplan.optimize.reference.least_of_jobs import job_price
from tests.oracle.instances import instances

PROBLEMS = [pytest.param(one, id=one.name) for one in instances(1)]


def waiting(problem: Problem) -> list[Job]:
    return [job for job in problem.jobs if job.state is JobState.PENDING and not job.is_elastic]


@pytest.mark.parametrize("problem", PROBLEMS)
def test_families_hold_each_node_that_takes_a_job_once(problem: Problem) -> None:
    families, cluster = Families(problem), problem.cluster
    for job in waiting(problem):
        found = [node for family in families.of(job) for node in family.nodes.tolist()]
        takes = (
            job_refusal(pool, job) is None and may_stand(problem, job.name, node) for node, pool in cluster.pool_of_node.items()
        )

        assert [node for node, is_so in enumerate(takes) if is_so] == sorted(found)


@pytest.mark.parametrize("problem", PROBLEMS)
def test_starts_end_and_cost_as_those_of_each_job_by_itself(problem: Problem) -> None:
    families = Families(problem)
    for job in waiting(problem):
        for start in families.starts(job):
            pool = start.family.pool
            for choice in choices(problem, job, pool):
                price = families.price(start, choice.start_slot, choice.end_edge, choice.workers)

                assert choice.end_edge == start.ends[choice.start_slot]
                assert price == pytest.approx(job_price(problem, job, pool, choice))


def test_there_are_starts_to_compare() -> None:
    assert 100 < sum(len(Families(problem).starts(job)) for problem in instances(1) for job in waiting(problem))
