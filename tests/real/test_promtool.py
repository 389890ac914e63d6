"""What is exported for Prometheus, read by Prometheus' own promtool: metrics, rules, and alerts that fire where a rule breaks."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from schedplan.export.prometheus_rules import rules_form
from schedplan.export.prometheus_text import prometheus_text
from tests.export.test_monitoring import RULES, WATCHED

pytestmark = pytest.mark.real_service


@pytest.fixture(scope="module")
def promtool() -> str:
    found = shutil.which("promtool")
    if found is None:
        word = "no promtool on PATH (Debian's package prometheus)"
        pytest.fail(word) if os.environ.get("CI") == "true" else pytest.skip(word)
    return found


def test_metrics_are_read_without_a_word(promtool: str) -> None:
    done = subprocess.run(
        [promtool, "check", "metrics"], input=prometheus_text(WATCHED), capture_output=True, text=True, check=False
    )

    assert (0, "") == (done.returncode, done.stdout + done.stderr)


def test_alerts_fire_where_rules_break_and_only_there(promtool: str, tmp_path: Path) -> None:
    (tmp_path / "rules.yml").write_text(yaml.safe_dump(rules_form(WATCHED, RULES)), "utf-8")
    series = [
        {"series": line.rpartition(" ")[0], "values": f"{line.rpartition(' ')[2]}+0x40"}
        for line in prometheus_text(WATCHED).splitlines()
        if not line.startswith("#")
    ]
    # the load of `chat` is above the 1,240 requests per second that the plan provides for
    series.append({"series": 'http_requests_total{service="chat"}', "values": f"0+{1300 * 60}x40"})
    fired = {
        "SchedplanCost": 1,
        "SchedplanUtilization": 0,
        "SchedplanWaitSP95": 0,
        "SchedplanEnergyKwh": 1,
        "SchedplanLoadAbovePlan": 1,
    }
    tests = [f'count(ALERTS{{alertname="{name}",alertstate="firing"}}) or vector(0)' for name in fired]
    cases = [
        {"expr": test, "eval_time": "30m", "exp_samples": [{"labels": "{}", "value": count}]}
        for test, count in zip(tests, fired.values(), strict=True)
    ]
    unit = {
        "rule_files": ["rules.yml"],
        "evaluation_interval": "1m",
        "tests": [{"interval": "1m", "input_series": series, "promql_expr_test": cases}],
    }
    (tmp_path / "unit.yml").write_text(yaml.safe_dump(unit), "utf-8")
    done = subprocess.run([promtool, "test", "rules", "unit.yml"], cwd=tmp_path, capture_output=True, text=True, check=False)

    assert 0 == done.returncode, done.stdout + done.stderr
