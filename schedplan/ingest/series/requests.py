"""Readers `llm-requests` and `genai-requests`: logs with a row per request, as requests and tokens per second.

Sources: Azure/AzurePublicDataset (2023 and 2024), kvcache-ai/Mooncake, alibaba/clusterdata cluster-trace-v2026-GenAI (2026-11).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from schedplan.ingest.csv_reader import CsvReader, Form, draft_of
from schedplan.ingest.document import json_lines
from schedplan.ingest.draft import Draft
from schedplan.ingest.element import shape_error
from schedplan.ingest.field_error import FieldError
from schedplan.ingest.reader import ReadOptions
from schedplan.ingest.series.buckets import add_rates, tell_rates
from schedplan.ingest.source_bytes import head_text
from schedplan.ingest.source_file import SourceRows
from schedplan.ingest.undated import EPOCH_S, SAID
from schedplan.tables.column import Column, Dictionary, Kind
from schedplan.tables.raw_file import plain_name
from schedplan.tables.read import TableFile

MINUTE_S, HOUR_S = 60, 3600
REQUESTS, TOKENS, BUSY = "requests/s", "tokens/s", "devices"
_MOST_TOKENS = 1_000_000_000
_MS = 1000

AZURE = Dictionary(
    name="azure llm",
    title="one row per request",
    columns=(
        Column("TIMESTAMP", Kind.TIMESTAMP, "arrival", required=True),
        Column("ContextTokens", Kind.INTEGER, "tokens in", required=True, at_least=0, at_most=_MOST_TOKENS),
        Column("GeneratedTokens", Kind.INTEGER, "tokens out", required=True, at_least=0, at_most=_MOST_TOKENS),
    ),
)
GENAI = Dictionary(
    name="genai requests",
    title="lora_request_trace: one row per request for pictures",
    columns=(
        Column("gmt_create", Kind.TIMESTAMP, "arrival", required=True),
        Column("predict_status", Kind.TEXT, "what became of it", required=True),
        Column("exec_time_seconds", Kind.FLOAT, "time it took on its device", "s", required=True, null_ok=True, at_least=0),
        Column("prompt_length", Kind.FLOAT, "length of the prompt", at_least=0),
    ),
)


def _azure(rows: SourceRows) -> tuple[TableFile, ...]:
    draft = draft_of("load", rows, AZURE.column_names)
    times = rows.integers("TIMESTAMP").astype(np.float64)
    tokens_in, tokens_out = rows.integers("ContextTokens"), rows.integers("GeneratedTokens")
    return (_tokens(draft, times, tokens_in.astype(np.float64), tokens_out.astype(np.float64)),)


def _tokens(draft: Draft, times: NDArray[np.float64], tokens_in: NDArray[np.float64], tokens_out: NDArray[np.float64]) -> TableFile:
    name = plain_name(draft.path).rsplit(".", 1)[0]
    add_rates(draft, name, REQUESTS, times, np.ones(len(times)), MINUTE_S)
    add_rates(draft, f"{name}:input_tokens", TOKENS, times, tokens_in, MINUTE_S)
    add_rates(draft, f"{name}:output_tokens", TOKENS, times, tokens_out, MINUTE_S)
    same = len(times) - len(np.unique(times))
    draft.note(same, f"{same} requests share the second of another; each counts")
    tell_rates(draft, len(times), MINUTE_S, (REQUESTS, TOKENS))
    return draft.file()


def _genai(rows: SourceRows) -> tuple[TableFile, ...]:
    used = ("gmt_create", "predict_status", "exec_time_seconds")
    draft = draft_of("load", rows, used)
    times, seconds = rows.integers("gmt_create").astype(np.float64), rows.floats("exec_time_seconds")
    name = plain_name(draft.path).rsplit(".", 1)[0]
    add_rates(draft, name, REQUESTS, times, np.ones(len(times)), HOUR_S)
    add_rates(draft, f"{name}:busy", BUSY, times, np.nan_to_num(seconds), HOUR_S)
    states = Counter(rows.column("predict_status").to_pylist())
    told = ", ".join(f"{state} {states[state]}" for state in sorted(states))
    draft.note(rows.n_rows, f"every request counts, whatever became of it: {told}")
    draft.note(rows.n_rows, "the series busy is the time that requests took, per second of the hour in which they came")
    empty = int(np.count_nonzero(rows.is_empty("prompt_length")))
    draft.note(empty, f"{empty} rows have no prompt_length, which no column takes")
    whole = Counter(zip(*(column.to_pylist() for column in rows.file.arrow.columns), strict=True))
    repeated = sum(count - 1 for count in whole.values())
    draft.note(repeated, f"{repeated} rows repeat another in every column; each counts as a request")
    tell_rates(draft, rows.n_rows, HOUR_S, (REQUESTS, BUSY))
    return (draft.file(),)


LLM_REQUESTS = CsvReader(
    name="llm-requests",
    description="requests of Azure's LLM traces (2023, 2024), a row each, to requests/s and tokens/s per minute",
    tables=("load",),
    forms=(Form(AZURE, _azure, is_whole=True),),
)
GENAI_REQUESTS = CsvReader(
    name="genai-requests",
    description="Alibaba's GenAI request trace of 2026 (lora_request_trace.csv), to requests/s and busy devices per hour",
    tables=("load",),
    forms=(Form(GENAI, _genai),),
)


@dataclass(frozen=True, slots=True)
class Mooncake:
    """Every line is a request; timestamps are milliseconds since the begin of the trace."""

    name: str = "mooncake"
    description: str = "Mooncake's traces as JSON Lines: timestamp in ms, input_length, output_length; to requests/s and tokens/s"
    tables: tuple[str, ...] = ("load",)
    recognised_by: str = "lines of JSON with timestamp, input_length and output_length"

    def sniff(self, path: Path) -> bool:
        """Return whether the first line is a request."""
        first = head_text(path).split("\n", 1)[0]
        return first.startswith("{") and all(f'"{name}"' in first for name in ("timestamp", "input_length", "output_length"))

    def read(self, path: Path, options: ReadOptions) -> tuple[TableFile, ...]:
        """Return the series in the file; InputError with all its faults."""
        del options
        draft = Draft.of("load", path)
        found: list[tuple[float, float, float]] = []
        for number, line in json_lines(path):
            try:
                values = [line.get(name).integer() for name in ("timestamp", "input_length", "output_length")]
                if any(value is None or value < 0 for value in values):
                    raise shape_error("timestamp, input_length, output_length", values, "whole numbers >= 0")
                at, tokens_in, tokens_out = (float(value or 0) for value in values)
                found.append((EPOCH_S + at / _MS, tokens_in, tokens_out))
            except FieldError as problem:
                draft.refuse(number, problem)
        draft.faults.raise_if_any()
        columns = np.array(found, dtype=np.float64).reshape(-1, 3)
        draft.note(len(found), SAID)
        draft.ignored |= {"hash_ids"}
        return (_tokens(draft, columns[:, 0], columns[:, 1], columns[:, 2]),)
