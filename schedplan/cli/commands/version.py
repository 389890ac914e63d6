"""`schedplan version`: which versions answer, so that a report of a fault or a stored plan can be compared."""

from __future__ import annotations

from schedplan.cli.call import Call
from schedplan.cli.frame import command


@command("schedplan version", "schedplan version -o json")
def version(call: Call) -> None:
    """Print the versions of schedplan, of Python and of the libraries that results depend on."""
    from schedplan.workflows.version import version_document

    call.present(version_document())
