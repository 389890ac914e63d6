"""The proof of a plan: gap and status from its value and a proven bound. It trusts no solver's word."""

from __future__ import annotations

from schedplan.model.plan import PlanStatus, Proof

EXACT = 1e-9
INCONSISTENT = 1e-6


def prove(objective: float, bound: float | None, unavoidable: float = 0.0) -> Proof:
    """Return status and gap of F = `objective` against a lower `bound` (None: nothing is proven).

    gap = (U − L)/|U|, 0 where both are 0, None where U alone is 0. `gap_avoidable` takes the part of F that no plan can
    avoid off both. Optimal only if U − L < 1e-9 · max(1, |U|). AssertionError for a bound above the plan: one of them is wrong.
    """
    if bound is None:
        return Proof(PlanStatus.FEASIBLE, objective, None, None, None, "")
    if bound > objective + INCONSISTENT * max(1.0, abs(objective)):
        raise AssertionError(f"the bound {bound!r} is above a plan of {objective!r} that holds")
    is_optimal = objective - bound < EXACT * max(1.0, abs(objective))
    kept = min(bound, objective)
    status = PlanStatus.OPTIMAL if is_optimal else PlanStatus.FEASIBLE
    if is_optimal:
        return Proof(status, objective, kept, 0.0, 0.0, "")
    return Proof(status, objective, kept, _gap(objective, kept), _gap(objective - unavoidable, kept - unavoidable), "")


def _gap(objective: float, bound: float) -> float | None:
    if objective == 0:
        return 0.0 if bound == 0 else None
    return (objective - bound) / abs(objective)
