"""Reports of a verdict: the forms in which `check` also writes it, several in one run, for people and for pipelines."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from schedplan import __version__
from schedplan.check.place import Place
from schedplan.errors import SchedplanError, UsageError
from schedplan.report import github, gitlab, sarif
from schedplan.report.document import Paragraph
from schedplan.report.gate_results import error_result, gate_results
from schedplan.report.junit import junit_error_text, junit_text
from schedplan.tables.artefact_folder import write_text_whole
from schedplan.workflows.check import Checked
from schedplan.workflows.report import ReportForm, report_mark, report_text

_DOCUMENTS = {"markdown": ReportForm.MARKDOWN, "json": ReportForm.JSON, "html": ReportForm.HTML}
_MARKS = {
    "junit": '<testsuites name="schedplan check"',
    "sarif": sarif.MARK,
    "github": github.MARK,
    "gitlab": gitlab.MARK,
    "summary": github.SUMMARY_MARK,
    **{name: report_mark(form) for name, form in _DOCUMENTS.items()},
}
REPORT_FORMS = tuple(sorted(_MARKS))


@dataclass(frozen=True, slots=True)
class ReportTarget:
    """A form in which the verdict is also written, and where; path None = standard output."""

    form: str
    path: Path | None


def report_targets(texts: tuple[str, ...]) -> tuple[ReportTarget, ...]:
    """Return what each `FORM=FILE` says; UsageError for another form, or for two that want one file."""
    found: list[ReportTarget] = []
    for text in texts:
        form, equals, file = text.partition("=")
        if form not in REPORT_FORMS or not equals or not file:
            raise UsageError(
                f"--report {text!r} is no FORM=FILE", hint=f"Forms: {', '.join(REPORT_FORMS)}; FILE - is standard output."
            )
        target = ReportTarget(form, None if file == "-" else Path(file))
        if target.path is not None and any(target.path == other.path for other in found):
            raise UsageError(f"--report names {target.path} twice", hint="Give each form a file of its own.")
        found.append(target)
    return tuple(found)


def reported(checked: Checked, target: ReportTarget, *, force: bool = False) -> str | None:
    """Write the verdict to a target's file, or return its text where it goes to standard output.

    An earlier report of the same form is replaced, anything else only with `force`; a summary goes after what its file says
    already. Raises OutputError.
    """
    return _put(_text(checked, target.form), target, force)


def reported_error(error: SchedplanError, target: ReportTarget, *, force: bool = False) -> str | None:
    """Write why there is no verdict, or return its text for standard output; forms for people, who read the error, stay away."""
    result = error_result(error.message, error.code, error.hint, Place("schedplan.toml"))
    match target.form:
        case "junit":
            return _put(junit_error_text("check", error.message, error.code), target, force)
        case "sarif":
            return _put(sarif.sarif_text((result,), __version__, is_error=True), target, force)
        case "gitlab":
            return _put(gitlab.gitlab_text((result,), is_error=True), target, force)
        case "github":
            return _put(github.annotations_text((result,), "There is no verdict."), target, force)
    return None


def _text(checked: Checked, form: str) -> str:
    results = gate_results(checked.verdict, checked.places)
    match form:
        case "junit":
            return junit_text(checked.verdict, held=checked.held)
        case "sarif":
            return sarif.sarif_text(results, __version__)
        case "gitlab":
            return gitlab.gitlab_text(results)
        case "github":
            return github.annotations_text(results, _headline(checked))
        case "summary":
            return github.summary_text(checked.document)
        case _:
            return report_text(checked.document, _DOCUMENTS[form])


def _headline(checked: Checked) -> str:
    paragraphs = (block for block in checked.document.blocks() if isinstance(block, Paragraph) and block.is_headline)
    return " ".join(str(part) for paragraph in paragraphs for part in paragraph.parts)


def _put(text: str, target: ReportTarget, force: bool) -> str | None:
    if target.path is None:
        return text
    if target.form == "summary":
        text = _after(target.path, text)
        force = force or _is_file(target.path)
    if target.form == "gitlab":
        force = force or _said(target.path) == gitlab.EMPTY
    write_text_whole(target.path, text, mark=_MARKS[target.form], force=force)
    return None


def _after(path: Path, text: str) -> str:
    """Return a summary after what others said before it, in place of an earlier one of ours."""
    before, _, _ = _said(path).partition(github.SUMMARY_MARK)
    return f"{before.rstrip()}\n\n{text}" if before.strip() else text


def _said(path: Path) -> str:
    return path.read_text("utf-8", errors="replace") if _is_file(path) else ""


def _is_file(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()
