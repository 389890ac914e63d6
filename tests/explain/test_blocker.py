"""What keeps a job out: each rule on the smallest problem where it is the one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from schedplan.explain.blocker import blocker, blockers
from schedplan.model.cluster import Market, NodeStatus, Pool
from schedplan.model.plan import JobPart, ReplicaPart
from schedplan.model.problem import Limits
from schedplan.model.quota import Quota
from schedplan.model.workload import Service, Topology, WorkerShape
from tests.explain import small
from tests.explain.small import HOUR

ONE = replace(small.OD, count=1, max_count=1)


def test_no_pool_takes_a_worker() -> None:
    task = small.problem(small.job(shape=WorkerShape(gpus=8.0, accelerators=("H100",))))
    found = blocker(task, small.plan(task).decisions, task.jobs[0])

    assert (found.kind, found.name, found.count, found.rule) == ("job", "train", 1, "accelerator")
    assert found.evidence.startswith("no pool takes it: od has A100; asked for: H100")


def test_the_rule_of_most_pools_comes_first() -> None:
    # two pools have too few devices, one is down
    pools = (replace(small.OLD, name="x"), small.OLD, replace(ONE, status=NodeStatus.DOWN))
    task = small.problem(small.job(), pools=pools)

    assert blocker(task, small.plan(task).decisions, task.jobs[0]).rule == "devices"


def test_a_cluster_without_nodes() -> None:
    task = small.problem(small.job(), pools=())

    assert blocker(task, small.plan(task).decisions, task.jobs[0]).evidence == "the cluster has no nodes"


def test_a_gang_larger_than_the_empty_cluster_is_repaired_by_more_nodes() -> None:
    # 5 workers of 8 devices, od has 2 nodes: 3 more for 2 h at 10 an hour = 60
    task = small.problem(small.job(workers=5, runtime_minutes=120.0), pools=(small.OD,))
    found = blocker(task, small.plan(task).decisions, task.jobs[0])

    assert (found.rule, found.repair_cost) == ("gang", 60.0)
    assert found.evidence == "needs 5 workers at once; od, the largest place that takes it, holds 2 when empty"
    assert found.repair.startswith("3 more nodes of od for 2 h")


def test_a_gang_that_fits_the_cluster_but_no_rack() -> None:
    racks = tuple(Pool(f"n{number}", gpus=8, rack=f"r{number}", market=Market.OWNED, price_per_hour=1.0) for number in (1, 2))
    task = small.problem(small.job(workers=2, topology=Topology.RACK), pools=racks)
    found = blocker(task, small.plan(task).decisions, task.jobs[0])

    assert found.rule == "topology"
    assert "inside one rack; rack r1, the largest place that takes it, holds 1 when empty" in found.evidence


@pytest.mark.parametrize("runtime_h", [2.0, 1.01])
def test_a_run_longer_than_its_window(runtime_h: float) -> None:
    # 02:00 to 03:00 is one slot; 1.01 h take two
    task = small.problem(small.job(runtime_minutes=runtime_h * 60, earliest_start_s=2 * HOUR, deadline_s=3 * HOUR))
    found = blocker(task, small.plan(task).decisions, task.jobs[0])

    assert found.rule == "window"
    assert "1 h lie between 1970-01-01 02:00+00:00 and its deadline" in found.evidence
    assert found.repair == "a deadline of 1970-01-01 04:00+00:00 or later"


def test_a_run_longer_than_the_horizon() -> None:
    task = small.problem(small.job(runtime_minutes=300.0))
    found = blocker(task, small.plan(task).decisions, task.jobs[0])

    assert (found.rule, found.repair) == ("window", "a horizon longer by 1 h")


def test_it_comes_after_a_job_that_is_left_out() -> None:
    task = small.problem(small.job("first"), small.job(after=("first",)))
    found = blocker(task, small.plan(task).decisions, task.job_by_name["train"])

    assert (found.rule, found.evidence) == ("after", "comes after first, which the plan leaves out")


def test_what_it_comes_after_ends_too_late() -> None:
    # first ends at 03:00 of a horizon of 4 h, train needs 2 h
    task = small.problem(small.job("first", runtime_minutes=180.0), small.job(after=("first",), runtime_minutes=120.0))
    found = blocker(task, small.plan(task, JobPart("first", "od/1", 0, 1)).decisions, task.job_by_name["train"])

    assert (found.rule, found.repair) == ("after", "a later deadline")
    assert "over at 1970-01-01 03:00+00:00" in found.evidence


def test_others_hold_all_devices() -> None:
    # both nodes are full all 4 hours: 0 of 8 devices free; one more node for an hour costs 10
    jobs = (small.job("a", runtime_minutes=240.0), small.job("b", runtime_minutes=240.0), small.job())
    task = small.problem(*jobs, pools=(small.OD,))
    made = small.plan(task, JobPart("a", "od/1", 0, 1), JobPart("b", "od/2", 0, 1))
    found = blocker(task, made.decisions, task.job_by_name["train"])

    assert (found.rule, found.repair, found.repair_cost) == ("capacity", "1 more node of od for 1 h", 10.0)
    assert found.evidence.endswith("its best stretch: needs 8 devices; 0 devices are free")


def test_the_cheapest_repair_is_told() -> None:
    # both pools are held all 4 hours; one more node for an hour costs 10 on od, 6 on lean
    lean = replace(ONE, name="lean", price_per_hour=6.0)
    jobs = (small.job("a", runtime_minutes=240.0), small.job("b", runtime_minutes=240.0), small.job())
    task = small.problem(*jobs, pools=(lean, ONE))
    made = small.plan(task, JobPart("a", "od", 0, 1), JobPart("b", "lean", 0, 1))
    found = blocker(task, made.decisions, task.job_by_name["train"])

    assert (found.repair, found.repair_cost) == ("1 more node of lean for 1 h", 6.0)


def test_several_jobs_are_told_each_as_if_it_alone_were_added() -> None:
    task = small.problem(small.job("a"), small.job("b"), pools=(ONE,))
    found = blockers(task, small.plan(task).decisions, task.jobs)

    assert [("a", "objective"), ("b", "objective")] == [(row.name, row.rule) for row in found]


def test_the_sum_fits_but_the_nodes_do_not() -> None:
    # 5 of 8 devices are held on each node: 3 + 3 = 6 are free, the worker needs 4 on one
    shapes = {"a": 5.0, "b": 5.0, "train": 4.0}
    jobs = (small.job(name, runtime_minutes=240.0, shape=WorkerShape(gpus=gpus)) for name, gpus in shapes.items())
    task = small.problem(*jobs, pools=(small.OD,))
    made = small.plan(task, JobPart("a", "od/1", 0, 1), JobPart("b", "od/2", 0, 1))
    found = blocker(task, made.decisions, task.job_by_name["train"])

    assert found.rule == "capacity"
    assert "6 devices are free, but 3 + 3 on od/1, od/2; it needs one node with 4 free" in found.evidence


def test_replicas_hold_room_too() -> None:
    # one replica of 1 device in every slot leaves 7 of 8
    service = Service("web", slo_ms=300, service_ms=100, shape=WorkerShape(gpus=1.0))
    task = small.problem(small.job(), pools=(ONE,), services=(service,), rps=0.1)
    made = small.plan(task, replicas=tuple(ReplicaPart("web", slot, "od", 1) for slot in range(4)))

    assert "needs 8 devices; 7 devices are free" in blocker(task, made.decisions, task.jobs[0]).evidence


def test_a_gap_between_others_is_room() -> None:
    # od is held in hours 0 and 2; hour 1 is free, so room is not what keeps it out
    task = small.problem(small.job("a"), small.job("b"), small.job(), pools=(ONE,))
    made = small.plan(task, JobPart("a", "od", 0, 1), JobPart("b", "od", 2, 1))
    found = blocker(task, made.decisions, task.job_by_name["train"])

    assert found.rule == "objective"
    assert "there is room from 1970-01-01 01:00+00:00 on od, for 10 USD more" in found.evidence
    assert found.repair_cost == 10.0


def test_the_budget_of_the_day() -> None:
    # a costs 10 on od/1; train would cost 10 more on any node; 15 a day are allowed
    task = small.problem(small.job("a"), small.job(), pools=(small.OD,), limits=Limits(budget_per_day=15.0))
    made = small.plan(task, JobPart("a", "od/1", 0, 1))
    found = blocker(task, made.decisions, task.job_by_name["train"])

    assert (found.rule, found.repair_cost) == ("budget", 10.0)
    assert found.evidence == "with it 1970-01-01 would cost 20 USD; the budget is 15 USD a day"
    assert found.repair == "a budget of 20 USD a day"


def test_a_budget_that_just_holds_is_not_the_reason() -> None:
    task = small.problem(small.job("a"), small.job(), pools=(small.OD,), limits=Limits(budget_per_day=20.0))
    made = small.plan(task, JobPart("a", "od/1", 0, 1))

    assert blocker(task, made.decisions, task.job_by_name["train"]).rule == "objective"


def test_a_node_that_starts_too_late_is_no_room() -> None:
    # no warm node, 2 h of start-up, an hour's run that must end by 02:00
    cold = replace(small.OD, count=0, startup_minutes=120.0)
    task = small.problem(small.job(deadline_s=2 * HOUR), pools=(cold,))
    early = blocker(task, small.plan(task).decisions, task.jobs[0])
    late = small.problem(small.job(deadline_s=3 * HOUR), pools=(cold,))

    assert early.rule == "capacity"
    # from 02:00 it has room; paid are the two hours of start-up and its own: 30
    assert blocker(late, small.plan(late).decisions, late.jobs[0]).repair_cost == 30.0


def test_a_job_larger_than_its_quota_even_alone() -> None:
    task = replace(small.problem(small.job(tenant="t")), quotas=(Quota("t", 4.0, max=6.0),))
    found = blocker(task, small.plan(task).decisions, task.jobs[0])

    assert (found.rule, found.evidence, found.repair, found.repair_cost) == (
        "quota",
        "even alone, 8 gpus would count for tenant t with it, at most 6 may",
        "a quota (max) of 8 gpus for tenant t",
        None,
    )


def test_a_quota_that_other_jobs_fill_while_nodes_are_free() -> None:
    # od has two nodes; a holds 8 of the 12 that the cohort is promised, 4 are kept for u: 8 + 8 + 4 = 20
    rows = (Quota("t", 8.0, parent="ml"), Quota("u", 4.0, parent="ml", lend=0.0))
    jobs = (small.job("a", tenant="t"), small.job("b", tenant="t"))
    task = replace(small.problem(*jobs, pools=(small.OD,), hours=1), quotas=rows)
    found = blocker(task, small.plan(task, JobPart("a", "od/1", 0, 1)).decisions, task.jobs[1])

    assert (found.rule, found.evidence, found.repair) == (
        "quota",
        "there is room from 1970-01-01 00:00+00:00, but 20 gpus would count for cohort ml with it, at most 12 may",
        "8 gpus more promised to a member of cohort ml, or lent by one",
    )


def test_a_quota_that_is_free_again_later_is_no_blocker() -> None:
    jobs = (small.job("a", tenant="t"), small.job("b", tenant="t"))
    task = replace(small.problem(*jobs, pools=(small.OD,), hours=2), quotas=(Quota("t", 8.0, max=8.0),))
    found = blocker(task, small.plan(task, JobPart("a", "od/1", 0, 1)).decisions, task.jobs[1])

    assert found.rule == "objective"
    assert found.evidence.startswith("there is room from 1970-01-01 01:00+00:00 on od/1")


def test_what_borrowing_would_cost_counts_towards_the_budget() -> None:
    # od for an hour 10, 8 devices borrowed at 0.5: 14
    task = small.problem(small.job(tenant="t"), pools=(small.OD,), hours=1, limits=Limits(budget_per_day=13.0))
    task = replace(task, quotas=(Quota("t", 0.0, borrow_price=0.5),))
    found = blocker(task, small.plan(task).decisions, task.jobs[0])

    assert (found.rule, found.repair_cost) == ("budget", 14.0)


def _two_pools(market: Market, **of_q: object) -> tuple[Pool, ...]:
    p = replace(ONE, name="p", market=market, price_per_hour=3.0)
    return (p, replace(p, name="q", **{"price_per_hour": 4.0} | of_q))  # type: ignore[arg-type]


def test_a_gang_over_on_demand_pools_of_two_prices_is_kept_out_by_the_budget() -> None:
    # one worker on p for 3 and one on q for 4: 7 for the hour, over the 5 of a day
    task = small.problem(small.job(workers=2), pools=_two_pools(Market.ON_DEMAND), limits=Limits(budget_per_day=5.0))
    found = blocker(task, small.plan(task).decisions, task.jobs[0])

    assert (found.rule, found.repair_cost) == ("budget", 7.0)
    assert found.evidence == "with it 1970-01-01 would cost 7 USD; the budget is 5 USD a day"


def test_a_gang_takes_the_cheapest_of_the_pools_it_may_span() -> None:
    # one worker per node: of dear 9, p 3 and q 4 the gang of 2 takes p and q
    dear = replace(ONE, name="dear", price_per_hour=9.0)
    pools = (dear, *_two_pools(Market.ON_DEMAND))
    task = small.problem(small.job(workers=2), pools=pools)
    found = blocker(task, small.plan(task).decisions, task.jobs[0])

    assert (found.rule, found.repair_cost) == ("objective", 7.0)


def test_a_gang_too_large_is_repaired_by_nodes_of_the_cheapest_pool() -> None:
    # the three nodes hold 3 of 4 workers: one more node of p for an hour = 3, although the dearest pool comes first
    dear = replace(ONE, name="dear", price_per_hour=9.0)
    task = small.problem(small.job(workers=4), pools=(dear, *_two_pools(Market.ON_DEMAND)))
    found = blocker(task, small.plan(task).decisions, task.jobs[0])

    assert (found.rule, found.repair_cost) == ("gang", 3.0)
    assert found.repair.startswith("1 more node of p for 1 h")


@pytest.mark.parametrize(
    "of_q", [{"price_per_hour": 4.0}, {"price_per_hour": 3.0, "gpus": 16}, {"price_per_hour": 3.0, "cpus": 5.0}]
)
def test_a_gang_never_spans_spot_nodes_of_two_kinds(of_q: dict[str, object]) -> None:
    # p and q would hold 2 and more in sum, yet spot nodes of one gang have one price and size
    gpus = 8.0 if of_q.get("gpus") is None else 5.0
    pools = _two_pools(Market.SPOT, **of_q)
    workers = 2 if of_q.get("gpus") is None else 4  # with 5 GPUs each: 1 on p, 3 on q
    task = small.problem(small.job(workers=workers, spot_ok=True, shape=WorkerShape(gpus=gpus)), pools=pools)
    found = blocker(task, small.plan(task).decisions, task.jobs[0])

    assert found.rule == "gang"
    assert f"holds {workers - 1} when empty" in found.evidence


def test_room_on_spot_that_is_too_unsure_is_told_with_its_chance() -> None:
    # one hour until a deadline in one hour at 20 %/h: e^-0.2 = 81.9 %, and 95 % is asked; nothing but spot takes it
    spot = replace(ONE, name="sp", market=Market.SPOT, interruptions_per_hour=0.2)
    job = small.job(workers=1, runtime_minutes=60.0, deadline_s=HOUR, spot_ok=True)
    task = replace(small.problem(job, pools=(spot,)), limits=Limits(min_on_time=0.95))
    found = blocker(task, small.plan(task).decisions, task.jobs[0])

    assert found.rule == "min_on_time"
    assert "with at least 81.87 %; 95 % is asked" in found.evidence
