"""A value of a JSON or YAML document together with its place in it. It knows no source and no table."""

from __future__ import annotations

from dataclasses import dataclass

from schedplan.ingest.field_error import FieldError

MAX_INTEGER = 1 << 63


def shape_error(place: str, seen: object, expected: str) -> FieldError:
    """Return the error of a value that is not of the shape asked for."""
    return FieldError(place, str(seen), expected, "the value is not what this field holds")


@dataclass(frozen=True, slots=True)
class Element:
    """One value: None, a boolean, a number, a text, a list or a mapping. place: such as `spec.containers[0].name`."""

    value: object
    place: str = ""

    @property
    def is_absent(self) -> bool:
        return self.value is None

    def get(self, *names: str) -> Element:
        """Return the value under keys one below the other; an absent one where a key or a mapping is missing."""
        found: object = self.value
        for name in names:
            found = found.get(name) if isinstance(found, dict) else None
        return Element(found, ".".join((self.place, *names)).lstrip("."))

    def first(self, *names: str) -> Element:
        """Return the first of several keys that is there."""
        return next((found for found in (self.get(name) for name in names) if not found.is_absent), self.get(names[0]))

    def has(self, name: str) -> bool:
        """Return whether this is a mapping with that key."""
        return isinstance(self.value, dict) and name in self.value

    def items(self) -> tuple[Element, ...]:
        """Return the entries of a list; none where it is absent."""
        if self.value is None:
            return ()
        if not isinstance(self.value, list):
            raise shape_error(self.place, self.value, "a list")
        return tuple(Element(one, f"{self.place}[{idx}]") for idx, one in enumerate(self.value))

    def fields(self) -> tuple[tuple[str, Element], ...]:
        """Return (key, value) pairs of a mapping, in their order; none where it is absent."""
        if self.value is None:
            return ()
        if not isinstance(self.value, dict):
            raise shape_error(self.place, self.value, "a mapping")
        return tuple((str(key), self.get(str(key))) for key in self.value)

    def text(self) -> str | None:
        """Return a text, or a number or boolean as it would be written; None where it is absent or empty."""
        if self.value is None or self.value == "":
            return None
        if isinstance(self.value, bool):
            return str(self.value).lower()
        if isinstance(self.value, str | int | float):
            return str(self.value)
        raise shape_error(self.place, self.value, "a text")

    def integer(self) -> int | None:
        """Return a whole number, None where it is absent; a text is none."""
        if self.value is None:
            return None
        if isinstance(self.value, float) and abs(self.value) < MAX_INTEGER and self.value == int(self.value):
            return int(self.value)
        if isinstance(self.value, int) and not isinstance(self.value, bool) and abs(self.value) < MAX_INTEGER:
            return self.value
        raise shape_error(self.place, self.value, "a whole number")

    def flag(self) -> bool | None:
        """Return true or false, None where it is absent."""
        if self.value is None or isinstance(self.value, bool):
            return self.value
        raise shape_error(self.place, self.value, "true or false")
