"""When a plan begins where nobody says it: the first slot after the newest time of the inputs, never the clock."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from schedplan.config.settings import HorizonSettings
from schedplan.tables.convert import Content
from schedplan.timegrid import TimeGrid, format_local

NO_TIME_AT_ALL_S = 946_684_800
"""2000-01-01T00:00:00Z: where inputs that state no time begin."""


def horizon(settings: HorizonSettings, content: Content, timezone: str) -> tuple[TimeGrid, tuple[str, ...]]:
    """Return the slots of a plan, and what was assumed of them."""
    zone = ZoneInfo(timezone)
    if settings.start_s is not None:
        return settings.grid(settings.start_s), ()
    newest_s = newest_time(content)
    bound = None if newest_s is not None else _earliest_bound(content)
    if bound is not None:
        instant_s, said = bound
        start_s = local_midnight_s(instant_s, zone)
        said = (
            f"no input states when work was submitted, so the plan begins at {format_local(start_s, zone)}, the day of the {said}"
        )
    elif newest_s is None:
        start_s = next_slot_s(NO_TIME_AT_ALL_S, settings.runs[0][1], zone)
        said = f"no input states a time, so slots are counted from {format_local(start_s, zone)}"
    else:
        start_s = next_slot_s(newest_s, settings.runs[0][1], zone)
        said = f"the plan begins at {format_local(start_s, zone)}, the first slot after the newest time of the inputs"
    return settings.grid(start_s), (f"{said}; set [horizon] start to say otherwise",)


def newest_time(content: Content) -> int | None:
    """Return the newest instant that something had happened or been measured by, None where nothing states one."""
    happened = [instant for job in content.jobs for instant in (job.submit_s, job.start_s, job.end_s) if instant is not None]
    measured = [series.end_s for series in content.series]
    return max((*happened, *measured), default=None)


def local_midnight_s(instant_s: int, zone: ZoneInfo) -> int:
    """Return the instant at which the local day of another begins; where the clock skips midnight, the first one after it."""
    wall = datetime.fromtimestamp(instant_s, zone)
    return int(wall.replace(hour=0, minute=0, second=0, microsecond=0, fold=0).timestamp())


def next_slot_s(instant_s: int, step_minutes: int, zone: ZoneInfo) -> int:
    """Return the first instant at or after another that lies a whole number of steps after local midnight."""
    midnight_s = local_midnight_s(instant_s, zone)
    step_s = step_minutes * 60
    return midnight_s - (midnight_s - instant_s) // step_s * step_s


def _earliest_bound(content: Content) -> tuple[int, str] | None:
    """Return the first instant that open jobs speak of (an earliest start, the last second before a deadline) and its words."""
    starts = [
        (job.earliest_start_s, "earliest_start", job.name)
        for job in content.jobs
        if job.state.is_open and job.earliest_start_s is not None
    ]
    ends = [(job.deadline_s - 1, "deadline", job.name) for job in content.jobs if job.state.is_open and job.deadline_s is not None]
    if not starts and not ends:
        return None
    instant_s, column, name = min(starts + ends)
    return instant_s, f"first {column} (job {name})"
