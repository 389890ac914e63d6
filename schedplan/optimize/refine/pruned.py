"""Branch and bound on what a known plan leaves open, beside other work: a bound on F, and values where it finds better ones.

Columns: a plan better than U, the known one, has no column whose reduced cost is above U − L, L the relaxation's value; these stay
at their lower bounds. So min(U, the bound of the rest) bounds F of every plan. The rounding rows stand in its root. It looks for no
plan of its own: heuristics would take most of the time, and boxes are better at it.
"""

from __future__ import annotations

from dataclasses import dataclass
from threading import Thread

import highspy
import numpy as np

from schedplan.optimize.solvers.branch import MARGIN, lowered
from schedplan.optimize.solvers.interruptible import POLL_S
from schedplan.optimize.solvers.master import Master
from schedplan.optimize.solvers.program import Values
from schedplan.optimize.solvers.silent import SilentHighs

SETTINGS: tuple[tuple[str, bool | float], ...] = (
    ("mip_heuristic_effort", 0.0),
    ("mip_heuristic_run_feasibility_jump", False),
    ("mip_heuristic_run_rins", False),
    ("mip_heuristic_run_rens", False),
    ("mip_heuristic_run_root_reduced_cost", False),
    ("mip_detect_symmetry", False),
    ("mip_abs_gap", 0.0),
)


@dataclass(frozen=True, slots=True)
class Pruning:
    """bound: proven, on F; None where none is. values: None unless better than the known ones. nodes: how many were branched."""

    bound: float | None
    values: Values | None
    nodes: int
    hit_clock: bool


class Pruned:
    """A run that goes on in a thread of its own from the moment it is made; `result` waits for its end.

    The run counts its nodes, so that it ends at the same place whatever goes on beside it.
    """

    def __init__(self, master: Master, known: Values, max_nodes: int, gap: float, seed: int, limit_s: float | None) -> None:
        """master: solved. known: values that keep its program."""
        self.program = master.program
        self.known = self.program.objective(known)
        self.highs = SilentHighs()
        for option, setting in (*SETTINGS, ("random_seed", seed), ("mip_rel_gap", gap), ("mip_max_nodes", max_nodes)):
            self.highs.setOptionValue(option, setting)
        if limit_s is not None:
            self.highs.setOptionValue("time_limit", max(limit_s, 0.0))
        self.highs.passModel(_open(master, self.known))
        begun = highspy.HighsSolution()
        begun.col_value = known.astype(float).tolist()
        self.highs.setSolution(begun)
        self.failed: list[BaseException] = []
        self.thread = Thread(target=self._run, daemon=True)
        self.thread.start()

    def result(self) -> Pruning:
        """Wait for the end and return what is proven and found; raise what the run raised."""
        while self.thread.is_alive():
            self.thread.join(POLL_S)
        if self.failed:
            raise self.failed[0]
        info, status = self.highs.getInfo(), self.highs.getModelStatus()
        proven = lowered(min(info.mip_dual_bound, self.known))
        found = np.rint(np.array(self.highs.getSolution().col_value)).astype(np.int64)
        is_better = len(found) == self.program.n_columns and self.program.is_kept_by(found)
        is_better = is_better and self.program.objective(found) < self.known - MARGIN
        return Pruning(
            proven,
            found if is_better else None,
            int(info.mip_node_count),
            status == highspy.HighsModelStatus.kTimeLimit,
        )

    def _run(self) -> None:
        try:
            self.highs.run()
        except BaseException as problem:  # noqa: BLE001 handed to whoever asks for the result
            self.failed.append(problem)


def _open(master: Master, known: float) -> highspy.HighsLp:
    """Return the program with its rounding rows and only the columns that a plan better than the known one can have."""
    found = master.whole(is_integer=True)
    program = master.program
    found.col_upper_ = np.where(master.is_open(known), program.upper, program.lower).astype(float)
    return found
