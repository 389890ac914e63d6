"""Sentences that begin with a count, written of one as of several: `1 node is down`. It knows no source."""

from __future__ import annotations

import re

_VERBS = {"are": "is", "have": "has", "were": "was"}
_PLAIN = (
    *("ask", "begin", "belong", "count", "hold", "lie", "limit", "name", "need", "offer", "repeat", "run", "share", "start"),
    *("state", "take", "tell", "tolerate"),
)
_HEAD = re.compile(r"1 ((?:heterogeneous )?)(\w+)( \w+)?", re.ASCII)
_AND = re.compile(rf" and ({'|'.join(_PLAIN)})\b", re.ASCII)
_LATER = re.compile(r"(?<=\b1 )(devices|nodes|resets|rows|samples)\b", re.ASCII)
_PRONOUNS = (("their", "its"), ("they", "it"), ("them", "it"))


def in_number(text: str) -> str:
    """Return a sentence; one that begins with `1 jobs have ...` with its noun, verb and pronouns in the singular."""
    head = _HEAD.match(text)
    if head is None:
        return _LATER.sub(lambda found: _one(found.group(0)), text)
    adjective, noun, verb = head.group(1), head.group(2), (head.group(3) or "").strip()
    before, sign, after = text[head.end() :].partition(";")
    before = _AND.sub(lambda found: f" and {found.group(1)}s", before)
    singular = f"1 {adjective}{_one(noun)}{f' {_of_one(verb)}' if verb else ''}{before}{sign}{after}"
    for several, one in _PRONOUNS:
        singular = re.sub(rf"\b{several}\b", one, singular)
    return singular[:2] + _LATER.sub(lambda found: _one(found.group(0)), singular[2:])


def _one(noun: str) -> str:
    """Return a noun of one; what has no other form, such as series, stays."""
    if noun == "series" or not noun.endswith("s"):
        return noun
    return f"{noun[:-3]}y" if noun.endswith("ies") else noun[:-1]


def _of_one(verb: str) -> str:
    return _VERBS.get(verb) or (f"{verb}s" if verb in _PLAIN else verb)
