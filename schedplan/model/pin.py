"""Pins: decisions made by hand that a plan keeps. It knows no slots and no plan."""

from __future__ import annotations

from dataclasses import dataclass

from schedplan.model.cluster import Cluster


@dataclass(frozen=True, slots=True)
class Pin:
    """One row of the table `pins`, of a job or (is_service) a service of that name.

    A job stands with all its workers on `node` (a single node, or any nodes of a pool; None: anywhere) and starts with the first
    slot that begins at or after start_s (None: any). A service has at least `replicas` on `node` in every slot that begins at or
    after start_s (None: in every slot). makes_required: the job must be placed only because of the pin.
    """

    work: str
    node: str | None
    start_s: int | None = None
    replicas: int = 1
    is_service: bool = False
    makes_required: bool = False

    @property
    def subject(self) -> str:
        """Return what is pinned, as a person names it: `job a`, `service s`."""
        return f"{'service' if self.is_service else 'job'} {self.work}"

    def nodes(self, cluster: Cluster) -> tuple[str, ...]:
        """Return the single nodes that the place stands for; all nodes where there is no place."""
        if self.node is None:
            return cluster.nodes
        pool = cluster.by_name.get(self.node)
        return (self.node,) if pool is None else pool.node_names()
