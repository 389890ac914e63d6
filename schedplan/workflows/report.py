"""Report: a saved plan as one file that people open."""

from __future__ import annotations

from enum import Enum
from pathlib import Path

from schedplan.errors import UsageError
from schedplan.report.document import Document
from schedplan.tables.artefact_folder import write_text_whole
from schedplan.workflows.plan import SavedPlan, open_plan

MARKS = {"html": "<!doctype html", "md": "", "json": '"kind"'}


class ReportForm(Enum):
    """The forms of a report, by the ending of its file."""

    HTML = "html"
    MARKDOWN = "md"
    JSON = "json"


def report_plan(folder: Path, path: Path | None = None, data: Path | None = None, *, force: bool = False) -> tuple[Path, Document]:
    """Write the report of a saved plan, and return where it stands and what it says.

    path: where, its ending says in which form; None = report.html in the plan's folder. Raises OutputError, and UsageError for an
    ending that says no form.
    """
    saved = open_plan(folder, data)
    target = path if path is not None else folder / "report.html"
    return write_report(saved, target, force=force)


def write_report(saved: SavedPlan, target: Path, *, force: bool = False) -> tuple[Path, Document]:
    """Write the report of an opened plan."""
    document = saved.document()
    write_document(document, target, force=force, inputs=saved.project.paths())
    return target, document


def write_document(document: Document, target: Path, *, force: bool = False, inputs: tuple[Path, ...] = ()) -> None:
    """Write any document as a file, in the form that its ending says. Raises OutputError, and UsageError for another ending."""
    form = report_form(target)
    write_text_whole(target, report_text(document, form), mark=MARKS[form.value] or None, force=force, inputs=inputs)


def report_text(document: Document, form: ReportForm) -> str:
    """Return a document in one form."""
    match form:
        case ReportForm.HTML:
            from schedplan.report.html import html_text

            return html_text(document)
        case ReportForm.MARKDOWN:
            from schedplan.report.markdown import markdown_text

            return markdown_text(document)
        case ReportForm.JSON:
            from schedplan.report.json import json_text

            return json_text(document)


def report_form(path: Path) -> ReportForm:
    """Return the form that the ending of a file says; UsageError for another ending."""
    ending = path.suffix.removeprefix(".").lower()
    known = {"html": ReportForm.HTML, "htm": ReportForm.HTML, "md": ReportForm.MARKDOWN, "json": ReportForm.JSON}
    if ending not in known:
        raise UsageError(f"{path}: its ending says no form of report", hint="End it with .html, .md or .json.")
    return known[ending]
