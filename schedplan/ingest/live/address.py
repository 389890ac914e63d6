"""The address of a live server: a base URL without user, password, query or fragment. It opens no connection.

What a refused address holds before its `@` or after its `?` may be a secret, so no message repeats it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from schedplan.errors import UsageError

_BASE = "Give the base address of the server, such as http://prometheus:9090."


@dataclass(frozen=True, slots=True)
class LiveAddress:
    """scheme: http or https. host: with its port, where one is told. path: its prefix, without slash at its end."""

    scheme: str
    host: str
    path: str = ""

    @property
    def shown(self) -> str:
        """Return the base URL, which holds no secret."""
        return f"{self.scheme}://{self.host}{self.path}"

    def url(self, endpoint: str, parameters: dict[str, str]) -> str:
        """Return the URL of an endpoint of the API such as `query_range`."""
        return f"{self.shown}/api/v1/{endpoint}?{urlencode(parameters)}"

    def named(self, question: str) -> Path:
        """Return the name under which an answer stands in the account, where files stand under their paths."""
        return Path(f"{self.host}{self.path}") / question


def parse_address(text: str) -> LiveAddress:
    """Return the address that --live gives; UsageError for a text that is none, or that holds a secret."""
    if not text.isascii() or not text.isprintable() or " " in text:
        raise UsageError("--live: the address holds blanks or signs that no URL has", hint=_BASE)
    try:
        parts = urlsplit(text)
        named, _ = parts.hostname, parts.port
    except ValueError:
        raise UsageError("--live: the address is no URL", hint=_BASE) from None
    if "@" in parts.netloc:
        told = "Leave them out and give a token by --token-file or PROMETHEUS_TOKEN."
        raise UsageError("--live: the address holds a user name or password, which any process list would show", hint=told)
    if parts.query or parts.fragment:
        raise UsageError("--live: the address holds a query or a fragment", hint=f"{_BASE} A token goes by --token-file.")
    if parts.scheme not in ("http", "https") or not named:
        raise UsageError("--live: the address is no http:// or https:// URL", hint=_BASE)
    return LiveAddress(parts.scheme, parts.netloc, parts.path.rstrip("/"))


def redacted(url: str) -> str:
    """Return the scheme, host and path of any URL, without what may be a secret."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "another address"
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}{parts.path}" if host else parts.path or "another address"
