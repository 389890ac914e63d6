"""Time zones by their names in the time zone database. It knows no time."""

from __future__ import annotations

from difflib import get_close_matches
from zoneinfo import ZoneInfo, available_timezones


def find_zone(name: str) -> ZoneInfo | None:
    """Return the time zone of that name, None where there is none."""
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, KeyError):
        return None


def nearest_zone(name: str) -> str | None:
    """Return the name most like `name`, in any case, or of the city alone (Shanghai); None where nothing is like it."""
    names = {known.lower(): known for known in sorted(available_timezones())}
    cities = {known.rpartition("/")[2]: known for known in names}
    asked = name.strip().lower().replace(" ", "_")
    whole = get_close_matches(asked, names, n=1, cutoff=0.75)
    if whole:
        return names[whole[0]]
    city = get_close_matches(asked.rpartition("/")[2], cities, n=1, cutoff=0.75)
    return names[cities[city[0]]] if city else None
