"""Stacks: what is installed together to schedule (admission, placer, node supply), with the model that a replay follows.

A stack knows its layers, its parameters and how near its model comes; it has never heard of a workload.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import Enum

from schedplan.engines.parameter import Parameter, Tier, Value, Values, shown
from schedplan.engines.policy import Policy


class Place(Enum):
    """What a layer does in a stack."""

    ADMISSION = "admission"
    PLACER = "placer"
    NODE_SUPPLY = "node supply"
    WHOLE = "admission, placer and nodes"
    CONTROLLER = "workload controller"


@dataclass(frozen=True, slots=True)
class Layer:
    """An engine in its place."""

    place: Place
    engine: str


class Preset(Enum):
    DEFAULT = "default"
    TUNED = "tuned"


@dataclass(frozen=True, slots=True)
class Model:
    """What stands in for a stack in a replay. policy: of the values of all parameters; checked_by: what it was held against.

    tier: what the rules rest on; not_modelled: beside what the policy itself says to leave out.
    """

    policy: Callable[[Values], Policy]
    parameters: tuple[Parameter, ...]
    tier: Tier
    checked_by: tuple[str, ...]
    not_modelled: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Stack:
    """name: of its layers from above, joined by +. model None: it decides on no pods."""

    name: str
    title: str
    layers: tuple[Layer, ...]
    model: Model | None = None

    @property
    def engines(self) -> tuple[str, ...]:
        return tuple(layer.engine for layer in self.layers)

    def values(self, preset: Preset, changes: Mapping[str, Value] | None = None) -> dict[str, Value]:
        """Return the values of a preset, with some changed."""
        parameters = () if self.model is None else self.model.parameters
        is_tuned = preset is Preset.TUNED
        found = {one.path: one.tuned if is_tuned and one.tuned is not None else one.default for one in parameters}
        return {**found, **(changes or {})}

    def policy(self, preset: Preset = Preset.DEFAULT, changes: Mapping[str, Value] | None = None) -> Policy:
        """Return the policy of a preset, named after the stack, the preset and what was changed."""
        assert self.model is not None
        name = self.name if preset is Preset.DEFAULT else f"{self.name}-tuned"
        if changes:
            name += " with " + ", ".join(f"{path}={shown(value)}" for path, value in changes.items())
        made = self.model.policy(Values(self.values(preset, changes)))
        told = "; ".join(f"{one.path}={shown(one.tuned)}" for one in self.model.parameters if one.tuned is not None)
        summary = made.summary if preset is Preset.DEFAULT or not told else f"{made.summary}; tuned: {told}"
        return replace(made, name=name, summary=summary, engine=self.name)
