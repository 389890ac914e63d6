"""Reader `sacctmgr`: `sacctmgr -P show assoc` as quotas; `show qos` is refused. Source: slurm.schedmd.com/sacctmgr.html."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from schedplan.ingest.draft import Draft
from schedplan.ingest.field_error import FieldError
from schedplan.ingest.reader import ReadOptions
from schedplan.ingest.slurm.association import Association, add_quotas
from schedplan.ingest.slurm.fields import Fields
from schedplan.ingest.slurm.parsable import BAR, bar_table, header_of
from schedplan.ingest.source_bytes import head_text, lines_of
from schedplan.tables.read import TableFile

_OF_ASSOCIATIONS = ("Account", "GrpTRES")
_OF_QOS = ("Name", "Priority", "Preempt")
_USED = ("Account", "User", "GrpTRES", "ParentName", "Par Name")


@dataclass(frozen=True, slots=True)
class Sacctmgr:
    """The limit of an account on what its jobs hold together becomes rows of `quotas`."""

    name: str = "sacctmgr"
    description: str = "Slurm: sacctmgr -P show assoc (limits of accounts, GrpTRES)"
    tables: tuple[str, ...] = ("quotas",)
    recognised_by: str = "a header with Account and GrpTRES, or with Name, Priority and Preempt, separated by bars"

    def sniff(self, path: Path) -> bool:
        """Return whether the file begins with a header of associations or of qualities of service."""
        first = head_text(path).split("\n", 1)[0]
        return BAR in first and (set(_OF_ASSOCIATIONS) <= set(header_of(first)) or set(_OF_QOS) <= set(header_of(first)))

    def read(self, path: Path, options: ReadOptions) -> tuple[TableFile, ...]:
        """Return the quotas in the file; InputError with all its faults."""
        lines = lines_of(path)
        names = header_of(lines[0]) if lines else ()
        draft = Draft.of("quotas", path)
        if not set(_OF_ASSOCIATIONS) <= set(names):
            message = "these are qualities of service; their limits count the jobs of a QOS, and a quota those of a tenant"
            hint = "Write what matters as [quotas.TENANT] in schedplan.toml; accounts are read from `sacctmgr -P show assoc`."
            draft.refuse_file(message, hint)
        table = bar_table(lines, names, True, (), lambda cells: True, _USED, draft.faults)
        found = []
        for row in table.rows:
            fields = Fields(dict(zip(names, row.cells, strict=True)), options.zone)
            try:
                parent = fields.text("ParentName", "Par Name")
                found.append(
                    Association(row.line, fields.text("Account") or "", parent, fields.text("User"), fields.tres("GrpTRES"))
                )
            except FieldError as problem:
                draft.refuse(row.line, problem)
        add_quotas(draft, found)
        draft.ignored |= {name for name in names if name not in _USED}
        return (draft.file(),)
