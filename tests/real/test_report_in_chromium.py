"""Reports in a real browser with the network cut: charts are drawn, filter and zoom work, the console stays silent.

Of a day, of 1,500 nodes, and of the public data: 1,523 nodes of Alibaba at one instant, 67,338 jobs of Philly replayed.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from schedplan.model.cluster import Cluster, Market, Pool
from schedplan.model.plan import Decisions, NodeUse, Placement, Plan, PlanStatus, Proof
from schedplan.model.problem import Problem
from schedplan.model.workload import Job, JobKind, WorkerShape
from schedplan.report.html import html_text
from schedplan.report.plan_document import plan_document
from schedplan.timegrid import TimeGrid
from tests.real.browser import Browser

pytestmark = pytest.mark.real_service

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("SCHEDPLAN_DATA", ROOT.parent / "shared" / "data"))
TRACES = DATA / "traces"
MOST_DATA_BYTES = 1_000_000
MOST_CPU_S = 5.0
START_S = 1796083200  # 2026-12-01T00:00:00Z
SLOTS = 96
TOOLS = "#nodes .tools"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        word = "no Chromium on PATH (Debian's package chromium)"
        pytest.fail(word) if os.environ.get("CI") == "true" else pytest.skip(word)
    with Browser(found, tmp_path_factory.mktemp("profile")) as running:
        running.look(width=1280, height=1000)
        yield running


def ran(folder: Path, *commands: tuple[str, ...]) -> None:
    for words in commands:
        subprocess.run(
            [sys.executable, "-m", "schedplan", *words],
            check=True,
            cwd=folder,
            capture_output=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("day")
    ran(folder, ("init",), ("optimize", "-q"), ("report",))
    return folder / "runs" / "plan" / "report.html"


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """1,500 nodes over a day of quarters of an hour; each runs four jobs of 3 to 6 hours, one after the other."""
    rng = np.random.default_rng(0)
    nodes = [f"n{idx:04d}" for idx in range(1500)]
    pools = tuple(Pool(node, gpus=8, accelerator="H100", market=Market.OWNED, price_per_hour=1.0) for node in nodes)
    jobs, rows = [], []
    used = np.zeros((len(nodes), SLOTS))
    for idx, node in enumerate(nodes):
        slot = 0
        for turn, length in enumerate(rng.integers(12, 25, 4).tolist()):
            name = f"job-{idx:04d}-{turn}"
            jobs.append(Job(name, kind=list(JobKind)[turn], workers=1, shape=WorkerShape(gpus=8), runtime_minutes=15.0 * length))
            start_s = START_S + 900 * slot
            rows.append(_row(name, node, start_s, start_s + 900 * length))
            used[idx, slot : slot + length] = 8.0
            slot += length
    problem = Problem("fleet", TimeGrid.regular(START_S, 15, SLOTS), Cluster(pools), jobs=tuple(jobs))
    on = np.ones(used.shape, dtype=np.bool_)
    use = NodeUse(tuple(nodes), on, used, used, used * 0, used * 0, used * 0, used * 0)
    proof = Proof(PlanStatus.FEASIBLE, None, None, None, None, "")
    plan = Plan(Decisions((), (), on), proof, placements=tuple(rows), node_use=use)
    page = tmp_path_factory.mktemp("fleet") / "report.html"
    page.write_text(html_text(plan_document(problem, plan)), "utf-8")
    return page


def _row(job: str, node: str, start_s: int, end_s: int) -> Placement:
    return Placement(
        job=job,
        worker_first=0,
        worker_last=0,
        node=node,
        start_s=start_s,
        end_s=end_s,
        run_end_s=end_s,
        devices=8.0,
        device_slots="",
        market=Market.OWNED.value,
        cost=0.0,
    )


@pytest.fixture(scope="module")
def alibaba(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("alibaba")
    sources = ("alibaba_gpu_v2023_nodes.csv", "alibaba_gpu_v2023_pods_default.csv.gz")
    ran(
        folder,
        ("ingest", *(str(TRACES / name) for name in sources)),
        ("optimize", "data", "--static", "-q", "-o", "json"),
        ("report", "runs/plan"),
    )
    return folder / "runs" / "plan" / "report.html"


@pytest.fixture(scope="module")
def philly(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("philly")
    machine = ("--machine", "auto", "--policy", "easy", "--out", "runs/replay")
    ran(
        folder,
        ("ingest", str(TRACES / "philly_2017_vcA.csv.gz")),
        ("simulate", "data/jobs.parquet", *machine, "-q", "-o", "json"),
        ("report", "runs/replay"),
    )
    return folder / "runs" / "replay" / "report.html"


REPORTS = (
    "day",
    "fleet",
    pytest.param("alibaba", marks=pytest.mark.real_data),
    pytest.param("philly", marks=pytest.mark.real_data),
)


@pytest.fixture
def report(request: pytest.FixtureRequest) -> Path:
    found = request.getfixturevalue(request.param)
    assert isinstance(found, Path)
    return found


def library_bytes() -> int:
    return (ROOT / "schedplan" / "report" / "templates" / "plotly-basic.min.js").stat().st_size


@pytest.mark.parametrize("report", REPORTS, indirect=True)
def test_every_chart_is_drawn_at_once_and_nothing_is_asked_for(browser: Browser, report: Path) -> None:
    browser.look(width=1280, height=1000)
    browser.open(report)
    asked = report.read_text("utf-8").count('class="chart"')

    assert asked >= 1
    assert asked == browser.value("document.querySelectorAll('.chart .main-svg:first-child').length")
    assert 0 == browser.value("[...document.querySelectorAll('.chart')].filter((one) => !one.querySelector('.trace path')).length")
    assert [] == browser.console
    assert [report.as_uri()] == browser.requests
    assert report.stat().st_size - library_bytes() <= MOST_DATA_BYTES
    # the work of the page's thread until it may be used, whatever else this machine does
    assert browser.cpu_s() <= MOST_CPU_S


@pytest.mark.parametrize("report", REPORTS, indirect=True)
def test_it_is_a_page_in_light_dark_narrow_and_print(browser: Browser, report: Path) -> None:
    browser.open(report)
    pictures = {}
    for name, width, scheme in (("light", 1280, "light"), ("dark", 1280, "dark"), ("narrow", 390, "light")):
        browser.look(width=width, height=1600, scheme=scheme)
        pictures[name] = browser.picture()

        # nothing stands out of the page to the right; an empty page of this size packs to a few kB
        assert browser.value("document.documentElement.scrollWidth") <= width
        assert len(pictures[name]) > 40_000
    assert len(set(pictures.values())) == len(pictures)
    browser.send("Emulation.setEmulatedMedia", media="print")

    assert 0 == browser.value("[...document.querySelectorAll('.tools')].filter((one) => one.offsetParent !== null).length")
    browser.send("Emulation.setEmulatedMedia", media="")
    browser.look(width=1280, height=1000)


def ticks(browser: Browser) -> list[str]:
    return list(browser.value("document.getElementById('nodes-chart').layout.yaxis.ticktext"))


def told(browser: Browser) -> str:
    return str(browser.value(f"document.querySelector('{TOOLS} .told').textContent"))


def span_h(browser: Browser) -> float:
    instants = browser.value(
        "document.getElementById('nodes-chart')._fullLayout.xaxis.range.map((one) => Date.parse(one.replace(' ', 'T') + 'Z'))"
    )
    return float(instants[1] - instants[0]) / 3_600_000


def press(browser: Browser, label: str) -> None:
    browser.value(f"""document.querySelector('{TOOLS} button[aria-label="{label}"]').click()""")
    browser.settle()


def test_of_1500_nodes_forty_are_drawn_and_pages_lead_on(browser: Browser, fleet: Path) -> None:
    browser.open(fleet)

    assert ("n0000", "n0039", 40) == (ticks(browser)[0], ticks(browser)[-1], len(ticks(browser)))
    assert "rows 1 to 40 of 1,500" == told(browser)
    press(browser, "Rows after")
    assert "n0040" == ticks(browser)[0]
    press(browser, "Rows before")
    assert "n0000" == ticks(browser)[0]


def test_the_filter_finds_nodes_and_what_runs_on_them(browser: Browser, fleet: Path) -> None:
    browser.open(fleet)
    browser.type(f"{TOOLS} input", "N077")

    # n0770 to n0779
    assert [f"n077{digit}" for digit in range(10)] == ticks(browser)
    assert "rows 1 to 10 of 10, of 1,500 in all" == told(browser)
    browser.type(f"{TOOLS} input", "job-1234-2")
    assert ["n1234"] == ticks(browser)
    browser.type(f"{TOOLS} input", "nowhere")
    assert "none of 1,500 rows" == told(browser)
    browser.type(f"{TOOLS} input", "")
    assert 40 == len(ticks(browser))


def test_time_is_zoomed_by_buttons_keys_and_mouse(browser: Browser, fleet: Path) -> None:
    browser.open(fleet)
    assert 24.0 == span_h(browser)
    press(browser, "Zoom in")
    assert 12.0 == span_h(browser)
    press(browser, "Later")
    assert 12.0 == span_h(browser)
    browser.value(f"""document.querySelector('{TOOLS} button[aria-label="Zoom in"]').focus()""")
    browser.key("Enter", 13, "\r")
    browser.settle()
    assert 6.0 == span_h(browser)
    press(browser, "Whole time")
    assert 24.0 == span_h(browser)
    browser.value("document.getElementById('nodes-chart').scrollIntoView({block: 'start', behavior: 'instant'}); scrollBy(0, -150)")
    box = "document.querySelector('#nodes-chart .nsewdrag').getBoundingClientRect()"
    left, top, width = (browser.value(f"{box}.{side}") for side in ("x", "y", "width"))
    browser.drag((left + width * 0.25, top + 200), (left + width * 0.5, top + 220))

    # a quarter of the width is a quarter of the day
    assert abs(span_h(browser) - 6.0) < 0.2
    assert [] == browser.console


def test_colours_follow_the_scheme(browser: Browser, day: Path) -> None:
    browser.open(day)
    fills = {}
    for scheme in ("light", "dark"):
        browser.look(width=1280, height=1000, scheme=scheme)
        fills[scheme] = browser.value("document.getElementById('nodes-chart').data.map((one) => one.marker.color)")
    browser.look(width=1280, height=1000)

    assert fills["light"] != fills["dark"]
    assert all(re.fullmatch(r"#[0-9a-f]{6}|rgba\(.*\)", colour) for found in fills.values() for colour in found)


@pytest.mark.real_data
def test_long_tables_are_filtered(browser: Browser, alibaba: Path) -> None:
    browser.open(alibaba)
    rows = "[...document.querySelectorAll('#node-kinds tbody tr')].filter((row) => !row.hidden).map((row) => row.textContent)"
    before = browser.value(rows)
    browser.type("#node-kinds .tools input", "t4")
    shown = browser.value(rows)

    assert 0 < len(shown) < len(before)
    assert all("t4" in row.lower() for row in shown)
    assert f"{len(shown)} of {len(before)} rows" == browser.value("document.querySelector('#node-kinds .told').textContent")


def test_hostile_names_stay_text_in_what_scripts_draw(browser: Browser, tmp_path: Path) -> None:
    """The page's own scripts put names into the page as well: none of them may become an element."""
    names = (
        '<img src=x onerror="document.title=1">',
        "</script><script>document.title=2</script>",
        '"><svg onload=alert(1)>',
        "&lt;b&gt;",
    )
    pools = tuple(Pool(name, gpus=8, market=Market.OWNED, price_per_hour=1.0) for name in names)
    jobs = tuple(Job(f"job {name}", shape=WorkerShape(gpus=8), runtime_minutes=60.0) for name in names)
    ordered = Cluster(pools).nodes
    rows = tuple(_row(job.name, node, START_S, START_S + 3600) for job, node in zip(jobs, ordered, strict=True))
    on, used = np.ones((len(names), 2), dtype=np.bool_), np.full((len(names), 2), 8.0)
    use = NodeUse(ordered, on, used, used, used * 0, used * 0, used * 0, used * 0)
    plan = Plan(Decisions((), (), on), Proof(PlanStatus.FEASIBLE, None, None, None, None, ""), placements=rows, node_use=use)
    page = tmp_path / "hostile.html"
    page.write_text(html_text(plan_document(Problem("hostile", TimeGrid.regular(START_S, 60, 2), Cluster(pools), jobs=jobs), plan)))
    browser.open(page)
    browser.type(f"{TOOLS} input", "<img")

    assert 1 == len(ticks(browser))
    assert "hostile · schedplan" == browser.value("document.title")
    assert 0 == browser.value("document.querySelectorAll('img, [onerror], [onload]').length")
    assert json.dumps(browser.console) == "[]"
