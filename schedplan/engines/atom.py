"""Atoms: the single capabilities that engines are asked about, in eight dimensions. It knows no engine and no workload."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from enum import Enum

from schedplan.errors import UsageError


class Dimension(Enum):
    """What a group of atoms is about; a fit has a score for each."""

    SCENARIO = "scenario"
    INTELLIGENCE = "intelligence"
    RESOURCES = "resources"
    CLOUD_NATIVE = "cloud-native"
    OBSERVABILITY = "observability"
    EXTENSIBILITY = "extensibility"
    COST = "cost"
    LOCK_IN = "lock-in"


@dataclass(frozen=True, slots=True)
class Atom:
    """One capability: its name on the command line and in the files of facts, and what it means in a few words.

    is_scored: whether a fit counts it; the others serve gates alone, because they follow from scored ones.
    """

    name: str
    dimension: Dimension
    title: str
    is_scored: bool = True


ATOMS: tuple[Atom, ...] = (
    Atom("gang", Dimension.SCENARIO, "all workers of a gang start, or none"),
    Atom("job-queue", Dimension.SCENARIO, "whole jobs wait in an order"),
    Atom("quota-borrowing", Dimension.SCENARIO, "quotas that lend and borrow"),
    Atom("preemption", Dimension.SCENARIO, "higher priority preempts inside a queue"),
    Atom("reclaim", Dimension.SCENARIO, "what was lent is taken back across queues"),
    Atom("backfill", Dimension.SCENARIO, "backfill that delays no reservation, by time limits"),
    Atom("head-reservation", Dimension.SCENARIO, "a big job at the head is not starved"),
    Atom("serving-autoscaling", Dimension.SCENARIO, "replicas of services follow their load"),
    Atom("shared-pool", Dimension.SCENARIO, "training and serving share a pool under rules"),
    Atom("hyperparameter-search", Dimension.SCENARIO, "hyper-parameter search"),
    Atom("gang-on-spot", Dimension.SCENARIO, "gangs on interruptible nodes", is_scored=False),
    Atom("demand-forecast", Dimension.INTELLIGENCE, "forecasts demand"),
    Atom("usage-history", Dimension.INTELLIGENCE, "decides by measured load or past usage"),
    Atom("node-score", Dimension.INTELLIGENCE, "weighs several criteria to choose nodes"),
    Atom("job-priority", Dimension.INTELLIGENCE, "weighs several criteria to order jobs"),
    Atom("rebalancing", Dimension.INTELLIGENCE, "moves running work to make room"),
    Atom("own-algorithm", Dimension.INTELLIGENCE, "takes an algorithm of one's own"),
    Atom("gpu-model", Dimension.RESOURCES, "chooses by device model"),
    Atom("fractional-gpu", Dimension.RESOURCES, "shares of a device"),
    Atom("mig", Dimension.RESOURCES, "knows MIG partitions"),
    Atom("isolated-slices", Dimension.RESOURCES, "shares of a device, isolated from one another", is_scored=False),
    Atom("numa", Dimension.RESOURCES, "knows NUMA and links inside a node"),
    Atom("topology", Dimension.RESOURCES, "knows racks and blocks of the network"),
    Atom("dra", Dimension.RESOURCES, "dynamic resource allocation (ResourceClaims)"),
    Atom("spot-fallback", Dimension.RESOURCES, "spot first, on-demand when there is none"),
    Atom("node-autoscaling", Dimension.RESOURCES, "nodes follow demand"),
    Atom("kubernetes-api", Dimension.CLOUD_NATIVE, "driven by Kubernetes resources"),
    Atom("multi-cluster", Dimension.CLOUD_NATIVE, "dispatches to several clusters"),
    Atom("training-operators", Dimension.CLOUD_NATIVE, "works with the common training operators"),
    Atom("without-kubernetes", Dimension.CLOUD_NATIVE, "runs without Kubernetes", is_scored=False),
    Atom("prometheus-metrics", Dimension.OBSERVABILITY, "metrics for Prometheus"),
    Atom("wait-reason", Dimension.OBSERVABILITY, "says why a job waits"),
    Atom("interface", Dimension.OBSERVABILITY, "command line or user interface"),
    Atom("start-prediction", Dimension.OBSERVABILITY, "shows a predicted start"),
    Atom("plugin-api", Dimension.EXTENSIBILITY, "an interface for plug-ins of the scheduler"),
    Atom("new-resource-types", Dimension.EXTENSIBILITY, "new kinds of resources without code"),
    Atom("no-licence-fee", Dimension.COST, "no fee for a licence or for the cluster"),
    Atom("vendor-support", Dimension.COST, "vendor support is on offer"),
    Atom("open-source", Dimension.LOCK_IN, "open source"),
    Atom("runs-anywhere", Dimension.LOCK_IN, "runs on any cloud and on premises"),
    Atom("portable-jobs", Dimension.LOCK_IN, "job descriptions move without a rewrite"),
)

ATOM_NAMES: tuple[str, ...] = tuple(atom.name for atom in ATOMS)


def atom_named(name: str) -> Atom:
    """Return an atom by its name; UsageError, with the nearest name, where there is none."""
    for atom in ATOMS:
        if atom.name == name:
            return atom
    near = get_close_matches(name, ATOM_NAMES, n=1)
    raise UsageError(f"there is no capability {name!r}", hint=f"Did you mean {near[0]}?" if near else _known())


def _known() -> str:
    return f"Known: {', '.join(ATOM_NAMES)}."
