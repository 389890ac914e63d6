"""Which versions answer: schedplan, Python, and the libraries that a result depends on. Nothing is imported to find out."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed_version

from schedplan import __version__
from schedplan.report.document import Column, Document, Facts, Section, SectionRole, Table

LIBRARIES = ("highspy", "numpy", "ortools", "pandas", "pyarrow", "pydantic", "scipy", "statsmodels")


def versions() -> tuple[tuple[str, str], ...]:
    """Return (name, version) of schedplan, Python and the libraries; `absent` for one that is not installed."""
    own = (("schedplan", __version__), ("python", platform.python_version()))
    return own + tuple((name, _installed(name)) for name in LIBRARIES)


def version_document() -> Document:
    """Return the versions as a document; for machines they stand in `versions`."""
    found = versions()
    table = Table("versions", "", (Column("name", "name"), Column("version", "version")), found)
    return Document(
        kind="version",
        title=f"schedplan {__version__}",
        sections=(Section("answer", "", (table,), SectionRole.ANSWER),),
        facts=Facts((("versions", Facts(found)),)),
    )


def _installed(name: str) -> str:
    try:
        return installed_version(name)
    except PackageNotFoundError:
        return "absent"
