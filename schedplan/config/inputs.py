"""The names of the tables that `[inputs]` may point to. It does not know their columns."""

from __future__ import annotations

INPUT_TABLES = (
    "nodes",
    "jobs",
    "services",
    "load",
    "speeds",
    "quotas",
    "prices",
    "carbon",
    "outages",
    "pins",
    "events",
    "latency_samples",
    "links",
    "offers",
    "forecast",
)
