"""slices: profiles stand at legal starts of single devices, each at the same one while it runs; no memory slice is held twice."""

from __future__ import annotations

from collections.abc import Iterator

from schedplan.measures.rules.case import Case, broken
from schedplan.model.findings import Finding


def slices(case: Case) -> Iterator[Finding]:
    for found in case.unassigned:
        if found.rule == "slices":
            pool = case.pool(found.node)
            model = pool.geometry.name if pool.geometry is not None else pool.accelerator
            yield broken(
                "slices", f"node {found.node}", f"its profiles find no legal starts for their whole runs on {pool.gpus} {model}"
            )
