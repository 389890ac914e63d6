"""What becomes of the plans of shares: they are joined, and where they break a rule together, prices of the whole make one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from schedplan.measures.accounting import goal_values
from schedplan.measures.feasibility import violations
from schedplan.model.plan import Decisions, Proof
from schedplan.model.problem import Problem
from schedplan.model.progress import unwatched
from schedplan.optimize.best import Best
from schedplan.optimize.decompose.in_shares import SearchInShares
from schedplan.optimize.ground import Incumbent, ground_of
from schedplan.optimize.options import SolveOptions
from schedplan.optimize.proof import prove
from schedplan.optimize.reference.plan import reference
from tests.optimize.problems import problem

OPTIONS = SolveOptions(memory_mb=0, price_steps=20)


def fleet(n_nodes: int = 2) -> Problem:
    """Nodes of 8 devices for four hours, and three times as many gangs of all devices of a node, which start in hour 1 or later."""
    jobs = [{"name": f"j{number:02}", "gpus": 8, "runtime_minutes": 60.0, "earliest_start": 1} for number in range(3 * n_nodes)]
    return problem({"slots": 4, "nodes": [{"name": "n", "count": n_nodes, "gpus": 8}], "jobs": jobs})


def of_share(share: Problem) -> tuple[Incumbent, Proof]:
    """Return the reference plan of a share."""
    decisions = reference(share)
    return Incumbent(decisions, goal_values(share, decisions), 0.0), prove(0.0, None)


def too_early(share: Problem) -> tuple[Incumbent, Proof]:
    """Return the same, with all jobs an hour before they may start."""
    found, proof = of_share(share)
    parts = tuple(replace(part, start_slot=part.start_slot - 1) for part in found.decisions.parts)
    return replace(found, decisions=Decisions(parts, found.decisions.replicas, found.decisions.on)), proof


def test_plans_of_shares_are_one_plan() -> None:
    best = Best(fleet(), OPTIONS, ground_of(fleet(), None, OPTIONS), unwatched)
    SearchInShares(best, of_share, 2).run()

    assert best.incumbent is not None
    # each share has one node and three gangs, in hours 1, 2 and 3
    assert [1, 1, 2, 2, 3, 3] == sorted(part.start_slot for part in best.incumbent.decisions.parts)
    assert "packing at prices" not in best.route
    assert max(best.bounds) <= best.incumbent.objective + 1e-9


def test_where_they_break_a_rule_prices_make_a_plan() -> None:
    best = Best(fleet(), OPTIONS, ground_of(fleet(), None, OPTIONS), unwatched)
    SearchInShares(best, too_early, 2).run()

    assert ["together the plans of the shares break a rule", "packing at prices"] == best.route[-2:]
    assert best.incumbent is not None
    assert violations(fleet(), best.incumbent.decisions) == ()
    assert {job.name for job in fleet().jobs} == {part.job for part in best.incumbent.decisions.parts}


def test_who_ends_the_search_behind_its_first_half_has_a_plan() -> None:
    whole, solved = fleet(4), list[str]()

    def until_the_third(share: Problem) -> tuple[Incumbent, Proof]:
        solved.append(share.jobs[0].name)
        if len(solved) == 3:
            raise KeyboardInterrupt
        return of_share(share)

    best = Best(whole, OPTIONS, ground_of(whole, None, OPTIONS), unwatched)
    with pytest.raises(KeyboardInterrupt):
        SearchInShares(best, until_the_third, 4).run()

    assert best.incumbent is not None
    assert len(whole.jobs) == len(best.incumbent.decisions.parts)
