"""JSON, JSON Lines and YAML documents read strictly: no key twice, no NaN, no deep nesting, no tags, YAML 1.2 scalars.

It knows no source; what a document means is told by the reader that asks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from math import isfinite
from pathlib import Path
from typing import ClassVar, NoReturn

import yaml

from schedplan.errors import InputError
from schedplan.ingest.element import Element
from schedplan.ingest.source_bytes import MAX_DOCUMENT_BYTES, head_text, whole_text
from schedplan.tables.faults import Code, FaultList
from schedplan.tables.strict_json import JsonError, strict_json

MAX_DEPTH = 200
MAX_ALIASES = 1000
MAX_NODES = 20_000_000
MAX_JSON_VALUES = 12_000_000
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def looks_like_json(path: Path) -> bool:
    """Return whether a file begins as a JSON list or mapping."""
    return head_text(path).lstrip()[:1] in ("{", "[")


def json_document(path: Path) -> Element:
    """Return the one JSON document of a file; InputError where it is none."""
    found = _cached(path, path.stat().st_size, path.stat().st_mtime_ns) if path.is_file() else _answer(path)
    if isinstance(found, InputError):
        raise found
    return Element(found)


def sniffed_document(path: Path) -> Element:
    """Return the JSON document of a file, an absent one where it holds none; never raises for its content."""
    if not looks_like_json(path):
        return Element(None)
    try:
        return json_document(path)
    except (InputError, OSError):
        return Element(None)


def json_lines(path: Path) -> Iterator[tuple[int, Element]]:
    """Yield (line number, value) of each line of a JSON Lines file; InputError at the first that is no JSON."""
    for number, line in enumerate(whole_text(path).splitlines(), start=1):
        if line.strip():
            try:
                yield number, Element(strict_json(line))
            except JsonError as problem:
                _refuse(path, problem.message, number)


def yaml_documents(path: Path) -> tuple[Element, ...]:
    """Return the documents of a YAML file but the empty ones; InputError where it is no YAML that is read."""
    return yaml_text(path, whole_text(path, MAX_DOCUMENT_BYTES))


def yaml_text(path: Path, text: str) -> tuple[Element, ...]:
    """Return the documents of a YAML text that was found in a file; InputError as yaml_documents."""
    try:
        _check_events(text)
        loader = _Strict(text)
        try:
            found = []
            while loader.check_data():
                found.append(loader.get_data())
        finally:
            loader.dispose()
    except JsonError as problem:
        _refuse(path, problem.message, problem.row)
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark
        _refuse(path, f"this is no YAML: {problem.problem or problem.context}", mark.line + 1 if mark else None)
    except (yaml.YAMLError, ValueError, RecursionError) as problem:
        _refuse(path, f"this is no YAML: {str(problem).splitlines()[0] if str(problem) else 'too deep'}")
    return tuple(Element(one) for one in found if one is not None)


@lru_cache(maxsize=1)
def _cached(path: Path, size: int, changed: int) -> object:
    del size, changed  # they only tell one state of the file from the next
    return _answer(path)


def _answer(path: Path) -> object:
    """Return the JSON of a file, or the error why there is none: every reader that looks at the file asks anew."""
    try:
        return _json(path)
    except InputError as problem:
        return problem


def _json(path: Path) -> object:
    try:
        text = whole_text(path, MAX_DOCUMENT_BYTES)
        if sum(text.count(sign) for sign in ",[{") > MAX_JSON_VALUES:
            _refuse(path, f"the JSON has more than {MAX_JSON_VALUES} values")
        return strict_json(text)
    except JsonError as problem:
        _refuse(path, problem.message, problem.row)


class _Strict(_LOADER):  # type: ignore[misc, valid-type]
    """Scalars by the core schema of YAML 1.2, keys once, no tags but the plain ones."""

    yaml_implicit_resolvers: ClassVar[dict[object, object]] = {}

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[str, object]:
        found: dict[str, object] = {}
        for key_node, value_node in node.value:
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, str | int | float | bool):
                raise JsonError("a key is a list or a mapping", key_node.start_mark.line + 1)
            if str(key) in found:
                raise JsonError(f"the key {str(key)!r} stands twice in one mapping", key_node.start_mark.line + 1)
            found[str(key)] = self.construct_object(value_node, deep=deep)
        return found


def _construct_whole(loader: _Strict, node: yaml.MappingNode) -> dict[str, object]:
    return loader.construct_mapping(node, deep=True)


_CORE = (
    ("tag:yaml.org,2002:bool", re.compile(r"true|True|TRUE|false|False|FALSE", re.ASCII), "tTfF"),
    ("tag:yaml.org,2002:null", re.compile(r"~|null|Null|NULL|", re.ASCII), ("~", "n", "N", "")),
    ("tag:yaml.org,2002:int", re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", re.ASCII), "-+0123456789"),
    (
        "tag:yaml.org,2002:float",
        re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", re.ASCII),
        "-+.0123456789",
    ),
)
for _tag, _pattern, _first in _CORE:
    _Strict.add_implicit_resolver(_tag, re.compile(rf"^(?:{_pattern.pattern})$", re.ASCII), list(_first))


def _construct_integer(loader: _Strict, node: yaml.ScalarNode) -> int:
    text = str(loader.construct_scalar(node))
    if len(text) > 40:
        raise JsonError("a whole number has more than 40 digits", node.start_mark.line + 1)
    base = 16 if text.startswith("0x") else 8 if text.startswith("0o") else 10
    return int(text, base)


def _construct_float(loader: _Strict, node: yaml.ScalarNode) -> float:
    text = str(loader.construct_scalar(node))
    value = float(text)
    if not isfinite(value):
        raise JsonError(f"the number {text[:40]} is out of range", node.start_mark.line + 1)
    return value


_Strict.add_constructor("tag:yaml.org,2002:map", _construct_whole)
_Strict.add_constructor("tag:yaml.org,2002:int", _construct_integer)
_Strict.add_constructor("tag:yaml.org,2002:float", _construct_float)


def _check_events(text: str) -> None:
    """Raise for nesting and aliases beyond the limits, before anything is built of the text."""
    depth = aliases = 0
    problem = ""
    for nodes, event in enumerate(yaml.parse(text, Loader=_LOADER)):
        if isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
            depth += 1
        elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            depth -= 1
        elif isinstance(event, yaml.AliasEvent):
            aliases += 1
        if depth > MAX_DEPTH:
            problem = f"the YAML is nested more than {MAX_DEPTH} deep"
        elif aliases > MAX_ALIASES:
            problem = f"the YAML has more than {MAX_ALIASES} aliases"
        elif nodes > MAX_NODES:
            problem = "the YAML has too many values"
        if problem:
            raise JsonError(problem, event.start_mark.line + 1 if event.start_mark else None)


def _refuse(path: Path, message: str, row: int | None = None) -> NoReturn:
    faults = FaultList(str(path))
    faults.add(Code.DOCUMENT, message, row=row)
    raise InputError.of_faults(faults.all()) from None
