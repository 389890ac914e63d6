"""Init: a runnable example to begin with, copied from the samples that come with the program."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from schedplan.errors import OutputError, UsageError
from schedplan.report.document import Column, Document, Section, SectionRole, Table

DEFAULT_SAMPLE = "ecommerce-day"
_SHIPPED = Path(__file__).parents[1] / "_samples"
_IN_THE_REPOSITORY = Path(__file__).parents[2] / "samples"


@dataclass(frozen=True, slots=True)
class Sample:
    """A sample: its name, and the first line of its project file."""

    name: str
    summary: str
    folder: Path


def samples() -> tuple[Sample, ...]:
    """Return the samples by name."""
    root = _SHIPPED if _SHIPPED.is_dir() else _IN_THE_REPOSITORY
    folders = sorted(folder for folder in root.iterdir() if (folder / "schedplan.toml").is_file())
    return tuple(Sample(folder.name, _summary(folder), folder) for folder in folders)


def init_project(target: Path, name: str = DEFAULT_SAMPLE, *, force: bool = False) -> tuple[Path, ...]:
    """Copy a sample into a folder and return the files it consists of.

    Raises UsageError for an unknown sample, OutputError where a file is in the way and not `force`; nothing is copied then.
    """
    known = {sample.name: sample for sample in samples()}
    if name not in known:
        near = get_close_matches(name, known, n=1)
        hint = f"Did you mean {near[0]}?" if near else f"Samples: {', '.join(known)}."
        raise UsageError(f"there is no sample {name}", hint=hint)
    folder = known[name].folder
    files = sorted(
        path.relative_to(folder) for path in folder.rglob("*") if path.is_file() and path.relative_to(folder).parts[0] != "runs"
    )
    in_the_way = [target / file for file in files if (target / file).exists()]
    if in_the_way and not force:
        raise OutputError(f"{in_the_way[0]} is there already", hint="Choose an empty folder, or replace it with --force.")
    try:
        target.mkdir(parents=True, exist_ok=True)
        for file in files:
            (target / file).parent.mkdir(parents=True, exist_ok=True)
            (target / file).write_bytes((folder / file).read_bytes())
    except OSError as problem:
        raise OutputError(f"{target}: {problem.strerror}") from None
    return tuple(target / file for file in files)


def samples_document() -> Document:
    """Return the list of samples as a document."""
    table = Table(
        "samples",
        "",
        (Column("sample", "Sample"), Column("about", "What it shows")),
        tuple((one.name, one.summary) for one in samples()),
    )
    return Document(kind="samples", title="Samples", sections=(Section("answer", "The answer", (table,), SectionRole.ANSWER),))


def _summary(folder: Path) -> str:
    with (folder / "schedplan.toml").open(encoding="utf-8") as lines:
        return next(lines).removeprefix("#").strip().rstrip(".")
