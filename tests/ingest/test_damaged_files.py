"""Every small file of the public data, damaged by chance: read, or refused with its faults, and never a crash."""

from __future__ import annotations

import gzip
import random
import re
from pathlib import Path

import pytest

from schedplan.errors import InputError
from schedplan.ingest.reader import ReadOptions
from schedplan.ingest.readers import chosen_reader
from schedplan.tables.convert import content

pytestmark = pytest.mark.real_data

MUTANTS_PER_FILE = 6
MOST_BYTES = 40_000
VALUES = (
    *("", "-1", "9" * 30, "9" * 400, "nan", "1e308", "é", '"', ",", "|", "{", "[", "]", "null", "true", "\0", "0", "1.5", "٣"),
    *("1500-01-01", "n[1-", "gpu:a:b:c", "{}", "[]", '"x"', "-", "\t", ";", "=", "1e-320", "~", "inf"),
)


def test_a_damaged_file_is_read_or_refused(shared_data, tmp_path):
    draw = random.Random(3)
    outcomes = []
    for path in sorted(shared_data.rglob("*")):
        if path.is_file() and path.name != "README.md" and path.stat().st_size <= MOST_BYTES:
            raw = path.read_bytes()
            text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8-sig")
            target = tmp_path / path.name.removesuffix(".gz")
            outcomes.extend(_is_read(target, _damaged(text, draw)) for _ in range(MUTANTS_PER_FILE))

    assert len(outcomes) >= 100 * MUTANTS_PER_FILE
    assert {True, False} == set(outcomes)


def _damaged(text: str, draw: random.Random) -> str:
    for _ in range(draw.randint(1, 3)):
        words = list(re.finditer(r"[\w.+:/-]+", text))
        if draw.random() < 0.5 and words:
            word = draw.choice(words)
            text = text[: word.start()] + draw.choice(VALUES) + text[word.end() :]
        else:
            at = draw.randrange(len(text) + 1)
            text = text[:at] + draw.choice(VALUES) + text[at + draw.randint(1, 12) :]
    return text


def _is_read(path: Path, text: str) -> bool:
    path.write_text(text)
    try:
        content(chosen_reader(path).read(path, ReadOptions()))
    except InputError as refused:
        if not (refused.faults or refused.hint):
            raise
        return False
    return True
