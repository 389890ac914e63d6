"""Options of one solve. Limits are counts of deterministic work, so that a run can be repeated."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SolveOptions:
    """gap None: 0 below `exact_columns` start columns, else 0.01. time_limit_s is a far safety stop, never the usual end.

    work_limit is CP-SAT's deterministic time per model; node_columns the largest model on single nodes that is tried.
    """

    gap: float | None = None
    seed: int = 0
    threads: int = 1
    time_limit_s: float | None = None
    work_limit: float = 20.0
    exact_columns: int = 5_000
    node_columns: int = 20_000
    pool_columns: int = 400_000
    require_optimal: bool = False

    def gap_for(self, n_columns: int) -> float:
        """Return the relative gap at which a model of so many columns may stop."""
        if self.gap is not None:
            return self.gap
        return 0.0 if n_columns < self.exact_columns else 0.01
