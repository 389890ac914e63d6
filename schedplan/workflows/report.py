"""Report: a saved plan as one file that people open."""

from __future__ import annotations

from enum import Enum
from pathlib import Path

from schedplan.errors import UsageError
from schedplan.report.document import Document
from schedplan.report.replay_charts import replay_section
from schedplan.report.simulation_document import MACHINE, simulation_document
from schedplan.tables.artefact_folder import write_text_whole
from schedplan.tables.artefact_simulation import SimulationRecord, is_simulation, read_replay_tables
from schedplan.workflows.plan import SavedPlan, open_plan
from schedplan.workflows.simulation import open_simulation, replay_events, simulation_inputs

MARKDOWN_MARK = "<!-- schedplan report -->"
JSON_MARK_KEY, JSON_MARK_VALUE = "$made_by", "schedplan report"
"""The key stands before all others, which begin with letters, so that it is found at the very beginning of a file."""


class ReportForm(Enum):
    """The forms of a report, by the ending of its file."""

    HTML = "html"
    MARKDOWN = "md"
    JSON = "json"


def report_plan(folder: Path, path: Path | None = None, data: Path | None = None, *, force: bool = False) -> tuple[Path, Document]:
    """Write the report of a saved plan or replay, and return where it stands and what it says.

    path: where, its ending says in which form; None = report.html in the plan's folder. Raises OutputError, and UsageError for an
    ending that says no form, and where `folder` is a file.
    """
    if folder.is_file():
        hint = "A forecast is reported as it is made: schedplan forecast LOAD --out report.html"
        raise UsageError(f"{folder} is a file; what is reported is the folder of a plan or a replay", hint=hint)
    target = path if path is not None else folder / "report.html"
    if is_simulation(folder):
        record = open_simulation(folder, data)
        document = replay_document(folder, record)
        write_document(document, target, force=force, inputs=simulation_inputs(folder, record, data))
        return target, document
    return write_report(open_plan(folder, data), target, force=force)


def replay_document(folder: Path, record: SimulationRecord) -> Document:
    """Return what a saved replay says, with its charts over time."""
    timeline, jobs = read_replay_tables(folder)
    events = replay_events(timeline, jobs)
    machine = dict(record.settings).get(MACHINE, "its nodes")
    return simulation_document(record, jobs.num_rows, machine, replay_section(events))


def write_report(saved: SavedPlan, target: Path, *, force: bool = False) -> tuple[Path, Document]:
    """Write the report of an opened plan."""
    document = saved.document()
    write_document(document, target, force=force, inputs=saved.project.paths())
    return target, document


def write_document(document: Document, target: Path, *, force: bool = False, inputs: tuple[Path, ...] = ()) -> None:
    """Write any document as a file, in the form that its ending says. Raises OutputError, and UsageError for another ending."""
    form = report_form(target)
    write_text_whole(target, report_text(document, form), mark=report_mark(form), force=force, inputs=inputs)


def report_mark(form: ReportForm) -> str:
    """Return the text in the first lines of a report by which it is told from files of others."""
    match form:
        case ReportForm.HTML:
            return '<meta name="generator" content="schedplan">'
        case ReportForm.MARKDOWN:
            return MARKDOWN_MARK
        case ReportForm.JSON:
            return f'"{JSON_MARK_KEY}": "{JSON_MARK_VALUE}"'


def report_text(document: Document, form: ReportForm) -> str:
    """Return a document in one form, with the mark of a report."""
    match form:
        case ReportForm.HTML:
            from schedplan.report.html import html_text

            return html_text(document)
        case ReportForm.MARKDOWN:
            from schedplan.report.markdown import markdown_text

            return f"{MARKDOWN_MARK}\n\n{markdown_text(document)}"
        case ReportForm.JSON:
            from schedplan.report.json import json_form, serialized

            return serialized({JSON_MARK_KEY: JSON_MARK_VALUE, **json_form(document)})


def report_form(path: Path) -> ReportForm:
    """Return the form that the ending of a file says; UsageError for another ending."""
    ending = path.suffix.removeprefix(".").lower()
    known = {"html": ReportForm.HTML, "htm": ReportForm.HTML, "md": ReportForm.MARKDOWN, "json": ReportForm.JSON}
    if ending not in known:
        raise UsageError(f"{path}: its ending says no form of report", hint="End it with .html, .md or .json.")
    return known[ending]
