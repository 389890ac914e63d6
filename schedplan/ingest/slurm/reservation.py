"""A reservation of Slurm as rows of the table `outages`: nodes that take no other work for a time."""

from __future__ import annotations

from schedplan.ingest.draft import Value


def outages_of(
    name: str, nodes: tuple[str, ...], start_s: int | None, end_s: int | None, flags: tuple[str, ...]
) -> list[dict[str, Value]]:
    """Return one row per node; with the flag MAINT it is maintenance, else a reservation for somebody."""
    kind = "maintenance" if "MAINT" in flags else "reservation"
    return [{"node": node, "start": start_s, "end": end_s, "kind": kind, "note": f"Slurm reservation {name}"} for node in nodes]
