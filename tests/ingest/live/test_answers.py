"""A server that errs in every way there is: one line each, that says what to do, and never the token."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from schedplan.errors import InputError, UsageError
from schedplan.ingest.account import Account
from schedplan.ingest.ingest import ingest
from schedplan.ingest.live.address import LiveAddress, parse_address, redacted
from schedplan.ingest.live.connection import Connection
from schedplan.ingest.live.live import LiveSource, LiveSpan
from schedplan.ingest.live.questions import known_questions, own_questions
from schedplan.ingest.live.token import Token

SECRET = "s3cret-of-the-test"
TOKEN = Token("Bearer", SECRET)
SPAN = LiveSpan(1_000_000_000, 1_000_000_120, 60)
NOTHING = {"status": "success", "data": {"resultType": "matrix", "result": []}}
UP = {"status": "success", "data": {"resultType": "vector", "result": []}}


def series(metric: str, *values: str) -> dict[str, object]:
    told = [[SPAN.begin_s + 60 * at, value] for at, value in enumerate(values)]
    return {"status": "success", "data": {"resultType": "matrix", "result": [{"metric": {"__name__": metric}, "values": told}]}}


Reply = Callable[[BaseHTTPRequestHandler, str, str], None]


class Handler(BaseHTTPRequestHandler):
    reply: Reply
    seen: list[tuple[str, str | None]]

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        self.seen.append((self.path, self.headers.get("Authorization")))
        try:
            type(self).reply(self, parts.path, parse_qs(parts.query).get("query", [""])[0])
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def tell(handler: BaseHTTPRequestHandler, content: object, status: int = 200, **headers: str) -> None:
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name, value)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


class Site:
    """A server on this machine whose answers a test sets."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, str | None]] = []
        self.handler = type("Told", (Handler,), {"seen": self.seen})
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self.handler)
        self.host = f"127.0.0.1:{self.server.server_port}"

    def answers(self, reply: Reply) -> None:
        self.handler.reply = staticmethod(reply)

    def source(
        self, *queries: str, timeout_s: int = 5, path: str = "", token: Token | None = TOKEN, span: LiveSpan = SPAN
    ) -> LiveSource:
        questions = own_questions(queries) or known_questions(span.step_s)
        return LiveSource(Connection(LiveAddress("http", self.host, path), token, timeout_s), span, questions)


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    found = Site()
    thread = threading.Thread(target=found.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield found
    found.server.shutdown()
    found.server.server_close()
    thread.join()


def read(folder: Path, source: LiveSource) -> Account:
    return ingest((), folder / "out", live=source)


def refusal(folder: Path, source: LiveSource) -> str:
    """The one line of a refusal, which wrote nothing and holds no token."""
    with pytest.raises(InputError) as problem:
        read(folder, source)

    assert "SP1024" == problem.value.code
    assert "\n" not in problem.value.message
    assert SECRET not in problem.value.message
    assert [] == list(folder.iterdir())
    return problem.value.message.removeprefix(f"{source.connection.address.shown}: ")


def test_a_span_of_more_values_than_one_answer_holds_is_asked_for_in_parts(site: Site, tmp_path: Path) -> None:
    """The server gives 11,000 values at most, as Prometheus does, and refuses to give more."""

    def reply(handler: BaseHTTPRequestHandler, path: str, query: str) -> None:
        if path.endswith("/query"):
            return tell(handler, UP)
        words = {name: int(one[0]) for name, one in parse_qs(urlsplit(handler.path).query).items() if name != "query"}
        instants = range(words["start"], words["end"] + 1, words["step"])
        if len(instants) > 11_000:
            return tell(handler, {"status": "error", "error": "exceeded maximum resolution of 11,000 points"}, 400)
        values = [[at, str(at % 7)] for at in instants]
        return tell(
            handler, {"status": "success", "data": {"resultType": "matrix", "result": [{"metric": {"gpu": "0"}, "values": values}]}}
        )

    site.answers(reply)
    span = LiveSpan(1_000_000_000, 1_000_000_000 + 25_000 * 60, 60)
    account = read(tmp_path, site.source("busy=gpu", span=span))

    (file,) = account.files
    # 25,001 instants: 11,000 and 11,000 and 3,001, and a question for targets that were down
    assert (25_001, 4) == (file.rows_written, len(site.seen))
    assert any("in 3 questions of at most 11,000 values" in note for note in file.notes)


def test_known_metrics_are_asked_and_those_that_are_missing_passed_over(site: Site, tmp_path: Path) -> None:
    def reply(handler: BaseHTTPRequestHandler, path: str, query: str) -> None:
        known = series("DCGM_FI_DEV_GPU_UTIL", "50", "NaN", "100") if query == "DCGM_FI_DEV_GPU_UTIL" else NOTHING
        tell(handler, UP if path.endswith("/query") else known)

    site.answers(reply)
    account = read(tmp_path, site.source(path="/behind"))

    (file,) = account.files
    assert (f"{site.host}/behind/DCGM_FI_DEV_GPU_UTIL", "prometheus", "load") == (file.path, file.reader, file.table)
    assert 3 == file.rows_written
    assert "asked http://" in file.notes[0]
    assert () == file.warnings
    # every question with the token, then one for targets that were down
    assert len(known_questions(60)) + 1 == len(site.seen)
    assert {f"Bearer {SECRET}"} == {token for _, token in site.seen}
    assert all(path.startswith("/behind/api/v1/query") for path, _ in site.seen)
    assert SECRET not in (tmp_path / "out" / "ingest.json").read_text()


def test_a_question_of_a_person_replaces_them_and_names_what_has_no_name(site: Site, tmp_path: Path) -> None:
    def reply(handler: BaseHTTPRequestHandler, path: str, query: str) -> None:
        down = [{"metric": {"job": "node", "instance": "n1:9100"}, "value": [0, "0.5"]}]
        told = {"status": "success", "data": {"resultType": "vector", "result": down}}
        tell(handler, told if path.endswith("/query") else series("", "1", "2"))

    site.answers(reply)
    (file,) = read(tmp_path, site.source('busy=sum(up{job="a"})')).files

    assert f"{site.host}/busy" == file.path
    assert 'for sum(up{job="a"}), 2001-09-09T01:46:40Z to 2001-09-09T01:48:40Z, each 60 s' in file.notes[0]
    assert "targets were down for a part of the span, and what they miss is a gap, not 0: node n1:9100" in file.warnings[0]


def status(code: int, content: object = "", **headers: str) -> Reply:
    return lambda handler, path, query: tell(handler, content, code, **headers)


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (status(401), "it does not take the token (status 401). Give another by --token-file or PROMETHEUS_TOKEN."),
        (status(403), "it does not take the token (status 403). Give another by --token-file or PROMETHEUS_TOKEN."),
        (
            status(404),
            "there is no Prometheus API at this address (status 404). Give the base address, with its prefix where it has one.",
        ),
        (
            status(302, Location=f"https://user:{SECRET}@login.example/sso?token={SECRET}"),
            "it redirects to https://login.example/sso, and no redirect is followed. Give the address that answers itself,"
            " if it is yours.",
        ),
        (
            status(308, Location="/elsewhere"),
            "it redirects to /elsewhere, and no redirect is followed. Give the address that answers itself, if it is yours.",
        ),
        (
            status(400, {"status": "error", "errorType": "bad_data", "error": f"parse\nerror near {SECRET}"}),
            "it does not take the question: parse error near ***. Mend --query, or ask for a shorter span or a wider --step.",
        ),
        (status(503, b"<html>"), "it answers with status 503. Ask again when it is well, or for a shorter span."),
        (
            status(200, b"<html>Welcome</html>"),
            "it answers, but not with the JSON of the Prometheus HTTP API. Give the base address of a Prometheus,"
            " with its prefix where it has one.",
        ),
        (
            status(200, b"[" * 100_000),
            "it answers, but not with the JSON of the Prometheus HTTP API. Give the base address of a Prometheus,"
            " with its prefix where it has one.",
        ),
        (
            status(200, series(f"m_{SECRET}", "1", "2")),
            "the answer repeats the token, so nothing of it is kept. Look at the server's labels and change the token.",
        ),
        (status(200, NOTHING), "the question query-1 finds no series in this span. Look at the names, labels and the span."),
    ],
)
def test_what_is_no_answer_is_one_line(site: Site, tmp_path: Path, reply: Reply, expected: str) -> None:
    site.answers(reply)

    assert expected == refusal(tmp_path, site.source("sum(up)"))
    assert 1 == len(site.seen)


