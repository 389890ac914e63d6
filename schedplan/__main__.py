"""`python -m schedplan` is `schedplan`."""

from __future__ import annotations

from schedplan.cli.app import main

main()
