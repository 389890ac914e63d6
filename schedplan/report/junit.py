"""A verdict as JUnit XML, one test case per rule. It writes no clock, no host and no duration.

A broken rule that denies is a failure; one that only warns is a passed case that says so, since the format has no warnings.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET

from schedplan.check.verdict import Verdict, VerdictItem
from schedplan.report.verbatim import visible
from schedplan.report.verdict_document import result_word

SUITE = "schedplan check"
CLASS = "schedplan.check"


def junit_text(verdict: Verdict) -> str:
    """Return the verdict as JUnit XML with a newline at its end; characters that XML can't hold are spelled out."""
    root = ET.Element("testsuites", _totals(verdict))
    suite = ET.SubElement(root, "testsuite", {**_totals(verdict), "skipped": "0"})
    for item in verdict.items:
        _add_case(suite, item)
    ET.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _totals(verdict: Verdict) -> dict[str, str]:
    return {
        "name": SUITE,
        "tests": str(len(verdict.items)),
        "failures": str(len(verdict.denials)),
        "errors": "0",
        "time": "0",
    }


def _add_case(suite: ET.Element, item: VerdictItem) -> None:
    case = ET.SubElement(suite, "testcase", {"classname": CLASS, "name": _name(item), "time": "0"})
    result = result_word(item)
    if result == "failed":
        failure = ET.SubElement(case, "failure", {"message": visible(item.message), "type": item.code or ""})
        failure.text = visible(f"{item.rule}: {item.message}")
    else:
        output = ET.SubElement(case, "system-out")
        output.text = visible(f"{result}: {item.message}")


def _name(item: VerdictItem) -> str:
    labels = ", ".join(f"{name}={value}" for name, value in item.labels)
    return visible(f"{item.rule} [{labels}]" if labels else item.rule)
