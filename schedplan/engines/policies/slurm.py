"""Slurm: priority order and backfill that delays no reservation.

Facts: SchedMD/slurm doc/html/{sched_config,priority_multifactor}.shtml, src/plugins/sched/backfill (read 2026-11).
"""

from __future__ import annotations

from schedplan.engines.backfills import SOURCES, conservative
from schedplan.engines.formulas.slurm import Multifactor
from schedplan.engines.node_choices import BEST_FIT
from schedplan.engines.parameter import Parameter, Values
from schedplan.engines.part import Blocking, Compression, Order
from schedplan.engines.policy import Policy

ENGINE = "slurm"
PARAMETERS = (
    Parameter(ENGINE, "bf_max_job_test", 500.0, "waiting jobs that backfill looks at", least=1, most=100_000),
    Parameter(ENGINE, "PriorityWeightAge", 0.0, "weight of the age factor", tuned=1000.0),
    Parameter(ENGINE, "PriorityWeightJobSize", 0.0, "weight of the job-size factor"),
    Parameter(ENGINE, "PriorityWeightQOS", 0.0, "weight of the priority of jobs, over 1000", tuned=10_000.0),
    Parameter(ENGINE, "PriorityMaxAge", 604_800.0, "age in seconds at which its factor is 1", least=60, most=1e8),
    Parameter(ENGINE, "PriorityFavorSmall", False, "small jobs have the larger size factor"),
)


def slurm(values: Values) -> Policy:
    """Return the policy of one partition."""
    age, size, qos = (values.number(f"slurm.PriorityWeight{name}") for name in ("Age", "JobSize", "QOS"))
    factors = Multifactor(
        age, size, qos, max_age_s=values.whole("slurm.PriorityMaxAge"), favors_small=values.flag("slurm.PriorityFavorSmall")
    )
    return Policy(
        name=ENGINE,
        summary="Slurm: one partition, backfill that delays no reservation",
        order=Order(
            f"multifactor priority: age {age:g}, job size {size:g}, QOS {qos:g}; highest first, then earlier submission, then name",
            factors,
            by_priority=qos > 0,
        ),
        blocking=Blocking.HEAD,
        backfill=conservative(values.whole("slurm.bf_max_job_test"), Compression.REBUILD),
        nodes=BEST_FIT,
        differs=(
            "backfill acts at every event, in the engine every 30 s beside a main loop at every event",
            "reservations end a window of a day in the engine (bf_window)",
            "the fair-share factor, partitions and topology are not modelled; ages beyond PriorityMaxAge go on counting",
        ),
        sources=(*SOURCES, "SchedMD/slurm src/plugins/sched/backfill/backfill.c"),
    )
