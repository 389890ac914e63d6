"""The report in a real browser with the network cut: charts are drawn, nothing is loaded, the console stays silent."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.real_service

ROOT = Path(__file__).parents[2]
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--enable-logging=stderr",
    "--virtual-time-budget=8000",
)


@pytest.fixture(scope="module")
def browser() -> str:
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        word = "no Chromium on PATH (Debian's package chromium)"
        pytest.fail(word) if os.environ.get("CI") == "true" else pytest.skip(word)
    return found


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of the sample day."""
    folder = tmp_path_factory.mktemp("day")
    for words in (("init",), ("optimize", "-q"), ("report",)):
        subprocess.run(
            [sys.executable, "-m", "schedplan", *words],
            check=True,
            cwd=folder,
            capture_output=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
    return folder / "runs" / "plan" / "report.html"


def opened(browser: str, page: Path, profile: Path, *flags: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [browser, *FLAGS, f"--user-data-dir={profile}", *flags, page.as_uri()],
        check=True,
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_every_chart_is_drawn_and_the_console_is_silent(browser: str, report: Path, tmp_path: Path) -> None:
    done = opened(browser, report, tmp_path, "--dump-dom")
    asked = report.read_text("utf-8").count('class="chart"')
    console = [line for line in done.stderr.splitlines() if "CONSOLE" in line]

    assert asked > 3
    assert asked == len(re.findall(r'class="plot-container', done.stdout))
    assert [] == console


def test_it_is_a_picture_in_light_and_narrow(browser: str, report: Path, tmp_path: Path) -> None:
    for size in ("1280,2000", "390,2000"):
        picture = tmp_path / f"{size}.png"
        opened(browser, report, tmp_path / size, f"--screenshot={picture}", f"--window-size={size}")

        # an empty page of this size packs to a few kB
        assert picture.stat().st_size > 40_000
