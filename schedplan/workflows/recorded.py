"""What a call said beside the settings, by the names under which a plan records it."""

from __future__ import annotations

RUNTIME_KEY = "optimize.runtime_minutes"
STATIC_KEY = "optimize.static"
EARLIER_KEY = "optimize.from"
NO_SETTINGS = (RUNTIME_KEY, STATIC_KEY, EARLIER_KEY)
