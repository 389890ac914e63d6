"""Text from files as it can be shown safely: what steers a screen or a reader's eye is spelled out. It knows no markup."""

from __future__ import annotations

_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_STEERING = frozenset(
    [*range(0x20), *range(0x7F, 0xA0), 0x061C, *range(0x200B, 0x2010), *range(0x2028, 0x202F), *range(0x2060, 0x2070), 0xFEFF]
)
_SURROGATES = range(0xD800, 0xE000)
_NO_CHARACTERS = (0xFFFE, 0xFFFF)


def visible(text: str) -> str:
    """Return `text` with every character spelled out that has no shape of its own: ESC becomes `\\x1b`, U+202E `\\u202e`.

    Covers control characters, line and paragraph separators, marks of writing direction, zero widths, half surrogates and
    code points that are no characters. What is left is a single line that any font shows as it is.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(character if _has_shape(ord(character)) else _spelled(character) for character in text)


def _has_shape(code: int) -> bool:
    return code not in _STEERING and code not in _SURROGATES and code & 0xFFFF not in _NO_CHARACTERS


def _spelled(character: str) -> str:
    code = ord(character)
    if character in _SHORT:
        return _SHORT[character]
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
