"""The cells that Slurm's text commands print: times, lengths of time, ids, amounts; every error names its column.

It knows no command: which column is which is told by the reader that asks.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import tzinfo
from fractions import Fraction

from schedplan.ingest.field_error import FieldError
from schedplan.ingest.slurm.clock import clock_s, is_unknown, is_unlimited
from schedplan.ingest.slurm.hostlist import HostlistError, expand
from schedplan.ingest.slurm.job_id import JobId, parse_job_id
from schedplan.ingest.slurm.state import job_state
from schedplan.ingest.slurm.tres import Tres, parse_gres, parse_tres
from schedplan.timegrid import InstantError, parse_instant
from schedplan.units import QuantityError

_NO_TIME = frozenset({"", "UNKNOWN", "NONE", "N/A", "(NULL)", "NOW", "0"})
_NO_NODES = frozenset({"", "none assigned", "(null)", "n/a"})


@dataclass(frozen=True, slots=True)
class Fields:
    """The cells of one record by the names of their columns, as the command spells them. zone: of its times."""

    cells: dict[str, str]
    zone: tzinfo

    def text(self, *names: str) -> str | None:
        """Return the first of several columns that has a value; None where none has."""
        found = (self.cells.get(name, "").strip() for name in names)
        return next((text for text in found if text and text != "(null)"), None)

    def job_id(self, name: str) -> JobId:
        """Return the id of a job."""
        try:
            return parse_job_id(self.cells.get(name, ""))
        except HostlistError as problem:
            raise self._error(name, "an id such as 57, 16_7 or 32+1", str(problem)) from None

    def state(self, name: str) -> str:
        """Return a state of a job by the table's word."""
        found = job_state(self.cells.get(name, ""))
        if found is None:
            raise self._error(name, "a state of a job such as RUNNING", "this is no state of a job")
        return found

    def instant(self, name: str) -> int | None:
        """Return a time in seconds since 1970, None for `Unknown` and its like."""
        text = self.cells.get(name, "").strip()
        if text.upper() in _NO_TIME:
            return None
        try:
            return parse_instant(text, self.zone)[0]
        except InstantError as problem:
            raise self._error(name, "a time such as 2026-12-01T00:00:00", str(problem)) from None

    def limit_s(self, name: str) -> Fraction | None:
        """Return a length of time in seconds, None for `UNLIMITED` and for what is not stated."""
        text = self.cells.get(name, "").strip()
        if is_unlimited(text) or is_unknown(text):
            return None
        try:
            return clock_s(text)
        except QuantityError as problem:
            raise self._error(name, str(problem), "this is no length of time") from None

    def partition_limits(self, partition: str, name: str) -> tuple[tuple[str, int | None], ...]:
        """Return (partition, the longest run in seconds, None: no limit), or nothing where a column does not state it."""
        if self.text(name) is None:
            return ()
        found = self.limit_s(name)
        return ((partition, None if found is None else int(found)),)

    def whole(self, *names: str) -> int | None:
        """Return a whole number >= 0 of the first column that has a value."""
        for name in names:
            text = self.cells.get(name, "").strip()
            if text:
                if not (text.isascii() and text.isdigit() and len(text) <= 18):
                    raise self._error(name, "a whole number", "this is no whole number")
                return int(text)
        return None

    def tres(self, name: str) -> Tres:
        """Return amounts such as `cpu=8,gres/gpu=2`."""
        try:
            return parse_tres(self.text(name) or "")
        except QuantityError as problem:
            raise self._error(name, str(problem), "these are no amounts of Slurm") from None

    def gres(self, name: str) -> Tres:
        """Return amounts such as `gpu:a100:8`."""
        try:
            return parse_gres(self.text(name) or "")
        except QuantityError as problem:
            raise self._error(name, str(problem), "these are no amounts of Slurm") from None

    def nodes(self, name: str) -> tuple[str, ...]:
        """Return the names in a list of nodes; none for `None assigned`."""
        text = self.cells.get(name, "").strip()
        if text.lower() in _NO_NODES:
            return ()
        try:
            return expand(text)
        except HostlistError as problem:
            raise self._error(name, "a list of nodes such as h100-[01-04]", str(problem)) from None

    def _error(self, name: str, expected: str, message: str) -> FieldError:
        return FieldError(name, self.cells.get(name, ""), expected, message)
