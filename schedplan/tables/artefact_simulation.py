"""A replay on disk: a folder with simulate.json and its tables, written whole or not at all."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schedplan.errors import InputError
from schedplan.model.band import Band, PairedDifference
from schedplan.model.findings import Measure
from schedplan.model.timeline import REASONS, Timeline
from schedplan.tables.artefact_columns import Cells, columns_bytes, columns_in
from schedplan.tables.artefact_context import InputRecord
from schedplan.tables.artefact_folder import restore_interrupted, write_folder_whole
from schedplan.tables.artefact_record import MALFORMED, NOT_THIS_KIND, Fields, Json, damaged, opened, sealed, sha256_of
from schedplan.tables.dictionary.jobs_out import JOBS_OUT
from schedplan.tables.dictionary.replicas_out import REPLICAS_OUT
from schedplan.tables.dictionary.services_out import SERVICES_OUT
from schedplan.tables.dictionary.timeline import TIMELINE
from schedplan.tables.obstacles import FolderKind
from schedplan.tables.service_columns import replica_columns, service_columns

KIND = "simulation"
SCHEMA_VERSION = "1.1"
RECORD = "simulate.json"
TIMELINE_FILE, JOBS_FILE = "timeline.parquet", "jobs_out.parquet"
SERVICES_FILE, REPLICAS_FILE = "services_out.parquet", "replicas_out.parquet"
MEASURES_FILE = "measures.prom"
_TABLE_FILES = (TIMELINE_FILE, JOBS_FILE, SERVICES_FILE, REPLICAS_FILE, MEASURES_FILE)
_REPORT_FILES = ("report.html", "report.md", "report.json", "junit.xml")
SIMULATION_FOLDER = FolderKind(KIND, RECORD, (RECORD, *_TABLE_FILES, *_REPORT_FILES))

RESUMED = "goes on after a stop"
LET_GO = "the rest of its gang found no place"
_SUBMIT, _GIVE_BACK, _STOP, _TAKE = 0, 1, 2, 3


@dataclass(frozen=True)
class SimulationRecord:
    """What simulate.json tells of a replay.

    rules and settings: (name, words); dropped and counts: (name, number); replications: how often it was replayed; bands: of
    the measures over them; differences: of other policies from this one.
    """

    project: str
    policy: str
    rules: tuple[tuple[str, str], ...]
    settings: tuple[tuple[str, str], ...]
    measures: tuple[Measure, ...]
    dropped: tuple[tuple[str, int], ...] = ()
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    counts: tuple[tuple[str, int], ...] = ()
    inputs: tuple[InputRecord, ...] = ()
    versions: tuple[tuple[str, str], ...] = ()
    timezone: str = "UTC"
    currency: str = "USD"
    seed: int = 0
    replications: int = 1
    bands: tuple[Band, ...] = ()
    differences: tuple[PairedDifference, ...] = ()


def write_simulation(
    folder: Path,
    record: SimulationRecord,
    timeline: Timeline,
    metrics: str,
    *,
    force: bool = False,
    inputs: Iterable[Path] = (),
) -> None:
    """Put a replay at `folder`: complete, or the place is left as it was. Raises OutputError (artefact_folder tells when).

    metrics: its measures as text for Prometheus.
    """
    tables = (*_tables(timeline), (MEASURES_FILE, metrics.encode("utf-8")))
    manifest: dict[str, Json] = {name: sha256_of(content) for name, content in tables}
    head = sealed({"kind": KIND, "schema_version": SCHEMA_VERSION, **_values(record), "files": manifest})
    write_folder_whole(folder, (*tables, (RECORD, head)), SIMULATION_FOLDER, force=force, inputs=inputs)


def _tables(timeline: Timeline) -> tuple[tuple[str, bytes], ...]:
    """Return (file, content) of every table of a replay; those of services only where it had any."""
    of_jobs = (
        (TIMELINE_FILE, columns_bytes(timeline_columns(timeline), TIMELINE)),
        (JOBS_FILE, columns_bytes(job_columns(timeline), JOBS_OUT)),
    )
    run = timeline.services
    if run is None:
        return of_jobs
    return (
        *of_jobs,
        (SERVICES_FILE, columns_bytes(service_columns(run), SERVICES_OUT)),
        (REPLICAS_FILE, columns_bytes(replica_columns(run, timeline.nodes), REPLICAS_OUT)),
    )


def is_simulation(folder: Path) -> bool:
    """Return whether a folder holds a replay."""
    return (folder / RECORD).is_file()


def read_simulation(folder: Path) -> SimulationRecord:
    """Return what a saved replay tells of itself; InputError where there is none, or a byte of it is not what was written."""
    if not folder.exists():
        restore_interrupted(folder)
    path = folder / RECORD
    fields = opened(_content(path), file=str(path), kind=KIND, major=int(SCHEMA_VERSION.split(".", maxsplit=1)[0]))
    for name, sha256 in fields.text_pairs("files"):
        if name not in _TABLE_FILES:
            raise fields.refusal("files", ", ".join(_TABLE_FILES))
        if sha256_of(_content(folder / name)) != sha256:
            raise damaged(str(folder / name))
    return _record(fields)


def read_replay_tables(folder: Path) -> tuple[pa.Table, pa.Table]:
    """Return (timeline, jobs) of a saved replay as Arrow tables; InputError where they are not what was written."""
    timeline, jobs = folder / TIMELINE_FILE, folder / JOBS_FILE
    return columns_in(_content(timeline), TIMELINE, str(timeline)), columns_in(_content(jobs), JOBS_OUT, str(jobs))


def timeline_columns(timeline: Timeline) -> dict[str, Cells]:
    """Return the columns of timeline.parquet: at one instant submissions, ends, stops, then starts; by job, then node."""
    parts, started = timeline.parts, timeline.started
    jobs, part = np.arange(len(timeline.jobs)), np.arange(len(timeline.parts.job))
    was_stopped = parts.was_stopped
    ran = (started[parts.job] if len(part) else np.zeros(0, dtype=np.bool_)) & ~was_stopped
    waits = ran & (parts.taken_s < timeline.start_s[parts.job]) if len(part) else ran
    taken, given = part, part[ran | was_stopped]
    job = np.concatenate([jobs, parts.job[given], parts.job[taken]])
    gone_s = parts.gone_s(timeline.end_s[parts.job]) if len(part) else np.zeros(0, dtype=np.int64)
    time_s = np.concatenate([timeline.submit_s, gone_s[given], parts.taken_s[taken]])
    back = np.where(was_stopped[given], _STOP, _GIVE_BACK)
    kind = np.concatenate([np.full(len(jobs), _SUBMIT), back, np.full(len(taken), _TAKE)])
    node = np.concatenate([np.full(len(jobs), -1), parts.node[given], parts.node[taken]])
    amount = np.concatenate([timeline.amount, parts.amount[given], parts.amount[taken]])
    early = np.concatenate(
        [np.zeros(len(jobs) + len(given), dtype=np.bool_), (waits | timeline.let_go | ~(ran | was_stopped))[taken]]
    )
    order = np.lexsort((node, job, kind, time_s))
    job, kind, node, early, time_s = job[order], kind[order], node[order], early[order], time_s[order]
    return {
        "time": time_s,
        "event": _event_names(timeline, job, kind, early),
        "job": _named(timeline.jobs, job),
        "node": _named((*timeline.nodes, None) if timeline.nodes else (None,), node if timeline.nodes else np.zeros_like(node)),
        "devices": amount[order],
        "reason": _reasons(timeline, job, kind, early, time_s),
    }


def _reasons(
    timeline: Timeline, job: NDArray[np.int64], kind: NDArray[np.int64], early: NDArray[np.bool_], time_s: NDArray[np.int64]
) -> list[str | None]:
    """Return why each start and each stop happened; a job that goes on after a stop says so."""
    stopped = {(stop.job, stop.at_s): stop.cause.value for stop in timeline.stops}
    first = timeline.start_s[job] == time_s
    rows = zip(job.tolist(), kind.tolist(), early.tolist(), time_s.tolist(), first.tolist(), strict=True)
    found: list[str | None] = []
    for one, of_kind, is_early, at_s, is_first in rows:
        if of_kind == _TAKE and not is_early:
            found.append(REASONS[timeline.reason[one]].value if is_first else RESUMED)
        else:
            found.append(stopped.get((one, at_s), LET_GO) if of_kind == _STOP else None)
    return found


def job_columns(timeline: Timeline) -> dict[str, Cells]:
    """Return the columns of jobs_out.parquet."""
    started = timeline.started.tolist()
    return {
        "job": list(timeline.jobs),
        "submit": timeline.submit_s,
        "start": _where(started, timeline.start_s),
        "end": _where(started, timeline.end_s),
        "state": [
            "pending" if not ran else "timeout" if killed else "completed"
            for ran, killed in zip(started, timeline.killed.tolist(), strict=True)
        ],
        "wait_s": _where(started, timeline.start_s - timeline.submit_s),
        "node": _places(timeline),
    }


def _event_names(timeline: Timeline, job: NDArray[np.int64], kind: NDArray[np.int64], early: NDArray[np.bool_]) -> list[str]:
    killed = timeline.killed[job]
    names = np.where(
        kind == _SUBMIT,
        "submit",
        np.where(
            kind == _STOP,
            "stop",
            np.where(kind == _GIVE_BACK, np.where(killed, "limit", "end"), np.where(early, "take", "start")),
        ),
    )
    found: list[str] = names.tolist()
    return found


def _named(names: tuple[str | None, ...], idx: NDArray[np.int64]) -> list[str | None]:
    return [names[one] for one in idx.tolist()]


def _where(started: list[bool], values: NDArray[np.int64]) -> list[int | None]:
    return [value if ran else None for ran, value in zip(started, values.tolist(), strict=True)]


def _places(timeline: Timeline) -> list[str | None]:
    """Return `node*workers;...` per job in its last run, by node; None where it never started or nodes were not kept."""
    parts = timeline.parts
    workers: list[dict[int, int]] = [{} for _ in timeline.jobs]
    last = ~parts.was_stopped
    for job, node, count in zip(parts.job[last].tolist(), parts.node[last].tolist(), parts.workers[last].tolist(), strict=True):
        workers[job][node] = workers[job].get(node, 0) + count
    if not timeline.nodes:
        return [None] * len(timeline.jobs)
    return [
        ";".join(f"{timeline.nodes[node]}*{found[node]}" for node in sorted(found)) if ran else None
        for found, ran in zip(workers, timeline.started.tolist(), strict=True)
    ]


def _values(record: SimulationRecord) -> dict[str, Json]:
    return {
        "project": record.project,
        "policy": record.policy,
        "rules": [{"rule": name, "says": words} for name, words in record.rules],
        "settings": dict(record.settings),
        "measures": [
            {"name": one.name, "value": one.value, "unit": one.unit, "labels": dict(one.labels)} for one in record.measures
        ],
        "dropped": dict(record.dropped),
        "notes": list(record.notes),
        "warnings": list(record.warnings),
        "counts": dict(record.counts),
        "inputs": [{"path": one.path, "table": one.table, "sha256": one.sha256} for one in record.inputs],
        "versions": dict(record.versions),
        "timezone": record.timezone,
        "currency": record.currency,
        "seed": record.seed,
        "replications": record.replications,
        "bands": [
            {
                "name": one.name,
                "labels": dict(one.labels),
                "unit": one.unit,
                "mean": one.mean,
                "low": one.low,
                "high": one.high,
                "replications": one.replications,
            }
            for one in record.bands
        ],
        "differences": [
            {
                "policy": one.policy,
                "base": one.base,
                "name": one.name,
                "unit": one.unit,
                "mean": one.mean,
                "low": one.low,
                "high": one.high,
                "is_tie": one.is_tie,
            }
            for one in record.differences
        ],
    }


def _record(fields: Fields) -> SimulationRecord:
    return SimulationRecord(
        project=fields.text("project"),
        policy=fields.text("policy"),
        rules=tuple((row.text("rule"), row.text("says")) for row in fields.rows("rules")),
        settings=fields.text_pairs("settings"),
        measures=tuple(
            Measure(row.text("name"), row.optional_number("value"), row.text("unit"), row.text_pairs("labels"))
            for row in fields.rows("measures")
        ),
        dropped=_numbers(fields.within("dropped")),
        notes=fields.texts("notes"),
        warnings=fields.texts("warnings"),
        counts=_numbers(fields.within("counts")),
        inputs=tuple(InputRecord(row.text("path"), row.text("table"), row.text("sha256")) for row in fields.rows("inputs")),
        versions=fields.text_pairs("versions"),
        timezone=fields.text("timezone"),
        currency=fields.text("currency"),
        seed=fields.whole("seed"),
        replications=fields.whole("replications"),
        bands=tuple(_band(row) for row in fields.rows("bands")) if "bands" in fields.values else (),
        differences=tuple(_difference(row) for row in fields.rows("differences")) if "differences" in fields.values else (),
    )


def _band(row: Fields) -> Band:
    return Band(
        row.text("name"),
        row.text_pairs("labels"),
        row.text("unit"),
        row.number("mean"),
        row.number("low"),
        row.number("high"),
        row.whole("replications"),
    )


def _difference(row: Fields) -> PairedDifference:
    texts = [row.text(name) for name in ("policy", "base", "name", "unit")]
    return PairedDifference(texts[0], texts[1], texts[2], texts[3], row.number("mean"), row.number("low"), row.number("high"))


def _numbers(fields: Fields) -> tuple[tuple[str, int], ...]:
    return tuple((name, fields.whole(name)) for name in sorted(fields.values))


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise InputError(
            f"{path.parent}: no replay: {path.name} is not there", code=NOT_THIS_KIND, hint="Make one with `schedplan simulate`."
        ) from None
    except OSError as problem:
        raise InputError(f"{path}: can't be read: {problem.strerror}", code=MALFORMED) from None
