"""Options of one solve. Limits are counts of deterministic work, so that a run can be repeated."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SolveOptions:
    """gap None: 0 below `exact_columns` columns, else 0.01. time_limit_s is a far safety stop, never the usual end.

    work_limit: CP-SAT's deterministic time on a model of at most `whole_columns` columns, or on single nodes; a larger one
    on pools gets `glance_limit`, the relaxation with rounding rows, and boxes. What is solved whole, and what has at most
    branched_columns, HiGHS branches too: `branch_work` nodes x columns up to `branch_columns`, beyond that its relaxation alone.
    More columns on pools, up to beside_columns, it branches beside the search on nodes, beside_work nodes x columns, on what the
    best plan on pools leaves open.
    What is not solved whole is searched by boxes: pool_boxes on pools, node_boxes on single nodes, each with box_work of
    deterministic time, fewer where most of them need it all; models on nodes beyond node_columns by boxes alone. A model on
    pools that would take more than memory_mb is not built, nor one on nodes beyond box_columns, nor one that looks for a conflict
    beyond pool_columns; beyond box_columns the plan on pools is packed on nodes, and node_frames boxes are
    built each by itself, with frame_work each.
    Beyond about apart_columns columns on pools, parts that share nothing are solved one by one.
    A problem whose model on pools would take more than memory_mb is dealt out as shares of nodes, jobs and demand, of about
    share_columns columns each, where its rules allow that and they are no more than most_shares.
    Beyond long_slots slots, a model on pools of more than about long_columns is not built: price_steps prove a bound over all of
    them, and parts of window_slots slots are planned one after another, each with the overlap_slots behind it in view, and with
    window_frames boxes on its nodes; of more than about window_columns, and where no rule ties jobs to more than
    room, windows and quotas, prices alone make a plan. It is renewed on nodes until renewal_work millions of cells are looked at.
    is_near: whether a plan that keeps to an earlier one is that one mended where not all of it can be searched at once, with boxes
    around what has changed, near_box_work each, until these have taken near_work; else everything is searched anew.
    is_probed: whether CP-SAT looks for more fixed values and ties of a model before it searches it, which takes about as long as
    the search where that is short.
    """

    gap: float | None = None
    seed: int = 0
    time_limit_s: float | None = None
    work_limit: float = 8.0
    glance_limit: float = 0.5
    whole_columns: int = 1_000
    exact_columns: int = 5_000
    branch_work: int = 1_000_000
    branch_columns: int = 60_000
    branched_columns: int = 2_500
    beside_columns: int = 10_000
    beside_work: int = 600_000
    node_columns: int = 6_000
    box_columns: int = 60_000
    pool_columns: int = 400_000
    memory_mb: int = 3_000
    pool_boxes: int = 36
    node_boxes: int = 40
    box_work: float = 0.5
    node_frames: int = 60
    frame_work: float = 0.3
    apart_columns: int = 20_000
    share_columns: int = 700_000
    most_shares: int = 24
    long_slots: int = 48
    long_columns: int = 60_000
    window_slots: int = 24
    overlap_slots: int = 12
    window_frames: int = 20
    window_columns: int = 1_500_000
    renewal_work: float = 4_000.0
    price_steps: int = 300
    is_near: bool = True
    near_work: float = 1.5
    near_box_work: float = 0.15
    is_probed: bool = True
    require_optimal: bool = False

    def branch_nodes(self, n_columns: int) -> int:
        """Return the nodes of branch and bound that a model on pools gets; 0 = its relaxation alone."""
        return 0 if n_columns > self.branch_columns else self.branch_work // max(n_columns, 1)

    def gap_for(self, n_columns: int) -> float:
        """Return the relative gap at which a model of so many columns may stop."""
        if self.gap is not None:
            return self.gap
        return 0.0 if n_columns < self.exact_columns else 0.01
