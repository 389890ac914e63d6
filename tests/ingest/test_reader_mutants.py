"""Readers on damaged files: whatever stands in a cell, a file is read or refused with the place of each fault, never a crash."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from schedplan.errors import Fault, InputError
from schedplan.ingest.alibaba_gpu_2023 import AlibabaGpu2023
from schedplan.ingest.philly import Philly
from schedplan.ingest.reader import Reader, ReadOptions
from schedplan.tables.convert import content

FILES = {
    "nodes": (AlibabaGpu2023(), "sn,cpu_milli,memory_mib,gpu,model\nn0,32000,262144,0,\nn1,96500,30517,8,G2"),
    "pods": (
        AlibabaGpu2023(),
        "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\n"
        "p,6000,0,1,460,A|B,BE,Running,0,9,1\nq,6000,0,0,0,,BE,Pending,0,9,",
    ),
    "philly": (
        Philly(),
        "timestamp,duration,num_gpus,gpu_time,cluster\n2017-10-09 07:01:55,66.0,1,66.0,vc1\n2017-10-09 07:01:55,66.0,4,264.0,vc1",
    ),
}
CELLS = (
    "",
    "-1",
    "0",
    "1e9",
    "9" * 18,
    "9" * 30,
    "nan",
    "1e308",
    "0.5",
    "é",
    '"',
    ",",
    "\0",
    "a|a",
    "/",
    "٣",
    "1500-01-01 00:00:00",
)
MUTANTS = 400


@pytest.mark.parametrize("name", FILES)
def test_a_damaged_file_is_read_or_refused(name, tmp_path):
    reader, text = FILES[name]
    draw = random.Random(7)
    path = tmp_path / f"{name}.csv"
    outcomes = [_faults(reader, path, _damaged(text, draw)) for _ in range(MUTANTS)]

    refused = [faults for faults in outcomes if faults is not None]
    # both happen: some cells take what was put there, most do not
    assert 0 < len(refused) < MUTANTS
    assert all(faults and {str(path)} == {fault.file for fault in faults} for faults in refused)


def _damaged(text: str, draw: random.Random) -> str:
    lines = text.split("\n")
    for _ in range(draw.randint(1, 2)):
        at = draw.randrange(len(lines))
        cells = lines[at].split(",")
        cells[draw.randrange(len(cells))] = draw.choice(CELLS)
        lines[at] = ",".join(cells)
    return "\n".join(lines)


def _faults(reader: Reader, path: Path, text: str) -> tuple[Fault, ...] | None:
    """Return the faults for which a file is refused, None where it is read."""
    path.write_text(text)
    reader.sniff(path)
    try:
        content(reader.read(path, ReadOptions()))
    except InputError as refused:
        return refused.faults
    return None
