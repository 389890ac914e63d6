"""One question to a live server over HTTP, and its answer as bytes. It knows what can go wrong on the way, and no metric.

No redirect is followed, since a token would go along; what the server says of an error is repeated without the token.
"""

from __future__ import annotations

import json
import ssl
import time
from dataclasses import dataclass
from email.message import Message
from http.client import HTTPException, HTTPResponse
from threading import Thread
from typing import IO, NoReturn
from urllib.error import HTTPError, URLError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from schedplan.errors import Fault, InputError
from schedplan.ingest.live.address import LiveAddress, redacted
from schedplan.ingest.live.token import VARIABLE, Token
from schedplan.ingest.source_bytes import MAX_DOCUMENT_BYTES
from schedplan.tables.faults import Code, shorten

_PIECE_BYTES = 1 << 16
_TOKEN_WAYS = f"--token-file or {VARIABLE}"


@dataclass(frozen=True, slots=True)
class Connection:
    """timeout_s: the longest that one answer may take, from the first byte to the last."""

    address: LiveAddress
    token: Token | None
    timeout_s: int

    def answer(self, endpoint: str, parameters: dict[str, str]) -> bytes:
        """Return the JSON of an answer that succeeded; InputError with one line for anything else."""
        headers = {"Accept": "application/json", "User-Agent": "schedplan"}
        if self.token is not None:
            headers["Authorization"] = self.token.header
        return self._checked(self._within(Request(self.address.url(endpoint, parameters), headers=headers)))

    def _within(self, request: Request) -> bytes:
        """Return the content of an answer within the timeout.

        It is asked for in a thread, since neither the look-up of a name nor headers that drip heed the timeout of a socket.
        """
        found: list[bytes | Exception] = []

        def ask() -> None:
            try:
                found.append(self._asked(request))
            except Exception as problem:  # noqa: BLE001 - raised anew below, in the thread that waits
                found.append(problem)

        thread = Thread(target=ask, daemon=True)
        thread.start()
        thread.join(self.timeout_s)
        if not found:
            self._refuse_slow()
        if isinstance(found[0], Exception):
            raise found[0]
        return found[0]

    def _asked(self, request: Request) -> bytes:
        deadline_s = time.monotonic() + self.timeout_s
        try:
            with build_opener(_Stay).open(request, timeout=self.timeout_s) as response:
                return self._content(response, deadline_s)
        except HTTPError as problem:
            with problem:
                self._refuse_status(problem)
        except TimeoutError:
            self._refuse_slow()
        except URLError as problem:
            self._refuse_way(problem.reason)
        except (OSError, HTTPException) as problem:
            self._refuse_way(problem)

    def _content(self, response: HTTPResponse, deadline_s: float) -> bytes:
        pieces: list[bytes] = []
        n_bytes = 0
        while piece := response.read1(_PIECE_BYTES):
            pieces.append(piece)
            n_bytes += len(piece)
            if n_bytes > MAX_DOCUMENT_BYTES:
                self._refuse(f"an answer is longer than {MAX_DOCUMENT_BYTES} bytes", "Ask for a shorter span or a wider --step.")
            if time.monotonic() > deadline_s:
                self._refuse_slow()
        return b"".join(pieces)

    def _checked(self, content: bytes) -> bytes:
        if self.token is not None and self.token.is_in(content):
            self._refuse(
                "the answer repeats the token, so nothing of it is kept", "Look at the server's labels and change the token."
            )
        if _field(content, "status") != "success":
            told = "it answers, but not with the JSON of the Prometheus HTTP API"
            self._refuse(told, "Give the base address of a Prometheus, with its prefix where it has one.")
        return content

    def _refuse_status(self, problem: HTTPError) -> NoReturn:
        match problem.code:
            case 401 | 403 if self.token is None:
                self._refuse(f"it asks for a token (status {problem.code})", f"Give one by {_TOKEN_WAYS}.")
            case 401 | 403:
                self._refuse(f"it does not take the token (status {problem.code})", f"Give another by {_TOKEN_WAYS}.")
            case 404 | 405:
                told = "Give the base address, with its prefix where it has one."
                self._refuse(f"there is no Prometheus API at this address (status {problem.code})", told)
            case code if 300 <= code < 400:
                target = redacted(problem.headers.get("Location") or "")
                told = "Give the address that answers itself, if it is yours."
                self._refuse(f"it redirects to {shorten(target)}, and no redirect is followed", told)
            case 400 | 422:
                told = "Mend --query, or ask for a shorter span or a wider --step."
                self._refuse(f"it does not take the question: {self._said(problem)}", told)
        said = self._said(problem)
        told = "Ask again when it is well, or for a shorter span."
        self._refuse(f"it answers with status {problem.code}" + (f": {said}" if said else ""), told)

    def _said(self, problem: HTTPError) -> str:
        """Return what the server says of its error on one line, empty where that can't be told."""
        try:
            text = _field(problem.read(_PIECE_BYTES), "error")
        except (OSError, HTTPException):
            return ""
        if self.token is not None:
            text = text.replace(self.token.secret, "***")
        return shorten(" ".join(text.split()))

    def _refuse_way(self, reason: object) -> NoReturn:
        if isinstance(reason, TimeoutError):
            self._refuse_slow()
        if isinstance(reason, ssl.SSLCertVerificationError):
            told = "Name the file of its authority in SSL_CERT_FILE."
            self._refuse("its certificate is not trusted", told)
        if isinstance(reason, ssl.SSLError):
            self._refuse("it does not speak TLS", "Give the address with http:// if that is meant.")
        if isinstance(reason, HTTPException):
            self._refuse("it does not speak HTTP, or hung up amid its answer", "Look at the port and the scheme of the address.")
        words = reason.strerror if isinstance(reason, OSError) and reason.strerror else "no connection"
        self._refuse(f"it can't be reached ({words})", "Look whether the server runs and the address is right.")

    def _refuse_slow(self) -> NoReturn:
        self._refuse(
            f"there is no whole answer within {self.timeout_s} s", "Ask for a shorter span, a wider --step or a longer --timeout."
        )

    def _refuse(self, message: str, hint: str) -> NoReturn:
        fault = Fault(Code.NO_ANSWER.value, f"{self.address.shown}: {message}", hint=hint)
        raise InputError.of_faults((fault,)) from None


class _Stay(HTTPRedirectHandler):
    """Follows no redirect: the answer is the redirect itself."""

    def redirect_request(self, req: Request, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str) -> None:
        return None


def _field(content: bytes, name: str) -> str:
    """Return a text of the outermost mapping of a JSON, empty where there is none."""
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        return ""
    value = document.get(name) if isinstance(document, dict) else None
    return value if isinstance(value, str) else ""
