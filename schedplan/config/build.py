"""Settings from the values of a project: what belongs together is put together, and what does not go together is noted."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from zoneinfo import ZoneInfo

from schedplan.config.given import GivenValues
from schedplan.config.models import ForecastSection, HorizonSection, ObjectiveSection, ProjectFile, QuotaSection, RewardSection
from schedplan.config.settings import (
    CheckSettings,
    ForecastSettings,
    HorizonSettings,
    InputFiles,
    PolicySettings,
    ProjectSettings,
    Settings,
    SolverSettings,
)
from schedplan.config.zone import find_zone, nearest_zone
from schedplan.model.best_effort import BestEffort, parse_best_effort
from schedplan.model.forbid import Forbid, parse_forbid
from schedplan.model.policy_parts import Choices
from schedplan.model.problem import Limits, MissedDemand, Objective, Rates, Reserve, Reward
from schedplan.model.quota import Quota, QuotaResource
from schedplan.model.selector import SelectorError
from schedplan.timegrid import InstantError, parse_instant
from schedplan.units import QuantityError, parse_duration_s, parse_number

MOST_SLOTS = 100_000
LONGEST_SLOT_MINUTES = 10_080
ROUNDING_MINUTES = 1e-6
SHORTEST_FREQ_S = 60

Runs = tuple[tuple[int, int], ...]
ONE_HOUR: Runs = ((1, 60),)


def settings_of(given: GivenValues, file: Path | None, warnings: tuple[str, ...]) -> Settings:
    """Return the settings of what was given. They are complete only if `given` then has no faults."""
    document = given.document()
    given.refuse_unsupported()
    project, solver = document.project, document.solver
    zone = _zone(project.timezone, given)
    return Settings(
        folder=file.parent if file is not None else Path(),
        file=file,
        project=ProjectSettings(project.name, project.currency, project.timezone),
        inputs=_inputs(document.inputs, given),
        horizon=HorizonSettings(_start_s(document.horizon, zone, given), _runs(document.horizon, given)),
        forecast=_forecast(document.forecast, given),
        objective=_objective(document.objective, given),
        limits=_limits(document, given),
        quotas=_quotas(document.quotas, given),
        forbid=_forbid(document, given),
        best_effort=_best_effort(document, given),
        solver=SolverSettings(solver.gap, solver.seed, solver.threads, _time_limit_s(solver.time_limit, given), solver.anew),
        policy=PolicySettings(document.policy.name, Choices(**document.policy.model_dump(exclude={"name"}))),
        check=CheckSettings(_rules(document, given)),
        warnings=warnings + given.warnings(),
        origins=given.origins(document),
    )


def _limits(document: ProjectFile, given: GivenValues) -> Limits:
    limits = document.limits
    missed, reserve = MissedDemand(limits.missed_demand), Reserve(limits.reserve)
    if missed is MissedDemand.PRICE and reserve is not Reserve.NONE:
        given.note(
            ("limits", "missed_demand"),
            f'limits.missed_demand = "price" and limits.reserve = "{reserve.value}" exclude one another',
            expected='missed_demand = "forbid" beside a reserve',
            hint="A reserve promises that no demand is missed, even after a loss; keep one of the two",
        )
    return Limits(limits.budget_per_day, limits.max_utilization, missed, reserve, document.spot.min_on_time)


def _zone(name: str, given: GivenValues) -> ZoneInfo:
    zone = find_zone(name)
    if zone is not None:
        return zone
    near = nearest_zone(name)
    given.note(("project", "timezone"), "project.timezone is no time zone", hint=f"Did you mean {near}?" if near else None)
    return ZoneInfo("UTC")


def _inputs(inputs: Mapping[str, str | list[str]], given: GivenValues) -> tuple[InputFiles, ...]:
    files = []
    for table in sorted(inputs):
        value = inputs[table]
        names = [value] if isinstance(value, str) else value
        source = given.find(("inputs", table))
        if source is None:
            continue
        if not names or any(not name or "\0" in name for name in names):
            given.note(("inputs", table), f"inputs.{table} names no file")
            continue
        files.append(InputFiles(table, tuple(source.base / name for name in names)))
    return tuple(files)


def _start_s(horizon: HorizonSection, zone: ZoneInfo, given: GivenValues) -> int | None:
    if horizon.start is None:
        return None
    text = horizon.start if isinstance(horizon.start, str) else horizon.start.isoformat()
    try:
        return parse_instant(text, zone)[0]
    except InstantError as problem:
        given.note(("horizon", "start"), f"horizon.start is off: {problem}")
        return None


def _runs(horizon: HorizonSection, given: GivenValues) -> Runs:
    if horizon.slots is not None:
        return _uneven(horizon.slots, given)
    minutes = horizon.hours * 60
    n_slots = round(minutes / horizon.step_minutes)
    if n_slots < 1 or abs(n_slots * horizon.step_minutes - minutes) > ROUNDING_MINUTES:
        given.note(
            ("horizon", "hours"), f"horizon.hours = {horizon.hours:g} is no whole number of {horizon.step_minutes}-minute slots"
        )
        return ONE_HOUR
    return _bounded(((n_slots, horizon.step_minutes),), given)


def _uneven(slots: list[list[int]], given: GivenValues) -> Runs:
    for other in ("hours", "step_minutes"):
        if given.find(("horizon", other)) is not None:
            given.note(("horizon", other), f"horizon.{other} and horizon.slots exclude one another", hint="Keep one of the two")
    if not slots or any(len(run) != 2 or run[0] < 1 or not 1 <= run[1] <= LONGEST_SLOT_MINUTES for run in slots):
        given.note(("horizon", "slots"))
        return ONE_HOUR
    return _bounded(tuple((n_slots, minutes) for n_slots, minutes in slots), given)


def _bounded(runs: Runs, given: GivenValues) -> Runs:
    total = sum(n_slots for n_slots, _ in runs)
    if total > MOST_SLOTS:
        key = "slots" if given.find(("horizon", "slots")) is not None else "step_minutes"
        given.note(
            ("horizon", key), f"the horizon has {total} slots", expected=f"at most {MOST_SLOTS}", hint="Make the slots longer"
        )
        return ONE_HOUR
    return runs


def _forecast(forecast: ForecastSection, given: GivenValues) -> ForecastSettings:
    levels = tuple(forecast.levels)
    if any(not 1 <= level <= 99 for level in levels) or list(levels) != sorted(set(levels)):
        given.note(("forecast", "levels"))
    return ForecastSettings(
        quantile=forecast.quantile,
        levels=levels,
        seasons_s=_seasons_s(forecast.season, given),
        model=forecast.model,
        engine=forecast.engine,
        ignore_future=forecast.ignore_future,
        runtime_quantile=forecast.runtime_quantile,
        freq_s=_freq_s(forecast.freq, given),
        agg=forecast.agg,
        backtest=forecast.backtest,
    )


def _freq_s(freq: str, given: GivenValues) -> int | None:
    if not freq:
        return None
    try:
        freq_s = parse_duration_s(freq)
    except QuantityError:
        freq_s = 0
    if freq_s < SHORTEST_FREQ_S:
        given.note(("forecast", "freq"))
    return freq_s


def _seasons_s(season: list[str], given: GivenValues) -> tuple[int, ...]:
    try:
        seasons_s = [parse_duration_s(text) for text in season]
    except QuantityError:
        seasons_s = [0]
    if any(season_s < 1 for season_s in seasons_s) or seasons_s != sorted(set(seasons_s)):
        given.note(("forecast", "season"))
    return tuple(seasons_s)


def _objective(objective: ObjectiveSection, given: GivenValues) -> Objective:
    if not objective.latency + objective.utilization + objective.cost + objective.carbon > 0:
        given.note(("objective", "latency"), "all weights of [objective] are 0", expected="at least one above 0")
    return Objective(
        latency=objective.latency,
        utilization=objective.utilization,
        cost=objective.cost,
        carbon=objective.carbon,
        unplaced=objective.unplaced,
        move_device_h=objective.move_device_h,
        rates=Rates(objective.rates.wait, objective.rates.tardiness, objective.rates.missed),
        rewards=_rewards(objective.rewards, given),
    )


def _rewards(sections: list[RewardSection], given: GivenValues) -> tuple[Reward, ...]:
    if any((section.above is None) == (section.below is None) for section in sections):
        given.note(("objective", "rewards"), "a reward is for a measure above or below a limit", expected="one of above and below")
        return ()
    return tuple(
        Reward(
            measure=section.measure,
            is_above=section.above is not None,
            limit=section.above if section.above is not None else section.below or 0.0,
            points=section.points,
            per=section.per,
        )
        for section in sections
    )


def _quotas(sections: Mapping[str, QuotaSection], given: GivenValues) -> tuple[Quota, ...]:
    rows: list[Quota] = []
    for tenant in sorted(sections):
        section = sections[tenant]
        nominal = {resource: getattr(section, resource.value) for resource in QuotaResource}
        if all(amount is None for amount in nominal.values()):
            paths = (("quotas", tenant, name) for name in QuotaSection.model_fields)
            path = next(path for path in paths if given.find(path) is not None)
            given.note(path, f"[quotas.{tenant}] promises nothing", expected="gpus, cpus or memory_gib beside it")
        rows += [_quota(tenant, section, resource, amount) for resource, amount in nominal.items() if amount is not None]
    return tuple(rows)


def _quota(tenant: str, section: QuotaSection, resource: QuotaResource, nominal: float) -> Quota:
    """Return one row; the price of borrowing is that of devices."""
    return Quota(
        tenant=tenant,
        nominal=nominal,
        parent=section.parent,
        resource=resource,
        max=None if section.borrow else nominal,
        borrow_price=section.borrow_price if resource is QuotaResource.GPUS else 0.0,
        source="project file",
    )


def _forbid(document: ProjectFile, given: GivenValues) -> tuple[Forbid, ...]:
    found = []
    for text in dict.fromkeys(document.rules.forbid):
        try:
            found.append(parse_forbid(text))
        except SelectorError as fault:
            given.note(("rules", "forbid"), f"rules.forbid: {text!r}: {fault}", hint=fault.hint)
    return tuple(found)


def _best_effort(document: ProjectFile, given: GivenValues) -> tuple[BestEffort, ...]:
    found = []
    for text in dict.fromkeys(document.rules.best_effort):
        try:
            found.append(parse_best_effort(text))
        except SelectorError as fault:
            given.note(("rules", "best_effort"), f"rules.best_effort: {text!r}: {fault}", hint=fault.hint)
    return tuple(found)


def _time_limit_s(limit: float | str | None, given: GivenValues) -> float | None:
    if limit is None:
        return None
    try:
        seconds = _seconds(limit) if isinstance(limit, str) else limit
    except QuantityError:
        seconds = 0.0
    if not seconds > 0:
        given.note(("solver", "time_limit"))
    return seconds


def _seconds(text: str) -> float:
    try:
        return parse_number(text)
    except QuantityError:
        return float(parse_duration_s(text))


def _rules(document: ProjectFile, given: GivenValues) -> tuple[str, ...]:
    if any(not rule.strip() for rule in document.check.rules):
        given.note(("check", "rules"), "check.rules has an empty rule")
    return tuple(document.check.rules)
