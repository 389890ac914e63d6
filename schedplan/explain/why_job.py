"""Why a job stands where and when it does, or why it is left out. It knows nothing of services."""

from __future__ import annotations

from schedplan.explain.alternatives import alternative, possible
from schedplan.explain.blocker import blocker
from schedplan.explain.borrowing import borrowing_reasons
from schedplan.explain.explanation import Alternative, Explanation, Help, Number, Outcome, Reason
from schedplan.explain.family import Family, families
from schedplan.explain.fragments import fragments
from schedplan.explain.helps import helps, wider_start
from schedplan.explain.price import run_cost
from schedplan.explain.quota import held_back, over_quota
from schedplan.explain.room import Room
from schedplan.explain.why_pieces import explain_pieces, pieces_in
from schedplan.explain.wording import amount, are_free, counted, instant, listed, money, stands
from schedplan.explain.worth import Worth
from schedplan.measures.checkpoints import checkpointing
from schedplan.measures.costs import Prices, part_rework_costs, run_rework_h
from schedplan.measures.eligibility import job_refusal
from schedplan.measures.fallback import fallback_of
from schedplan.measures.min_on_time import run_chance
from schedplan.measures.pins import pin_told
from schedplan.measures.runs import Run, fleets_of, runs_of
from schedplan.measures.spot import survival_probability
from schedplan.measures.stops import stop_told
from schedplan.measures.usage import usage_of
from schedplan.measures.work import release_s
from schedplan.model.plan import Plan, PlanStatus, Unplaced
from schedplan.model.problem import Problem
from schedplan.model.workload import DeadlineKind, Job, JobState

_SAME_COST = 0.005


def explain_job(problem: Problem, plan: Plan, job: Job) -> Explanation:
    """Return why `job` stands as it does: place, time, slack, spot and fallback; or what keeps it out."""
    runs = pieces_in(problem, plan.decisions, job.name)
    if len(runs) > 1:
        return explain_pieces(problem, plan, runs)
    return _placed(problem, plan, runs[0]) if runs else _left_out(problem, plan, job)


def _left_out(problem: Problem, plan: Plan, job: Job) -> Explanation:
    found = next((row for row in plan.unplaced if row.kind == "job" and row.name == job.name), None)
    found = found or blocker(problem, plan.decisions, job)
    room, prices, worth = Room(problem, plan.decisions, job.name), Prices.of(problem), Worth(problem, plan)
    numbers = () if found.repair_cost is None else (Number("repair_cost", found.repair_cost, problem.currency),)
    found_helps = helps(problem, plan.decisions, job)
    priced = found_helps and found_helps[0].cost is not None
    return Explanation(
        subject=f"job {job.name}",
        verdict=f"job {job.name} is left out: {found.rule}",
        reasons=(Reason(found.rule, found.evidence, numbers),),
        alternatives=tuple(alternative(problem, room, job, family, None, prices, worth) for family in families(problem, job)),
        next_step=_helped(problem, found_helps[0]) if priced else _repair(problem, found),
        helps=found_helps,
    )


def _helped(problem: Problem, one: Help) -> str:
    return one.words if one.cost is None else f"{one.words} ({money(problem, one.cost)})"


def _repair(problem: Problem, found: Unplaced) -> str | None:
    if not found.repair:
        return None
    return found.repair if found.repair_cost is None else f"{found.repair} ({money(problem, found.repair_cost)})"


def _placed(problem: Problem, plan: Plan, run: Run) -> Explanation:
    job, prices = run.job, Prices.of(problem)
    room, worth = Room(problem, plan.decisions, job.name), Worth(problem, plan)
    others = tuple(
        alternative(problem, room, job, family, run, prices, worth)
        for family in families(problem, job)
        if not _is_home(family, run)
    )
    times = _other_times(problem, room, run, prices, worth)
    start, end = instant(problem, run.start_s), instant(problem, run.run_end_s)
    stop = problem.stop_of_job.get(job.name)
    when = _pinned_time(problem, run) or _time_reason(problem, plan, room, run)
    found_helps = helps(problem, plan.decisions, job, run.start_slot) if when.rule in ("capacity", "topology", "quota") else ()
    reasons = [
        *(() if stop is None else (Reason("preempt", stop_told(problem, plan.decisions, stop)),)),
        _place_reason(problem, run, others, prices),
        when,
        *_elastic_reasons(run),
        *borrowing_reasons(problem, plan.decisions, run),
        *_deadline_reasons(problem, run),
        *_spot_reasons(problem, plan, run, prices),
    ]
    return Explanation(
        subject=f"job {job.name}",
        verdict=f"job {job.name} runs on {stands(run.parts)} from {start} to {end}",
        reasons=tuple(reasons),
        alternatives=(*others, *times),
        next_step=_next_step(run) or (f"To start sooner: {_helped(problem, found_helps[0])}." if found_helps else None),
        helps=found_helps,
    )


