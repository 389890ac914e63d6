"""What a plan tells of its goals in plan.json beyond its terms: stages of one made goal by goal, a Pareto front, simple policies.

A record of an earlier minor version has none of them.
"""

from __future__ import annotations

from dataclasses import fields as fields_of
from enum import Enum

from schedplan.model.front import Front, FrontPoint, PointStatus
from schedplan.model.plan import PlanStatus, PolicyValue, Rate, Stage
from schedplan.tables.artefact_record import Fields, Json

STAGES, FRONT, RATES, POLICIES = "stages", "pareto", "exchange_rates", "policies"


def stages_values(stages: tuple[Stage, ...]) -> Json:
    """Return the stages as rows."""
    return [_values(stage) for stage in stages]


def stages_from(record: Fields) -> tuple[Stage, ...]:
    """Return the stages of a record; InputError where a value is off."""
    if STAGES not in record.values:
        return ()
    return tuple(
        Stage(
            goal=row.text("goal"),
            value=row.number("value"),
            unit=row.text("unit"),
            bound=row.optional_number("bound"),
            gap=row.optional_number("gap"),
            status=row.choice("status", PlanStatus),
            held_at=row.number("held_at"),
        )
        for row in record.rows(STAGES)
    )


def rates_values(rates: tuple[Rate, ...]) -> Json:
    """Return exchange rates as rows."""
    return [_values(rate) for rate in rates]


def rates_from(record: Fields) -> tuple[Rate, ...]:
    """Return the exchange rates of a record; InputError where a value is off."""
    if RATES not in record.values:
        return ()
    return tuple(Rate(row.text("what"), row.number("worth"), row.text("unit")) for row in record.rows(RATES))


def policies_values(policies: tuple[PolicyValue, ...]) -> Json:
    """Return what simple policies are worth as rows."""
    return [_values(policy) for policy in policies]


def policies_from(record: Fields) -> tuple[PolicyValue, ...]:
    """Return the policies of a record; InputError where a value is off."""
    if POLICIES not in record.values:
        return ()
    return tuple(
        PolicyValue(
            row.text("name"),
            row.text("description"),
            row.optional_number("objective"),
            row.whole("left_out"),
            row.text("broken"),
        )
        for row in record.rows(POLICIES)
    )


def front_values(front: Front | None) -> Json:
    """Return a front as an object, null where there is none."""
    if front is None:
        return None
    return {
        "goals": list(front.goals),
        "units": list(front.units),
        "points": [_values(point) for point in front.points],
        "asked": front.asked,
        "is_whole": front.is_whole,
        "solves": front.solves,
        "told": front.told,
    }


def front_from(record: Fields) -> Front | None:
    """Return the front of a record, None where it has none; InputError where a value is off."""
    if record.values.get(FRONT) is None:
        return None
    front = record.within(FRONT)
    return Front(
        goals=_pair(front, "goals"),
        units=_pair(front, "units"),
        points=tuple(_point(row) for row in front.rows("points")),
        asked=front.whole("asked"),
        is_whole=front.flag("is_whole"),
        solves=front.whole("solves"),
        told=front.text("told") if "told" in front.values else "",
    )


def _point(row: Fields) -> FrontPoint:
    return FrontPoint(
        first=row.number("first"),
        second=row.number("second"),
        held_at=row.optional_number("held_at"),
        price=row.optional_number("price"),
        objective=row.number("objective"),
        cost=row.number("cost"),
        minimised=row.number("minimised"),
        bound=row.optional_number("bound"),
        gap=row.optional_number("gap"),
        status=row.choice("status", PointStatus),
    )


def _pair(front: Fields, key: str) -> tuple[str, str]:
    found = front.texts(key)
    if len(found) != 2:
        raise front.refusal(key, "two texts")
    return (found[0], found[1])


def _values(one: Stage | FrontPoint | PolicyValue | Rate) -> Json:
    found: dict[str, Json] = {}
    for field in fields_of(one):
        value = getattr(one, field.name)
        found[field.name] = value.value if isinstance(value, Enum) else value
    return found
