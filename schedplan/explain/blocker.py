"""What keeps a job out of a plan: the first rule that does, with the numbers that show it and a priced way to mend it.

Arithmetic about the job and an empty cluster comes first, then what the rest of the plan leaves free, then the budget; a job that
all of these let in was left out because the whole is better without it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from schedplan.explain.alternatives import family_refusal
from schedplan.explain.barred import barred
from schedplan.explain.family import Family, by_price, families
from schedplan.explain.fragments import fragments
from schedplan.explain.more_nodes import cheapest_pool, more_nodes, pools_of
from schedplan.explain.price import bill, bill_per_slot
from schedplan.explain.quota import held_back, larger_quota, over_quota
from schedplan.explain.room import Berth, Room, Tightness, windows
from schedplan.explain.wording import amount, are_free, instant, listed, money, needed_workers
from schedplan.measures.costs import Prices
from schedplan.measures.eligibility import job_refusal, workers_per_node
from schedplan.measures.gang_family import NAMED_DOMAINS, domain_of
from schedplan.measures.stops import stop_told
from schedplan.measures.work import last_end, run_minutes
from schedplan.model.cluster import Pool
from schedplan.model.plan import Decisions, Unplaced
from schedplan.model.problem import Problem
from schedplan.model.workload import Job, Topology
from schedplan.packing.screen import quota_refusals

_REPAIRS = {
    "status": "make one of these nodes ready",
    "accelerator": "allow another device model in `accelerators`, or add nodes with one of those",
    "gpu_memory": "ask for less device memory, or add nodes with larger devices",
    "devices": "ask for fewer devices per worker, or add larger nodes",
    "cpus": "ask for fewer cores per worker, or add larger nodes",
    "memory": "ask for less memory per worker, or add larger nodes",
    "resources": "add nodes that have this resource",
    "taint": "tolerate the taint, or add nodes without it",
    "market": "set `spot_ok`, or add nodes of another market",
    "slices": "add nodes with sliced devices",
    "rules": "change the rule in [rules] forbid, or add nodes that it does not close",
    "topology": "ask for a wider topology, or name the domain of the nodes",
}


@dataclass(frozen=True, slots=True)
class _Finding:
    rule: str
    evidence: str
    repair: str
    repair_cost: float | None = None


def blocker(problem: Problem, decisions: Decisions, job: Job) -> Unplaced:
    """Return the rule that first keeps `job` out of the plan of `decisions`, its evidence and a repair with its price."""
    return blockers(problem, decisions, (job,))[0]


def blockers(problem: Problem, decisions: Decisions, jobs: tuple[Job, ...]) -> tuple[Unplaced, ...]:
    """Return the same for several jobs that `decisions` leave out, in their order; each is told as if it alone were added."""
    room = Room(problem, decisions)
    found = [_unplaced(job, _finding(problem, room, job)) for job in jobs]
    return tuple(_with_stop(problem, decisions, row) for row in found)


def _with_stop(problem: Problem, decisions: Decisions, row: Unplaced) -> Unplaced:
    """Say of a job that ran that it was stopped, and for what."""
    stop = problem.stop_of_job.get(row.name)
    return row if stop is None else replace(row, evidence=f"{stop_told(problem, decisions, stop)}; {row.evidence}")


def _finding(problem: Problem, room: Room, job: Job) -> _Finding:
    if job.name in problem.gang_rows:
        return _gang_finding(problem, room, job)
    open_families = _open_families(problem, job)
    return _by_itself(problem, room, job, open_families) or _in_the_plan(problem, room, job, open_families)


def _open_families(problem: Problem, job: Job) -> tuple[Family, ...]:
    return tuple(family for family in families(problem, job) if family_refusal(job, family) is None)


def _by_itself(problem: Problem, room: Room, job: Job, open_families: tuple[Family, ...]) -> _Finding | None:
    """What keeps a job out whatever room the plan leaves."""
    if not open_families:
        return _no_pool(problem, job)
    found = _too_large(problem, job, open_families) or _larger_than_quota(problem, job) or _too_short(problem, job, open_families)
    return found or _after(problem, room, job, open_families)


def _gang_finding(problem: Problem, room: Room, job: Job) -> _Finding:
    """What keeps a row of a gang out: the first of its rows that has no place, or no start at which all have one."""
    rows = (job, *(row for row in problem.gang_rows[job.name] if row is not job))
    for row in rows:
        found = _by_itself(problem, room, row, _open_families(problem, row))
        if found is not None:
            return _of_row(job, row, found)
    berths = room.together(tuple((row, _open_families(problem, row)) for row in rows))
    if berths is None:
        for row in rows:
            if not any(room.berth(row, family) for family in _open_families(problem, row)):
                return _of_row(job, row, _in_the_plan(problem, room, row, _open_families(problem, row)))
        told = f"each row of gang {job.gang} has room by itself, and no slot is the start of all: {listed(_row_names(rows))}"
        return _Finding("gang", told, "add nodes, widen the windows of its rows, or let them start one by one")
    prices, parts = Prices.of(problem), tuple(part for berth in berths for part in berth.parts)
    before, cost = bill(room, (), prices), bill(room, parts, prices)
    extra = (cost or 0.0) - (before or 0.0)
    whole = Berth(berths[0].stretch, parts)
    return _over_budget(problem, room, [whole], prices, extra) or _of_row(job, job, _not_worth_it(problem, whole, extra))


def _of_row(job: Job, row: Job, found: _Finding) -> _Finding:
    """Tell what keeps a row of a gang out, whichever row of it is asked for."""
    whose = "" if row is job else f"its row {row.name}: "
    return _Finding(
        found.rule, f"gang {job.gang} starts together or not at all; {whose}{found.evidence}", found.repair, found.repair_cost
    )


def _row_names(rows: tuple[Job, ...]) -> tuple[str, ...]:
    return tuple(sorted(row.name for row in rows))


def _unplaced(job: Job, found: _Finding) -> Unplaced:
    return Unplaced("job", job.name, 1, found.rule, found.evidence, found.repair, found.repair_cost)


def _no_pool(problem: Problem, job: Job) -> _Finding:
    """No pool takes one worker: the rule that refuses most pools, and what each says."""
    refusals = [refusal for pool in problem.cluster.pools if (refusal := job_refusal(pool, job)) is not None]
    if not refusals:
        return _Finding("capacity", "the cluster has no nodes", "add nodes")
    rule = min(Counter(refusal.rule for refusal in refusals).items(), key=lambda item: (-item[1], item[0]))[0]
    told = [refusal.message for refusal in refusals if refusal.rule == rule] + [
        refusal.message for refusal in refusals if refusal.rule != rule
    ]
    return _Finding(rule, f"no pool takes it: {listed(told, shown=3)}", _REPAIRS.get(rule, "change the job or the nodes"))


def _too_large(problem: Problem, job: Job, open_families: tuple[Family, ...]) -> _Finding | None:
    """Even empty, no domain of any family holds the gang."""
    holds = [
        (sum(pool.nodes * workers_per_node(pool, job.shape) for pool in pools), place, pools)
        for family in open_families
        for place, pools in _domains(job, family)
    ]
    most, place, pools = max(holds, key=lambda hold: hold[0])
    if most >= job.least_workers:
        return None
    rule = "gang" if job.topology in (Topology.ANY, Topology.CLUSTER) else "topology"
    within = "" if rule == "gang" else f" inside one {job.topology.value}"
    evidence = f"needs {needed_workers(job)} at once{within}; {place}, the largest place that takes it, holds {most} when empty"
    repair, cost = more_nodes(problem, job, cheapest_pool(problem, job, pools), job.least_workers - most)
    other = "lower its min_workers" if job.is_elastic else "split the gang"
    return _Finding(rule, evidence, f"{repair}, or {other}", cost)


def _domains(job: Job, family: Family) -> list[tuple[str, tuple[Pool, ...]]]:
    """Return (name, pools) of each domain of a family that must hold the whole gang."""
    found: dict[str | None, list[Pool]] = {}
    for pool in family.pools:
        if job_refusal(pool, job) is None:
            found.setdefault(domain_of(pool, job.topology), []).append(pool)
    is_named = job.topology in NAMED_DOMAINS
    return [
        (f"{job.topology.value} {domain}" if is_named else Family(tuple(pools)).name, tuple(pools))
        for domain, pools in found.items()
    ]


def _larger_than_quota(problem: Problem, job: Job) -> _Finding | None:
    """Even alone it counts for more than its tenant may hold, on each device model open to it."""
    refused = quota_refusals(problem, job)
    if not refused:
        return None
    least = min(refused, key=lambda refusal: refusal.counted - refusal.most)
    return _Finding("quota", f"even alone, {over_quota(problem, least, None)}", larger_quota(least))


def _too_short(problem: Problem, job: Job, open_families: tuple[Family, ...]) -> _Finding | None:
    """Nowhere does the run fit between release and last end."""
    pools = [pool for family in open_families for pool in family.pools if job_refusal(pool, job) is None]
    grid = problem.grid
    first, last = grid.release_slot(job.release_s), last_end(problem, job)
    if any(next(windows(problem, job, pool, first), None) is not None for pool in pools):
        return None
    fastest = min(pools, key=lambda pool: (run_minutes(problem, job, pool), pool.name))
    minutes = run_minutes(problem, job, fastest)
    window_s = max(grid.edges_s[last] - grid.edges_s[first], 0)
    limit = "its deadline" if last < grid.n_slots else "the end of the horizon"
    evidence = (
        f"runs {amount(minutes / 60)} h on {fastest.name}, where it is fastest; "
        f"{amount(window_s / 3600)} h lie between {instant(problem, grid.edges_s[first])} and {limit}, in whole slots"
    )
    end_edge = grid.end_edge(first, minutes) if first < grid.n_slots else None
    if end_edge is None:
        return _Finding("window", evidence, f"a horizon longer by {amount(max(minutes / 60 - window_s / 3600, 0))} h")
    return _Finding("window", evidence, f"a deadline of {instant(problem, grid.edges_s[end_edge])} or later")


def _after(problem: Problem, room: Room, job: Job, open_families: tuple[Family, ...]) -> _Finding | None:
    """What it comes after is not placed, or ends too late."""
    placed = {part.job for part in room.decisions.parts}
    before = problem.waits_for[job.name]
    absent = sorted(name for name in before if name not in placed)
    if absent:
        return _Finding("after", f"comes after {listed(absent)}, which the plan leaves out", f"place {listed(absent)} first")
    first = room.earliest_start(job)
    pools = [pool for family in open_families for pool in family.pools if job_refusal(pool, job) is None]
    if any(next(windows(problem, job, pool, first), None) is not None for pool in pools):
        return None
    ends = instant(problem, problem.grid.edges_s[min(first, problem.grid.n_slots)])
    return _Finding("after", f"comes after {listed(sorted(before))}, over at {ends}: too late for its own run", "a later deadline")


def _in_the_plan(problem: Problem, room: Room, job: Job, open_families: tuple[Family, ...]) -> _Finding:
    """There is room for it only where other work stands, or there is room and the whole is better without it."""
    berths = [berth for family in _offers(problem, job, open_families) if (berth := room.berth(job, family)) is not None]
    if not berths:
        found = _over_quota(problem, room, job, open_families) or _barred(problem, room, job, open_families)
        return found or _no_room(problem, room, job, open_families)
    prices = Prices.of(problem)
    before = bill(room, (), prices)
    costs = [(cost, berth) for berth in berths if (cost := bill(room, berth.parts, prices)) is not None]
    if before is None or not costs:
        return _no_room(problem, room, job, open_families)
    cost, berth = min(costs, key=lambda found: (found[0], found[1].stretch.start_slot, found[1].parts))
    return _over_budget(problem, room, berths, prices, cost - before) or _not_worth_it(problem, berth, cost - before)


def _offers(problem: Problem, job: Job, open_families: tuple[Family, ...]) -> tuple[Family, ...]:
    """Return the families, and their parts of one price: a later start on cheaper nodes alone may be the better one."""
    parts = (part for family in open_families for part in by_price(problem, family) if family_refusal(job, part) is None)
    return tuple(dict.fromkeys((*open_families, *parts)))


def _over_quota(problem: Problem, room: Room, job: Job, open_families: tuple[Family, ...]) -> _Finding | None:
    """There is room, and its tenant or cohort holds too much already: tell the place with the least excess."""
    held = [found for family in open_families if (found := held_back(room, job, family)) is not None]
    if not held:
        return None
    refusal, berth = min(held, key=lambda found: (found[0].counted - found[0].most, found[1].stretch.start_slot))
    return _Finding("quota", over_quota(problem, refusal, berth), larger_quota(refusal))


def _barred(problem: Problem, room: Room, job: Job, open_families: tuple[Family, ...]) -> _Finding | None:
    """There would be room but for an outage, or for the chance of ending in time that is asked."""
    bars = (barred(problem, room.decisions, job, family) for family in open_families)
    bar = next((one for one in bars if one is not None), None)
    return None if bar is None else _Finding(bar.rule, bar.told, bar.repair)


def _no_room(problem: Problem, room: Room, job: Job, open_families: tuple[Family, ...]) -> _Finding:
    tights = [(tight, family) for family in open_families if (tight := room.tightness(job, family)) is not None]
    if not tights:
        return _Finding("window", "no stretch of its window is long enough after what it waits for", "a later deadline")
    tight, family = max(tights, key=lambda found: (found[0].workers_fit, found[0].free_devices))
    repair, cost = min(
        (_added_to(problem, job, tight) for tight, _ in tights), key=lambda repair: (repair[1] is None, repair[1] or 0.0)
    )
    return _Finding("capacity", _capacity_evidence(problem, job, family, tight), repair, cost)


def _added_to(problem: Problem, job: Job, tight: Tightness) -> tuple[str, float | None]:
    """Return (words, currency) of the nodes that a family, or a domain of it, lacks in its best stretch."""
    pool = cheapest_pool(problem, job, pools_of(problem, tight))
    return more_nodes(problem, job, pool, max(job.least_workers - tight.workers_fit, 1))


def _capacity_evidence(problem: Problem, job: Job, family: Family, tight: Tightness) -> str:
    grid = problem.grid
    start, end = (instant(problem, grid.edges_s[edge]) for edge in (tight.stretch.start_slot, tight.stretch.end_edge))
    workers = needed_workers(job)
    told = f"{family.name} has room for {tight.workers_fit} of its {workers} from {start} to {end}, its best stretch"
    if job.is_elastic and tight.workers_fit >= job.least_workers:
        return f"{told}; with so few it would not end in time"
    if job.shape.gpus == 0:
        return told
    needed = job.least_workers * job.shape.gpus
    if tight.free_devices < needed:
        return f"{told}: needs {amount(needed)} devices; {are_free(tight.free_devices)}"
    return f"{told}: {are_free(tight.free_devices)}, but {fragments(job, tight)}"


def _over_budget(problem: Problem, room: Room, berths: list[Berth], prices: Prices, extra: float) -> _Finding | None:
    """Each place would break the budget of some day: tell the least excess."""
    limit = problem.limits.budget_per_day
    if limit is None:
        return None
    excesses = [excess for berth in berths if (excess := _excess(problem, room, berth, prices, limit)) is not None]
    least = min(excesses, key=lambda excess: excess[0], default=(0.0, ""))
    if least[0] <= 1e-9 * max(1.0, abs(limit)):
        return None
    evidence = f"with it {least[1]} would cost {money(problem, limit + least[0])}; the budget is {money(problem, limit)} a day"
    return _Finding("budget", evidence, f"a budget of {money(problem, limit + least[0])} a day", extra)


def _excess(problem: Problem, room: Room, berth: Berth, prices: Prices, limit: float) -> tuple[float, str] | None:
    """Return (by how much the worst day exceeds the limit, that day); None where some node can't be up."""
    on = room.supply_with(berth.parts)
    if on is None:
        return None
    per_slot = bill_per_slot(room, berth.parts, on, prices)
    days = [(float(per_slot[list(slots)].sum()) - limit, day) for day, slots in problem.grid.days(problem.zone)]
    return max(days)


def _not_worth_it(problem: Problem, berth: Berth, extra: float) -> _Finding:
    start = instant(problem, problem.grid.slot_start_s(berth.stretch.start_slot))
    nodes = listed(part.node for part in berth.parts)
    evidence = f"there is room from {start} on {nodes}, for {money(problem, extra)} more; the objective is better without it"
    return _Finding("objective", evidence, "mark it `required`, or raise its priority", extra)
