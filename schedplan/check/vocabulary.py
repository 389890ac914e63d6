"""The words of rules: names of measures, statistics and units. It knows no values and no grammar."""

from __future__ import annotations

from enum import Enum
from fractions import Fraction

STATS = ("mean", "p50", "p95", "p99", "max")

_DISTRIBUTIONS = ("wait_s", "response_s", "bounded_slowdown", "latency_ms", "decision_latency_s", "scale_up_s", "queue_length")
_SINGLE = (
    "allocation",
    "borrow_cost",
    "carbon_g",
    "cost",
    "cost_allocated",
    "cost_idle",
    "cost_paid",
    "cost_per_1000_requests",
    "cost_stranded",
    "cost_used",
    "deadline_hits",
    "energy_kwh",
    "forecast_breaker",
    "forecast_coverage_95",
    "forecast_cusum",
    "forecast_drift",
    "forecast_exceedance_95",
    "forecast_mase",
    "fragmentation",
    "gang_start_rate",
    "gap",
    "gap_avoidable",
    "headroom",
    "jain_tenants",
    "lint_errors",
    "lint_warnings",
    "lost_device_h",
    "makespan_s",
    "missed_requests",
    "moved_devices",
    "moved_replica_devices",
    "on_time_probability",
    "phantom_admitted_device_h",
    "pool_loss_missed",
    "preemptions",
    "reward",
    "rework_cost",
    "slo_attainment",
    "stranded_devices",
    "unplaced",
    "utilization",
    "wait_largest_decile_s",
)

MEASURES = tuple(sorted(_SINGLE + _DISTRIBUTIONS))
KNOWN_MEASURES = tuple(sorted(MEASURES + tuple(f"{name}_{statistic}" for name in _DISTRIBUTIONS for statistic in STATS)))


class Dimension(Enum):
    """What kind of number a measure is, which decides the units a limit may have."""

    SHARE = "share"
    PERCENT = "percent"
    SECONDS = "seconds"
    MILLISECONDS = "milliseconds"
    HOURS = "hours"
    ENERGY = "energy"
    MASS = "mass"
    MONEY = "money"
    PLAIN = "plain"


_SHARES = frozenset(
    (
        "allocation",
        "deadline_hits",
        "forecast_coverage_95",
        "forecast_exceedance_95",
        "fragmentation",
        "gang_start_rate",
        "gap",
        "gap_avoidable",
        "headroom",
        "jain_tenants",
        "on_time_probability",
        "slo_attainment",
        "utilization",
    )
)
_ENDINGS = (
    ("_ms", Dimension.MILLISECONDS),
    ("_s", Dimension.SECONDS),
    ("_h", Dimension.HOURS),
    ("_kwh", Dimension.ENERGY),
    ("_g", Dimension.MASS),
)
_FACTORS: dict[Dimension, dict[str, Fraction]] = {
    Dimension.SHARE: {"%": Fraction(1, 100)},
    Dimension.PERCENT: {"%": Fraction(1)},
    Dimension.SECONDS: {
        "ms": Fraction(1, 1000),
        "s": Fraction(1),
        "m": Fraction(60),
        "min": Fraction(60),
        "h": Fraction(3600),
        "d": Fraction(86400),
    },
    Dimension.MILLISECONDS: {
        "ms": Fraction(1),
        "s": Fraction(1000),
        "m": Fraction(60000),
        "min": Fraction(60000),
        "h": Fraction(3600000),
    },
    Dimension.HOURS: {"m": Fraction(1, 60), "min": Fraction(1, 60), "h": Fraction(1), "d": Fraction(24)},
    Dimension.ENERGY: {"kWh": Fraction(1), "MWh": Fraction(1000)},
    Dimension.MASS: {"g": Fraction(1), "kg": Fraction(1000), "t": Fraction(1000000)},
    Dimension.MONEY: {},
    Dimension.PLAIN: {},
}


def dimension_of(measure: str) -> Dimension:
    """Return the dimension of a measure by its name; a statistic has that of its measure."""
    base = _without_statistic(measure)
    if base in _SHARES:
        return Dimension.SHARE
    if "cost" in base.split("_"):
        return Dimension.MONEY
    for ending, dimension in _ENDINGS:
        if base.endswith(ending):
            return dimension
    return Dimension.PLAIN


def factor_of(dimension: Dimension, unit: str) -> Fraction | None:
    """Return by what a number in `unit` is multiplied to be in the unit of the dimension; None where it doesn't belong."""
    return _FACTORS[dimension].get(unit)


def known_units(dimension: Dimension) -> tuple[str, ...]:
    """Return the units a limit of this dimension may have; money takes the code of its currency."""
    return ("a currency code such as EUR",) if dimension is Dimension.MONEY else tuple(_FACTORS[dimension])


def _without_statistic(measure: str) -> str:
    base, _, ending = measure.rpartition("_")
    return base if ending in STATS else measure
