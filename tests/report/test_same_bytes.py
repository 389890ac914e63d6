"""The same document is the same bytes, twice and whatever the hash seed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

RENDER = """
import hashlib, sys
sys.path.insert(0, sys.argv[1])
import conftest
from schedplan.report.csv import csv_text
from schedplan.report.html import html_text
from schedplan.report.json import json_text
from schedplan.report.markdown import markdown_text
from schedplan.report.terminal import TerminalOptions, terminal_text
from schedplan.report.yaml import yaml_text
for problem in (conftest.shop_problem(), conftest.hostile_problem()):
    document = conftest.shop_document(problem)
    texts = [form(document) for form in (csv_text, html_text, json_text, markdown_text, yaml_text, terminal_text)]
    texts.append(terminal_text(document, TerminalOptions(width=90, color=True)))
    for text in texts:
        print(hashlib.sha256(text.encode()).hexdigest())
"""


def digests(seed: str, **environment: str) -> str:
    here = str(Path(__file__).parent)
    names = {**os.environ, "PYTHONHASHSEED": seed, **environment}
    run = subprocess.run([sys.executable, "-c", RENDER, here], capture_output=True, text=True, env=names, check=True)
    return run.stdout


@pytest.mark.parametrize(
    "environment", [{}, {"LC_ALL": "C", "TERM": "xterm-256color", "COLUMNS": "20", "FORCE_COLOR": "1", "NO_COLOR": ""}]
)
def test_two_hash_seeds_and_another_environment(environment: dict[str, str]) -> None:
    first, second = digests("1"), digests("2", **environment)

    assert first.count("\n") == 14
    assert first == second
