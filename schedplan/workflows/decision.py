"""What the devices of a load are in a project, for the decision backtest: what a device carries, how long one takes to start."""

from __future__ import annotations

from dataclasses import dataclass

from schedplan.errors import UsageError
from schedplan.forecast.carrier import EvenCarrier, ServiceCarrier
from schedplan.forecast.decision import Provision
from schedplan.measures.eligibility import service_refusal
from schedplan.model.cluster import Pool
from schedplan.model.forecast import Series
from schedplan.model.workload import Service
from schedplan.units import QuantityError, parse_number
from schedplan.workflows.project import Project

DEVICE_UNITS = ("gpus", "cpus")
MINUTE_S = 60


@dataclass(frozen=True, slots=True)
class DecisionAsked:
    """What `--decision` asks for. startup_s, replan_s, per_device None: as the project says."""

    startup_s: int | None = None
    replan_s: int | None = None
    per_device: float | None = None


@dataclass(frozen=True, slots=True)
class SeriesProvision:
    """How one series is provided for, and the words for it: what carries it, and in what."""

    provision: Provision
    carried: str
    unit: str


def provision_of(project: Project, series: Series, asked: DecisionAsked) -> SeriesProvision:
    """Return how devices for one series are ordered.

    The load of a service is carried by its replicas on the first pool that may hold them; demand of jobs is devices already; of
    any other load `per_device` is carried by a device, and without that the load itself is what is bought.
    """
    level = project.settings.forecast.quantile
    services = [service for service in project.content.services if service.series == series.unique_id]
    if services and asked.per_device is None:
        return _of_service(project, services[0], asked, level)
    if series.unit in DEVICE_UNITS:
        carrier, carried, unit = EvenCarrier(1.0), f"whole {series.unit}", f"{series.unit[:-1]}-hours"
    elif asked.per_device is not None:
        carrier, carried, unit = EvenCarrier(asked.per_device), f"{asked.per_device:g} per device", "device-hours"
    else:
        carrier, carried, unit = EvenCarrier(), "any amount; --per-device says what a device carries", "load-hours"
    provision = Provision(carrier, asked.startup_s or 0, asked.replan_s, level)
    return SeriesProvision(provision, carried, unit)


def per_device(text: str | None) -> float | None:
    """Return the load of `--per-device`; UsageError where it is no number above 0."""
    if text is None:
        return None
    try:
        number = parse_number(text)
    except QuantityError as problem:
        raise UsageError(f"--per-device {text!r}: expected {problem}") from None
    if number <= 0:
        raise UsageError(f"--per-device {text!r}: expected a number above 0")
    return number


def _of_service(project: Project, service: Service, asked: DecisionAsked, level: float) -> SeriesProvision:
    pool = _pool_for(project, service)
    accelerator = None if pool is None else pool.accelerator
    service_ms = service.service_ms / project.content.cluster.speed(accelerator, service.name, "service")
    startup_minutes = service.startup_minutes + service.load_minutes + (0.0 if pool is None else pool.startup_minutes)
    startup_s = round(startup_minutes * MINUTE_S) if asked.startup_s is None else asked.startup_s
    carrier = ServiceCarrier(service, service_ms, project.settings.limits.max_utilization)
    where = "" if pool is None else f" on pool {pool.name}"
    carried = f"the replicas of {service.name}{where} that keep {service.slo_ms:g} ms"
    return SeriesProvision(Provision(carrier, startup_s, asked.replan_s, level), carried, "device-hours")


def _pool_for(project: Project, service: Service) -> Pool | None:
    fitting = (pool for pool in project.content.cluster.pools if service_refusal(pool, service) is None)
    return next(fitting, None)
