"""The keys of schedplan.toml: type, default, range and meaning of each. It knows no file, and nothing across two keys.

`expected` is what a message says when a value is off; `meaning` is what documentation prints.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

LARGEST_SEED = 2**31 - 1
MOST_POINTS = 1e9
MOST_REWARDED = 1e15
LEAST_PER = 1e-9


def key(default: Any, meaning: str, expected: str, *, commas: bool = False, **limits: Any) -> Any:
    """Return the field of one key. commas: a flag or variable may separate the items of the list by commas.

    `limits` are pydantic's (gt, ge, lt, le, min_length, max_length).
    """
    return Field(default=default, description=meaning, json_schema_extra={"expected": expected, "commas": commas}, **limits)


class Section(BaseModel):
    """A section of the file: exact types, no unknown keys, no infinite numbers."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)


class ProjectSection(Section):
    name: str = key("project", "what reports call the project", "a text of 1 to 100 characters", min_length=1, max_length=100)
    currency: str = key("USD", "what prices are in", "a text of 1 to 16 characters", min_length=1, max_length=16)
    timezone: str = key("UTC", "time zone of days, windows and local times", "a name such as UTC or Asia/Shanghai")


class HorizonSection(Section):
    start: datetime | date | str | None = key(
        None,
        "begin of the plan; without it the first slot after the newest time of the inputs",
        "an ISO 8601 time such as 2026-12-01T00:00:00",
    )
    hours: float = key(24.0, "length of the plan in hours", "a number above 0, at most 87600", gt=0, le=87_600)
    step_minutes: int = key(60, "length of a slot in minutes", "a whole number from 1 to 10080", ge=1, le=10_080)
    slots: list[list[int]] | None = key(
        None, "uneven slots: runs of [number of slots, minutes of one]", "pairs of whole numbers such as [[24, 15], [144, 60]]"
    )


class ForecastSection(Section):
    quantile: float = key(0.95, "quantile of the load that is provided for", "a number above 0 and below 1", gt=0, lt=1)
    levels: list[int] = key([80, 95], "bands of the forecast, percent", "whole numbers from 1 to 99, increasing", commas=True)
    season: list[str] = key(
        [], "season lengths; empty: found in the history", 'durations such as ["24h", "7d"], increasing', commas=True
    )
    model: str = key("auto", "forecaster: auto, or one by name", "the name of a forecaster, or auto", min_length=1)
    engine: Literal["css", "statsmodels", "fourier"] = key(
        "css", "how SARIMA is estimated; auto tries one by statsmodels or fourier besides", "css, statsmodels or fourier"
    )
    freq: str = key("", "intervals that rows of load are put together to; empty: those of the file", "a duration such as 15m or 1h")
    agg: Literal["sum", "mean", "max", "last"] | None = key(
        None, "how rows of one interval are put together; without it a time that repeats is a fault", "sum, mean, max or last"
    )
    backtest: int = key(84, "origins on the past that a forecast is judged from, at most", "a whole number of at least 1", ge=1)
    reserve: list[str] = key([], "whose demand not yet known is kept free", "a list of selectors", commas=True)
    runtime_quantile: float | None = key(
        None,
        "quantile of the run times of like jobs that ended, taken for jobs without run time; without it their limit",
        "a number above 0 and below 1",
        gt=0,
        lt=1,
    )
    ignore_future: bool = key(False, "forecast also where the load table has rows inside the plan", "true or false")


class RatesSection(Section):
    wait: float = key(1.0, "what one device-hour of waiting counts for", "a number of at least 0", ge=0)
    tardiness: float = key(4.0, "what one device-hour of being late counts for", "a number of at least 0", ge=0)
    missed: float = key(10.0, "what one device-hour of demand not served counts for", "a number of at least 0", ge=0)


class RewardSection(Section):
    """One table of [[objective.rewards]]."""

    measure: str = Field(min_length=1)
    above: float | None = Field(default=None, ge=-MOST_REWARDED, le=MOST_REWARDED)
    below: float | None = Field(default=None, ge=-MOST_REWARDED, le=MOST_REWARDED)
    points: float = Field(ge=-MOST_POINTS, le=MOST_POINTS)
    per: float | None = Field(default=None, ge=LEAST_PER)


class ObjectiveSection(Section):
    latency: float = key(0.5, "weight of waiting, lateness and missed demand", "a number of at least 0", ge=0)
    utilization: float = key(0.3, "weight of capacity paid for and idle", "a number of at least 0", ge=0)
    cost: float = key(0.2, "weight of money", "a number of at least 0", ge=0)
    carbon: float = key(0.0, "weight of emissions", "a number of at least 0", ge=0)
    unplaced: float = key(10.0, "price of leaving all work out, in units of the objective", "a number of at least 0", ge=0)
    move_device_h: float = key(
        1.0,
        "device-hours of waiting that a device moved against an earlier plan (--from) counts for",
        "a number of at least 0",
        ge=0,
    )
    rates: RatesSection = Field(default_factory=RatesSection)
    rewards: list[RewardSection] = key(
        [],
        "points that score any plan by its measures, and are never optimised",
        "tables of measure, above or below (within ±1e15), points (within ±1e9) and, where points count for each so much, per of at"
        " least 1e-9",
    )


