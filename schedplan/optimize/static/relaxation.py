"""The relaxation of a static placement: nodes of a type poured together, devices by their patterns.

Sets: types t of N_t nodes with G_t devices and R_tr of resource r, classes k of D_k units, device patterns q, services s.
Variables: x[t,k] units of k on t, y[t,q] devices of t cut by q, z[t,s] replicas of s on t.
max Σ w_k x, under the rows
  demand    Σ_t x[t,k] <= D_k
  resource  Σ_k r_k x (+ replicas) <= R_tr N_t
  share     Σ_{k of size z} shares_k x <= Σ_q a_qz y[t,q], for each t and size z
  device    Σ_q y + Σ_k whole_k x <= G_t N_t
  count     Σ_{k: need above 1/(j+1) of a node} x <= j N_t, for devices and each resource, j = 1, 2, 3
  most      x[t,k] <= max_per_node_k N_t
  quota     Σ asked_k x (+ replicas) <= L_c, for each sum c that quotas bound (quota_cuts)
  service   Σ_t z[t,s] / r[s,t] >= 1 and Σ_t z[t,s] >= least
Intuition: pouring nodes together loses little where devices bind; cutting devices by patterns is what decides, because two shares
above half a device need two devices, however much is left of both.
Source of patterns: Gilmore and Gomory 1961, doi.org/10.1287/opre.9.6.849.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from schedplan.model.plan import Price
from schedplan.model.workload import Job, Service
from schedplan.optimize.static.bound import DEVICE, LIMIT, QUOTA, SHARE, place_item
from schedplan.optimize.static.instance import DEVICES, Instance, Need, NodeType, can_hold, is_tall, is_unknown
from schedplan.optimize.static.patterns import Pattern, dearest_pattern, maximal_patterns
from schedplan.optimize.static.program import Answer, Floats, Matrix, Program, matrix_of
from schedplan.optimize.static.services import ServiceNeed

MOST_PER_NODE = (1, 2, 3)
MICRO = 1_000_000.0
PRICE_SCALE = 1 << 32
PRICE_DIGITS = 12
PATTERN_ROUNDS = 30


@dataclass(frozen=True, slots=True)
class Row:
    """One row: `kind` of the table above; type, class or service and item (resource, size, part of a node) it is about."""

    kind: str
    of: int
    item: int = 0
    part: int = 0


@dataclass
class Relaxation:
    """The rows and columns of an instance. Columns: units, then replicas, then patterns; `add_patterns` appends to the last."""

    instance: Instance
    services: tuple[ServiceNeed, ...] = ()
    rows: list[Row] = field(init=False)
    row_of: dict[Row, int] = field(init=False)
    units: list[tuple[int, int]] = field(init=False)
    replicas: list[tuple[int, int]] = field(init=False)
    cuts: list[tuple[int, Pattern]] = field(init=False)
    sizes: list[tuple[int, ...]] = field(init=False)
    columns: list[list[tuple[int, float]]] = field(init=False)
    lists_all_cuts: bool = field(init=False)
    tall: list[list[Row]] = field(init=False)
    _matrix: Matrix | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        types = range(len(self.instance.types))
        found = self.instance.needs
        self.units = [(t, k) for t in types for k in range(len(found)) if can_hold(self.instance.types[t], found[k][t])]
        self.replicas = [(t, s) for s, one in enumerate(self.services) for t in types if one.needs[t] is not None and one.least[t]]
        self.sizes = [self._sizes(t) for t in types]
        self.rows = self._rows()
        self.row_of = {row: idx for idx, row in enumerate(self.rows)}
        self.tall = [[row for row in self.rows if row.kind == "count" and row.of == t] for t in types]
        self.cuts = self._cuts()
        self.columns = [self._unit(t, k) for t, k in self.units] + [self._replica(t, s) for t, s in self.replicas]
        self.columns += [self._cut(t, pattern) for t, pattern in self.cuts]

    @property
    def n_before_cuts(self) -> int:
        return len(self.units) + len(self.replicas)

    def matrix(self) -> Matrix:
        """Return all columns as they are now."""
        if self._matrix is None or self._matrix.n_columns < len(self.columns):
            self._matrix = matrix_of(len(self.rows), self.columns)
        return self._matrix

    def gain(self, weights: Floats) -> Floats:
        """Return the gain per column for a weight per class."""
        rest = len(self.columns) - len(self.units)
        return np.concatenate((weights[[k for _, k in self.units]] if self.units else np.zeros(0), np.zeros(rest)))

    def limits(self, slack: float = 0.0) -> tuple[Floats, Floats]:
        """Return (low, high) of all rows, a share `slack` of cores and memory set aside."""
        high = np.array([self._limit(row, slack) for row in self.rows], dtype=np.float64)
        low = np.full(len(high), -np.inf)
        for idx, row in enumerate(self.rows):
            if row.kind in ("service", "least"):
                low[idx] = high[idx]
                high[idx] = np.inf
        return low, high

    def solve(self, weights: Floats, slack: float = 0.0) -> Answer | None:
        """Return the optimum of the relaxation, patterns priced in where not all of them are listed; None where it has none."""
        low, high = self.limits(slack)
        for _ in range(PATTERN_ROUNDS):
            answer = Program(self.matrix(), self.gain(weights), high, low=low).solve()
            if answer is None or self.lists_all_cuts or not self._price(answer.prices):
                return answer
        return answer

    def prices(self, answer: Answer) -> tuple[Price, ...]:
        """Return the prices of rows that an optimum gives, as a proof states them: rounded, none below 0, zeros left out."""
        found = []
        for row, value in zip(self.rows, answer.prices, strict=True):
            price = round(float(value), PRICE_DIGITS)
            item = self._item(row)
            if price > 0 and item is not None:
                found.append(Price(self._pool(row), item, price))
        return tuple(sorted(found))

    def _pool(self, row: Row) -> str:
        """The pool that stands for the nodes a row is about; none for what is about all nodes."""
        if row.kind == "quota":
            return ""
        return self.instance.types[row.item if row.kind == "most" else row.of].pool.name

    def _item(self, row: Row) -> str | None:  # noqa: PLR0911 a table of kinds
        match row.kind:
            case "resource":
                return self.instance.resources[row.item]
            case "share":
                return f"{SHARE} {row.item}"
            case "device":
                return DEVICE
            case "count":
                return place_item(self.instance, row.item, row.part)
            case "most":
                return f"{LIMIT} {self.instance.classes[row.of].job.name}"
            case "quota":
                return f"{QUOTA} {self.instance.cuts[row.of].name}"
            case _:
                return None

    def members(self, node_type: NodeType, item: int, part: int) -> list[int]:
        """Return the classes of which at most `part` units stand on one node, by their need of an item."""
        return [
            k for k in range(len(self.instance.classes)) if is_tall(self.instance.needs[k][node_type.idx], node_type, item, part)
        ]

    def _rows(self) -> list[Row]:
        instance = self.instance
        rows = [Row("demand", one.idx) for one in instance.classes]
        for one in instance.types:
            rows += [Row("resource", one.idx, r) for r, has in enumerate(one.capacity) if not is_unknown(int(has))]
            rows += [Row("share", one.idx, size) for size in self.sizes[one.idx]]
            if one.devices:
                rows.append(Row("device", one.idx))
            rows += self._count_rows(one)
        for job_class in instance.classes:
            if job_class.job.shape.max_per_node is not None:
                rows += [Row("most", job_class.idx, one.idx) for one in instance.types]
        rows += [Row("quota", idx) for idx in range(len(instance.cuts))]
        for s, service in enumerate(self.services):
            rows += [Row("service", s), *([Row("least", s)] if service.min_replicas else [])]
        return rows

    def _count_rows(self, node_type: NodeType) -> list[Row]:
        rows, seen = [], set()
        items = [DEVICES, *(r for r, has in enumerate(node_type.capacity) if not is_unknown(int(has)))]
        for item in items:
            for part in MOST_PER_NODE:
                members = tuple(self.members(node_type, item, part))
                if members and (members, part) not in seen:
                    seen.add((members, part))
                    rows.append(Row("count", node_type.idx, item, part))
        return rows

    def _sizes(self, t: int) -> tuple[int, ...]:
        needs = [row[t] for row in self.instance.needs] + [one.needs[t] for one in self.services]
        return tuple(sorted({need.size for need in needs if need is not None and need.shares}))

    def _cuts(self) -> list[tuple[int, Pattern]]:
        self.lists_all_cuts = True
        known: dict[tuple[tuple[int, ...], int], tuple[Pattern, ...]] = {}
        cuts = []
        for one in self.instance.types:
            key = (self.sizes[one.idx], one.slices)
            if key not in known:
                known[key], is_whole = maximal_patterns(*key)
                if not is_whole:
                    self.lists_all_cuts = False
                    known[key] = tuple(_uniform(key[0], one.slices))
            cuts += [(one.idx, pattern) for pattern in (known[key] if one.devices else ())]
        return cuts

    def _price(self, prices: Floats) -> bool:
        """Add the dearest pattern of each type where it is worth more than a device; return whether any was added."""
        before = len(self.cuts)
        for one in self.instance.types:
            if not self.sizes[one.idx] or not one.devices:
                continue
            of_size = [max(float(prices[self.row_of[Row("share", one.idx, size)]]), 0.0) for size in self.sizes[one.idx]]
            scaled = tuple(int(price * PRICE_SCALE) for price in of_size)
            value, pattern = dearest_pattern(self.sizes[one.idx], scaled, one.slices)
            if value / PRICE_SCALE > float(prices[self.row_of[Row("device", one.idx)]]) + 1e-7:
                self.cuts.append((one.idx, pattern))
                self.columns.append(self._cut(one.idx, pattern))
        return len(self.cuts) > before

    def _unit(self, t: int, k: int) -> list[tuple[int, float]]:
        need = self.instance.needs[k][t]
        assert need is not None
        column = [(self.row_of[Row("demand", k)], 1.0), *self._taken(t, need)]
        for row in self.tall[t]:
            if is_tall(need, self.instance.types[t], row.item, row.part):
                column.append((self.row_of[row], 1.0))
        if self.instance.classes[k].job.shape.max_per_node is not None:
            column.append((self.row_of[Row("most", k, t)], 1.0))
        job_class = self.instance.classes[k]
        return column + self._counted(job_class.job, t, job_class.job.workers if job_class.units == 1 else 1)

    def _counted(self, work: Job | Service, t: int, workers: int) -> list[tuple[int, float]]:
        """What one unit takes of the sums that quotas bound."""
        accelerator = self.instance.types[t].pool.accelerator
        asked = ((idx, float(cut.asked(work.tenant, work.shape, accelerator))) for idx, cut in enumerate(self.instance.cuts))
        return [(self.row_of[Row("quota", idx)], workers * amount) for idx, amount in asked if amount]

    def _replica(self, t: int, s: int) -> list[tuple[int, float]]:
        service = self.services[s]
        need, least = service.needs[t], service.least[t]
        assert need is not None
        assert least is not None
        column = [*self._taken(t, need), (self.row_of[Row("service", s)], 1.0 / least)]
        if service.min_replicas:
            column.append((self.row_of[Row("least", s)], 1.0))
        return column + self._counted(self.instance.problem.service_by_name[service.name], t, 1)

    def _taken(self, t: int, need: Need) -> list[tuple[int, float]]:
        column = []
        for r, amount in enumerate(need.amounts):
            row = self.row_of.get(Row("resource", t, r))
            if row is not None and amount:
                column.append((row, amount / MICRO))
        if need.shares:
            column.append((self.row_of[Row("share", t, need.size)], float(need.shares)))
        if need.whole:
            column.append((self.row_of[Row("device", t)], float(need.whole)))
        return column

    def _cut(self, t: int, pattern: Pattern) -> list[tuple[int, float]]:
        shares, device = self._cut_rows[t]
        entries = [self._entry(row, -count) for row, count in zip(shares, pattern, strict=True) if count]
        return [*entries, self._entry(device, 1)]

    def _entry(self, row: int, count: int) -> tuple[int, float]:
        """The one object of all columns that says so: there are many patterns, and few entries."""
        return self._entries.setdefault((row, count), (row, float(count)))

    @cached_property
    def _entries(self) -> dict[tuple[int, int], tuple[int, float]]:
        return {}

    @cached_property
    def _cut_rows(self) -> list[tuple[tuple[int, ...], int]]:
        """Per type, the rows of its share sizes and of its devices (-1 where it has none)."""
        return [
            (tuple(self.row_of[Row("share", t, size)] for size in sizes), self.row_of.get(Row("device", t), -1))
            for t, sizes in enumerate(self.sizes)
        ]

    def _limit(self, row: Row, slack: float) -> float:  # noqa: PLR0911 a table of kinds
        types = self.instance.types
        match row.kind:
            case "demand":
                return float(self.instance.demand[row.of])
            case "resource":
                kept = 1.0 - slack if row.item < 2 else 1.0
                return float(types[row.of].capacity[row.item]) / MICRO * types[row.of].count * kept
            case "device":
                return float(types[row.of].devices * types[row.of].count)
            case "count":
                return float(row.part * types[row.of].count)
            case "most":
                return float((self.instance.classes[row.of].job.shape.max_per_node or 0) * types[row.item].count)
            case "quota":
                held = self.instance.held[row.of] if self.instance.held else 0.0
                return max(float(self.instance.cuts[row.of].limit) - held, 0.0)
            case "service":
                return 1.0
            case "least":
                return float(self.services[row.of].min_replicas)
            case _:
                return 0.0


def _uniform(sizes: tuple[int, ...], slices: int) -> list[Pattern]:
    return [tuple(slices // size if idx == at else 0 for idx in range(len(sizes))) for at, size in enumerate(sizes)]