def _other_times(problem: Problem, room: Room, run: Run, prices: Prices, worth: Worth) -> tuple[Alternative, ...]:
    """Return the first start that was open at home before the run's, and the first one after it."""
    if run.job.state is JobState.RUNNING:
        return ()
    home = next(family for family in families(problem, run.job) if _is_home(family, run))
    sooner = room.berth(run.job, home)
    starts = range(run.start_slot + 1, problem.grid.n_slots)
    later = next((one for slot in starts if (one := room.berth(run.job, home, start_slot=slot)) is not None), None)
    found = []
    if sooner is not None and sooner.stretch.start_slot < run.start_slot:
        found.append(possible(problem, room, f"{home.name}, sooner", sooner, run, prices, worth))
    if later is not None:
        found.append(possible(problem, room, f"{home.name}, later", later, run, prices, worth))
    return tuple(found)


def _is_home(family: Family, run: Run) -> bool:
    return any(pool in family.pools for pool in run.pools)


def _place_reason(problem: Problem, run: Run, others: tuple[Alternative, ...], prices: Prices) -> Reason:
    """Why on these nodes: it runs there already, nothing else takes it, or how its cost compares."""
    cost = run_cost(run, prices)
    pools = listed(sorted({pool.name for pool in run.pools}))
    numbers: tuple[Number, ...] = (Number("cost", cost, problem.currency),)
    if run.job.state is JobState.RUNNING:
        return Reason("place", f"it already runs on {pools} and stays there", numbers)
    pin = problem.pin_of_job.get(run.job.name)
    if pin is not None:
        return Reason("pin", f"it is pinned {pin_told(problem, pin)}", numbers)
    possible = [other for other in others if other.outcome is Outcome.POSSIBLE]
    if not possible:
        return Reason("place", _only_place(problem, run), numbers)
    cheapest = min(possible, key=lambda other: (other.cost_difference or 0.0, other.place))
    difference = cheapest.cost_difference or 0.0
    numbers = (*numbers, Number("cheapest_other", cost + difference, problem.currency))
    if difference > _SAME_COST:
        other = money(problem, cost + difference)
        return Reason("cost", f"{pools} costs {money(problem, cost)}; the cheapest other place, {cheapest.place}, {other}", numbers)
    if abs(difference) <= _SAME_COST:
        return Reason("cost", f"{pools} costs {money(problem, cost)}, as much as {cheapest.place}", numbers)
    return _dearer_place(problem, run, cheapest, cost, numbers)


def _only_place(problem: Problem, run: Run) -> str:
    """Say that nothing else takes it: no pool but its own, or none but those that it may span or choose among at one price."""
    spanned = next(family for family in families(problem, run.job) if _is_home(family, run))
    home = Family(tuple(pool for pool in spanned.pools if job_refusal(pool, run.job) is None))
    if len(home.pools) == 1:
        return f"no pool but {home.name} takes it and has room for it within its window"
    return f"no pools but {home.name} take it and have room for it within its window"


def _dearer_place(problem: Problem, run: Run, cheapest: Alternative, cost: float, numbers: tuple[Number, ...]) -> Reason:
    """Why on nodes of which it bears more than it would elsewhere: it starts sooner, or the whole bill is not higher for it."""
    told = f"{cheapest.place} would cost it {money(problem, -(cheapest.cost_difference or 0.0))} less than {money(problem, cost)}"
    if cheapest.start_s is not None and cheapest.start_s > run.start_s:
        later = (cheapest.start_s - run.start_s) / 3600
        return Reason("latency", f"{told}, but start {amount(later)} h later", (*numbers, Number("later", later, "h")))
    bill = cheapest.bill_difference
    if bill is not None and bill > -_SAME_COST:
        return Reason(
            "cost",
            f"{told}, but the whole bill would not fall: these nodes are paid anyway",
            (*numbers, Number("bill_difference", bill, problem.currency)),
        )
    return Reason("objective", f"{told}; its other goals outweigh that, or a better plan was not found", numbers)


def _pinned_time(problem: Problem, run: Run) -> Reason | None:
    pin = problem.pin_of_job.get(run.job.name)
    if pin is None or pin.start_s is None:
        return None
    return Reason("pin", "its pin says when it starts")


