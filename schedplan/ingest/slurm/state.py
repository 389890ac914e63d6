"""Slurm's states of jobs and nodes as those of the tables. Source: slurm.schedmd.com/squeue.html and sinfo.html (2026-11)."""

from __future__ import annotations

JOB_STATES = {
    "PENDING": "pending",
    "CONFIGURING": "running",
    "RUNNING": "running",
    "COMPLETING": "running",
    "SUSPENDED": "running",
    "STOPPED": "running",
    "SIGNALING": "running",
    "STAGE_OUT": "running",
    "RESIZING": "running",
    "REQUEUED": "pending",
    "REQUEUE_FED": "pending",
    "REQUEUE_HOLD": "pending",
    "SPECIAL_EXIT": "pending",
    "RESV_DEL_HOLD": "pending",
    "COMPLETED": "completed",
    "FAILED": "failed",
    "NODE_FAIL": "failed",
    "BOOT_FAIL": "failed",
    "OUT_OF_MEMORY": "failed",
    "LAUNCH_FAILED": "failed",
    "RECONFIG_FAIL": "failed",
    "CANCELLED": "cancelled",
    "REVOKED": "cancelled",
    "TIMEOUT": "timeout",
    "DEADLINE": "timeout",
    "PREEMPTED": "preempted",
}
_SHORT = {
    "alloc": "allocated",
    "comp": "completing",
    "drain": "drained",
    "drng": "draining",
    "fail": "fail",
    "failg": "failing",
    "futr": "future",
    "maint": "maint",
    "mix": "mixed",
    "npc": "perfctrs",
    "plnd": "planned",
    "pow_dn": "powering_down",
    "pow_up": "powering_up",
    "resv": "reserved",
    "unk": "unknown",
    "boot": "reboot",
}
_DOWN = frozenset({"down", "fail", "failing", "error", "future", "unknown", "not_responding", "no_respond", "invalid_reg"})
_CORDONED = frozenset({"drain", "drained", "draining", "maint", "maintenance", "reboot", "reboot_requested", "reboot_issued"})
_READY = frozenset(
    {
        "idle",
        "mixed",
        "allocated",
        "completing",
        "planned",
        "reserved",
        "cloud",
        "power",
        "powered_down",
        "powering_down",
        "powering_up",
        "power_down",
        "power_up",
        "powered_up",
        "power_drain",
        "blocked",
        "perfctrs",
        "dynamic_norm",
        "dynamic_future",
    }
)
_MARKS = "*~#!%$@^-+"


def job_state(text: str) -> str | None:
    """Return the state of a job by the table's word; `CANCELLED by 0` is cancelled. None for no state of Slurm."""
    words = text.replace("+", " ").split()
    return JOB_STATES.get(words[0].upper()) if words else None


def node_status(states: tuple[str, ...]) -> str | None:
    """Return ready, cordoned or down of the states of a node (`MIXED+DRAIN`, `drng`, `idle~`); None where one is unknown.

    What is switched off to save power is ready, for Slurm switches it on for a job.
    """
    found = {_SHORT.get(word, word) for text in states for word in _words(text)}
    if not found or not found <= _DOWN | _CORDONED | _READY:
        return None
    if found & _DOWN:
        return "down"
    return "cordoned" if found & _CORDONED else "ready"


def _words(text: str) -> list[str]:
    without_marks = text.strip().lower().rstrip(_MARKS)
    is_silent = text.strip().endswith("*")
    return [part.rstrip(_MARKS) for part in without_marks.split("+") if part] + (["not_responding"] if is_silent else [])
