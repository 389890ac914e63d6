"""The facts that are shipped: every engine answers every atom, with source and day, and the known mistakes are not among them."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import date

import pytest

from schedplan.engines.atom import ATOM_NAMES, atom_named
from schedplan.engines.catalog import ENGINE_NAMES, all_engines, engine
from schedplan.engines.fact import Confidence, Engine, Fact, Role, Value
from schedplan.errors import UsageError

FIRST_READING, LAST_READING = date(2026, 8, 1), date(2026, 11, 30)
FACTS = tuple(fact for one in all_engines() for fact in one.facts)


@pytest.mark.parametrize("one", all_engines(), ids=lambda one: one.name)
def test_every_engine_answers_every_atom_once(one: Engine) -> None:
    assert tuple(fact.atom for fact in one.facts) == ATOM_NAMES
    assert {one.name} == {fact.engine for fact in one.facts}


def test_there_are_the_twelve_engines() -> None:
    assert tuple(one.name for one in all_engines()) == ENGINE_NAMES
    assert len(ENGINE_NAMES) == 12
    assert len(FACTS) == 12 * 41


def test_every_fact_has_a_source_a_day_and_a_version() -> None:
    for fact in FACTS:
        assert fact.source.startswith("https://"), fact
        assert FIRST_READING <= fact.checked_on <= LAST_READING, fact
        assert fact.version, fact
        assert fact.note.endswith("."), fact


def test_at_least_95_percent_is_verified_and_the_rest_is_marked() -> None:
    """Four rows were not looked up: gangs on spot and one row more for ACK and GKE Autopilot each. 488 / 492 = 99.2 %."""
    open_rows = {(fact.engine, fact.atom) for fact in FACTS if not fact.is_verified}

    expected = {
        ("ack", "backfill"),
        ("ack", "gang-on-spot"),
        ("gke-autopilot", "demand-forecast"),
        ("gke-autopilot", "gang-on-spot"),
    }
    assert expected == open_rows
    assert all(
        fact.value is Value.NOT_VERIFIED and fact.confidence is Confidence.UNVERIFIED for fact in FACTS if not fact.is_verified
    )


def fact(engine_name: str, atom: str) -> Fact:
    return engine(engine_name).fact_of[atom]


def test_known_mistakes_are_not_repeated() -> None:
    """Katib is no gang scheduler; Volcano's Job is batch.volcano.sh and it is nobody's in-house project; the product is AWS Batch;
    Slurm's GANG is time slicing; Volcano's backfill knows no time limits; kube-scheduler has pod groups, off by default."""
    kubeflow, volcano = engine("kubeflow"), engine("volcano")

    assert kubeflow.role is Role.WORKLOAD_CONTROLLER
    assert fact("kubeflow", "gang").value is Value.PARTIAL
    assert Value.NOT_APPLICABLE is fact("kubeflow", "job-queue").value
    assert "batch.volcano.sh/v1alpha1" in volcano.api_versions
    assert volcano.governance == "CNCF incubating project"
    assert engine("aws-batch").title == "AWS Batch"
    assert "time slicing" in fact("slurm", "gang").note
    assert fact("volcano", "backfill").value is Value.NO
    assert fact("kube-scheduler", "gang").value is Value.PARTIAL
    assert fact("aws-batch", "gang-on-spot").value is Value.NO
    told = " ".join(f"{one.note} {one.source}" for one in FACTS) + " ".join(one.summary for one in all_engines())
    for wrong in ("SchedulerConfiguration", "ByteDance", "AWS Batch AI", "Kubeflow Scheduler"):
        assert wrong not in told


@pytest.mark.parametrize(
    ("said", "expected"), [("Volcano", "volcano"), ("k8s", "kube-scheduler"), ("GKE", "gke-autopilot"), ("aws_batch", "aws-batch")]
)
def test_an_engine_is_found_by_any_of_its_names(said: str, expected: str) -> None:
    assert expected == engine(said).name


def test_an_unknown_engine_is_told_its_likely_name() -> None:
    with pytest.raises(UsageError) as refused:
        engine("vulcano")

    assert (refused.value.message, refused.value.hint) == ("there is no engine 'vulcano'", "Did you mean volcano?")


def test_an_engine_like_no_other_is_told_which_there_are() -> None:
    with pytest.raises(UsageError) as refused:
        engine("zzz")

    assert refused.value.hint is not None
    assert "kube-scheduler, coscheduling, volcano" in refused.value.hint


def test_an_unknown_atom_is_told_its_likely_name() -> None:
    with pytest.raises(UsageError) as refused:
        atom_named("gangs")

    assert refused.value.hint == "Did you mean gang?"


def test_no_file_of_facts_is_read_before_an_engine_is_asked_for() -> None:
    code = (
        "import schedplan.engines.catalog as c; before = c._read.cache_info().currsize; c.engine('kai'); "
        "print(before, c._read.cache_info().currsize)"
    )

    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=dict(os.environ))

    assert result.stdout == "0 1\n"
