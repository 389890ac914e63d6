"""A lane: waiting jobs that differ only in time, in the order of their arrival. It knows no machine."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right, insort

NEVER = 1 << 62
_JOB_BITS = 32
_JOB = (1 << _JOB_BITS) - 1


class Lane:
    """Jobs of one ask (and priority or tenant, where the policy looks at them). Slots are appended; a job that leaves stays a gap.

    head: slot of the job that comes first, len(jobs) where none waits. blocked: known not to start until something is freed.
    tenant: index, meaningful where lanes are kept apart by it. admitted: slots before this one may be looked at.
    """

    __slots__ = ("admitted", "ask", "blocked", "head", "jobs", "priority", "retry_s", "tenant", "tries", "waiting")

    def __init__(self, ask: int, tenant: int = 0, priority: int = 0) -> None:
        self.ask = ask
        self.tenant = tenant
        self.priority = priority
        self.jobs = array("q")
        self.head = 0
        self.waiting = 0
        self.blocked = False
        self.admitted = NEVER
        self.retry_s = 0
        self.tries = 0

    def append(self, job: int, estimate_s: int) -> bool:
        """Let a job wait behind the others; whether it now comes first."""
        self.jobs.append(job)
        self.waiting += 1
        return self.waiting == 1

    def take_head(self) -> int:
        """Let the first job leave, and return it."""
        job = self.jobs[self.head]
        self.head += 1
        self.waiting -= 1
        return job

    def reserve(self, job: int) -> None:
        """Keep the place behind the others for a job that does not wait yet, and will be put back to it."""
        raise TypeError("places of this lane are not kept")

    def put_back(self, job: int, estimate_s: int) -> bool:
        """Let a job that has left wait again in its old place; whether it now comes first."""
        raise TypeError("jobs of this lane do not come back")


class EstimatedLane(Lane):
    """A lane that also finds the first job whose estimate is short enough (a tree of least estimates over its slots).

    is_sorted: it knows its jobs by estimate as well; is_shortest: of those the shortest comes first, in place of the earliest.
    """

    __slots__ = ("_by_estimate", "_is_shortest", "_leaves", "_tree")

    def __init__(self, ask: int, tenant: int = 0, priority: int = 0, *, is_sorted: bool = False, is_shortest: bool = False) -> None:
        super().__init__(ask, tenant, priority)
        self._leaves = 4
        self._tree = [NEVER] * 8
        self._is_shortest = is_shortest
        self._by_estimate: list[int] | None = [] if is_sorted or is_shortest else None

    def append(self, job: int, estimate_s: int) -> bool:
        slot = len(self.jobs)
        self.jobs.append(job)
        if slot == self._leaves:
            self._grow()
        return self._wait(slot, job, estimate_s)

    def reserve(self, job: int) -> None:
        slot = len(self.jobs)
        self.jobs.append(job)
        if slot == self._leaves:
            self._grow()

    def put_back(self, job: int, estimate_s: int) -> bool:
        return self._wait(bisect_left(self.jobs, job), job, estimate_s)

    def take_head(self) -> int:
        job = self.jobs[self.head]
        self.take(self.head)
        return job

    def take(self, slot: int) -> None:
        """Let the job of a slot leave."""
        found = self._by_estimate
        if found is not None:
            del found[bisect_left(found, self._tree[slot + self._leaves] << _JOB_BITS | self.jobs[slot])]
        self._set(slot, NEVER)
        self.waiting -= 1
        if slot == self.head:
            self.head = self._front(slot)

    def estimate_of(self, slot: int) -> int:
        """Return the estimate of the waiting job of a slot, seconds."""
        return self._tree[slot + self._leaves]

    def slot_of(self, job: int) -> int:
        """Return the slot of a job of this lane."""
        return bisect_left(self.jobs, job)

    def slot_after(self, job: int) -> int:
        """Return the first slot whose job is later than `job`, waiting or not."""
        return bisect_right(self.jobs, job)

    def next_by_estimate(self, estimate_s: int, job: int) -> int:
        """Return the slot of the next waiting job after (estimate, job) by estimate, then arrival; len(jobs) for none."""
        found = self._by_estimate
        assert found is not None, "this lane does not know its jobs by estimate"
        idx = bisect_right(found, estimate_s << _JOB_BITS | job)
        return bisect_left(self.jobs, found[idx] & _JOB) if idx < len(found) else len(self.jobs)

    def first(self, slot: int, at_most_s: int) -> int:
        """Return the first waiting slot from `slot` on with an estimate of at most so many seconds; len(jobs) for none."""
        tree, leaves = self._tree, self._leaves
        if slot >= len(self.jobs):
            return len(self.jobs)
        node = slot + leaves
        while tree[node] > at_most_s:
            while node & 1:  # a right child: what is right of it lies beside an ancestor
                node >>= 1
            if node == 0:
                return len(self.jobs)
            node += 1
        while node < leaves:
            node <<= 1
            if tree[node] > at_most_s:
                node += 1
        return node - leaves

    def _wait(self, slot: int, job: int, estimate_s: int) -> bool:
        self._set(slot, estimate_s)
        self.waiting += 1
        if self._by_estimate is not None:
            insort(self._by_estimate, estimate_s << _JOB_BITS | job)
        before = self.head
        if self._is_shortest:
            self.head = self._front(slot)
        elif self.waiting == 1 or slot < before:
            self.head = slot
        return self.head == slot

    def _front(self, slot: int) -> int:
        """Return the slot that comes first, where the one before it was the earliest."""
        if not self._is_shortest:
            return self.first(slot + 1, NEVER - 1)
        found = self._by_estimate
        return bisect_left(self.jobs, found[0] & _JOB) if found else len(self.jobs)

    def _set(self, slot: int, estimate_s: int) -> None:
        tree = self._tree
        node = slot + self._leaves
        tree[node] = estimate_s
        node >>= 1
        while node:
            left, right = tree[2 * node], tree[2 * node + 1]
            least = left if left < right else right
            if tree[node] == least:
                break
            tree[node] = least
            node >>= 1

    def _grow(self) -> None:
        leaves = self._tree[self._leaves :]
        self._leaves *= 2
        self._tree = [NEVER] * self._leaves + leaves + [NEVER] * (self._leaves - len(leaves))
        for node in range(self._leaves - 1, 0, -1):
            self._tree[node] = min(self._tree[2 * node], self._tree[2 * node + 1])
