"""When a plan begins where nobody says it: the first slot after the newest time of the inputs, never the clock."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from schedplan.config.settings import HorizonSettings
from schedplan.tables.convert import Content
from schedplan.timegrid import TimeGrid, format_local, local_instant

NO_TIME_AT_ALL_S = 946_684_800
"""2000-01-01T00:00:00Z: where inputs that state no time begin."""


def horizon(settings: HorizonSettings, content: Content, timezone: str) -> tuple[TimeGrid, tuple[str, ...]]:
    """Return the slots of a plan, and what was assumed of them."""
    zone = ZoneInfo(timezone)
    if settings.start_s is not None:
        return settings.grid(settings.start_s), ()
    newest_s = newest_time(content)
    if newest_s is None:
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


def next_slot_s(instant_s: int, step_minutes: int, zone: ZoneInfo) -> int:
    """Return the first instant at or after another that lies a whole number of steps after local midnight."""
    midnight = datetime.fromtimestamp(instant_s, zone).replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
    midnight_s = local_instant(midnight, zone)
    step_s = step_minutes * 60
    return midnight_s - (midnight_s - instant_s) // step_s * step_s
