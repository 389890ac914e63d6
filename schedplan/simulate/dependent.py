"""Jobs that start only when others have ended. It knows no machine."""

from __future__ import annotations

from collections.abc import Mapping


class Dependent:
    """How many of those that a job starts after have not ended, and who waits for whom. Jobs by index; -1 never ends.

    released_s: when the last of those had ended, of jobs that were submitted before.
    """

    def __init__(self, after: Mapping[int, tuple[int, ...]]) -> None:
        self._left = {job: len(set(others)) for job, others in after.items()}
        self._behind: dict[int, list[int]] = {}
        self._came: set[int] = set()
        self.released_s: dict[int, int] = {}
        for job, others in after.items():
            for other in dict.fromkeys(others):
                self._behind.setdefault(other, []).append(job)

    def comes_too_early(self, job: int) -> bool:
        """Take note that a job was submitted; whether it has to wait for others."""
        if not self._left.get(job):
            return False
        self._came.add(job)
        return True

    def freed_by(self, job: int, now_s: int) -> list[int]:
        """Take note that a job has ended now; return those that were submitted and waited for it last, by index."""
        found = []
        for one in self._behind.get(job, ()):
            self._left[one] -= 1
            if not self._left[one] and one in self._came:
                self.released_s[one] = now_s
                found.append(one)
        return found
