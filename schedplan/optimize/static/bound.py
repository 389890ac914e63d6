"""The bound of a static placement from prices alone, in exact arithmetic. It has never heard of a solver.

Any prices, none below 0, prove a bound. Per node of type t: β_tr of resource r, γ_t of a device, δ of a place; σ_tz of a share of
z slices; λ_c of a unit of a sum that quotas bound by L_c (quota_cuts), of which work takes asked_c. A device can be cut into shares
worth at most max_q Σ a_qz σ_tz, so γ_t is raised to that. A unit of class k on t costs cost_tk = Σ_r r_k β_tr + (shares_k σ_tz or
whole_k γ_t) + its places + Σ_c asked_c λ_c, a replica of s likewise cost_ts, and no plan places more than

    Σ_k D_k max(0, max_t (w_k − cost_tk)) + Σ_t N_t (Σ_r R_tr β_tr + G_t γ_t + Σ places x δ) + Σ_c L_c λ_c
    − Σ_s max(min_t r_ts cost_ts, least_s min_t cost_ts)

Source: linear duality. Prices of shares at the optimum are a dual feasible function of the device (Fekete and Schepers 2001,
doi.org/10.1007/s101070100243).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from schedplan.model.plan import Price
from schedplan.model.workload import WorkerShape
from schedplan.optimize.constraints.topology import is_on_one_node
from schedplan.optimize.static.instance import DEVICES, Instance, Need, NodeType, is_tall, is_unknown
from schedplan.optimize.static.patterns import dearest_pattern
from schedplan.optimize.static.quota_cuts import QuotaCut
from schedplan.optimize.static.services import ServiceNeed

SCALE = 1 << 32
# What the check of a plan forgives in a sum per node, and in the cover of a service: no plan it accepts lies above the bound.
FORGIVEN = Fraction(1, 10**6)
COVER_FORGIVEN = Fraction(1, 10**6)
PLACE, LIMIT, SHARE, DEVICE, QUOTA = "place", "limit", "share", "device", "quota"


@dataclass(frozen=True, slots=True)
class ProvenBound:
    """The most weighed size that any plan places, exactly, and the highest price of a device that it rests on."""

    value: Fraction
    dearest_device: Fraction


def bound_of(relaxed: Instance, services: Sequence[ServiceNeed], prices: Sequence[Price]) -> ProvenBound:
    """Return what prices prove of an instance (built with is_relaxed). ValueError for a price below 0."""
    if any(not price.value >= 0 for price in prices):
        raise ValueError("a price of a proof is below 0")
    by_pool: dict[str, dict[str, Fraction]] = {}
    for price in prices:
        by_pool.setdefault(price.pool, {})[price.item] = Fraction(price.value)
    priced = {item.removeprefix(f"{QUOTA} "): price for item, price in by_pool.pop("", {}).items()}
    cuts = [(cut, priced[cut.name]) for cut in relaxed.cuts if cut.name in priced]
    tariffs = [_Tariff(relaxed, services, one, by_pool.get(one.pool.name, {}), cuts) for one in relaxed.types]
    total = sum((tariff.worth() for tariff in tariffs), Fraction(0))
    total += sum((cut.limit * price for cut, price in cuts), Fraction(0))
    for k, job_class in enumerate(relaxed.classes):
        job = job_class.job
        workers = job.workers if is_on_one_node(job.topology) else 1
        costs = [
            tariff.cost(need, job.shape, workers)
            + tariff.limit_cost(job.name, workers)
            + tariff.quota_cost(job.tenant, job.shape, workers)
            for tariff, need in zip(tariffs, relaxed.needs[k], strict=True)
            if need is not None
        ]
        total += job_class.demand * max(Fraction(0), max((job_class.weight - cost for cost in costs), default=Fraction(0)))
    for service in services:
        total -= (1 - COVER_FORGIVEN) * _least_cost(tariffs, service)
    return ProvenBound(total, max((tariff.device for tariff in tariffs), default=Fraction(0)))


def place_item(relaxed: Instance, item: int, part: int) -> str:
    """Return the name of the places for units that need more than the (part + 1)th part of an item of a node."""
    return f"{PLACE} {DEVICE if item == DEVICES else relaxed.resources[item]} {part}"


class _Tariff:
    """The prices on one type of nodes."""

    def __init__(
        self,
        relaxed: Instance,
        services: Sequence[ServiceNeed],
        of: NodeType,
        prices: dict[str, Fraction],
        cuts: Sequence[tuple[QuotaCut, Fraction]],
    ) -> None:
        self.relaxed, self.of, self.cuts = relaxed, of, cuts
        needs = [row[of.idx] for row in relaxed.needs] + [one.needs[of.idx] for one in services]
        sizes = tuple(sorted({need.size for need in needs if need is not None and need.shares}))
        scaled = tuple(ceil(prices.get(f"{SHARE} {size}", Fraction(0)) * SCALE) for size in sizes)
        self.share = {size: Fraction(price, SCALE) for size, price in zip(sizes, scaled, strict=True)}
        widest, _ = dearest_pattern(sizes, scaled, of.slices)
        self.device = max(prices.get(DEVICE, Fraction(0)), Fraction(widest, SCALE))
        self.resource = {
            name: prices.get(name, Fraction(0))
            for name, has in zip(relaxed.resources, of.capacity, strict=True)
            if not is_unknown(int(has))
        }
        self.places = [(item, part, price) for item, part, price in self._places(prices) if price]
        self.limits = {item.removeprefix(f"{LIMIT} "): price for item, price in prices.items() if item.startswith(f"{LIMIT} ")}

    def worth(self) -> Fraction:
        """What all nodes of the type are worth."""
        pool = self.of.pool
        offered = {"cpus": pool.cpus, "memory_gib": pool.memory_gib, **dict(pool.resources)}
        each = self.of.devices * self.device
        each += sum(((Fraction(offered.get(name) or 0.0) + FORGIVEN) * price for name, price in self.resource.items()), Fraction(0))
        each += sum((part * price for _, part, price in self.places), Fraction(0))
        each += sum((self._most(name) * price for name, price in self.limits.items()), Fraction(0))
        return self.of.count * each

    def cost(self, need: Need, shape: WorkerShape, workers: int) -> Fraction:
        """What one unit of so many workers takes of a node, at these prices."""
        asked = {"cpus": shape.cpus, "memory_gib": shape.memory_gib, **dict(shape.resources)}
        cost = need.whole * self.device + (need.shares * self.share[need.size] if need.shares else 0)
        for name, price in self.resource.items():
            if price:
                cost += workers * Fraction(asked.get(name, 0.0)) * price
        return cost + sum((price for item, part, price in self.places if is_tall(need, self.of, item, part)), Fraction(0))

    def limit_cost(self, job: str, workers: int) -> Fraction:
        """What the places cost that a unit of a job takes of those for its class alone."""
        return workers * self.limits.get(job, Fraction(0))

    def quota_cost(self, tenant: str, shape: WorkerShape, workers: int) -> Fraction:
        """What so many workers cost of what quotas bound."""
        accelerator = self.of.pool.accelerator
        return workers * sum((cut.asked(tenant, shape, accelerator) * price for cut, price in self.cuts), Fraction(0))

    def _places(self, prices: dict[str, Fraction]) -> list[tuple[int, int, Fraction]]:
        names = {DEVICE: DEVICES, **{name: idx for idx, name in enumerate(self.relaxed.resources)}}
        found = []
        for text, price in prices.items():
            kind, _, rest = text.partition(" ")
            name, _, part = rest.rpartition(" ")
            if kind == PLACE and name in names and part.isdecimal():
                found.append((names[name], int(part), price))
        return found

    def _most(self, job: str) -> int:
        found = next((one.job for one in self.relaxed.classes if one.job.name == job), None)
        if found is None or found.shape.max_per_node is None:
            raise ValueError(f"a price speaks of a limit of workers per node for {job}, which has none")
        return found.shape.max_per_node


def _least_cost(tariffs: Sequence[_Tariff], service: ServiceNeed) -> Fraction:
    """What a service's replicas take at least: as many as its target needs, or as its minimum says."""
    options = [
        (least, tariff.cost(need, service.shape, 1) + tariff.quota_cost(service.tenant, service.shape, 1))
        for tariff, need, least in zip(tariffs, service.needs, service.least, strict=True)
        if need is not None and least is not None
    ]
    if not options:
        return Fraction(0)
    return max(min(least * cost for least, cost in options), service.min_replicas * min(cost for _, cost in options))
