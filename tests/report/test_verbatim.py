"""What steers a screen is spelled out; what has a shape stays."""

import pytest

from schedplan.report.verbatim import visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("job [/etc/passwd]", "job [/etc/passwd]"),
        ("\x1b[2J", "\\x1b[2J"),
        ("a\nb\tc\rd", "a\\nb\\tc\\rd"),
        ("\x00\x7f\x9b", "\\x00\\x7f\\x9b"),
        ("a\u2028b\u2029", "a\\u2028b\\u2029"),
        ("\u202egpj", "\\u202egpj"),
        ("\u2066x\u2069\u200b\ufeff", "\\u2066x\\u2069\\u200b\\ufeff"),
        ("\udc80\ufffe\U0001ffff", "\\udc80\\ufffe\\U0001ffff"),
        ("训练 é 🙂", "训练 é 🙂"),
    ],
)
def test_only_what_has_no_shape_is_spelled_out(text: str, shown: str) -> None:
    assert shown == visible(text)