def test_without_a_token_a_server_that_asks_for_one_says_so(site: Site, tmp_path: Path) -> None:
    site.answers(status(401))

    told = "it asks for a token (status 401). Give one by --token-file or PROMETHEUS_TOKEN."
    assert told == refusal(tmp_path, site.source("up", token=None))
    assert [None] == [token for _, token in site.seen]


def test_a_server_with_no_known_metric_is_asked_by_query(site: Site, tmp_path: Path) -> None:
    site.answers(status(200, NOTHING))

    assert "it has none of the metrics that are known" in refusal(tmp_path, site.source())


@pytest.mark.parametrize("begin", [b"", b"HTTP/1.0 200 OK\r\nX: ", b"HTTP/1.0 200 OK\r\n\r\n"], ids=["silent", "headers", "body"])
def test_an_answer_that_never_comes_or_drips_ends_with_the_timeout(site: Site, tmp_path: Path, begin: bytes) -> None:
    is_over = threading.Event()

    def reply(handler: BaseHTTPRequestHandler, path: str, query: str) -> None:
        handler.wfile.write(begin)
        while not is_over.wait(0.1):
            handler.wfile.write(b" " if begin else b"")

    site.answers(reply)
    told = "there is no whole answer within 1 s. Ask for a shorter span, a wider --step or a longer --timeout."

    try:
        assert told == refusal(tmp_path, site.source("up", timeout_s=1))
    finally:
        is_over.set()


