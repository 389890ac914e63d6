"""Engines: what is known of them, printed."""

from __future__ import annotations

from schedplan.engines.catalog import all_engines, engine
from schedplan.engines.stack_facts import stack_engine
from schedplan.engines.stack_table import STACKS, stacks_of, stacks_with
from schedplan.report.document import Document
from schedplan.report.engine_document import engine_document, engines_document


def engines_known(name: str | None) -> Document:
    """Return the list of engines and stacks, or everything known of one; UsageError, with the nearest name, for an unknown one."""
    if name is None:
        return engines_document(all_engines(), STACKS)
    (first, *_) = stacks_of(name)
    if len(first.layers) > 1 and first.name == name.strip().lower():
        return engine_document(stack_engine(first), (first,))
    known = engine(name)
    return engine_document(known, stacks_with(known.name))
