"""Nodes: pools of identical ones, what they offer and what they cost. It does not know what runs on them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from schedplan.model.slices import Geometry, SliceProfile, geometry_of


class Market(Enum):
    """How a node is paid for. Owned and reserved nodes are paid whether used or not."""

    OWNED = "owned"
    RESERVED = "reserved"
    ON_DEMAND = "on_demand"
    SPOT = "spot"

    @property
    def is_sunk(self) -> bool:
        return self in (Market.OWNED, Market.RESERVED)


class NodeStatus(Enum):
    READY = "ready"
    CORDONED = "cordoned"
    DOWN = "down"


@dataclass(frozen=True, slots=True)
class Taint:
    """`key=value:effect`; NoSchedule and NoExecute keep away what does not tolerate them, PreferNoSchedule does not."""

    key: str
    value: str
    effect: str

    @property
    def is_binding(self) -> bool:
        return self.effect in ("NoSchedule", "NoExecute")


@dataclass(frozen=True, slots=True)
class Pool:
    """Identical nodes: one row of the table `nodes`. Per node unless a field says otherwise; None = unknown, never binding.

    cpus in cores, memory in GiB, price in currency per node-hour, power in watts. The defaults are those of the table.
    rules: texts of the rules (`[rules] forbid`) whose right side matches these nodes.
    """

    name: str
    count: int = 1
    min_count: int = 1
    max_count: int = 1
    cluster: str = "default"
    region: str | None = None
    zone: str | None = None
    rack: str | None = None
    block: str | None = None
    accelerator: str | None = None
    gpus: int = 0
    gpu_memory_gib: float | None = None
    slices_per_gpu: int = 1
    device_groups: int = 1
    cpus: float | None = None
    memory_gib: float | None = None
    resources: tuple[tuple[str, float], ...] = ()
    market: Market = Market.OWNED
    price_per_hour: float = 0.0
    billing_minutes: float = 0.0
    interruptions_per_hour: float = 0.0
    startup_minutes: float = 0.0
    power_idle_w: float | None = None
    power_max_w: float | None = None
    pue: float = 1.0
    status: NodeStatus = NodeStatus.READY
    caches: tuple[str, ...] = ()
    labels: tuple[tuple[str, str], ...] = ()
    taints: tuple[Taint, ...] = ()
    rules: tuple[str, ...] = ()

    @property
    def nodes(self) -> int:
        """Nodes a plan may use: what is paid for anyway where sunk (`count`), else up to `max_count`; 0 unless ready."""
        if self.status is not NodeStatus.READY:
            return 0
        return self.count if self.market.is_sunk else self.max_count

    @property
    def geometry(self) -> Geometry | None:
        """How its devices may be split into named profiles; None where that is not known of their model."""
        return geometry_of(self.accelerator, self.gpu_memory_gib) if self.gpus else None

    def profile(self, name: str | None) -> SliceProfile | None:
        """Return the named profile as its devices have it; None where none is named, or they do not have it."""
        geometry = None if name is None or self.slices_per_gpu == 1 else self.geometry
        if geometry is None or geometry.compute_slices != self.slices_per_gpu:
            return None
        return geometry.by_name.get(name or "")

    @property
    def always_on(self) -> int:
        """Nodes that are paid for in every slot."""
        return self.count if self.market.is_sunk else self.min_count

    def node_names(self) -> tuple[str, ...]:
        """Return the names of its single nodes: the pool's own where it is one node, else `name/01` to the width of max_count.

        As many as the pool may ever have (max_count), so that a name never changes its meaning.
        """
        if self.count == 1 and self.max_count == 1:
            return (self.name,)
        width = len(str(self.max_count))
        return tuple(f"{self.name}/{number:0{width}d}" for number in range(1, self.max_count + 1))


@dataclass(frozen=True, slots=True)
class Speed:
    """How fast work of `kind` (a kind of job, or the name of a job or service) runs on a device model; reference = 1."""

    accelerator: str
    kind: str
    speed: float


@dataclass(frozen=True)
class Cluster:
    """All pools, by unique name in the order of their names, and the speeds of their devices."""

    pools: tuple[Pool, ...]
    speeds: tuple[Speed, ...] = ()

    @cached_property
    def by_name(self) -> dict[str, Pool]:
        return {pool.name: pool for pool in self.pools}

    @cached_property
    def pool_of_node(self) -> dict[str, Pool]:
        """Pool of every single node that a plan may name."""
        return {name: pool for pool in self.pools for name in pool.node_names()}

    @cached_property
    def nodes(self) -> tuple[str, ...]:
        """Names of all single nodes, pools by name, nodes by number: the row order of every [node, slot] array."""
        return tuple(self.pool_of_node)

    @cached_property
    def nodes_of_pool(self) -> dict[str, tuple[int, ...]]:
        """Indices of the nodes that each pool has now."""
        return {pool.name: tuple(self.node_idx[name] for name in pool.node_names()[: pool.nodes]) for pool in self.pools}

    @cached_property
    def node_idx(self) -> dict[str, int]:
        return {name: idx for idx, name in enumerate(self.nodes)}

    @cached_property
    def has_devices(self) -> bool:
        """Whether devices are the counted resource; else cores are."""
        return any(pool.gpus > 0 for pool in self.pools)

    @cached_property
    def totals(self) -> tuple[float, float, float]:
        """Devices, cores and GiB of all nodes that a plan may use; what is not known counts as 0."""
        return (
            float(sum(pool.nodes * pool.gpus for pool in self.pools)),
            float(sum(pool.nodes * (pool.cpus or 0.0) for pool in self.pools)),
            float(sum(pool.nodes * (pool.memory_gib or 0.0) for pool in self.pools)),
        )

    def speed(self, accelerator: str | None, name: str, kind: str) -> float:
        """Return the speed of one job or service on a device model: its own row, else that of its kind, else 1."""
        found = self._speed_of.get((accelerator or "", name)) or self._speed_of.get((accelerator or "", kind))
        return found or 1.0

    @cached_property
    def _speed_of(self) -> dict[tuple[str, str], float]:
        return {(row.accelerator, row.kind): row.speed for row in self.speeds}