class LimitsSection(Section):
    budget_per_day: float | None = key(None, "most that a calendar day may cost", "a number of at least 0", ge=0)
    max_utilization: float = key(1.0, "most that a service's replicas may be used", "a number above 0, at most 1", gt=0, le=1)
    missed_demand: Literal["forbid", "price"] = key(
        "forbid", "whether demand may go unserved at the price of [objective.rates] missed", "forbid or price"
    )
    reserve: Literal["none", "node", "rack", "zone"] = key(
        "none", "what may be lost without a service missing its target", "none, node, rack or zone"
    )


class SpotSection(Section):
    min_on_time: float = key(
        0.0, "least chance that a job on spot ends by its hard deadline; 0 asks for none", "a number from 0 to below 1", ge=0, lt=1
    )


class QuotaSection(Section):
    """[quotas.TENANT]: rows of the table quotas, one for each resource that is given."""

    gpus: float | None = key(None, "devices that the tenant is promised", "a number of at least 0", ge=0)
    cpus: float | None = key(None, "cores that the tenant is promised", "a number of at least 0", ge=0)
    memory_gib: float | None = key(None, "GiB of memory that the tenant is promised", "a number of at least 0", ge=0)
    borrow: bool = key(True, "whether the tenant may hold more than it is promised", "true or false")
    borrow_price: float = key(0.0, "price of a device held above that, per hour", "a number of at least 0", ge=0)
    parent: str | None = key(None, "tenant or cohort above it", "a text of 1 to 200 characters", min_length=1, max_length=200)


class RulesSection(Section):
    forbid: list[str] = key([], "what work may never stand on what nodes", 'rules such as ["kind=training on edge=true"]')
    best_effort: list[str] = key(
        [], "which jobs may run in pieces, where they write checkpoints", 'selectors such as ["kind=batch tenant=research"]'
    )


class SolverSection(Section):
    gap: float | None = key(None, "gap at which solving stops; without it chosen by size", "a number from 0 to below 1", ge=0, lt=1)
    seed: int = key(0, "seed of everything random", f"a whole number from 0 to {LARGEST_SEED}", ge=0, le=LARGEST_SEED)
    threads: int | None = key(
        None, "threads at most; the result does not depend on it", "a whole number from 1 to 1024", ge=1, le=1024
    )
    time_limit: float | str | None = key(None, "far safety stop of solving", "seconds, or a duration such as 10m")
    anew: bool = key(False, "with --from search all of a large plan again, not only near what has changed", "true or false")


class PolicySection(Section):
    name: str | None = key(None, "policy of a replay; without it fcfs", "the name of a policy", min_length=1)
    order: str | None = key(None, "which waiting job is looked at first", "arrival, shortest, largest or priority", min_length=1)
    share: str | None = key(None, "which tenant is served first", "none, drf, fair-share or capacity", min_length=1)
    half_life_hours: float | None = key(None, "over which past usage counts half, for fair-share", "a number above 0", gt=0)
    blocking: str | None = key(None, "what a job that does not fit does to others", "head or skip", min_length=1)
    backfill: str | None = key(None, "which jobs may go by a blocked one", "none, easy, easy-sjbf or conservative", min_length=1)
    depth: int | None = key(None, "how many waiting jobs backfilling looks at", "a whole number of at least 1", ge=1)
    compression: str | None = key(
        None, "what becomes of reservations when something ends early", "rebuild, arrival, start-now or none", min_length=1
    )
    gang: str | None = key(None, "how the workers of a job take their places", "atomic or per-worker", min_length=1)
    nodes: str | None = key(
        None, "which node a worker gets", "a choice such as best-fit; schedplan policies lists them", min_length=1
    )
    tie: str | None = key(None, "which of equally good nodes", "smallest-name or random", min_length=1)
    preemption: str | None = key(None, "for whom what runs is stopped", "none, priority or reclaim", min_length=1)
    grace_minutes: float | None = key(None, "how long a job that is stopped keeps its place", "a number of at least 0", ge=0)
    scaling: str | None = key(
        None,
        "how many replicas services are given",
        "none, target-utilization, queue-length, forecast, forecast-breaker or slo",
        min_length=1,
    )
    scaling_target: float | None = key(
        None, "share of a replica that is to be busy, for scaling", "a number above 0, at most 1", gt=0, le=1
    )
    cycle: str | None = key(None, "when the policy decides", "instant, event or period", min_length=1)
    period_seconds: int | None = key(None, "time between two decisions, for period", "a whole number of at least 1", ge=1)


class CheckSection(Section):
    rules: list[str] = key([], "what `schedplan check` judges", 'rules such as ["cost <= 900", "unplaced == 0"]')


class ProjectFile(Section):
    """The whole file."""

    project: ProjectSection = Field(default_factory=ProjectSection)
    inputs: dict[str, str | list[str]] = Field(default_factory=dict)
    horizon: HorizonSection = Field(default_factory=HorizonSection)
    forecast: ForecastSection = Field(default_factory=ForecastSection)
    objective: ObjectiveSection = Field(default_factory=ObjectiveSection)
    limits: LimitsSection = Field(default_factory=LimitsSection)
    spot: SpotSection = Field(default_factory=SpotSection)
    quotas: dict[str, QuotaSection] = Field(default_factory=dict)
    rules: RulesSection = Field(default_factory=RulesSection)
    solver: SolverSection = Field(default_factory=SolverSection)
    policy: PolicySection = Field(default_factory=PolicySection)
    check: CheckSection = Field(default_factory=CheckSection)
