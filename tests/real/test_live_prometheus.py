"""A real Prometheus that holds a day of an exporter's own: `ingest --live` reads its shape, and shows no secret on the way."""

from __future__ import annotations

import base64
import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pyarrow.parquet as pq
import pytest

pytestmark = pytest.mark.real_service

ROOT = Path(__file__).parents[2]
BEGIN_S, DAY_S, HOUR_S = 1_730_678_400, 86_400, 3600  # 2024-11-04T00:00:00Z
SAVED = "note: tables written to out; next: schedplan validate out\n"
PASSWORD = "hunter2-of-the-test"
PASSWORD_HASH = "$2b$04$.LIlPYF3n0twV5GoFQRpW.ZjD29vjgyUKqNI8S6FsI8q0Er6i1uDK"
SECRET = base64.b64encode(f"planner:{PASSWORD}".encode()).decode()


def exposition(at_s: int, stamp: str = "") -> str:
    """What the exporter tells at a time: a device busiest at noon, and a service with a request a second."""
    seconds = (at_s - BEGIN_S) % DAY_S
    hours = seconds / HOUR_S
    told = {
        'DCGM_FI_DEV_GPU_UTIL{Hostname="n1",gpu="0"}': 10 + 5 * min(hours, 24 - hours),
        'kube_pod_container_resource_requests{namespace="a",pod="p",resource="nvidia_com_gpu"}': 3,
        'kube_pod_container_resource_requests{namespace="a",pod="p",resource="cpu"}': 9,
        'node_cpu_seconds_total{node="n1",cpu="0",mode="user"}': 2 * seconds,
        'node_cpu_seconds_total{node="n1",cpu="0",mode="idle"}': 6 * seconds,
        'nv_inference_request_success{model="resnet"}': 4 * seconds,
        ':tensorflow:serving:request_count{model_name="bert"}': 5 * seconds,
        'vllm:e2e_request_latency_seconds_bucket{model_name="llama",le="0.5"}': seconds / 2,
        'vllm:e2e_request_latency_seconds_bucket{model_name="llama",le="1.0"}': seconds,
        'vllm:e2e_request_latency_seconds_bucket{model_name="llama",le="+Inf"}': seconds,
    }
    return "".join(f"{name} {value}{stamp}\n" for name, value in told.items())


