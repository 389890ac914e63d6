"""A verdict as SARIF 2.1.0: every broken rule a result, the codes it can have as rules of the tool. No clock, no host.

Format: OASIS, Static Analysis Results Interchange Format 2.1.0, 2020-03-27,
https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/sarif-v2.1.0-os.html; which of it GitHub reads:
https://docs.github.com/en/code-security/code-scanning/integrating-with-code-scanning/sarif-support-for-code-scanning (2026-12-01).
"""

from __future__ import annotations

from pathlib import PurePath
from urllib.parse import quote

from schedplan.explain.codes import CODE_TEXTS, CodeText
from schedplan.report.gate_results import GateResult
from schedplan.report.json import Json, serialized

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
VERSION = "2.1.0"
CATEGORY = "schedplan/check/"
MARK = f'"id": "{CATEGORY}"'
MOST_RESULTS = 5000
"""GitHub shows the first 5,000 results of a run."""


def sarif_text(results: tuple[GateResult, ...], version: str, *, is_error: bool = False) -> str:
    """Return the results as SARIF with a newline at its end. version: of schedplan; is_error: there was no verdict, and why."""
    rules = _rules(results)
    index = {rule.code: idx for idx, rule in enumerate(rules)}
    driver: dict[str, Json] = {"name": "schedplan", "semanticVersion": version, "rules": [_rule(rule) for rule in rules]}
    invocation: dict[str, Json] = {"executionSuccessful": not is_error}
    if is_error:
        driver["rules"] = []
        driver["notifications"] = [_rule(rule) for rule in rules]
        invocation["toolExecutionNotifications"] = [_notification(result, index) for result in results]
    run: dict[str, Json] = {
        "automationDetails": {"id": CATEGORY},
        "columnKind": "unicodeCodePoints",
        "invocations": [invocation],
        "results": [] if is_error else [_of(result, index) for result in results[:MOST_RESULTS]],
        "tool": {"driver": driver},
    }
    return serialized({"$schema": SCHEMA, "runs": [run], "version": VERSION})


def _rules(results: tuple[GateResult, ...]) -> tuple[CodeText, ...]:
    """Return the codes of the gate and those that results have, in their order."""
    texts = {text.code: text for text in CODE_TEXTS}
    codes = {code for code in texts if code.startswith("SP50")} | {result.code for result in results}
    return tuple(texts.get(code, CodeText(code, "see the message", "")) for code in sorted(codes))


def _rule(text: CodeText) -> Json:
    found: dict[str, Json] = {"id": text.code, "name": _pascal(text.name), "shortDescription": _plain(text.name)}
    if text.text:
        found |= {"fullDescription": _plain(text.text), "help": _plain(f"{text.text} `schedplan explain {text.code}` says more.")}
    return found


def _pascal(name: str) -> str:
    return "".join(word.capitalize() for word in "".join(c if c.isalnum() else " " for c in name).split())


def _of(result: GateResult, index: dict[str, int]) -> Json:
    return {
        "ruleId": result.code,
        "ruleIndex": index[result.code],
        "level": _level(result),
        "message": _message(result.words),
        "locations": [_location(result)],
        "partialFingerprints": {"primaryLocationLineHash": f"{result.fingerprint[:16]}:1", "schedplanRule/v1": result.fingerprint},
        "properties": {"rule": result.rule},
    }


def _notification(result: GateResult, index: dict[str, int]) -> Json:
    return {
        "descriptor": {"id": result.code, "index": index[result.code]},
        "level": _level(result),
        "message": _message(result.words),
        "locations": [_location(result)],
    }


def _level(result: GateResult) -> str:
    return "error" if result.is_denied else "warning"


def _location(result: GateResult) -> Json:
    place = result.place
    is_absolute = PurePath(place.file).is_absolute()
    where: dict[str, Json] = {"uri": f"file://{quote(place.file)}"} if is_absolute else {"uri": _relative(place.file)}
    physical: dict[str, Json] = {"artifactLocation": where, "region": {"startLine": place.line or 1}}
    return {"physicalLocation": physical}


def _relative(path: str) -> str:
    """Return a relative path as a URI reference: a colon in its first part would make it a scheme."""
    return quote(PurePath(path).as_posix(), safe="/")


def _plain(text: str) -> Json:
    """Return a text that has no placeholders: it is shown as it stands."""
    return {"text": text}


def _message(text: str) -> Json:
    """Return a message: braces would be placeholders and brackets links (3.11.5, 3.11.6), so both are escaped."""
    escaped = text.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
    return {"text": escaped.replace("{", "{{").replace("}", "}}")}