def _time_reason(problem: Problem, plan: Plan, room: Room, run: Run) -> Reason:
    """Why at this time: the release, what it comes after, no room sooner, or a better use of the time before."""
    job, grid = run.job, problem.grid
    wait = max(run.start_s - release_s(problem, job), 0) / 3600
    numbers = (Number("wait", wait, "h"),)
    first = room.earliest_start(job)
    if job.name in problem.gang_rows:
        return _gang_time_reason(problem, plan, run, numbers)
    if run.start_slot <= first:
        before = problem.waits_for[job.name]
        if before and grid.release_slot(job.release_s) < first:
            return Reason(
                "after", f"it starts with the first slot in which what it comes after ({listed(before)}) is over", numbers
            )
        return Reason("window", "it starts with the first slot in which it may start", numbers)
    home = next(family for family in families(problem, job) if _is_home(family, run))
    sooner = room.berth(job, home)
    if sooner is None or sooner.stretch.start_slot >= run.start_slot:
        held = held_back(room, job, home)
        if held is not None and held[1].stretch.start_slot < run.start_slot:
            return Reason("quota", f"it waits {amount(wait)} h: {over_quota(problem, *held)}", numbers)
        return _no_room(problem, plan, room, run, home, wait)
    start = instant(problem, grid.slot_start_s(sooner.stretch.start_slot))
    return Reason("objective", f"it waits {amount(wait)} h although there is room from {start}: {_better(plan)}", numbers)


def _better(plan: Plan) -> str:
    return (
        "the proven best plan has it so" if plan.proof.status is PlanStatus.OPTIMAL else "the plan has it so, unproven to be best"
    )


def _gang_time_reason(problem: Problem, plan: Plan, run: Run, numbers: tuple[Number, ...]) -> Reason:
    """Why a row of a gang starts at this time: the first slot with room for all rows, or a better use of the time before."""
    rows = problem.gang_rows[run.job.name]
    room = Room(problem, plan.decisions, *(row.name for row in rows))
    berths = room.together(tuple((row, families(problem, row)) for row in rows))
    names = listed(row.name for row in rows if row is not run.job)
    told = f"it starts together with {names}, the other rows of gang {run.job.gang}"
    sooner = None if berths is None else berths[0].stretch.start_slot
    if sooner is None or sooner >= run.start_slot:
        return Reason("gang", f"{told}, with the first slot in which all of them may start and have room", numbers)
    start = instant(problem, problem.grid.slot_start_s(sooner))
    return Reason("gang", f"{told}, although all of them have room from {start}: {_better(plan)}", numbers)


def _elastic_reasons(run: Run) -> tuple[Reason, ...]:
    """How many workers an elastic gang has, and what that makes of its run time."""
    job = run.job
    if not job.is_elastic:
        return ()
    numbers = (Number("workers", run.workers, ""), Number("run_time", run.hours, "h"))
    if run.workers == job.workers:
        return (Reason("elastic", f"it runs with all its {job.workers} workers; {job.least_workers} would do", numbers),)
    longer = amount(job.workers / run.workers)
    told = f"it runs with {run.workers} of its {job.workers} workers (at least {job.least_workers}), {longer} times as long"
    return (Reason("elastic", f"{told}: {amount(run.hours)} h", numbers),)


def _no_room(problem: Problem, plan: Plan, room: Room, run: Run, home: Family, wait: float) -> Reason:
    """It waits for devices, or for devices inside one domain of the kind that it asks for."""
    has = "have" if len(home.pools) > 1 else "has"
    told = f"{home.name} {has} no room for it sooner{_stranded(problem, room, run, home)}"
    wide = wider_start(problem, plan.decisions, run.job)
    rule = "capacity"
    if wide is not None and wide < run.start_slot:
        at = instant(problem, problem.grid.slot_start_s(wide))
        rule, told = "topology", f"inside one {run.job.topology.value} {told}; across the cluster there is room from {at}"
    return Reason(rule, f"it waits {amount(wait)} h: {told}", (Number("wait", wait, "h"),))


def _stranded(problem: Problem, room: Room, run: Run, home: Family) -> str:
    """Return where devices are free while it waits, where they are enough in sum; else how many are."""
    tight = room.tightness(run.job, home, before_slot=run.start_slot)
    if tight is None or run.job.shape.gpus == 0:
        return ""
    at = instant(problem, problem.grid.slot_start_s(tight.stretch.start_slot))
    told = f"; from {at} {are_free(tight.free_devices)}"
    needed = run.job.least_workers * run.job.shape.gpus
    if tight.free_devices < needed:
        return f"{told} and it needs {amount(needed)}"
    return f"{told}, but {fragments(run.job, tight)}"


