"""Histograms of latency: quantiles worked by hand, rates and replicas, resets, and units that must be stated."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from schedplan.errors import InputError
from schedplan.ingest.reader import ReadOptions
from schedplan.ingest.series.histogram import quantile_of, unit_ms
from schedplan.ingest.series.prometheus import Prometheus
from schedplan.tables.convert import content
from schedplan.tables.read import TableFile

INF = float("inf")


def answer(*series: tuple[dict[str, str], list[float]], metric: str = "vllm:e2e_request_latency_seconds_bucket") -> str:
    result = [
        {"metric": {"__name__": metric, **labels}, "values": [[1e9 + 60 * at, str(value)] for at, value in enumerate(values)]}
        for labels, values in series
    ]
    return json.dumps({"status": "success", "data": {"resultType": "matrix", "result": result}})


def read(path: Path, text: str) -> TableFile:
    path.write_text(text)
    (table,) = Prometheus().read(path, ReadOptions())
    return table


def bucket(limit: str, instance: str = "a") -> dict[str, str]:
    return {"le": limit, "instance": instance, "model_name": "llama"}


def test_quantiles_are_linear_within_a_bucket():
    # 100 requests: 50 up to 1, 40 more up to 2, 10 beyond
    buckets = [(1.0, 50.0), (2.0, 90.0), (INF, 100.0)]

    # the 50th ends the first bucket; the 80th is the 30th of 40 in the second; the 95th is beyond the last limit
    assert (1.0, 1.75, None, 0.5) == tuple(quantile_of(buckets, quantile) for quantile in (0.5, 0.8, 0.95, 0.25))
    assert (None, None) == (quantile_of([(1.0, 0.0), (INF, 0.0)], 0.5), quantile_of([], 0.5))


def test_steps_give_rate_replicas_and_latency(tmp_path):
    table = read(
        tmp_path / "h.json",
        answer(
            (bucket("0.5"), [0, 60]),
            (bucket("1"), [0, 120]),
            (bucket("+Inf"), [0, 120]),
            (bucket("0.5", "b"), [10, 70]),
            (bucket("1", "b"), [10, 130]),
            (bucket("+Inf", "b"), [10, 130]),
        ),
    )

    samples = content((table,)).latency_samples
    # 240 requests of two replicas in 60 s; half of them within 500 ms; the 228th is 0.9 of the way from 0.5 to 1 s
    assert [(4.0, 2, 500.0), (4.0, 2, 950.0), (4.0, 2, 990.0)] == [
        (sample.rate_rps, sample.replicas, pytest.approx(sample.latency_ms)) for sample in samples
    ]
    assert {"llama"} == {sample.service for sample in samples}


def test_a_server_that_began_anew_and_one_without_requests(tmp_path):
    table = read(tmp_path / "h.json", answer((bucket("1"), [90, 6, 6]), (bucket("+Inf"), [90, 6, 6])))

    assert {0.1} == set(table.arrow.column("rate").to_pylist())
    assert any("2 buckets began anew" in note for note in table.notes)
    assert any("1 step without a request" in note for note in table.notes)


def test_the_unit_must_be_stated_by_the_name(tmp_path):
    assert (1000.0, 0.001, 1.0, None) == tuple(
        unit_ms(name) for name in ("x_seconds_bucket", ":tensorflow:serving:request_latency_bucket", "x_ms_bucket", "x_bucket")
    )
    with pytest.raises(InputError, match="states its unit"):
        read(tmp_path / "h.json", answer((bucket("1"), [0, 1]), (bucket("+Inf"), [0, 1]), metric="latency_bucket"))
    with pytest.raises(InputError, match="a limit such as"):
        read(tmp_path / "h.json", answer((bucket("soon"), [0, 1])))
    with pytest.raises(InputError, match="a bucket \\+Inf of every replica"):
        read(tmp_path / "h.json", answer((bucket("1"), [0, 1])))
