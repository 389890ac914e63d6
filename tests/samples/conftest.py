"""A sample, planned as the command line plans it."""

from pathlib import Path

import pytest

from schedplan.config.load import load_settings
from schedplan.config.override import parse_set
from schedplan.config.project import ProjectPlace
from schedplan.workflows.optimize import Planned, plan_project, solve_options
from schedplan.workflows.project import open_project

SAMPLES = Path(__file__).parents[2] / "samples"


def planned(sample: str, *overrides: str) -> Planned:
    settings = load_settings(SAMPLES / sample, tuple(parse_set(override) for override in overrides))
    project = open_project(ProjectPlace(settings.file, (), ()), settings)
    return plan_project(project, solve_options(settings))


@pytest.fixture(scope="session")
def ecommerce_day() -> Planned:
    return planned("ecommerce-day")


@pytest.fixture(scope="session")
def gpu_slices() -> Planned:
    return planned("gpu-slices")


@pytest.fixture(scope="session")
def tenants_quota() -> Planned:
    return planned("tenants-quota")


@pytest.fixture(scope="session")
def training_window() -> Planned:
    return planned("training-window-risk")


@pytest.fixture(scope="session")
def three_nodes() -> Planned:
    return planned("three-nodes-1-1-2")


@pytest.fixture(scope="session")
def zone_loss() -> Planned:
    return planned("zone-loss")
