"""gang: all workers at once (of an elastic gang the least or more), in one family of nodes; rows of one gang together or none.

So in each piece of a job that runs in several.
"""

from __future__ import annotations

from collections.abc import Iterator

from schedplan.measures.gang_family import loads_on, spot_market
from schedplan.measures.rules.case import Case, broken
from schedplan.model.findings import Finding
from schedplan.model.plan import JobPart
from schedplan.model.workload import JobState


def gang(case: Case) -> Iterator[Finding]:
    for name, parts in ((name, piece) for name, pieces in case.pieces_of.items() for piece in pieces):
        job = case.problem.job_by_name[name]
        placed = sum(part.workers for part in parts)
        if placed < job.least_workers:
            least = f"at least {job.least_workers}" if job.is_elastic else "all"
            told = f"{placed} of {job.workers} workers are placed; {least} start together or none does"
            yield broken("gang", f"job {name}", told)
        starts = sorted({part.start_slot for part in parts})
        if len(starts) > 1:
            yield broken("gang", f"job {name}", f"its workers start at {' and '.join(case.when(slot) for slot in starts)}")
        if job.state is not JobState.RUNNING:
            yield from _family(case, name, parts)
    yield from _rows_of_gangs(case)


def _family(case: Case, name: str, parts: list[JobPart]) -> Iterator[Finding]:
    pools = [case.pool(part.node) for part in parts]
    families = {
        "cluster": sorted({pool.cluster for pool in pools}),
        "accelerator": sorted({pool.accelerator or "none" for pool in pools}),
        "market": sorted({pool.market.value for pool in pools}),
    }
    for kind, values in families.items():
        if len(values) > 1:
            yield broken("gang", f"job {name}", f"its workers stand in more than one {kind}: {', '.join(values)}")
    if len({loads_on(case.problem.job_by_name[name], pool) for pool in pools}) > 1:
        holds = f"some of its nodes hold {case.problem.job_by_name[name].affinity} and others would load it"
        yield broken("gang", f"job {name}", f"{holds}; a gang loads on all of its nodes or on none")
    if len({spot_market(pool, case.problem.price_per_h(pool)) for pool in pools}) > 1:
        names = ", ".join(sorted({pool.name for pool in pools}))
        yield broken(
            "gang", f"job {name}", f"its workers stand on spot nodes of more than one price, reclaim rate or size: {names}"
        )


def _rows_of_gangs(case: Case) -> Iterator[Finding]:
    for rows in sorted(set(case.problem.gang_rows.values()), key=lambda rows: rows[0].gang or ""):
        subject, names = f"gang {rows[0].gang}", [job.name for job in rows]
        placed = [name for name in names if name in case.parts_of]
        if placed and len(placed) < len(names):
            missing = ", ".join(name for name in names if name not in case.parts_of)
            yield broken("gang", subject, f"{len(placed)} of its {len(names)} jobs are placed; left out: {missing}")
        starts = sorted({case.parts_of[name][0].start_slot for name in placed})
        if len(starts) > 1:
            yield broken("gang", subject, f"its jobs start at {' and '.join(case.when(slot) for slot in starts)}")
