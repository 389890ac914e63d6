"""Outages: when nodes take no work, by name or by the domain they stand in. It knows no slots and no plan."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import tzinfo
from enum import Enum

from schedplan.model.cluster import Cluster, Pool
from schedplan.timegrid import format_local


class OutageKind(Enum):
    MAINTENANCE = "maintenance"
    FAILURE = "failure"
    RESERVATION = "reservation"


@dataclass(frozen=True, slots=True)
class Outage:
    """One row of the table `outages`. place: a single node, a pool, or a domain (zone, rack or block) where is_domain.

    Instants in seconds; start_s before end_s.
    """

    place: str
    start_s: int
    end_s: int
    kind: OutageKind = OutageKind.MAINTENANCE
    is_domain: bool = False
    note: str | None = None

    @property
    def subject(self) -> str:
        """Return what is away, as a person names it: `node n1`, `domain rack7`."""
        return f"{'domain' if self.is_domain else 'node'} {self.place}"

    def told(self, zone: tzinfo) -> str:
        """Return when and why, e.g. `maintenance, 2026-12-01 10:00+00:00 to 2026-12-01 12:00+00:00`."""
        return f"{self.kind.value}, {format_local(self.start_s, zone)} to {format_local(self.end_s, zone)}"

    def covers_pool(self, pool: Pool) -> bool:
        """Whether all nodes of a pool are away with it."""
        return self.place in (pool.zone, pool.rack, pool.block) if self.is_domain else self.place == pool.name

    def nodes(self, cluster: Cluster) -> tuple[str, ...]:
        """Return the single nodes that are away, in the order of the cluster."""
        return tuple(
            name
            for name, pool in cluster.pool_of_node.items()
            if self.covers_pool(pool) or (not self.is_domain and self.place == name)
        )
