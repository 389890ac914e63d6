"""Jobs put on a board one after another in the order of a list policy, each where the policy takes it first. It makes no plan.

Each job goes to its earliest fitting start, in the family of nodes that the policy takes first; nodes by best fit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from heapq import merge
from itertools import groupby

from schedplan.measures.gang_family import is_in_one_group, is_on_one_node
from schedplan.measures.min_on_time import most_nodes
from schedplan.measures.pins import may_start
from schedplan.measures.runs import end_edges
from schedplan.measures.work import last_end
from schedplan.model.plan import JobPart
from schedplan.model.problem import Problem
from schedplan.model.sequence import Unit, in_order
from schedplan.model.workload import Job, JobState
from schedplan.optimize.constraints.elastic import Choice, choices
from schedplan.optimize.reference.families import Families, Family, Starts
from schedplan.optimize.reference.least_of_jobs import job_price
from schedplan.optimize.reference.policy import FIRST_COME, ListPolicy
from schedplan.packing.board import Board, Hold
from schedplan.packing.gang import place_gang
from schedplan.packing.slot_rooms import Followed, SlotRooms, as_bits


def inserted(
    problem: Problem, board: Board, jobs: tuple[Job, ...], standing: tuple[JobPart, ...], policy: ListPolicy = FIRST_COME
) -> tuple[JobPart, ...]:
    """Place waiting jobs beside what stands on the board in the order of a policy; return the parts of those that find room.

    What a job waits for comes before it, and where that is left out the job is; rows of one gang are placed at once or not at all.
    """
    over, insertion = end_edges(problem, standing), _Insertion(problem, board, policy)
    found: list[JobPart] = []
    for unit in in_order(jobs, lambda unit: policy.rank(problem, unit)):
        before = {name for job in unit for name in problem.waits_for[job.name]}
        if before <= over.keys():
            first_slot = max((over[name] for name in before), default=0)
            berths = insertion.earliest(unit, first_slot)
            over |= {berth.job.name: berth.end_edge for berth in berths}
            found.extend(part for berth in berths for part in insertion.parts(berth))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Berth:
    """Where a job was put on a board, so that it can be taken off again."""

    job: Job
    start_slot: int
    end_edge: int
    holds: tuple[Hold, ...]


@dataclass(frozen=True, slots=True)
class _Offer:
    """A choice of an elastic job in a family of nodes."""

    choice: Choice
    family: Family

    @property
    def first_rank(self) -> tuple[int, int]:
        """The earliest first, then most workers."""
        return self.choice.start_slot, -self.choice.workers


class _Insertion:
    """What all steps of one call share."""

    def __init__(self, problem: Problem, board: Board, policy: ListPolicy) -> None:
        self.problem, self.board, self.policy = problem, board, policy
        self.families = Families(problem)
        self.rooms = SlotRooms(board)
        self._followed: dict[Family, Followed] = {}
        self._ordered: dict[tuple[int, int, int], tuple[tuple[Starts, int], ...]] = {}

    def earliest(self, unit: Unit, first_slot: int) -> tuple[_Berth, ...]:
        """Place jobs that start together at the earliest start at which all find room; empty where there is none.

        A single job takes the cheapest family first at that start, ties by pool name; so does each row, the largest first.
        """
        if len(unit) == 1:
            berth = self._berth(unit[0], range(first_slot, self.problem.grid.n_slots))
            return () if berth is None else (berth,)
        for slot in range(first_slot, self.problem.grid.n_slots):
            berths: list[_Berth] = []
            for job in sorted(unit, key=lambda job: (-job.devices, -job.workers * job.shape.cpus, job.name)):
                berth = self._berth(job, range(slot, slot + 1))
                if berth is None:
                    break
                berths.append(berth)
            if len(berths) == len(unit):
                return tuple(berths)
            for berth in berths:
                self._give_back(berth)
        return ()

    def parts(self, berth: _Berth) -> tuple[JobPart, ...]:
        """Return the parts of a berth."""
        nodes = self.board.cluster.nodes
        return tuple(JobPart(berth.job.name, nodes[hold.node_idx], berth.start_slot, hold.workers) for hold in berth.holds)

    def _berth(self, job: Job, slots: range) -> _Berth | None:
        """Take room for a job at its earliest fitting start among some slots, in the family that the policy takes first; or None.

        Of an elastic gang as many workers as find room at that start.
        """
        board, is_plain = self.board, job.state is not JobState.RUNNING and not job.is_elastic
        for choice, family in self._in_order(job, slots) if is_plain else self._elastic_in_order(job, slots):
            span = slice(choice.start_slot, choice.end_edge)
            accelerator = family.pool.accelerator
            if not is_plain and board.allowance.refusal(job, accelerator, choice.workers, span) is not None:
                continue
            holds = place_gang(
                board,
                family.nodes,
                job.shape,
                choice.workers,
                choice.start_slot,
                choice.end_edge,
                one_node=is_on_one_node(job.topology),
                grouped=is_in_one_group(job),
                most_nodes=most_nodes(self.problem, job, family.pool, choice.start_slot, choice.workers),
            )
            if holds is not None:
                board.allowance.add(job, accelerator, choice.workers, span)
                return _Berth(job, choice.start_slot, choice.end_edge, holds)
        return None

    def _in_order(self, job: Job, slots: range) -> Iterator[tuple[Choice, Family]]:
        """Give the starts of a job that is not elastic with their families: the earliest first, then as the policy takes families.

        None that finds no room in some slot, or that a quota closes one of. None is looked at before it is asked for: most jobs
        find room among the first.
        """
        last, open_slots = last_end(self.problem, job), _OpenSlots(self, job)
        offered = self.families.starts(job)
        may_start_anywhere = job.name not in self.problem.pin_of_job
        for slot in range(max(self.problem.grid.release_slot(job.release_s), slots.start), slots.stop):
            at_once = [pair for pair in self._by_price(offered, job.workers, slot) if pair[1] <= last]
            if not at_once:
                return
            if not may_start_anywhere and not may_start(self.problem, job.name, slot):
                continue
            fitting = (pair for pair in at_once if open_slots.hold(pair[0].family, slot, pair[1]))
            for one, end in self._fullest_first(slot, fitting) if self.policy.takes_fullest else fitting:
                yield Choice(slot, end, job.workers), one.family

    def _by_price(self, offered: tuple[Starts, ...], workers: int, slot: int) -> tuple[tuple[Starts, int], ...]:
        """Return the starts of so many workers with a slot that end in the horizon, and their ends: the cheapest family first."""
        key = (id(offered), workers, slot)  # `families` keeps what it has offered
        if key not in self._ordered:
            found = [(one, end) for one in offered if (end := one.ends[slot]) is not None]
            found.sort(key=lambda pair: (self.families.price(pair[0], slot, pair[1], workers), pair[0].family.order))
            self._ordered[key] = tuple(found)
        return self._ordered[key]

    def _fullest_first(self, slot: int, starts: Iterable[tuple[Starts, int]]) -> list[tuple[Starts, int]]:
        return sorted(starts, key=lambda pair: (self._free(pair[0].family, slot), pair[0].family.order))

    def _free(self, family: Family, slot: int) -> float:
        return float(self.board.left[family.nodes, slot].sum())

    def followed(self, job: Job, family: Family) -> Followed:
        """Return what is followed of the room of a family of a job."""
        if family not in self._followed:
            self._followed[family] = self.rooms.follow(family.nodes, job.shape)
        return self._followed[family]

    def _elastic_in_order(self, job: Job, slots: range) -> Iterator[tuple[Choice, Family]]:
        """Give the choices of an elastic job: the earliest and most workers first, then as the policy takes families."""

        def worth(offer: _Offer) -> tuple[float, int]:
            family, choice = offer.family, offer.choice
            if self.policy.takes_fullest:
                return self._free(family, choice.start_slot), family.order
            return job_price(self.problem, job, family.pool, choice), family.order

        of_families = [self._offers(job, family) for family in self.families.of(job)]
        ordered = merge(*of_families, key=lambda offer: offer.first_rank)
        for _, tied in groupby(ordered, key=lambda offer: offer.first_rank):
            for offer in sorted(tied, key=worth):
                start_slot = offer.choice.start_slot
                if start_slot in slots and may_start(self.problem, job.name, start_slot):
                    yield offer.choice, offer.family

    def _offers(self, job: Job, family: Family) -> Iterator[_Offer]:
        """Give the choices of an elastic job in a family that may find room there."""
        room = self.followed(job, family).room(one_node=is_on_one_node(job.topology)).copy()
        room[~self.board.allowance.is_open(job, family.pool.accelerator, job.least_workers)] = 0
        spans = (
            (choice, room[choice.start_slot : choice.end_edge].min() >= choice.workers)
            for choice in choices(self.problem, job, family.pool)
        )
        return (_Offer(choice, family) for choice, may_fit in spans if may_fit)

    def _give_back(self, berth: _Berth) -> None:
        for hold in berth.holds:
            self.board.give_back(hold)
            slots = slice(berth.start_slot, berth.end_edge)
            self.board.allowance.add(berth.job, self.board.pools[hold.node_idx].accelerator, -hold.workers, slots)


class _OpenSlots:
    """The slots in which a job may find room in its families and its quota is open to it, while nothing is put on the board."""

    def __init__(self, insertion: _Insertion, job: Job) -> None:
        self.insertion, self.job = insertion, job
        self._families: dict[int, int] = {}
        self._quotas: dict[str | None, int] = {}

    def hold(self, family: Family, slot: int, end_edge: int) -> bool:
        """Whether all slots from one to before an edge are open in a family."""
        if family.order not in self._families:
            self._families[family.order] = self._open(family)
        asked = (1 << end_edge) - (1 << slot)
        return self._families[family.order] & asked == asked

    def _open(self, family: Family) -> int:
        job, accelerator = self.job, family.pool.accelerator
        if accelerator not in self._quotas:
            self._quotas[accelerator] = as_bits(self.insertion.board.allowance.is_open(job, accelerator, job.workers))
        followed = self.insertion.followed(job, family)
        return self._quotas[accelerator] & followed.fits(job.workers, one_node=is_on_one_node(job.topology))