class Exporter(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = exposition(int(time.time())).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; version=0.0.4")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@dataclass(frozen=True, slots=True)
class Server:
    url: str
    exporter: str


def program(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        word = f"no {name} on PATH (Debian's package prometheus)"
        pytest.fail(word) if os.environ.get("CI") == "true" else pytest.skip(word)
    return found


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A Prometheus that holds the day of 2024-11-04, scrapes the exporter each second, and asks for a password."""
    prometheus, promtool = program("prometheus"), program("promtool")
    folder = tmp_path_factory.mktemp("prometheus")
    exporter = ThreadingHTTPServer(("127.0.0.1", 0), Exporter)
    threading.Thread(target=exporter.serve_forever, daemon=True).start()
    scraped, nobody, port = f"127.0.0.1:{exporter.server_port}", f"127.0.0.1:{free_port()}", free_port()
    day = "".join(exposition(at, f" {at}") for at in range(BEGIN_S, BEGIN_S + DAY_S, 300))
    (folder / "day.txt").write_text(f"{day}# EOF\n")
    subprocess.run(
        [promtool, "tsdb", "create-blocks-from", "openmetrics", "day.txt", "data"], check=True, cwd=folder, capture_output=True
    )
    (folder / "web.yml").write_text(f"basic_auth_users:\n  planner: {PASSWORD_HASH}\n")
    (folder / "prometheus.yml").write_text(
        "global: {scrape_interval: 1s, scrape_timeout: 1s}\n"
        f"scrape_configs:\n- job_name: cluster\n  static_configs:\n  - targets: ['{scraped}', '{nobody}']\n"
    )
    words = ("--config.file=prometheus.yml", "--web.config.file=web.yml", "--storage.tsdb.path=data")
    more = ("--storage.tsdb.retention.time=30y", f"--web.listen-address=127.0.0.1:{port}", "--log.level=warn")
    with (folder / "log").open("wb") as log, subprocess.Popen([prometheus, *words, *more], cwd=folder, stderr=log) as process:
        try:
            wait_ready(port, process, folder / "log")
            yield Server(f"http://127.0.0.1:{port}", scraped)
        finally:
            process.terminate()
            process.wait(timeout=30)
            exporter.shutdown()
            exporter.server_close()


def wait_scraped(server: Server, n_targets: int) -> None:
    """Return once the server has three scrapes of the last four seconds of so many targets, up or down."""
    deadline_s = time.monotonic() + 60
    while time.monotonic() < deadline_s:
        connection = HTTPConnection(server.url.removeprefix("http://"), timeout=5)
        headers = {"Authorization": f"Basic {SECRET}"}
        connection.request("GET", "/api/v1/query?query=count_over_time(up%5B4s%5D)%20%3E%3D%203", headers=headers)
        scraped = json.loads(connection.getresponse().read())["data"]["result"]
        connection.close()
        if len(scraped) >= n_targets:
            return
        time.sleep(0.2)
    raise AssertionError("the targets were not scraped within a minute")


def wait_ready(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline_s = time.monotonic() + 60
    while time.monotonic() < deadline_s and process.poll() is None:
        connection = HTTPConnection("127.0.0.1", port, timeout=5)
        try:
            connection.request("GET", "/-/ready", headers={"Authorization": f"Basic {SECRET}"})
            if connection.getresponse().status == 200:
                return
        except OSError:
            pass
        finally:
            connection.close()
        time.sleep(0.1)
    pytest.fail(f"prometheus did not start: {log.read_text()[-500:]}")


def ingest(folder: Path, *words: str, token: str | None = SECRET) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "PYTHONPATH": str(ROOT), "no_proxy": "127.0.0.1"}
    environ.pop("PROMETHEUS_TOKEN", None)
    if token is not None:
        environ["PROMETHEUS_TOKEN"] = f"Basic {token}"
    return subprocess.run(
        [sys.executable, "-m", "schedplan", "ingest", *words, "--out", "out"],
        check=False,
        cwd=folder,
        capture_output=True,
        text=True,
        env=environ,
    )


def loads(folder: Path) -> dict[str, list[tuple[float, str | None]]]:
    """The values and units of each series, by time."""
    found: dict[str, list[tuple[float, str | None]]] = {}
    for row in sorted(pq.read_table(folder / "out" / "load.parquet").to_pylist(), key=lambda row: row["ds"]):
        found.setdefault(row["unique_id"], []).append((row["y"], row.get("unit")))
    return found


def test_the_day_of_every_known_metric_is_read(server: Server, tmp_path: Path) -> None:
    day = ("--begin", "2024-11-04", "--end", "2024-11-04T23:00:00Z", "--step", "1h")
    done = ingest(tmp_path, "--live", server.url, *day)

    assert (0, SAVED) == (done.returncode, done.stderr)

    found = loads(tmp_path)
    # 10 % at midnight, 5 % more each hour until noon, then 5 % less
    shape = [(10 + 5 * min(hour, 24 - hour)) / 100 for hour in range(24)]
    assert [(pytest.approx(y), "devices") for y in shape] == found["DCGM_FI_DEV_GPU_UTIL{Hostname=n1,gpu=0}"]
    assert 24 * [(3.0, "devices")] == found["kube_requested_devices{namespace=a,resource=nvidia_com_gpu}"]
    # the first rate needs an hour before it
    assert 23 * [(pytest.approx(2), "cores")] == found["node_cpu_busy_cores"]
    assert 23 * [(pytest.approx(4), "requests/s")] == found["triton_requests_per_second{model=resnet}"]
    assert 23 * [(pytest.approx(5), "requests/s")] == found["tf_serving_requests_per_second{model_name=bert}"]

    rows = pq.read_table(tmp_path / "out" / "latency_samples.parquet").to_pylist()
    # each hour 3600 requests, evenly from 0 to 1 s: a quantile q lies at 1000 q ms
    assert 23 * 3 == len(rows)
    for quantile in ("0.5", "0.95", "0.99"):
        seen = [(row["rate"], row["latency_ms"]) for row in rows if str(row["quantile"]) == quantile]
        assert 23 * [(pytest.approx(1), pytest.approx(1000 * float(quantile)))] == seen


def test_a_span_of_more_values_than_prometheus_gives_is_asked_for_in_parts(server: Server, tmp_path: Path) -> None:
    day = ("--begin", "2024-11-04", "--end", "2024-11-04T23:55:00Z", "--step", "5s")
    done = ingest(tmp_path, "--live", server.url, "--query", "busy=sum(DCGM_FI_DEV_GPU_UTIL)", *day)

    assert (0, SAVED) == (done.returncode, done.stderr)

    found = loads(tmp_path)["busy"]
    # 23 h 55 min of 5 s are 17,220 steps; noon, at 12 x 720 = 8,640, has the peak of 10 + 60
    assert 17_221 == len(found)
    assert 70 == pytest.approx(found[8_640][0])
    (file,) = json.loads((tmp_path / "out" / "ingest.json").read_text())["files"]
    assert any("in 2 questions of at most 11,000 values" in note for note in file["notes"])


def test_what_is_scraped_now_is_read_and_a_target_that_is_down_told(server: Server, tmp_path: Path) -> None:
    wait_scraped(server, n_targets=2)
    begin = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 4))
    end = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time()))
    query = "busy=sum(DCGM_FI_DEV_GPU_UTIL)"
    done = ingest(tmp_path, "--live", server.url, "--query", query, "--begin", begin, "--end", end, "--step", "1s")

    assert (0, SAVED) == (done.returncode, done.stderr)

    values = [y for y, _ in loads(tmp_path)["busy"]]
    assert 1 <= len(values) <= 5
    assert all(10 <= y <= 70 for y in values)

    (file,) = json.loads((tmp_path / "out" / "ingest.json").read_text())["files"]
    assert any("targets were down" in text for text in file["warnings"])
    assert not any(server.exporter in text for text in file["warnings"])


@pytest.mark.parametrize("token", [None, base64.b64encode(b"planner:wrong-password").decode()])
def test_without_the_right_token_there_is_one_line_and_no_file(server: Server, tmp_path: Path, token: str | None) -> None:
    done = ingest(tmp_path, "--live", server.url, "-vv", token=token)

    assert (2, 1) == (done.returncode, len(done.stderr.splitlines()))
    assert "401" in done.stderr
    assert "--token-file" in done.stderr
    assert [] == list(tmp_path.iterdir())
    assert token is None or token not in done.stderr + done.stdout


def test_the_token_stands_nowhere(server: Server, tmp_path: Path) -> None:
    day = ("--begin", "2024-11-04", "--end", "2024-11-04T23:00:00Z", "--step", "1h")
    (tmp_path / "token").write_text(f"Basic {SECRET}\n")
    done = ingest(tmp_path, "--live", server.url, *day, "--token-file", "token", "-vv", token=None)

    assert 0 == done.returncode
    written = sorted(path for path in (tmp_path / "out").iterdir())
    assert ["ingest.json", "latency_samples.parquet", "load.parquet"] == [path.name for path in written]
    for text in (done.stdout.encode(), done.stderr.encode(), *(path.read_bytes() for path in written)):
        assert SECRET.encode() not in text
        assert PASSWORD.encode() not in text


def test_a_question_that_is_no_promql_is_told_in_the_words_of_the_server(server: Server, tmp_path: Path) -> None:
    done = ingest(tmp_path, "--live", server.url, "--query", "sum(")

    assert (2, 1) == (done.returncode, len(done.stderr.splitlines()))
    assert "it does not take the question" in done.stderr
    assert "parse error" in done.stderr
