"""Results on standard output, in the form that was asked for. It lays out nothing itself."""

from __future__ import annotations

import shutil
import sys

from schedplan.cli.options import Color, OutputForm
from schedplan.cli.talk import takes_color
from schedplan.report.document import Document


def present(document: Document, form: OutputForm, color: Color) -> None:
    """Write a document to standard output."""
    write_text(_text(document, form, color))


def write_text(text: str) -> None:
    """Write text that is already laid out to standard output, at once, so that a full disk is noticed here."""
    sys.stdout.write(text)
    sys.stdout.flush()


def _text(document: Document, form: OutputForm, color: Color) -> str:
    match form:
        case OutputForm.JSON:
            from schedplan.report.json import json_text

            return json_text(document)
        case OutputForm.YAML:
            from schedplan.report.yaml import yaml_text

            return yaml_text(document)
        case OutputForm.CSV:
            from schedplan.report.csv import csv_text

            return csv_text(document)
        case OutputForm.MARKDOWN:
            from schedplan.report.markdown import markdown_text

            return markdown_text(document)
        case OutputForm.TABLE | OutputForm.WIDE:
            from schedplan.report.terminal import TerminalOptions, terminal_text

            options = TerminalOptions(
                width=shutil.get_terminal_size().columns if sys.stdout.isatty() else None,
                color=takes_color(sys.stdout, color.value),
                is_wide=form is OutputForm.WIDE,
                is_unicode="utf" in sys.stdout.encoding.lower(),
            )
            return terminal_text(document, options)
