"""pieces: only best-effort jobs run in several pieces, whole gangs one after the other, off spot, that do the work and no more."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from schedplan.measures.pieces import FORGIVEN, may_hold_piece, piece_at, pieces_of, work_share
from schedplan.measures.rules.case import Case, broken
from schedplan.model.findings import Finding
from schedplan.model.plan import JobPart

HINT = "add a selector to [rules] best_effort, or run it in one piece"


def pieces(case: Case) -> Iterator[Finding]:
    for name, parts in case.parts_of.items():
        if all(part.end_edge is None for part in parts):
            continue
        subject, found = f"job {name}", pieces_of(parts)
        if name not in case.problem.may_pause:
            why = case.problem.unbroken.get(name, "no selector of [rules] best_effort selects it")
            yield broken("pieces", subject, f"runs in pieces; it may not: {why}", HINT)
            continue
        shape = _misshapen(case, found)
        if shape is not None:
            yield broken("pieces", subject, shape)
            continue
        spot = next((part.node for part in parts if not may_hold_piece(case.pool(part.node))), None)
        if spot is not None:
            yield broken("pieces", subject, f"a piece of it stands on {spot}, which is spot; only a run in one piece may")
        yield from _work(case, name, found)


def _misshapen(case: Case, found: list[list[JobPart]]) -> str | None:
    """Return what keeps the pieces of a job from being some, one after the other; None where nothing does."""
    if len(found) == 1:
        return "has an end of its own, and no second piece"
    if any(len({part.end_edge for part in piece}) > 1 for piece in found):
        return "workers of one piece of it end at different times"
    for before, after in pairwise(found):
        if (end := before[0].end_edge) is None or end > after[0].start_slot:
            return f"goes on at {case.when(after[0].start_slot)}, before the piece begun at {case.when(before[0].start_slot)} ends"
    return None


def _work(case: Case, name: str, found: list[list[JobPart]]) -> Iterator[Finding]:
    """Tell where the pieces of a job do less than its work, where one does nothing, and where the last is longer than needed."""
    done = [_share(case, name, found, number) for number in range(len(found))]
    idle = next((number for number, share in enumerate(done) if share <= FORGIVEN), None)
    if idle is not None:
        start = case.when(found[idle][0].start_slot)
        yield broken("pieces", f"job {name}", f"the piece begun at {start} is over before any work is done in it")
    elif sum(done) < 1 - FORGIVEN:
        yield broken("pieces", f"job {name}", f"its {len(found)} pieces do {sum(done):.1%} of its work")
    elif sum(done[:-1]) + _share(case, name, found, len(found) - 1, less=1) >= 1 - FORGIVEN:
        yield broken("pieces", f"job {name}", "its work is done before the last slot of its last piece begins")


def _share(case: Case, name: str, found: list[list[JobPart]], number: int, less: int = 0) -> float:
    """Return the share of its work that a job does in a piece; less: in that many slots fewer."""
    first, edges_s = found[number][0], case.problem.grid.edges_s
    booked_minutes = (edges_s[(first.end_edge or 0) - less] - edges_s[first.start_slot]) / 60.0
    job, piece = case.problem.job_by_name[name], piece_at(number, len(found))
    return work_share(case.problem, job, case.pool(first.node), piece, booked_minutes)
