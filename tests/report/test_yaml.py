"""YAML says what JSON says, whatever the names look like."""

import json

import pytest
import yaml

from schedplan.report.document import Document
from schedplan.report.json import json_text
from schedplan.report.yaml import yaml_text


def test_yaml_is_read_back_as_the_json(hostile_document: Document) -> None:
    assert yaml.safe_load(yaml_text(hostile_document)) == json.loads(json_text(hostile_document))


@pytest.mark.parametrize(
    "name", ["null", "0x10", "NO", "12:30:00", "a\n  privileged: true", "010", "1e3", "{{ .Values }}", "~", ""]
)
def test_names_that_look_like_values_stay_names(name: str) -> None:
    assert yaml.safe_load(yaml_text(Document("k", name, ())))["title"] == name
