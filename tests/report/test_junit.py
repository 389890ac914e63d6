"""JUnit that a JUnit reader reads, whatever the names."""

import xml.etree.ElementTree as ET
from pathlib import Path

from junitparser import JUnitXml

from schedplan.check.rules import parse_rules
from schedplan.check.verdict import Verdict, judge
from schedplan.model.findings import Measure
from schedplan.report.junit import junit_error_text, junit_text

HOSTILE = ']]></failure><x>&"\x00\x1b\ufffe\udc80\u2028'


def verdict(*rules: str, label: str = "p") -> Verdict:
    measures = (Measure("cost", 100.0, "CNY"), Measure("gap", None, ""), Measure("cost", 5.0, "CNY", (("pool", label),)))
    return judge(parse_rules(rules), measures)


def test_a_reader_finds_every_rule_and_every_failure(tmp_path: Path) -> None:
    file = tmp_path / "junit.xml"
    file.write_text(junit_text(verdict("cost <= 100", "cost <= 99", "cost <= 98 warn", "gap <= 0.02")), encoding="utf-8")
    xml = JUnitXml.fromfile(str(file))
    cases = [case for suite in xml for case in suite]

    assert (xml.tests, xml.failures, xml.errors, xml.skipped) == (4, 2, 0, 0)
    assert [case.name for case in cases] == ["cost <= 100", "cost <= 99", "cost <= 98 warn", "gap <= 0.02"]
    assert [case.is_failure for case in cases] == [False, True, False, True]
    assert cases[1].result[0].message == "cost = 100 CNY; <= 99 CNY is broken"
    assert (cases[1].result[0].type, cases[3].result[0].type) == ("SP5001", "SP5002")
    assert cases[2].system_out == "warning: cost = 100 CNY; <= 98 CNY is broken"


def test_what_was_verified_is_a_passed_case() -> None:
    xml = JUnitXml.fromstring(junit_text(verdict("cost <= 99"), held=("verify: every constraint holds",)))

    assert (xml.tests, xml.failures) == (2, 1)
    assert [(case.name, case.is_failure) for suite in xml for case in suite] == [
        ("verify: every constraint holds", False),
        ("cost <= 99", True),
    ]


def test_no_verdict_is_one_case_with_an_error() -> None:
    xml = JUnitXml.fromstring(junit_error_text("check", f"nodes.csv has changed {HOSTILE}", "SP1101"))
    (case,) = (case for suite in xml for case in suite)

    assert (xml.tests, xml.failures, xml.errors) == (1, 0, 1)
    assert ("check", "SP1101") == (case.name, case.result[0].type)
    assert case.result[0].message.startswith("nodes.csv has changed ]]>")


def test_names_stay_text(tmp_path: Path) -> None:
    text = junit_text(verdict('cost{pool="' + HOSTILE.replace('"', '\\"') + '"} <= 1', label=HOSTILE))
    root = ET.fromstring(text)
    failure = root.find("testsuite/testcase/failure")

    assert [element.tag for element in root.iter()] == ["testsuites", "testsuite", "testcase", "failure"]
    assert failure is not None
    assert "\\x00\\x1b\\ufffe\\udc80\\u2028" in (failure.get("message") or "")


def test_no_rule_is_an_empty_suite() -> None:
    assert JUnitXml.fromstring(junit_text(verdict())).tests == 0
