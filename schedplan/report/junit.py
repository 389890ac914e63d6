"""A verdict as JUnit XML, one test case per rule. It writes no clock, no host and no duration.

A broken rule that denies is a failure; one that only warns is a passed case that says so, since the format has no warnings.
Where it could not be told whether the rules hold, one case with an error says why.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET

from schedplan.check.verdict import Verdict, VerdictItem
from schedplan.report.verbatim import visible
from schedplan.report.verdict_document import result_word

SUITE = "schedplan check"
CLASS = "schedplan.check"


def junit_text(verdict: Verdict, *, held: tuple[str, ...] = ()) -> str:
    """Return the verdict as JUnit XML with a newline at its end; characters that XML can't hold are spelled out.

    held: names of further cases, which have passed.
    """
    root, suite = _suite(tests=len(held) + len(verdict.items), failures=len(verdict.denials))
    for name in held:
        _add_named(suite, name)
    for item in verdict.items:
        _add_case(suite, item)
    return _written(root)


def junit_error_text(name: str, message: str, code: str) -> str:
    """Return JUnit XML of one case that ended in an error before there was a verdict."""
    root, suite = _suite(tests=1, errors=1)
    error = ET.SubElement(_add_named(suite, name), "error", {"message": visible(message), "type": code})
    error.text = "\n".join(visible(line) for line in message.split("\n"))
    return _written(root)


def _suite(*, tests: int, failures: int = 0, errors: int = 0) -> tuple[ET.Element, ET.Element]:
    totals = {"name": SUITE, "tests": str(tests), "failures": str(failures), "errors": str(errors), "time": "0"}
    root = ET.Element("testsuites", totals)
    return root, ET.SubElement(root, "testsuite", {**totals, "skipped": "0"})


def _written(root: ET.Element) -> str:
    ET.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _add_named(suite: ET.Element, name: str) -> ET.Element:
    return ET.SubElement(suite, "testcase", {"classname": CLASS, "name": visible(name), "time": "0"})


def _add_case(suite: ET.Element, item: VerdictItem) -> None:
    case = _add_named(suite, _name(item))
    result = result_word(item)
    if result == "failed":
        failure = ET.SubElement(case, "failure", {"message": visible(item.message), "type": item.code or ""})
        failure.text = visible(f"{item.rule}: {item.message}. {item.hint}" if item.hint else f"{item.rule}: {item.message}")
    else:
        output = ET.SubElement(case, "system-out")
        output.text = visible(f"{result}: {item.message}")


def _name(item: VerdictItem) -> str:
    labels = ", ".join(f"{name}={value}" for name, value in item.labels)
    return visible(f"{item.rule} [{labels}]" if labels else item.rule)
