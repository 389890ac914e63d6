"""Engines: what is known of them, printed."""

from __future__ import annotations

from schedplan.engines.catalog import all_engines, engine
from schedplan.report.document import Document
from schedplan.report.engine_document import engine_document, engines_document


def engines_known(name: str | None) -> Document:
    """Return the list of engines, or everything known of one; UsageError, with the nearest name, for an unknown one."""
    return engines_document(all_engines()) if name is None else engine_document(engine(name))
