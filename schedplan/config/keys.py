"""Every key there is, derived from the models, and how a text (from a flag or a variable) becomes its value.

A text has no type of its own, so the key decides: `7` is a name for project.name and a number for solver.seed.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from enum import Enum
from types import NoneType
from typing import Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from schedplan.config.inputs import INPUT_TABLES
from schedplan.config.models import ProjectFile, QuotaSection
from schedplan.units import parse_integer, parse_number

KeyPath = tuple[str, ...]

QUOTAS = "quotas"
QUOTA_DEPTH = 3


class Kind(Enum):
    TEXT = "text"
    NUMBER = "number"
    WHOLE = "whole"
    TRUTH = "truth"
    TEXTS = "texts"
    WHOLES = "wholes"
    NESTED = "nested"


@dataclass(frozen=True, slots=True)
class Key:
    """One key. optional: `none` takes it away; commas: a text may separate the items of the list by commas."""

    path: KeyPath
    kind: Kind
    optional: bool
    commas: bool
    expected: str
    meaning: str

    @property
    def name(self) -> str:
        return ".".join(self.path)

    @property
    def variable(self) -> str:
        """Return the variable of the environment that gives this key."""
        return "SCHEDPLAN_" + "_".join(self.path).upper()


def value_of_text(key: Key, text: str) -> object:
    """Return the value that `text` spells for a key; ValueError where it spells none."""
    if key.optional and text == "none":
        return None
    if key.kind is Kind.TEXT:
        return text
    if key.kind is Kind.NUMBER:
        return parse_number(text)
    if key.kind is Kind.WHOLE:
        return parse_integer(text)
    if key.kind is Kind.TRUTH:
        return _truth(text)
    return _items(key, text)


def nearest_key(path: KeyPath) -> str | None:
    """Return the known key, dotted, that an unknown one was most likely meant to be."""
    names = [key.name for key in KEYS.values()]
    if len(path) == QUOTA_DEPTH and path[0] == QUOTAS:
        names = [".".join((*path[:-1], name)) for name in QuotaSection.model_fields]
    same_section = [name for name in names if name.startswith(".".join(path[:-1]) + ".")] if len(path) > 1 else []
    for candidates in (same_section, names):
        close = get_close_matches(".".join(path), candidates, n=1, cutoff=0.75)
        if close:
            return close[0]
    by_last = {key.path[-1]: key.name for key in KEYS.values() if key.path[0] != "inputs"}
    last = get_close_matches(path[-1], list(by_last), n=1, cutoff=0.8)
    return by_last[last[0]] if last else None


def _truth(text: str) -> bool:
    if text not in ("true", "false"):
        raise ValueError("neither true nor false")
    return text == "true"


def _items(key: Key, text: str) -> object:
    if text.startswith("["):
        return tomllib.loads(f"items = {text}")["items"]
    if key.kind is Kind.NESTED:
        raise ValueError("not a list in brackets")
    items = [item.strip() for item in text.split(",")] if key.commas else [text]
    return [parse_integer(item) for item in items] if key.kind is Kind.WHOLES else items


def _keys_of(model: type[BaseModel], above: KeyPath) -> Iterator[Key]:
    for name, field in model.model_fields.items():
        path = (*above, name)
        if path == ("inputs",):
            yield from (_input(table) for table in INPUT_TABLES)
        elif path == (QUOTAS,):
            continue
        elif isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from _keys_of(field.annotation, path)
        else:
            yield _key(path, field)


def _input(table: str) -> Key:
    return Key(("inputs", table), Kind.TEXTS, False, True, "a path, or a list of paths", f"files of the table {table}")


def _key(path: KeyPath, field: FieldInfo) -> Key:
    extra = field.json_schema_extra
    if not isinstance(extra, dict) or field.description is None:
        raise TypeError(f"{'.'.join(path)} has no words for its messages")
    kinds = _alternatives(field.annotation)
    return Key(path, _kind(kinds), NoneType in kinds, bool(extra["commas"]), str(extra["expected"]), field.description)


def _alternatives(annotation: object) -> tuple[object, ...]:
    is_single = isinstance(annotation, type) or get_origin(annotation) in (Literal, list)
    return (annotation,) if is_single else get_args(annotation)


def _kind(kinds: tuple[object, ...]) -> Kind:
    by_type = {bool: Kind.TRUTH, float: Kind.NUMBER, int: Kind.WHOLE, list[str]: Kind.TEXTS, list[int]: Kind.WHOLES}
    plain = [kind for kind in kinds if kind is not NoneType]
    if str in plain or any(get_origin(kind) is Literal for kind in plain):
        return Kind.TEXT
    for annotation, kind in by_type.items():
        if annotation in plain:
            return kind
    return Kind.NESTED


def key_at(path: KeyPath) -> Key | None:
    """Return the key of a path, None where there is none; quotas.TENANT.KEY is one for every tenant."""
    if len(path) == QUOTA_DEPTH and path[0] == QUOTAS:
        field = QuotaSection.model_fields.get(path[-1])
        return None if field is None else _key(path, field)
    return KEYS.get(path)


def is_section(path: KeyPath) -> bool:
    """Return whether keys stand below a path."""
    return path in SECTIONS or (path[:1] == (QUOTAS,) and len(path) < QUOTA_DEPTH)


KEYS: dict[KeyPath, Key] = {key.path: key for key in _keys_of(ProjectFile, ())}
SECTIONS = frozenset(path[:depth] for path in KEYS for depth in range(1, len(path)))
