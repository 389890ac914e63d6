"""What wants devices of a node: every worker and replica with the slots in which it does, and the orders in which they are served.

It knows no device.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil

from schedplan.measures.gang_family import is_in_one_group
from schedplan.measures.runs import Run
from schedplan.model.cluster import Cluster
from schedplan.model.plan import ReplicaPart
from schedplan.model.problem import Problem
from schedplan.model.slices import SliceProfile
from schedplan.model.workload import JobState, WorkerShape
from schedplan.units import slices_of


@dataclass(frozen=True, slots=True)
class Claim:
    """One worker or replica that wants devices of a node from slot `first` to `stop`.

    key: (job or service, its number); whole: devices wanted whole; slices: of one device where whole is 0; owner: above 0 for a
    dedicated service; grouped: all workers of the job within one device group; profile: the memory slices beside its slices.
    arrival_s, devices (of the whole gang) and runs (already) are for the order in which claims are tried.
    """

    key: tuple[str, int]
    is_job: bool
    first: int
    stop: int
    whole: int
    slices: int
    owner: int
    grouped: bool
    profile: SliceProfile | None = None
    arrival_s: int = 0
    devices: float = 0.0
    runs: bool = False

    def need(self, slices_per_gpu: int) -> int:
        """Return the slices it takes of each device it stands on."""
        return slices_per_gpu if self.whole else self.slices


def claims_by_node(problem: Problem, runs: Sequence[Run], replicas: Sequence[ReplicaPart]) -> dict[str, list[Claim]]:
    """Return what wants the devices of each node, the first to be served first: by slot, replicas first, then name and number."""
    found: dict[str, list[Claim]] = {}
    owners = {service.name: number for number, service in enumerate(problem.services, start=1) if service.dedicated}
    for stand in replicas:
        shape = problem.service_by_name[stand.service].shape
        need, profile = devices_needed(problem.cluster, stand.node, shape), _profile(problem.cluster, stand.node, shape)
        owner = owners.get(stand.service, 0)
        found.setdefault(stand.node, []).extend(
            Claim((stand.service, number), False, stand.slot, stand.slot + 1, *need, owner, grouped=False, profile=profile)
            for number in range(stand.replicas)
        )
    for run in runs:
        grouped = is_in_one_group(run.job)
        arrival_s, devices = max(run.job.release_s or 0, problem.grid.start_s), run.job.devices
        is_there = run.job.state is JobState.RUNNING
        for part in run.parts:
            need, profile = (
                devices_needed(problem.cluster, part.node, run.job.shape),
                _profile(problem.cluster, part.node, run.job.shape),
            )
            found.setdefault(part.node, []).extend(
                Claim(
                    (part.job, number),
                    True,
                    run.start_slot,
                    run.end_edge,
                    *need,
                    owner=0,
                    grouped=grouped,
                    profile=profile,
                    arrival_s=arrival_s,
                    devices=devices,
                    runs=is_there,
                )
                for number in range(part.workers)
            )
    return {node: sorted((claim for claim in claims if claim.whole or claim.slices), key=_order) for node, claims in found.items()}


def _order(claim: Claim) -> tuple[int, bool, int, tuple[str, int]]:
    """By slot, replicas first; profiles the largest first, for a small one in the way leaves no legal start; then by name."""
    return claim.first, claim.is_job, 0 if claim.profile is None else -claim.profile.memory, claim.key


def orders(claims: list[Claim]) -> Iterator[list[int]]:
    """Give the orders of a first try: by slot, by arrival, as gangs are packed, the largest and the longest first.

    What was put together in one of these orders by the same choices is found again by them.
    """

    def size(claim: Claim) -> tuple[int, int, int]:
        return (-claim.whole, 0 if claim.profile is None else -claim.profile.memory, -claim.slices)

    def arrival(claim: Claim) -> tuple[object, ...]:
        return (2 if claim.is_job and not claim.runs else int(not claim.is_job), claim.arrival_s, claim.key, claim.first)

    def packed(claim: Claim) -> tuple[object, ...]:
        return (not claim.is_job, not claim.runs, claim.first, claim.first - claim.stop, -claim.devices, claim.key)

    yield list(range(len(claims)))
    for rank in (
        arrival,
        packed,
        lambda claim: (*size(claim), claim.first, claim.key),
        lambda claim: (claim.first - claim.stop, *size(claim), claim.key),
    ):
        ranks = [rank(claim) for claim in claims]
        yield sorted(range(len(claims)), key=ranks.__getitem__)


def _profile(cluster: Cluster, node: str, shape: WorkerShape) -> SliceProfile | None:
    return cluster.pool_of_node[node].profile(shape.slice_profile)


def devices_needed(cluster: Cluster, node: str, shape: WorkerShape) -> tuple[int, int]:
    """Return (whole devices, slices of one device) that one worker takes on a node."""
    profile = _profile(cluster, node, shape)
    if profile is not None:
        return 0, profile.compute
    if shape.gpus <= 0:
        return 0, 0
    slices_per_gpu = cluster.pool_of_node[node].slices_per_gpu
    slices = slices_of(shape.gpus, slices_per_gpu) if shape.gpus < 1 else slices_per_gpu
    return (ceil(shape.gpus - 1e-6), 0) if slices >= slices_per_gpu else (0, slices)
