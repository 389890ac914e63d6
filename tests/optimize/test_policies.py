"""List policies: what each does on an instance worked out by hand, and that a plan is never worse than any of them."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from schedplan.measures.feasibility import violations
from schedplan.model.cluster import Cluster, Market, Pool
from schedplan.model.problem import Objective, Problem
from schedplan.model.workload import DeadlineKind, Job, WorkerShape
from schedplan.optimize.options import SolveOptions
from schedplan.optimize.reference.plan import reference
from schedplan.optimize.reference.policy import FIRST_COME, OTHERS
from schedplan.optimize.reference.standard import listed
from schedplan.optimize.solve import optimize
from schedplan.timegrid import TimeGrid

HOUR_S = 3600
NODE = Pool("n", count=1, gpus=1, market=Market.OWNED)


def starts(problem: Problem, name: str) -> dict[str, tuple[str, int]]:
    policy = next(one for one in (FIRST_COME, *OTHERS) if one.name == name)
    return {part.job: (part.node, part.start_slot) for part in reference(problem, policy).parts}


def job(name: str, hours: int, deadline_h: int | None = None) -> Job:
    deadline = {} if deadline_h is None else {"deadline_s": deadline_h * HOUR_S, "deadline_kind": DeadlineKind.SOFT}
    return Job(name, shape=WorkerShape(gpus=1), runtime_minutes=60.0 * hours, **deadline)  # type: ignore[arg-type]


def test_each_policy_takes_jobs_in_its_order() -> None:
    # one device, three jobs that are all there at 0: by name a, b, c; by length b, c, a; by deadline c, a, b
    jobs = (job("a", 3, 5), job("b", 1), job("c", 2, 3))
    problem = Problem("p", TimeGrid.regular(0, 60, 6), Cluster((NODE,)), jobs)

    assert {"a": ("n", 0), "b": ("n", 3), "c": ("n", 4)} == starts(problem, "first-come")
    assert {"b": ("n", 0), "c": ("n", 1), "a": ("n", 3)} == starts(problem, "shortest-first")
    assert {"c": ("n", 0), "a": ("n", 2), "b": ("n", 5)} == starts(problem, "earliest-deadline")


@pytest.mark.parametrize(
    ("nodes", "names"),
    [
        (20_000, ["first-come", "shortest-first", "earliest-deadline", "best-fit"]),
        (20_001, ["first-come", "best-fit"]),
        (1_000_001, ["first-come"]),
    ],
)
def test_of_large_problems_fewer_policies_are_planned(nodes: int, names: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    # one job on so many nodes, of which the size alone counts here
    problem = Problem("p", TimeGrid.regular(0, 60, 6), Cluster((replace(NODE, count=nodes, max_count=nodes),)), (job("a", 1),))
    plan = reference(Problem("p", problem.grid, Cluster((NODE,)), problem.jobs))
    monkeypatch.setattr("schedplan.optimize.reference.standard.reference", lambda problem, policy: plan)

    assert names == [policy.name for policy, _ in listed(problem, plan)]


def test_best_fit_takes_the_fullest_nodes_where_the_others_take_the_cheapest() -> None:
    # rented nodes of 4 devices at 1 an hour and of 1 device at 2: of two models, the job fills the small one
    wide = Pool("wide", count=1, gpus=4, accelerator="A", market=Market.ON_DEMAND, price_per_hour=1.0)
    small = Pool("small", count=1, gpus=1, accelerator="B", market=Market.ON_DEMAND, price_per_hour=2.0)
    problem = Problem("p", TimeGrid.regular(0, 60, 2), Cluster((wide, small)), (job("a", 1),))

    assert {"a": ("wide", 0)} == starts(problem, "first-come")
    assert {"a": ("small", 0)} == starts(problem, "best-fit")


def drawn(seed: int) -> Problem:
    source = random.Random(seed)
    pools = (
        Pool("own", count=1, gpus=2, market=Market.OWNED, price_per_hour=1.0),
        Pool("rent", count=0, min_count=0, max_count=2, gpus=2, market=Market.ON_DEMAND, price_per_hour=source.choice((2.0, 5.0))),
    )
    jobs = tuple(
        replace(
            job(f"j{idx}", source.randint(1, 4), source.choice((None, 3, 6))),
            submit_s=HOUR_S * source.randrange(4),
            priority=source.choice((0, 1)),
            shape=WorkerShape(gpus=source.choice((1, 1, 2))),
        )
        for idx in range(7)
    )
    return Problem("p", TimeGrid.regular(0, 60, 8), Cluster(pools), jobs, objective=Objective(0.5, 0.3, 0.2))


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("is_searched", [True, False])
def test_no_plan_is_worse_than_any_policy(seed: int, is_searched: bool) -> None:
    """Also where next to nothing is searched, for the policies' plans are what a search begins from."""
    problem = drawn(seed)
    little = SolveOptions(work_limit=1e-6, glance_limit=1e-6, branch_work=0)
    plan = optimize(problem, None if is_searched else little)

    assert ["first-come", "shortest-first", "earliest-deadline", "best-fit"] == [one.name for one in plan.policies]
    for policy, one in zip((FIRST_COME, *OTHERS), plan.policies, strict=True):
        assert () == violations(problem, reference(problem, policy))
        assert one.objective is not None
        assert plan.proof.objective is not None
        assert plan.proof.objective <= one.objective + 1e-9
