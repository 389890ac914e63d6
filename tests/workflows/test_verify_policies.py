"""What a plan says of simple policies is made anew by `verify`: other figures are a finding."""

from __future__ import annotations

from dataclasses import replace

import pytest

from schedplan.config.load import load_settings
from schedplan.config.project import ProjectPlace
from schedplan.model.plan import PolicyValue
from schedplan.workflows.plan import SavedPlan
from schedplan.workflows.project import open_project
from schedplan.workflows.verify import verify
from tests.samples.conftest import SAMPLES, planned


@pytest.fixture(scope="module")
def saved() -> SavedPlan:
    folder = SAMPLES / "three-nodes-1-1-2"
    found = planned("three-nodes-1-1-2")
    settings = load_settings(folder)
    project = open_project(ProjectPlace(settings.file, (), ()), settings)
    return SavedPlan(folder, found.plan, found.context, project, found.prepared.problem)


def with_first(saved: SavedPlan, changed: PolicyValue) -> SavedPlan:
    return replace(saved, plan=replace(saved.plan, policies=(changed, *saved.plan.policies[1:])))


def test_the_policies_of_a_plan_are_as_recomputed(saved: SavedPlan) -> None:
    assert saved.plan.policies
    assert () == verify(saved)


def test_another_worth_another_name_or_one_less_is_a_finding(saved: SavedPlan) -> None:
    first = saved.plan.policies[0]
    assert first.objective is not None
    others = (
        with_first(saved, replace(first, objective=first.objective + 0.01)),
        with_first(saved, replace(first, left_out=first.left_out + 1)),
        with_first(saved, replace(first, name=f"{first.name}-x")),
        replace(saved, plan=replace(saved.plan, policies=saved.plan.policies[1:])),
    )

    assert [["SP3129"]] * len(others) == [[finding.code for finding in verify(one)] for one in others]
