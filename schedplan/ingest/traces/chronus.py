"""Reader `chronus`: jobs with deadlines of the Chronus study. Source: S-Lab-System-Group/ChronusArtifact (2026-11).

Times are in the authors' scaled units, which nothing explains; a unit is taken as a second, and said so.
"""

from __future__ import annotations

from schedplan.ingest.csv_reader import CsvReader, Form, draft_of
from schedplan.ingest.field_error import FieldError
from schedplan.ingest.source_file import SourceRows
from schedplan.ingest.undated import EPOCH_S, SAID
from schedplan.tables.column import Column, Dictionary, Kind
from schedplan.tables.read import TableFile

_MOST = 4_000_000_000
_SPLIT = "-"
_KINDS = ("strict", "soft", "best")

JOB_LIST = Dictionary(
    name="chronus jobs",
    title="trace_job: one row per job",
    key=("job_id",),
    columns=(
        Column("job_id", Kind.TEXT, "job", required=True),
        Column("user", Kind.TEXT, "virtual cluster", required=True),
        Column("num_gpu", Kind.INTEGER, "devices", required=True, at_least=0, at_most=1_000_000),
        Column("submit_time", Kind.INTEGER, "submission", "units", required=True, at_least=0, at_most=_MOST),
        Column("duration", Kind.FLOAT, "run time", "units", required=True, at_least=0),
        Column("expect_time_list", Kind.TEXT, "deadlines after submission, joined by -", required=True, null_ok=True),
        Column("best_effort", Kind.INTEGER, "no deadline counts", at_least=0, at_most=1),
        Column("job_type", Kind.CHOICE, "sort of deadline", required=True, choices=_KINDS),
    ),
)


def _jobs(rows: SourceRows) -> tuple[TableFile, ...]:
    draft = draft_of("jobs", rows, tuple(name for name in JOB_LIST.column_names if name != "best_effort"))
    names = ("job_id", "user", "num_gpu", "submit_time", "duration", "expect_time_list", "job_type")
    columns = zip(rows.file.rows.tolist(), *(rows.column(name).to_pylist() for name in names), strict=True)
    lists = without = unsorted = 0
    last = 0
    for number, job, user, gpus, submit, duration, expected, kind in columns:
        parts = (expected or "").split(_SPLIT)
        if kind != "best" and not all(part.isascii() and part.isdigit() for part in parts):
            draft.refuse(number, FieldError("expect_time_list", expected or "", "deadlines such as 282 or 282-400"))
            continue
        lists += kind != "best" and len(parts) > 1
        without += gpus == 0
        unsorted += submit < last
        last = submit
        draft.add(
            number,
            {
                "job": job,
                "kind": "training",
                "tenant": user,
                "submit_time": EPOCH_S + submit,
                "state": "completed",
                "workers": max(gpus, 1),
                "gpus_per_worker": min(gpus, 1),
                "runtime_minutes": duration / 60 if duration > 0 else None,
                "deadline": None if kind == "best" else EPOCH_S + submit + max(int(part) for part in parts),
                "deadline_kind": {"strict": "hard", "soft": "soft"}.get(kind),
            },
        )
    draft.note(len(draft.rows), SAID)
    draft.caution(len(draft.rows), "times are in scaled units that nothing explains; a unit is taken as a second")
    draft.note(without, f"{without} jobs ask for no device (num_gpu 0) and are kept")
    draft.note(unsorted, f"the rows are not in time order: {unsorted} are submitted before the row above them")
    draft.note(lists, f"{lists} jobs have several deadlines of falling value; the last one counts")
    draft.note(
        len(draft.rows),
        "a job of n devices is n workers of one device that start together; all jobs are completed",
    )
    return (draft.file(),)


CHRONUS = CsvReader(
    "chronus", "Chronus: jobs derived from Philly with deadlines (trace_job_*.csv)", ("jobs",), (Form(JOB_LIST, _jobs),)
)
