"""Work as it might have come: the same for the same seed, moved by no more than said, and no job from nowhere."""

from __future__ import annotations

from schedplan.model.workload import Job, WorkerShape
from schedplan.simulate.resample import BLOCK_S, JITTER_S, resampled, says

DEVICE = WorkerShape(gpus=1)
SHORT = tuple(Job(f"j{idx}", submit_s=1000 * idx, deadline_s=1000 * idx + 500, shape=DEVICE) for idx in range(50))
LONG = tuple(Job(f"j{idx}", submit_s=BLOCK_S // 2 * idx, shape=DEVICE) for idx in range(20))


def test_the_first_is_as_given() -> None:
    assert SHORT == resampled(SHORT, 3, 0, None)


def test_submissions_move_by_a_minute_at_most_with_their_deadlines() -> None:
    moved = resampled(SHORT, 3, 1, None)
    by_s = [(after.submit_s or 0) - (before.submit_s or 0) for before, after in zip(SHORT, moved, strict=True)]

    assert moved == resampled(SHORT, 3, 1, None)
    assert moved != resampled(SHORT, 3, 2, None)
    assert len(set(by_s)) > 20
    assert max(map(abs, by_s)) <= JITTER_S
    assert {500} == {(job.deadline_s or 0) - (job.submit_s or 0) for job in moved}


def test_nothing_moves_before_the_start_of_the_horizon() -> None:
    moved = resampled(SHORT, 3, 1, 1000)

    assert SHORT[:2] == moved[:2]
    assert min(job.submit_s or 0 for job in moved[2:]) >= 1000


def test_days_of_a_long_log_are_drawn_anew() -> None:
    """Ten days with two jobs each, at 0:00 and 12:00: so they are again, under names of their own, of days that may repeat."""
    moved = resampled(LONG, 3, 1, None)
    origins = [job.name.split("@")[0] for job in moved]

    assert "whole days" in says(LONG, None)
    assert "whole days" not in says(SHORT, None)
    assert len(LONG) == len(moved) == len({job.name for job in moved})
    assert set(origins) < {job.name for job in LONG}
    assert all(abs((job.submit_s or 0) + JITTER_S) % (BLOCK_S // 2) <= 2 * JITTER_S for job in moved)
