"""What is assumed of a plan where neither a project file nor a flag says it: one sentence per default. It changes nothing."""

from __future__ import annotations

from schedplan.config.settings import Settings
from schedplan.report.figures import counted

WEIGHTS = ("latency", "utilization", "cost")


def default_notes(settings: Settings) -> tuple[str, ...]:
    """Return the defaults in force that shape a plan in time: those of `place_notes`, its slots, and the weights of its goals."""
    assumed = _assumed(settings)
    notes = list(place_notes(settings))
    if "horizon.slots" in assumed and assumed & {"horizon.hours", "horizon.step_minutes"}:
        horizon = settings.horizon
        slots = counted(horizon.n_slots, "slot")
        notes.insert(0, f"{slots} of {horizon.runs[0][1]} min, {horizon.hours:g} h in all; set [horizon] hours and step_minutes")
    weights = [f"{goal} {getattr(settings.objective, goal):g}" for goal in WEIGHTS if f"objective.{goal}" in assumed]
    if weights:
        notes.append(f"weights of the goals: {', '.join(weights)}; set [objective], or give --weights")
    return tuple(notes)


def place_notes(settings: Settings) -> tuple[str, ...]:
    """Return the defaults in force of any plan, also of one without time: time zone and currency."""
    assumed = _assumed(settings)
    notes = []
    if "project.timezone" in assumed:
        notes.append(f"the time zone is {settings.project.timezone}; set [project] timezone")
    if "project.currency" in assumed:
        notes.append(f"prices are in {settings.project.currency}; set [project] currency")
    return tuple(notes)


def _assumed(settings: Settings) -> frozenset[str]:
    return frozenset(origin.key for origin in settings.origins if origin.source == "default")
