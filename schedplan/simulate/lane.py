"""A lane: waiting jobs that differ only in time, in the order of their arrival. It knows no machine."""

from __future__ import annotations

from bisect import bisect_right

NEVER = 1 << 62


class Lane:
    """Jobs of one ask (and priority or tenant, where the order looks at them). Slots are appended; a job that leaves stays a gap.

    head: slot of the first waiting job, len(jobs) where there is none. blocked: known not to fit until something is freed.
    tenant: index, meaningful where lanes are kept apart by it. admitted: slots before this one may be looked at.
    """

    __slots__ = ("admitted", "ask", "blocked", "head", "jobs", "retry_s", "tenant", "tries", "waiting")

    def __init__(self, ask: int, tenant: int = 0) -> None:
        self.ask = ask
        self.tenant = tenant
        self.jobs: list[int] = []
        self.head = 0
        self.waiting = 0
        self.blocked = False
        self.admitted = NEVER
        self.retry_s = 0
        self.tries = 0

    def append(self, job: int, estimate_s: int) -> None:
        """Let a job wait behind the others."""
        self.jobs.append(job)
        self.waiting += 1

    def take_head(self) -> int:
        """Let the first waiting job leave, and return it."""
        job = self.jobs[self.head]
        self.head += 1
        self.waiting -= 1
        return job


class EstimatedLane(Lane):
    """A lane that also finds the first job whose estimate is short enough: a tree of least estimates over its slots."""

    __slots__ = ("_leaves", "_tree")

    def __init__(self, ask: int, tenant: int = 0) -> None:
        super().__init__(ask, tenant)
        self._leaves = 4
        self._tree = [NEVER] * 8

    def append(self, job: int, estimate_s: int) -> None:
        slot = len(self.jobs)
        super().append(job, estimate_s)
        if slot == self._leaves:
            self._grow()
        self._set(slot, estimate_s)

    def take_head(self) -> int:
        job = self.jobs[self.head]
        self.take(self.head)
        return job

    def take(self, slot: int) -> None:
        """Let the job of a slot leave."""
        self._set(slot, NEVER)
        self.waiting -= 1
        if slot == self.head:
            self.head = self.first(slot + 1, NEVER - 1)

    def slot_after(self, job: int) -> int:
        """Return the first slot whose job is later than `job`, waiting or not."""
        return max(bisect_right(self.jobs, job), self.head)

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
