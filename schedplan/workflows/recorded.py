"""What a call said beside the settings, by the names under which a plan records it."""

from __future__ import annotations

RUNTIME_KEY = "optimize.runtime_minutes"
STATIC_KEY = "optimize.static"
EARLIER_KEY = "optimize.from"
STOPPED_KEY = "optimize.preempt"
ORDER_KEY = "optimize.lexicographic"
HELD_KEY = "optimize.at_most."
OF_THE_COMMAND = "optimize."
"""How all of these begin: they are no settings of a project."""
