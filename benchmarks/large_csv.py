"""What a large CSV file costs on its way to canonical Parquet, beside pyarrow's own streaming conversion of the same file.

    python -m benchmarks.large_csv [ROWS ...]      default: 500000 and 5000000

Each conversion runs in a process of its own, which tells its CPU seconds, imports left out, and its peak memory. What pyarrow does
is less: it checks no cell, no key and no order, and keeps no account.
"""

from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

SIZES = (500_000, 5_000_000)
_ROWS_PER_SERIES = 10_000
_PER_MB = 1_000_000 if sys.platform == "darwin" else 1_000_000 / 1024  # ru_maxrss is in bytes there, else in KiB
WAYS = ("schedplan", "pyarrow")


@dataclass(frozen=True, slots=True)
class Cost:
    """CPU seconds and peak memory in MB of one conversion, and the rows of its Parquet file."""

    cpu_s: float
    peak_mb: float
    rows: int


def write_large_csv(path: Path, rows: int, seed: int = 1) -> None:
    """Write a table `load` of so many rows: series of ten thousand minutes each, in order."""
    rng = random.Random(seed)
    begin = datetime(2026, 1, 1, tzinfo=UTC)
    times = [(begin + timedelta(minutes=idx)).strftime("%Y-%m-%dT%H:%M:%SZ") for idx in range(_ROWS_PER_SERIES)]
    with path.open("w") as stream:
        stream.write("unique_id,ds,y,unit\n")
        for first in range(0, rows, _ROWS_PER_SERIES):
            name = f"service-{first // _ROWS_PER_SERIES:05d}"
            own = times[: rows - first]
            stream.writelines(f"{name},{time},{1000 * rng.random():.3f},requests/s\n" for time in own)


def cost(way: str, csv_file: Path, out: Path) -> Cost:
    """Convert a file in a process of its own; out: a folder for what it writes."""
    call = [sys.executable, "-m", "benchmarks.large_csv", "--convert", way, str(csv_file), str(out)]
    told = subprocess.run(call, check=True, capture_output=True, text=True)
    return Cost(**json.loads(told.stdout))


def sentence(rows: int, ours: Cost, theirs: Cost) -> str:
    """Return both costs and their ratio in words."""
    return (
        f"{rows} rows: schedplan {ours.cpu_s:.2f} s and {ours.peak_mb:.0f} MB, pyarrow {theirs.cpu_s:.2f} s and"
        f" {theirs.peak_mb:.0f} MB, ratio {ours.cpu_s / theirs.cpu_s:.2f}"
    )


def main(sizes: list[str]) -> int:
    """Convert a generated file of each size in both ways and print what each took."""
    for rows in [int(size) for size in sizes] or SIZES:
        with TemporaryDirectory() as folder:
            csv_file = Path(folder) / "load.csv"
            write_large_csv(csv_file, rows)
            ours, theirs = (cost(way, csv_file, Path(folder) / way) for way in WAYS)
            print(sentence(rows, ours, theirs), flush=True)
    return 0


def _convert(way: str, csv_file: Path, out: Path) -> Cost:
    convert = _by_schedplan if way == "schedplan" else _by_pyarrow
    begin_s, rows = convert(csv_file, out)
    cpu_s = process_time() - begin_s
    return Cost(cpu_s, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _PER_MB, rows)


def _by_schedplan(csv_file: Path, out: Path) -> tuple[float, int]:
    """Return (CPU seconds at the begin, rows)."""
    from schedplan.ingest.ingest import ingest

    begin_s = process_time()
    return begin_s, ingest((csv_file,), out).tables[0].rows


def _by_pyarrow(csv_file: Path, out: Path) -> tuple[float, int]:
    """Return (CPU seconds at the begin, rows)."""
    from pyarrow import csv, parquet

    out.mkdir()
    begin_s, rows = process_time(), 0
    with csv.open_csv(csv_file) as batches, parquet.ParquetWriter(out / "load.parquet", batches.schema) as writer:
        for batch in batches:
            writer.write_batch(batch)
            rows += batch.num_rows
    return begin_s, rows


if __name__ == "__main__":
    if sys.argv[1:2] == ["--convert"]:
        done = _convert(sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4]))
        print(json.dumps({"cpu_s": done.cpu_s, "peak_mb": done.peak_mb, "rows": done.rows}))
        sys.exit(0)
    sys.exit(main(sys.argv[1:]))
