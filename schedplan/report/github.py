"""A verdict as workflow commands of GitHub Actions, which become annotations, and as the summary of a step.

Grammar: `::error file=F,line=N,title=T::message`, with %, CR and LF escaped, in properties also `:` and `,`; a step shows ten
annotations of each level, and a summary holds 1 MiB:
https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions (2026-12-01).
"""

from __future__ import annotations

from schedplan.report.document import Document
from schedplan.report.gate_results import GateResult
from schedplan.report.markdown import ROWS_SHOWN, markdown_text

MOST_OF_A_LEVEL = 10
LONGEST_MESSAGE = 4000
MOST_SUMMARY_BYTES = 1024 * 1024
TITLE = "schedplan check"
MARK = f"title={TITLE}"
SUMMARY_MARK = "<!-- schedplan check -->"
_LEFT_OUT = "\n*The rest does not fit a summary of 1 MiB; `schedplan check -o json` has all of it.*\n"


def annotations_text(results: tuple[GateResult, ...], headline: str) -> str:
    """Return one command a line: the verdict in a sentence, then the broken rules, ten of each level at most."""
    lines = [_command("notice", MARK, headline)]
    for level, is_denied in (("error", True), ("warning", False)):
        found = [result for result in results if result.is_denied is is_denied]
        shown = found if len(found) <= MOST_OF_A_LEVEL else found[: MOST_OF_A_LEVEL - 1]
        lines += [_annotation(level, result) for result in shown]
        left = len(found) - len(shown)
        if left:
            lines.append(_command(level, MARK, f"and {left:,} more; the log and the summary have all of them"))
    return "".join(f"{line}\n" for line in lines)


def summary_text(document: Document) -> str:
    """Return the summary of a step: the document as Markdown, with ever fewer rows until it fits 1 MiB."""
    rows_shown = ROWS_SHOWN
    text = _summary(document, rows_shown)
    while len(text.encode("utf-8")) > MOST_SUMMARY_BYTES and rows_shown > 1:
        rows_shown //= 2
        text = _summary(document, rows_shown)
    return _cut(text)


def _summary(document: Document, rows_shown: int) -> str:
    return f"{SUMMARY_MARK}\n\n{markdown_text(document, rows_shown)}"


def _cut(text: str) -> str:
    """Return whole lines of a text that fit a summary, saying so where some do not."""
    room = MOST_SUMMARY_BYTES - len(_LEFT_OUT.encode("utf-8"))
    if len(text.encode("utf-8")) <= MOST_SUMMARY_BYTES:
        return text
    kept: list[str] = []
    for line in text.splitlines(keepends=True):
        room -= len(line.encode("utf-8"))
        if room < 0:
            break
        kept.append(line)
    return "".join(kept) + _LEFT_OUT


def _annotation(level: str, result: GateResult) -> str:
    line = f",line={result.place.line}" if result.place.line is not None else ""
    return _command(level, f"file={_property(result.place.file)}{line},title={_property(_title(result))}", result.words)


def _title(result: GateResult) -> str:
    return f"{TITLE} {result.code}"


def _command(level: str, properties: str, message: str) -> str:
    cut = message if len(message) <= LONGEST_MESSAGE else message[:LONGEST_MESSAGE] + "…"
    return f"::{level} {properties}::{_data(cut)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
