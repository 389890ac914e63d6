"""Which engines there are, by name. Each file of facts is read when its engine is asked for, and once."""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from importlib.resources import files

from schedplan.engines.fact import Engine
from schedplan.engines.fact_file import engine_of
from schedplan.errors import UsageError

ENGINE_NAMES: tuple[str, ...] = (
    "kube-scheduler",
    "coscheduling",
    "volcano",
    "yunikorn",
    "kueue",
    "ray",
    "kubeflow",
    "ack",
    "aws-batch",
    "gke-autopilot",
    "slurm",
    "kai",
)

ALIASES: dict[str, str] = {
    "k8s": "kube-scheduler",
    "kubernetes": "kube-scheduler",
    "scheduler-plugins": "coscheduling",
    "kuberay": "ray",
    "katib": "kubeflow",
    "batch": "aws-batch",
    "gke": "gke-autopilot",
    "autopilot": "gke-autopilot",
    "run-ai": "kai",
}


def engine(name: str) -> Engine:
    """Return an engine by its name or another it is known by, in any case; UsageError, with the nearest name, for none."""
    wanted = name.strip().lower().replace("_", "-").replace(" ", "-")
    found = ALIASES.get(wanted, wanted)
    if found in ENGINE_NAMES:
        return _read(found)
    near = get_close_matches(wanted, (*ENGINE_NAMES, *ALIASES), n=1)
    hint = f"Did you mean {ALIASES.get(near[0], near[0])}?" if near else f"Engines: {', '.join(ENGINE_NAMES)}."
    raise UsageError(f"there is no engine {name!r}", hint=hint)


def all_engines() -> tuple[Engine, ...]:
    """Return every engine, in a fixed order."""
    return tuple(_read(name) for name in ENGINE_NAMES)


@cache
def _read(name: str) -> Engine:
    file = files("schedplan.engines") / "facts" / f"{name}.toml"
    return engine_of(file.read_text(encoding="utf-8"), f"{name}.toml")
