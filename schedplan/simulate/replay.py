"""A replay: work on a cluster under a policy, from the first submission to the last end. It reads no file and measures nothing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from schedplan.engines.part import BackfillKind, Blocking, Cycle, PreemptionKind
from schedplan.engines.policy import Policy
from schedplan.errors import UsageError
from schedplan.model.cluster import Cluster, Market
from schedplan.model.outage import Outage
from schedplan.model.quota import Quota
from schedplan.model.timeline import DropReason, StopCause, Timeline
from schedplan.model.workload import Job
from schedplan.simulate.admission import Admitter
from schedplan.simulate.capacity import Capacity, Held
from schedplan.simulate.conservative import ConservativeDecider
from schedplan.simulate.decider import Decider
from schedplan.simulate.easy import EasyDecider
from schedplan.simulate.fleet import Fleet, FleetWork
from schedplan.simulate.follow import FollowedPlan, PlanDecider, occupied_asks
from schedplan.simulate.guide import Guide
from schedplan.simulate.guided import GuidedCapacity
from schedplan.simulate.happenings import Happenings
from schedplan.simulate.head import HeadDecider
from schedplan.simulate.intake import work_of
from schedplan.simulate.kernel import Kernel, Slowness, Supply
from schedplan.simulate.machine import Machine, machine_of
from schedplan.simulate.node_scores import typical_shapes
from schedplan.simulate.node_starts import NodeStarts
from schedplan.simulate.nodes import NO_TYPICAL, NodeCapacity
from schedplan.simulate.options import Detail, ReplayOptions
from schedplan.simulate.pool import PoolCapacity, is_nameless, unit_per_worker
from schedplan.simulate.preemptor import Preemptor, promises
from schedplan.simulate.quota import QuotaGate
from schedplan.simulate.skip import SkipDecider
from schedplan.simulate.supply import NodeSupply, outages_of
from schedplan.simulate.told import timeline_of
from schedplan.simulate.usage import TenantUsage
from schedplan.simulate.work import KINDS, Ask, Work, with_more, without


@dataclass(frozen=True)
class Replay:
    """What happened, what was assumed and must be known, and how much was done: deterministic counts, never seconds."""

    timeline: Timeline
    notes: tuple[str, ...]
    warnings: tuple[str, ...]
    counts: tuple[tuple[str, int], ...]


def replay(
    cluster: Cluster,
    jobs: Iterable[Job],
    policy: Policy,
    options: ReplayOptions | None = None,
    plan: FollowedPlan | None = None,
    quotas: tuple[Quota, ...] = (),
    outages: tuple[Outage, ...] = (),
    services: FleetWork | None = None,
    guide: Guide | None = None,
) -> Replay:
    """Return what happens to `jobs` on `cluster` under `policy`; the policy `plan` needs a plan to follow (UsageError).

    jobs are read once and not kept. Each is replayed from its submission, whatever its state; what never starts stays out of
    `started`. outages: when nodes are away; what runs there then is stopped. services: with their load; a plan says itself what
    they hold. A plan is followed on the nodes that it was made for, without either.
    """
    options = options or ReplayOptions()
    if (policy.blocking is Blocking.PLAN) != (plan is not None):
        raise UsageError(
            f"the policy {policy.name} {'needs a plan to follow' if plan is None else 'follows no plan'}",
            hint="schedplan simulate --policy plan --plan runs/plan",
        )
    if policy.nodes.is_guided and guide is None:
        raise UsageError(f"the policy {policy.name} needs places that a static plan keeps, and none are given")
    machine = machine_of(cluster)
    work = work_of(jobs, options)
    fleet = None
    if plan is None and services is not None and services.loads:
        work = with_more(work, services.asks(), (load.service.tenant for load in services.loads))
        fleet = Fleet(services, machine, cluster, policy.scaling, work.tenants)
    asks = work.asks if plan is None else tuple(dict.fromkeys((*work.asks, *occupied_asks(plan))))
    away = outages_of(machine, cluster, outages) if plan is None else []
    asks = asks if guide is None else tuple(dict.fromkeys((*asks, *guide.asks())))
    has_supply = plan is None and (bool(away) or (options.loses_spot and _may_lose_spot(machine, work)))
    is_named = has_supply or fleet is not None or bool(cluster.speeds) or policy.node_start.start_s > 0
    guiding = guide if policy.nodes.is_guided else None
    capacity = _capacity(machine, asks, work, policy, options, guiding, by_node=is_named)
    too_large = frozenset(idx for idx in range(len(work.asks)) if not capacity.holds_when_empty(idx))
    work = without(work, too_large, DropReason.TOO_LARGE)
    quota = QuotaGate(quotas, machine, work) if quotas else None
    kernel = Kernel(
        work,
        capacity,
        policy,
        slowness=_slowness(cluster, machine, work) if cluster.speeds else None,
        quota=None if policy.admission.by_quota else quota,
        supply=_happenings(_supply(capacity, away, work, options) if has_supply else None, fleet),
        usage=None if policy.share.key is None else TenantUsage(policy.share, machine, work, quotas),
        offered=max(float(machine.counted.sum()), 1.0),
        node_starts=NodeStarts(policy.node_start, len(machine.nodes)) if policy.node_start.start_s else None,
    )
    if fleet is not None and services is not None:
        fleet.meet(kernel, tuple(work.asks.index(ask) for ask in services.asks()))
    kernel.run(_decider(kernel, machine, asks, plan, quotas, quota), options.order, _cycle(policy, options))
    run = None if fleet is None else fleet.finish()
    if not kernel.held:
        capacity.check_empty()
    return Replay(
        timeline=replace(timeline_of(kernel, machine, capacity, policy), services=run),
        notes=(
            *work.notes,
            *_after_notes(work, policy),
            *_notes(machine, capacity, policy),
            *_quota_notes(quota),
            *_supply_notes(kernel, policy, options),
        ),
        warnings=_warnings(kernel),
        counts=tuple(sorted(kernel.counts.items())),
    )


def _cycle(policy: Policy, options: ReplayOptions) -> Cycle:
    """Return the cycle that was asked for, with the rates of the policy."""
    own = policy.cycle
    return own if options.cycle is None else replace(options.cycle, binds_per_s=own.binds_per_s, burst=own.burst)


def _capacity(
    machine: Machine,
    asks: tuple[Ask, ...],
    work: Work,
    policy: Policy,
    options: ReplayOptions,
    guide: Guide | None,
    *,
    by_node: bool,
) -> Capacity:
    """Return the sum of the machine where that says all there is to say, or is asked for and exact; else its nodes."""
    if guide is not None:
        return GuidedCapacity(machine, asks, policy.nodes, guide, options.seed)
    by_node = by_node or policy.blocking is Blocking.PLAN or policy.preemption.kind is not PreemptionKind.NONE
    unit = None if by_node else unit_per_worker(machine, asks)
    if options.detail is Detail.POOL and unit is None:
        raise UsageError("this work can't be replayed on the sum of the machine: which nodes are free decides what fits")
    if unit is not None and (options.detail is Detail.POOL or (options.detail is Detail.AUTO and is_nameless(machine, unit))):
        return PoolCapacity(machine, asks, unit)
    typical = typical_shapes(asks, work.ask) if policy.nodes.device is not None else NO_TYPICAL
    return NodeCapacity(machine, asks, policy.nodes, options.seed, typical)


def _may_lose_spot(machine: Machine, work: Work) -> bool:
    """Whether anything may stand on a spot node that is taken back now and then."""
    return any(pool.market is Market.SPOT and pool.interruptions_per_hour > 0 for pool in machine.pools) and any(
        ask.spot_ok for ask in work.asks
    )


def _supply(capacity: Capacity, away: list[tuple[int, int, int, StopCause]], work: Work, options: ReplayOptions) -> NodeSupply:
    assert isinstance(capacity, NodeCapacity)
    first_s = work.submit_s[0] if options.loses_spot and work.submit_s else None
    return NodeSupply(capacity, away, options.seed, first_s)


def _happenings(supply: NodeSupply | None, fleet: Fleet | None) -> Supply | None:
    """Return what happens beside jobs: nodes first, then services, which lose what stands on a node that goes."""
    if supply is None or fleet is None:
        return supply or fleet
    supply.watch(fleet.node_gone)
    return Happenings((supply, fleet))


def _decider(
    kernel: Kernel,
    machine: Machine,
    asks: tuple[Ask, ...],
    plan: FollowedPlan | None,
    quotas: tuple[Quota, ...],
    gate: QuotaGate | None,
) -> Decider:
    policy = kernel.policy
    if plan is not None:
        assert isinstance(kernel.capacity, NodeCapacity)
        return PlanDecider(kernel, kernel.capacity, plan, asks)
    preemptor = _preemptor(kernel, machine, quotas)
    if policy.backfill.kind is BackfillKind.EASY:
        return EasyDecider(kernel, preemptor)
    if policy.backfill.kind is BackfillKind.CONSERVATIVE:
        return ConservativeDecider(kernel)
    if policy.blocking is Blocking.HEAD:
        return HeadDecider(kernel, preemptor)
    overcommit = policy.admission.overcommit
    if overcommit is None:
        return SkipDecider(kernel, None, preemptor)
    promised = _promised(kernel, machine, quotas)
    return SkipDecider(kernel, Admitter(machine, kernel.work, policy.admission, gate, promised), preemptor)


def _preemptor(kernel: Kernel, machine: Machine, quotas: tuple[Quota, ...]) -> Preemptor | None:
    rule, work = kernel.policy.preemption, kernel.work
    if rule.kind is PreemptionKind.NONE:
        return None
    counted = tuple(ask.workers * (ask.shape.gpus if machine.has_devices else ask.shape.cpus) for ask in work.asks)
    return Preemptor(kernel, rule, _promised(kernel, machine, quotas), counted, float(machine.counted.sum()))


def _promised(kernel: Kernel, machine: Machine, quotas: tuple[Quota, ...]) -> tuple[float | None, ...]:
    return promises(quotas, kernel.work.tenants, has_devices=machine.has_devices)


def _slowness(cluster: Cluster, machine: Machine, work: Work) -> Slowness:
    """Return how many times longer than on the reference device a job runs: that of its slowest node."""

    def slowness(job: int, parts: tuple[Held, ...]) -> float:
        return max(
            1.0 / cluster.speed(machine.pools[part.node].accelerator, work.names[job], KINDS[work.kind[job]].value)
            for part in parts
        )

    return slowness


def _after_notes(work: Work, policy: Policy) -> tuple[str, ...]:
    if not work.after:
        return ()
    if policy.admission.overcommit is not None:
        return (f"jobs that are to wait for others (after), which admission by overcommit does not let them: {len(work.after):,}",)
    return (
        f"jobs that wait for others (after), in the place of their submission, submitted once those ended: {len(work.after):,}",
    )


def _notes(machine: Machine, capacity: Capacity, policy: Policy) -> tuple[str, ...]:
    notes = []
    if isinstance(capacity, PoolCapacity):
        notes.append(
            "only the sum of the machine is kept: its nodes are alike and hold one worker each, so their names would say nothing"
        )
    if policy.blocking is Blocking.PLAN:
        return (*notes, "the plan says which nodes are on and what they cost; the replay prices nothing")
    elastic = sum(pool.nodes - pool.always_on for pool in dict.fromkeys(machine.pools))
    if elastic:
        notes.append(f"nodes that could be switched off, taken as always on: {elastic:,}")
    return tuple(notes)


def _quota_notes(quota: QuotaGate | None) -> tuple[str, ...]:
    if quota is None or not quota.left_aside:
        return ()
    return (f"quotas on one device model of several, which the replay does not hold tenants to: {quota.left_aside}",)


def _supply_notes(kernel: Kernel, policy: Policy, options: ReplayOptions) -> tuple[str, ...]:
    if not kernel.can_stop:
        return ()
    lost = kernel.counts["nodes gone"]
    found = [f"times that a node went, by outages and spot interruptions (seed {options.seed}): {lost:,}"] if lost else []
    if kernel.work.checkpoints and (lost or policy.preemption.kind is not PreemptionKind.NONE):
        found.append(f"jobs that write checkpoints, whose price is part of their run: {len(kernel.work.checkpoints):,}")
    return tuple(found)


def _warnings(kernel: Kernel) -> tuple[str, ...]:
    waiting = [job for job in range(len(kernel.work)) if kernel.end_s[job] < 0]
    if not waiting:
        return ()
    found = [f"jobs that never start: {len(waiting):,}"]
    if kernel.counts["gangs given up"]:
        found.append(f"gangs that were given up after they had let go of their places: {kernel.counts['gangs given up']:,}")
    if kernel.held:
        found.append(
            f"jobs that hold room for a part of their workers for ever, as gangs are not placed whole: {len(kernel.held):,}"
        )
    return tuple(found)
