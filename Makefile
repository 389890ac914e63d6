# Everything a checkout needs. Only make and a Python >= 3.11 are expected; uv is used where it is found.
#
#   make demo   install, plan the e-commerce day, print the comparison and the path of its HTML report
#   make test   install, run the tests
#   make prove  the long proofs: brute force, planted plans, changes that must not matter, replays, changed clusters; an hour of CPU
#   make test-real  the tests that need a real program on this machine: Chromium, Prometheus, Slurm, and Ray in .venv-ray
#   make ingest-report   what becomes of every file of the public data, row by row
#   make lint   install, check style, types and import layers
#   make docs   write the pages of docs/ that the code holds
#   make bench  time the phases of the benchmark specs, as ratios
#   make lock   pin the dependencies anew from pyproject.toml (needs uv)

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

PYTHON := $(shell for name in python3.11 python3.12 python3.13 python3.14 python3; do \
	"$$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { command -v "$$name"; break; }; done)
UV := $(shell command -v uv 2>/dev/null)
VENV := .venv
BIN := $(VENV)/bin
RAY := .venv-ray
STAMP := $(VENV)/.installed
DEMO := demo/ecommerce-day

.PHONY: help setup setup-ray demo test prove test-real ingest-report lint docs bench lock

help:
	@sed -n 's/^#   //p' $(MAKEFILE_LIST)

setup: $(STAMP)

$(STAMP): requirements.lock pyproject.toml schedplan/__init__.py
	@test -n "$(PYTHON)" || { echo "schedplan needs Python 3.11 or newer on PATH (python3.11, python3.12, ... or python3)" >&2; exit 1; }
ifneq ($(UV),)
	uv venv --quiet --allow-existing --python "$(PYTHON)" $(VENV)
	uv pip sync --quiet --python $(BIN)/python --require-hashes requirements.lock
	uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
else
	"$(PYTHON)" -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
endif
	@touch $@

# Ray stands apart: schedplan does not need it, and its own requirements are many.
setup-ray: $(RAY)/.installed

$(RAY)/.installed: tests/real/ray.lock
	"$(PYTHON)" -m venv $(RAY)
	$(RAY)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement tests/real/ray.lock
	@touch $@

demo: setup
	$(BIN)/schedplan init --sample ecommerce-day $(DEMO) --force
	$(BIN)/schedplan optimize $(DEMO) --out $(DEMO)/runs/plan --force
	$(BIN)/schedplan report $(DEMO)/runs/plan

test: setup
	$(BIN)/python -m pytest -q -n auto --dist loadfile -m "not real_service and not long_proof"

prove: setup
	OPENBLAS_NUM_THREADS=1 PYTHONPATH=. $(BIN)/python -m tests.oracle.prove
	$(BIN)/python -m pytest -q -m long_proof

test-real: setup setup-ray
	$(BIN)/python -m pytest -q -m real_service tests/real

ingest-report: setup
	PYTHONPATH=. $(BIN)/python -m tests.ingest.every_file

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

docs: setup
	PYTHONPATH=. $(BIN)/python docs/generate.py

bench: setup
	$(BIN)/python -m benchmarks

lock:
	@test -n "$(UV)" || { echo "make lock needs uv" >&2; exit 1; }
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
		--no-emit-index-url --no-emit-find-links --extra dev --upgrade pyproject.toml --output-file requirements.lock
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
		--no-emit-index-url --no-emit-find-links --upgrade tests/real/ray.in --output-file tests/real/ray.lock
