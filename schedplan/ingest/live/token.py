"""The token that a live server asks for: from a file or the environment, never from the command line, and never shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from schedplan.errors import InputError, UsageError
from schedplan.tables.faults import Code

VARIABLE = "PROMETHEUS_TOKEN"
_MOST_CHARS = 1 << 14
_LEAST_TOLD = 8
_SCHEMES = ("Bearer ", "Basic ")


@dataclass(frozen=True, slots=True)
class Token:
    """scheme: Bearer or Basic. secret: printable ASCII without blanks; left out where the record is printed."""

    scheme: str
    secret: str = field(repr=False)

    @property
    def header(self) -> str:
        """Return the value of the header Authorization."""
        return f"{self.scheme} {self.secret}"

    def is_in(self, content: bytes) -> bool:
        """Return whether a content repeats the token; one of less than 8 signs may stand anywhere by chance, and is not sought."""
        return len(self.secret) >= _LEAST_TOLD and self.secret.encode() in content


def read_token(file: Path | None, environ: Mapping[str, str]) -> Token | None:
    """Return the token in `file`, else in the variable PROMETHEUS_TOKEN, None where neither is given.

    `Basic ...` before it is kept, as for a server that asks for a user and password. Raises InputError where the file can't be
    read, UsageError for what is no token; no message holds any part of it.
    """
    if file is None:
        text = environ.get(VARIABLE)
        return _token(text, VARIABLE) if text else None
    try:
        with file.open(encoding="ascii") as stream:
            return _token(stream.read(_MOST_CHARS + 1), str(file))
    except OSError as problem:
        reason = problem.strerror or "it can't be read"
        raise InputError(f"--token-file {file}: {reason}", code=Code.UNREADABLE.value) from None
    except UnicodeDecodeError:
        raise _no_token(str(file)) from None


def _token(text: str, source: str) -> Token:
    stripped = text.strip()
    scheme = next((one for one in _SCHEMES if stripped.startswith(one)), _SCHEMES[0])
    secret = stripped.removeprefix(scheme).strip()
    if not secret or len(text) > _MOST_CHARS or not secret.isascii() or not secret.isprintable() or " " in secret:
        raise _no_token(source)
    return Token(scheme.strip(), secret)


def _no_token(source: str) -> UsageError:
    return UsageError(f"{source} holds no token", hint="A token is one line of printable ASCII without blanks.")
