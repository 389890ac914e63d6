"""A document as YAML: its JSON form, written by a dumper so that every text is read back as the text it was."""

from __future__ import annotations

import json

import yaml

from schedplan.report.document import Document
from schedplan.report.json import json_text


def yaml_text(document: Document) -> str:
    """Return the document as YAML: the values of its JSON, keys sorted."""
    form = json.loads(json_text(document))
    return str(yaml.safe_dump(form, sort_keys=True, allow_unicode=False, width=1000, default_flow_style=False))
