"""A live Prometheus as files: the answers to all questions over a span, kept while they are read as saved answers are.

It knows no table; the reader `prometheus` reads what is kept here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from schedplan.errors import Fault, InputError, UsageError
from schedplan.ingest.live.connection import Connection
from schedplan.ingest.live.parts import MOST_PARTS, MOST_POINTS, PartError, joined, parts
from schedplan.ingest.live.questions import Question
from schedplan.ingest.source_bytes import MAX_DOCUMENT_BYTES
from schedplan.tables.faults import Code
from schedplan.tables.read import TableFile
from schedplan.timegrid import format_instant

_DOWN_SHOWN = 5


@dataclass(frozen=True, slots=True)
class LiveSpan:
    """From begin_s to end_s, seconds since 1970, a value each step_s; UsageError where that is no span or too many values."""

    begin_s: int
    end_s: int
    step_s: int

    def __post_init__(self) -> None:
        if self.step_s <= 0 or self.end_s - self.begin_s < self.step_s:
            raise UsageError(
                f"from {format_instant(self.begin_s)} to {format_instant(self.end_s)} there is no step of {self.step_s} s",
                hint="Give --begin before --end, and a --step that fits between.",
            )
        most = MOST_POINTS * MOST_PARTS
        if (self.end_s - self.begin_s) // self.step_s + 1 > most:
            least_s = -(-(self.end_s - self.begin_s) // (most - 1))
            told = f"a step of {self.step_s} s asks for more than {most:,} values a series ({MOST_PARTS} x {MOST_POINTS:,})"
            raise UsageError(told, hint=f"Give --step {least_s}s or wider, or a shorter span.")


@dataclass(frozen=True, slots=True)
class LiveSource:
    """A server, and what it is asked for."""

    connection: Connection
    span: LiveSpan
    questions: tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer. asked: its name in the account. path: the file that holds it. notes, cautions: sentences that name it."""

    asked: Path
    path: Path
    notes: tuple[str, ...]
    cautions: tuple[str, ...] = ()

    def told(self, file: TableFile) -> TableFile:
        """Return a table read out of it with what is said of the answer."""
        return replace(file, notes=(*self.notes, *file.notes), cautions=(*self.cautions, *file.cautions))


@contextmanager
def answers_of(source: LiveSource | None) -> Iterator[tuple[Answer, ...]]:
    """Yield the answers that hold a series, in files that are there as long as the `with`; none without a source.

    A known metric that the server lacks is passed over. Raises InputError where a question of a person, or every one, finds none.
    """
    if source is None:
        yield ()
        return
    with TemporaryDirectory() as folder:
        found = tuple(answer for question in source.questions if (answer := _answer(source, question, Path(folder))) is not None)
        if not found:
            told = "it has none of the metrics that are known (DCGM, node, kube-state, TF Serving, Triton, vLLM) in this span"
            raise _nothing(source, told, "Ask by --query, or for another span by --begin and --end.")
        yield (replace(found[0], cautions=_down(source, found[0].asked)), *found[1:])


def _answer(source: LiveSource, question: Question, folder: Path) -> Answer | None:
    span, address = source.span, source.connection.address
    asked_for = parts(span.begin_s, span.end_s, span.step_s)
    content = _content(source, question, asked_for)
    if _is_empty(content):
        if question.is_own:
            told = f"the question {question.name} finds no series in this span"
            raise _nothing(source, told, "Look at the names, labels and the span.")
        return None
    # The name of a file becomes that of a series without one, and a colon or slash in it would not hurt but here.
    path = folder / f"{question.name.replace(':', '_')}.json"
    path.write_bytes(content)
    asked = address.named(question.name)
    told = f"{format_instant(span.begin_s)} to {format_instant(span.end_s)}, each {span.step_s} s"
    told += f", in {len(asked_for)} questions of at most {MOST_POINTS:,} values" if len(asked_for) > 1 else ""
    return Answer(asked, path, (f"{asked}: asked {address.shown} for {question.promql}, {told}",))


def _content(source: LiveSource, question: Question, asked_for: tuple[tuple[int, int], ...]) -> bytes:
    """Return the answer over the whole span, asked for in parts where the server gives no more at once."""
    contents: list[bytes] = []
    for begin_s, end_s in asked_for:
        parameters = {"query": question.promql, "start": str(begin_s), "end": str(end_s), "step": str(source.span.step_s)}
        contents.append(source.connection.answer("query_range", parameters))
        if sum(map(len, contents)) > MAX_DOCUMENT_BYTES:
            told = f"the answers to {question.name} are longer than {MAX_DOCUMENT_BYTES} bytes together"
            raise _nothing(source, told, "Ask for a shorter span or a wider --step.")
    try:
        return joined(contents)
    except PartError:
        told = f"its answer to {question.name} is no matrix of series"
        raise _nothing(source, told, "Give the address of a Prometheus.") from None


def _down(source: LiveSource, asked: Path) -> tuple[str, ...]:
    """Return a sentence about the targets that could not be scraped for a part of the span; none where all could."""
    span = source.span
    promql = f"1 - avg_over_time(up[{span.end_s - span.begin_s}s]) > 0"
    content = source.connection.answer("query", {"query": promql, "time": str(span.end_s)})
    try:
        metrics = [one["metric"] for one in json.loads(content)["data"]["result"]]
        names = sorted(f"{metric.get('job', '')} {metric.get('instance', '')}".strip() for metric in metrics)
    except (AttributeError, KeyError, TypeError):
        raise _nothing(source, "its answer to `up` is no vector of targets", "Give the address of a Prometheus.") from None
    if not names:
        return ()
    more = f" and {len(names) - _DOWN_SHOWN} more" if len(names) > _DOWN_SHOWN else ""
    listed = f"{', '.join(names[:_DOWN_SHOWN])}{more}"
    return (f"{asked}: targets were down for a part of the span, and what they miss is a gap, not 0: {listed}",)


def _is_empty(content: bytes) -> bool:
    data = json.loads(content).get("data")
    return isinstance(data, dict) and data.get("result") == []


def _nothing(source: LiveSource, message: str, hint: str) -> InputError:
    return InputError.of_faults((Fault(Code.NO_ANSWER.value, f"{source.connection.address.shown}: {message}", hint=hint),))
