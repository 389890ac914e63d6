"""What a stack can do: the facts of its layers, put together. It adds no fact of its own.

A capability is there where any layer has it; one that is about placing or admitting counts for the layers that do so alone. What is
about cost, or about being bound to a maker, is only as good as in the worst layer.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from schedplan.engines.atom import ATOMS, Atom, Dimension
from schedplan.engines.catalog import engine
from schedplan.engines.fact import Engine, Fact, Role, SizeLimit, Value
from schedplan.engines.stack import Place, Stack

_BEST = (Value.YES, Value.PARTIAL, Value.NOT_VERIFIED, Value.NO)
_PLACED = frozenset(
    (
        "gang",
        "job-queue",
        "quota-borrowing",
        "preemption",
        "reclaim",
        "backfill",
        "head-reservation",
        "shared-pool",
        "gang-on-spot",
        "isolated-slices",
        "gpu-model",
        "fractional-gpu",
        "mig",
        "numa",
        "topology",
        "dra",
        "spot-fallback",
    )
)
"""Capabilities that a controller of workloads doesn't give to the pods that it hands over."""


@cache
def stack_engine(stack: Stack) -> Engine:
    """Return a stack as one engine, whose facts name the layer that they were read for."""
    layers = [engine(name) for name in stack.engines]
    if len(layers) == 1:
        return replace(layers[0], title=stack.title)
    placers = [one for one, layer in zip(layers, stack.layers, strict=True) if layer.place is not Place.CONTROLLER]
    return replace(
        placers[0],
        name=stack.name,
        title=stack.title,
        role=Role.ADMISSION if stack.layers[0].place is Place.ADMISSION else Role.PLACER,
        summary=" ".join(one.summary for one in layers),
        licence=" and ".join(dict.fromkeys(one.licence for one in layers)),
        governance="; ".join(dict.fromkeys(one.governance for one in layers)),
        version=", ".join(f"{one.name} {one.version}" for one in layers),
        api_versions=tuple(dict.fromkeys(version for one in layers for version in one.api_versions)),
        facts=tuple(_joined(atom, placers if atom.name in _PLACED else layers) for atom in ATOMS),
        size_limits=_limits(layers),
    )


def _joined(atom: Atom, layers: list[Engine]) -> Fact:
    facts = [one.fact_of[atom.name] for one in layers]
    asked = [fact for fact in facts if fact.value is not Value.NOT_APPLICABLE] or facts[:1]
    is_worst = atom.dimension in (Dimension.COST, Dimension.LOCK_IN) or atom.name == "without-kubernetes"
    ranks = {value: rank for rank, value in enumerate(_BEST)}
    chosen = (max if is_worst else min)(asked, key=lambda fact: ranks.get(fact.value, len(ranks)))
    return replace(chosen, note=f"{chosen.engine}: {chosen.note}")


def _limits(layers: list[Engine]) -> tuple[SizeLimit, ...]:
    found: dict[str, SizeLimit] = {}
    for limit in (limit for one in layers for limit in one.size_limits):
        if limit.measure not in found or limit.most < found[limit.measure].most:
            found[limit.measure] = limit
    return tuple(found.values())
