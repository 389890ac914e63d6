"""Files that tests of reading write: text as bytes, columns as Parquet."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from schedplan.errors import Fault, InputError
from schedplan.tables.read import read_table

WriteText = Callable[..., Path]
WriteParquet = Callable[[str, dict[str, pa.Array]], Path]


@pytest.fixture
def write_text(tmp_path: Path) -> WriteText:
    """Return a function that writes a file of the given name and text, and returns its path."""

    def write(name: str, text: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


@pytest.fixture
def write_parquet(tmp_path: Path) -> WriteParquet:
    """Return a function that writes columns as a Parquet file of the given name, and returns its path."""

    def write(name: str, columns: dict[str, pa.Array]) -> Path:
        path = tmp_path / name
        pq.write_table(pa.table(columns), path, write_page_checksum=True)
        return path

    return write


@pytest.fixture
def faults_of() -> Callable[..., tuple[Fault, ...]]:
    """Return a function that reads a file that can't be read as a table, and returns its faults."""

    def faults(path: Path, table: str | None = None, **options: object) -> tuple[Fault, ...]:
        with pytest.raises(InputError) as refused:
            read_table(path, table, **options)  # type: ignore[arg-type]
        assert refused.value.exit_status == 2
        return refused.value.faults

    return faults
