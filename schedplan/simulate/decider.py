"""What decides who starts, as the kernel tells it what happened. It holds no state."""

from __future__ import annotations

from typing import Protocol


class Decider(Protocol):
    """One per kind of blocking. Jobs are meant by their index in the work."""

    def arrived(self, job: int) -> None:
        """Let a job wait that was just submitted."""

    def ended(self, job: int, early: bool) -> None:
        """Take note that a job has ended; early: at another instant than its estimate said."""

    def released(self, job: int) -> None:
        """Let a job wait in the order of its submission, for which a place was kept, as all that it starts after has ended."""

    def stopped(self, job: int) -> None:
        """Let a job that was stopped wait again."""

    def supplied(self) -> None:
        """Take note that a node has gone, or is back."""

    def decide(self) -> None:
        """Start what may start at this instant."""
