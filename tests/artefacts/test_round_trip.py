"""Plans and forecasts come back as they were written, in the same bytes every time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from schedplan.errors import InputError
from schedplan.model.forecast import Forecast
from schedplan.model.plan import JobPart
from schedplan.tables.artefact_columns import result_schema
from schedplan.tables.artefacts import read_forecast, read_plan, write_forecast, write_plan
from schedplan.tables.dictionary.forecast import FORECAST
from schedplan.tables.dictionary.placements import PLACEMENTS
from schedplan.tables.dictionary.plan_nodes import PLAN_NODES
from schedplan.tables.dictionary.replicas import REPLICAS
from schedplan.tables.dictionary.unplaced import UNPLACED
from tests.artefacts.handmade import START_S, handmade_context, handmade_plan, infeasible_plan, without_arrays

ROOT = Path(__file__).parents[2]


def test_every_field_of_a_plan_comes_back(tmp_path: Path) -> None:
    write_plan(tmp_path / "plan", handmade_plan(), handmade_context())
    plan, context = read_plan(tmp_path / "plan")

    assert without_arrays(handmade_plan()) == without_arrays(plan)
    assert without_arrays(handmade_context()) == without_arrays(context)


def test_an_infeasible_plan_without_demand_comes_back(tmp_path: Path) -> None:
    bare = replace(handmade_context(), demands=(), forecasts=(), quality=(), inputs=())
    write_plan(tmp_path / "plan", infeasible_plan(), bare)
    plan, context = read_plan(tmp_path / "plan")

    assert without_arrays(infeasible_plan()) == without_arrays(plan)
    assert without_arrays(bare) == without_arrays(context)
    assert not (tmp_path / "plan" / "demand.parquet").exists()


@pytest.mark.parametrize(
    ("file", "dictionary"),
    [("placements", PLACEMENTS), ("replicas", REPLICAS), ("nodes", PLAN_NODES), ("unplaced", UNPLACED), ("forecast", FORECAST)],
)
def test_columns_are_those_of_the_dictionaries(tmp_path: Path, file: str, dictionary) -> None:
    write_plan(tmp_path / "plan", handmade_plan(), handmade_context())
    schema = pq.read_schema(tmp_path / "plan" / f"{file}.parquet")

    assert list(dictionary.column_names) == schema.names
    assert [field.type for field in result_schema(dictionary)] == [field.type for field in schema]
    assert b"pandas" not in (schema.metadata or {})


def test_plan_json_has_what_scripts_are_promised(tmp_path: Path) -> None:
    write_plan(tmp_path / "plan", handmade_plan(), handmade_context())
    text = (tmp_path / "plan" / "plan.json").read_text("ascii")
    record = json.loads(text)

    promised = {"kind", "schema_version", "status", "objective", "bound", "gap", "gap_avoidable", "terms", "measures"}
    promised |= {"unplaced", "warnings", "inputs", "versions", "seed"}
    assert promised <= set(record)
    assert list(record) == sorted(record)
    assert (record["kind"], record["schema_version"], record["status"]) == ("plan", "1.0", "feasible")
    assert {"name": "utilization", "value": 0.7000000000000001, "unit": "1", "labels": {}} in record["measures"]
    assert record["horizon"]["start"] == "2026-12-01T00:00:00Z"
    assert {"path": "nodes.csv", "sha256": "cd" * 32, "table": "nodes"} in record["inputs"]
    assert str(tmp_path) not in text


def test_the_same_plan_gives_the_same_bytes_whatever_the_hash_seed(tmp_path: Path) -> None:
    script = (
        "import sys, pathlib; from tests.artefacts.handmade import *; from schedplan.tables.artefacts import write_plan;"
        "write_plan(pathlib.Path(sys.argv[1]), handmade_plan(), handmade_context())"
    )
    contents = []
    for seed in ("1", "2"):
        folder = tmp_path / seed
        subprocess.run([sys.executable, "-c", script, folder], check=True, cwd=ROOT, env={**os.environ, "PYTHONHASHSEED": seed})
        contents.append({path.name: path.read_bytes() for path in sorted(folder.iterdir())})

    assert contents[0] == contents[1]
    assert len(contents[0]) == 7


def test_a_plan_that_contradicts_itself_is_not_written(tmp_path: Path) -> None:
    plan = handmade_plan()
    moved = replace(plan, decisions=replace(plan.decisions, parts=(JobPart("train", "spot", 0, 3),)))
    unlike = replace(plan, decisions=replace(plan.decisions, on=~plan.decisions.on))
    endless = replace(plan, terms=(replace(plan.terms[0], value=float("nan")),))
    late = replace(plan, replicas=(replace(plan.replicas[0], cost=float("inf")), *plan.replicas[1:]))

    for broken in (moved, unlike, endless, late):
        with pytest.raises(ValueError, match=r"decisions|use of nodes|finite|JSON compliant"):
            write_plan(tmp_path / "plan", broken, handmade_context())

    assert not (tmp_path / "plan").exists()


def forecast(**fields: object) -> Forecast:
    given: dict[str, object] = {
        "unique_id": "a",
        "model": "naive",
        "cutoff_s": START_S,
        "step_s": 900,
        "mean": np.array([1.0]),
        "quantile_levels": (0.5, 0.975),
        "quantiles": np.array([[1.0], [2.0]]),
    }
    return Forecast(**(given | fields))  # type: ignore[arg-type]


def test_forecasts_of_other_lengths_levels_and_bands_come_back(tmp_path: Path) -> None:
    given = (
        forecast(),
        forecast(
            unique_id="007",
            step_s=3600,
            mean=np.array([1.0, 1 / 3]),
            quantile_levels=(0.5, 0.8, 0.9, 0.95, 0.99),
            quantiles=np.arange(10.0).reshape(5, 2),
            bands=((80, np.array([0.0, 0.5]), np.array([1.0, 2.0])),),
            notes=("clipped at 0", "short"),
        ),
    )
    write_forecast(tmp_path / "forecast.parquet", given)
    # a second forecast takes the place of the first without being forced to
    write_forecast(tmp_path / "forecast.parquet", given)

    assert without_arrays(given) == without_arrays(read_forecast(tmp_path / "forecast.parquet"))


def test_a_forecast_made_elsewhere_takes_its_step_from_its_rows(tmp_path: Path) -> None:
    import pyarrow as pa

    stamps = pa.array([START_S + 1800 * hop for hop in (0, 1, 2)], pa.timestamp("s", "UTC"))
    numbers = pa.array([1.0, 2.0, 3.0])
    table = pa.table(
        {
            "ds": stamps,
            "q95": numbers,
            "unique_id": ["x"] * 3,
            "y_hat": numbers,
            "model": ["m"] * 3,
            "cutoff": stamps[:1].take([0, 0, 0]),
        }
    )
    pq.write_table(table, tmp_path / "given.parquet")

    found = read_forecast(tmp_path / "given.parquet")[0]
    assert (found.unique_id, found.cutoff_s, found.step_s, found.quantile_levels) == ("x", START_S, 1800, (0.95,))
    assert [1.0, 2.0, 3.0] == found.quantiles[0].tolist()


def test_what_is_no_forecast_is_refused(tmp_path: Path) -> None:
    import pyarrow as pa

    path = tmp_path / "other.parquet"
    pq.write_table(pa.table({"a": [1]}), path)
    with pytest.raises(InputError, match="not a forecast: its column"):
        read_forecast(path)
    path.write_bytes(b"no Parquet")
    with pytest.raises(InputError, match="not a Parquet file"):
        read_forecast(path)
    with pytest.raises(InputError, match="can't be read"):
        read_forecast(tmp_path / "absent.parquet")
