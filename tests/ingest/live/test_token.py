"""Where a token comes from, what is none, and that no message or print shows it."""

from __future__ import annotations

from pathlib import Path

import pytest

from schedplan.errors import InputError, UsageError
from schedplan.ingest.live.token import Token, read_token


def test_the_file_wins_over_the_variable_and_none_is_fine(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("abc123\n")

    assert Token("Bearer", "abc123") == read_token(file, {"PROMETHEUS_TOKEN": "other"})
    assert Token("Bearer", "other") == read_token(None, {"PROMETHEUS_TOKEN": "other"})
    assert read_token(None, {}) is None
    assert read_token(None, {"PROMETHEUS_TOKEN": ""}) is None


def test_its_scheme_may_be_told() -> None:
    assert "Basic dTpw" == Token("Basic", "dTpw").header
    assert Token("Basic", "dTpw") == read_token(None, {"PROMETHEUS_TOKEN": "Basic dTpw"})
    assert Token("Bearer", "abc") == read_token(None, {"PROMETHEUS_TOKEN": "Bearer abc"})


@pytest.mark.parametrize("text", ["sec ret", "sec\nret", "sec\x00ret", "sec\tret", "secr\u00e9t", "secret" * 3000])
def test_what_is_no_token_is_refused_unseen(tmp_path: Path, text: str) -> None:
    file = tmp_path / "token"
    file.write_text(text, "utf-8")
    for asked, environ in ((file, {}), (None, {"PROMETHEUS_TOKEN": text})):
        with pytest.raises(UsageError) as problem:
            read_token(asked, environ)

        assert "holds no token" in problem.value.message
        assert "sec" not in problem.value.message.removeprefix(str(asked))


def test_an_empty_or_missing_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").write_text("\n")
    with pytest.raises(UsageError, match="holds no token"):
        read_token(tmp_path / "empty", {})
    with pytest.raises(InputError, match="No such file"):
        read_token(tmp_path / "missing", {})


def test_a_printed_token_is_not_shown() -> None:
    assert "Token(scheme='Bearer')" == repr(Token("Bearer", "abc"))


def test_a_short_token_may_stand_in_an_answer_by_chance() -> None:
    assert Token("Bearer", "12345678").is_in(b"12345678")
    assert not Token("Bearer", "1234567").is_in(b"1234567")