def test_a_server_that_is_down_or_speaks_no_http_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        address = LiveAddress("http", f"127.0.0.1:{other.getsockname()[1]}")
        source = LiveSource(Connection(address, Token("Bearer", SECRET), 5), SPAN, own_questions(("up",)))

        # bound but not listening: refused
        told = "it can't be reached (Connection refused). Look whether the server runs and the address is right."
        assert told == refusal(tmp_path, source)

        other.listen()

        def greet() -> None:
            with other.accept()[0] as connection:
                connection.recv(4096)
                connection.sendall(b"SSH-2.0-OpenSSH_9.2\r\n")

        thread = threading.Thread(target=greet)
        thread.start()
        told = "it does not speak HTTP, or hung up amid its answer. Look at the port and the scheme of the address."
        assert told == refusal(tmp_path, source)
        thread.join()


def test_an_address_behind_a_prefix_is_kept_and_a_secret_never_repeated() -> None:
    assert LiveAddress("https", "prom.example:9090", "/prometheus") == parse_address("https://prom.example:9090/prometheus/")
    assert LiveAddress("http", "[::1]:9090") == parse_address("http://[::1]:9090")
    for text in (
        f"http://user:{SECRET}@prom.example",
        f"http://prom.example/?token={SECRET}",
        f"http://prom.example/#{SECRET}",
        f"http://prom.example:{SECRET}",
        f"ftp://{SECRET}",
        SECRET,
        f"http:// {SECRET}",
        f"http://[{SECRET}",
        f"http://prom.example\r\nX: {SECRET}",
        "",
    ):
        with pytest.raises(UsageError) as problem:
            parse_address(text)

        assert SECRET not in f"{problem.value.message} {problem.value.hint}"


def test_a_foreign_url_is_told_without_its_secrets() -> None:
    assert "https://login.example/a" == redacted(f"https://u:{SECRET}@login.example/a?b={SECRET}#{SECRET}")
    assert "another address" == redacted("http://[broken")
    assert "another address" == redacted("")
