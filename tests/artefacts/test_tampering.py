"""No changed byte of a plan is read, and no value that is off gets further than an error."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from schedplan.errors import InputError
from schedplan.tables.artefact_record import sealed
from schedplan.tables.artefacts import read_plan, write_plan
from tests.artefacts.handmade import handmade_context, handmade_plan


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    target = tmp_path / "plan"
    write_plan(target, handmade_plan(), handmade_context())
    return target


def test_every_single_bit_flip_is_noticed(folder: Path) -> None:
    # 300 flips spread over all seven files in proportion to their size
    chosen = random.Random(7)
    places = [(path, byte) for path in sorted(folder.iterdir()) for byte in range(path.stat().st_size)]
    for path, byte in chosen.sample(places, 300):
        content = path.read_bytes()
        bit = 1 << chosen.randrange(8)
        path.write_bytes(content[:byte] + bytes([content[byte] ^ bit]) + content[byte + 1 :])
        with pytest.raises(InputError):
            read_plan(folder)
        path.write_bytes(content)

    assert read_plan(folder)[0].seed == 7


@pytest.mark.parametrize(
    "name",
    [
        "plan.json",
        "placements.parquet",
        "replicas.parquet",
        "nodes.parquet",
        "unplaced.parquet",
        "forecast.parquet",
        "demand.parquet",
    ],
)
def test_files_that_are_cut_empty_gone_or_swapped_are_noticed(folder: Path, name: str) -> None:
    content = (folder / name).read_bytes()
    for other in (
        content[:-1],
        content[: len(content) // 2],
        b"",
        content + b"\n",
        b"{}",
        (folder / "nodes.parquet").read_bytes() + b" ",
    ):
        (folder / name).write_bytes(other)
        with pytest.raises(InputError):
            read_plan(folder)
    (folder / name).unlink()
    with pytest.raises(InputError) as caught:
        read_plan(folder)

    assert caught.value.exit_status == 2


@pytest.mark.parametrize(
    "content",
    [
        b"[" * 200_000,
        b'{"kind": ' + b"9" * 5000 + b"}",
        b'{"kind": "plan", "kind": "plan"}',
        b'{"kind": "plan", "schema_version": NaN}',
        b'{"kind": "plan", "seed": 1e999}',
        b"\xff\xfe{}",
        b"null",
        b'{"kind": "ingest"}',
        b'{"kind": "plan"}',
        b'{"kind": "plan", "schema_version": 1}',
    ],
)
def test_records_that_are_no_plan_are_refused_in_one_line(folder: Path, content: bytes) -> None:
    (folder / "plan.json").write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_plan(folder)

    assert len(caught.value.message.splitlines()) == 1


def test_another_major_version_is_refused_and_a_minor_one_is_read(folder: Path) -> None:
    record = json.loads((folder / "plan.json").read_bytes())
    del record["checksum"]
    (folder / "plan.json").write_bytes(sealed({**record, "schema_version": "1.7", "added_later": [1]}))
    assert read_plan(folder)[0].seed == 7

    (folder / "plan.json").write_bytes(sealed({**record, "schema_version": "2.0"}))
    with pytest.raises(InputError, match=r"schema version 2\.0; this schedplan reads version 1"):
        read_plan(folder)


def mutations(value: object, chosen: random.Random) -> object:
    """Return something that has no business in the place of a value."""
    return chosen.choice([None, True, -1, 10**30, 0.5, "", "x", [], {}, [value], {"a": value}, [[]], "2026-13-45T00:00:00Z"])


def paths_of(value: object, path: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
    found = [path] if path else []
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        found += paths_of(inner, (*path, key))
    return found


def test_sealed_records_with_any_value_off_give_an_error_or_a_plan(folder: Path) -> None:
    # 600 records, each with one value replaced or taken out and sealed anew: never anything but a plan or an InputError
    original = json.loads((folder / "plan.json").read_bytes())
    del original["checksum"]
    chosen = random.Random(11)
    paths = paths_of(original)
    refused = 0
    for _ in range(600):
        record = json.loads(json.dumps(original))
        path = chosen.choice(paths)
        holder = record
        for key in path[:-1]:
            holder = holder[key]
        if chosen.random() < 0.2:
            del holder[path[-1]]
        else:
            holder[path[-1]] = mutations(holder[path[-1]], chosen)
        (folder / "plan.json").write_bytes(sealed(record))
        try:
            read_plan(folder)
        except InputError:
            refused += 1

    assert refused > 400


def test_a_folder_that_is_not_there_is_told_with_the_next_step(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read_plan(tmp_path / "absent")

    assert "no such folder" in caught.value.message
    assert caught.value.hint == "Make one with `schedplan optimize`."
