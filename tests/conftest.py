"""What every test may ask for: the folder of public data that lies beside the repository."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
BESIDE_THE_REPOSITORY = Path(__file__).parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Return the folder of public data. Without it a test is skipped, but fails under CI, where it must be there."""
    folder = Path(os.environ.get("SCHEDPLAN_DATA") or BESIDE_THE_REPOSITORY)
    if folder.is_dir():
        return folder
    word = f"the public data is not at {folder}; set SCHEDPLAN_DATA to its folder"
    if os.environ.get("CI") == "true":
        pytest.fail(word)
    pytest.skip(word)
