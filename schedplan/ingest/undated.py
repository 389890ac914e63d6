"""The day from which logs count that state no date. It knows no log."""

from __future__ import annotations

from datetime import UTC, datetime

# Our choice: a Sunday, so that weeks begin as most calendars draw them; every reader that uses it says so.
EPOCH = datetime(2023, 1, 1, tzinfo=UTC)
EPOCH_S = int(EPOCH.timestamp())
SAID = f"times are counted from a start that the file does not date; it is taken as {EPOCH:%Y-%m-%dT%H:%M:%SZ} (our choice)"
