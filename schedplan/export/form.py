"""What a writer returns where the target's language is one of trees: values that JSON and YAML both hold."""

from __future__ import annotations

Form = None | bool | int | float | str | list["Form"] | dict[str, "Form"]
