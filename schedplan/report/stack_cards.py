"""Fidelity cards: of each stack what its model follows, what it leaves out, what that rests on, and which values it takes."""

from __future__ import annotations

from schedplan.engines.parameter import Parameter, Tier, shown
from schedplan.engines.stack import Model, Preset, Stack
from schedplan.report.document import Cell, Column, Table

CARD_COLUMNS = (
    Column("stack", "Stack"),
    Column("layers", "Made of"),
    Column("tier", "Rules"),
    Column("checked_by", "Checked by"),
    Column("assumed", "Values that are assumed or calibrated"),
    Column("not_modelled", "Not modelled"),
    Column("rules", "Rules that are modelled", is_detail=True),
    Column("sources", "Sources", is_detail=True),
)
PARAMETER_COLUMNS = (
    Column("parameter", "--set"),
    Column("default", "default"),
    Column("tuned", "tuned"),
    Column("band", "Band"),
    Column("tier", "Rests on"),
    Column("means", "What it is"),
)


def cards_table(stacks: tuple[Stack, ...]) -> Table:
    """Return a card per stack."""
    return Table(
        "models",
        "What is modelled and what is not",
        CARD_COLUMNS,
        tuple(_card(stack) for stack in stacks),
        "A fidelity card of each stack: a replay is no better than the rules that it follows.",
    )


def parameters_table(stacks: tuple[Stack, ...]) -> Table:
    """Return every parameter of some stacks once, with its values in both presets."""
    found = {one.path: one for stack in stacks if stack.model is not None for one in stack.model.parameters}
    return Table(
        "parameters",
        "Parameters of the presets",
        PARAMETER_COLUMNS,
        tuple(_parameter(one) for one in found.values()),
        "`--set PARAMETER=VALUE` replays the default with that value beside both presets.",
        "no parameter",
    )


def _card(stack: Stack) -> tuple[Cell, ...]:
    layers = ", ".join(f"{layer.engine} ({layer.place.value})" for layer in stack.layers)
    if stack.model is None:
        return (stack.name, layers, "no model; facts alone", "", "", "all of its behaviour: it decides on no pods", "", "")
    policy = stack.policy(Preset.DEFAULT)
    return (
        stack.name,
        layers,
        stack.model.tier.value,
        "; ".join(stack.model.checked_by),
        "; ".join(_assumed(stack.model)) or "none",
        "; ".join((*policy.differs, *stack.model.not_modelled)),
        "; ".join(f"{name}: {words}" for name, words in policy.rules()),
        "; ".join(policy.sources),
    )


def _assumed(model: Model) -> list[str]:
    return [
        f"{one.path} = {shown(one.default)}{f', {_band(one)}' if one.band else ''} ({one.tier.value})"
        for one in model.parameters
        if one.tier in (Tier.ASSUMED, Tier.MEASURED) or one.band is not None
    ]


def _parameter(one: Parameter) -> tuple[Cell, ...]:
    tuned = one.default if one.tuned is None else one.tuned
    return (one.path, shown(one.default), shown(tuned), _band(one), one.tier.value, one.means)


def _band(one: Parameter) -> str:
    return "" if one.band is None else f"{one.band[0]:g} to {one.band[1]:g}"