def _deadline_reasons(problem: Problem, run: Run) -> tuple[Reason, ...]:
    job, slack_h = run.job, run.slack_h
    if slack_h is None or job.deadline_s is None:
        return ()
    deadline = instant(problem, job.deadline_s)
    kind = "deadline" if job.deadline_kind is DeadlineKind.HARD else "soft deadline"
    numbers = (Number("slack", slack_h, "h"),)
    if slack_h < 0:
        return (Reason("tardiness", f"it ends {amount(-slack_h)} h after its {kind} of {deadline}", numbers),)
    if slack_h == 0:
        return (Reason("window", f"zero slack: it ends exactly at its {kind} of {deadline}; any delay misses it", numbers),)
    return (Reason("window", f"{amount(slack_h)} h of slack before its {kind} of {deadline}", numbers),)


def _spot_reasons(problem: Problem, plan: Plan, run: Run, prices: Prices) -> tuple[Reason, ...]:
    """The risk of the spot nodes it holds, and where it could go on if they are lost."""
    if not run.on_spot:
        return ()
    rate = run.rate_per_h
    return (_risk(problem, run, rate, prices), *_fallback(problem, run, prices, plan))


def _risk(problem: Problem, run: Run, rate: float, prices: Prices) -> Reason:
    repeated_h, cost = run_rework_h(run), sum(part_rework_costs(run, prices))
    untouched = survival_probability(run.hours, rate)
    numbers = [
        Number("interruptions", rate, "1/h"),
        Number("uninterrupted_probability", untouched, "share"),
        Number("expected_rework", repeated_h, "h"),
        Number("expected_rework_cost", cost, problem.currency),
    ]
    told = (
        f"reclaims hit its {counted(len(run.parts), 'spot node')} {amount(rate)} times an hour in the mean: "
        f"with {amount(untouched * 100)} % it is not interrupted; "
        f"{amount(repeated_h)} h of rework are expected ({money(problem, cost)})"
    )
    if run.slack_h is not None and run.slack_h >= 0:
        on_time = run_chance(run)
        numbers.append(Number("on_time_probability", on_time, "share"))
        told += f"; it is done by the deadline with at least {amount(on_time * 100)} %"
    found = checkpointing(run)
    if found is not None:
        numbers.append(Number("expected_rework_saved", found.saved_h, "h"))
        if found.best_h is not None:
            numbers.append(Number("best_checkpoint_interval", found.best_h * 60, "min"))
        best = "no checkpoint" if found.best_h is None else f"a checkpoint every {amount(found.best_h * 60)} min"
        used = "none" if found.used_h is None else f"every {amount(found.used_h * 60)} min"
        told += f"; {best} would be best (now {used}) and save {amount(found.saved_h)} h"
    if run.job.checkpoint_minutes is None:
        told += "; without checkpoints every interruption starts it anew"
    return Reason("spot", told, tuple(numbers))


def _fallback(problem: Problem, run: Run, prices: Prices, plan: Plan) -> tuple[Reason, ...]:
    """Where the job could go on without spot; nothing for a job without a deadline, which may wait for spot to come back."""
    usage = usage_of(problem, runs_of(problem, plan.decisions), fleets_of(problem, plan.decisions))
    found = fallback_of(problem, run, usage, prices)
    if found is None:
        return ()
    numbers = (Number("needed", found.need, found.unit),)
    if found.pool is not None:
        told = f"fallback: {found.pool.name} keeps {amount(found.need)} {found.unit} free until the deadline"
        told += (
            ", but could not finish in time" if found.switch_by_s is None else f"; switch by {instant(problem, found.switch_by_s)}"
        )
        return (Reason("fallback", told, numbers),)
    if found.best_pool is None:
        return (Reason("fallback", "no fallback: no pool but spot takes it", numbers),)
    at = instant(problem, problem.grid.slot_start_s(found.slot))
    told = f"no fallback: it needs {amount(found.need)} {found.unit}; {found.best_pool.name} has {amount(found.left)} free at {at}"
    return (Reason("fallback", told, (*numbers, Number("free", found.left, found.unit))),)


def _next_step(run: Run) -> str | None:
    if run.slack_h is not None and run.slack_h <= 0:
        return "Move the deadline, release it sooner, or allow faster devices."
    if run.on_spot and run.job.checkpoint_minutes is None:
        return "Give it checkpoints (`checkpoint_minutes`), so that an interruption does not cost the whole run."
    return None
