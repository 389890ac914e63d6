"""What the sample gpu-slices must show."""

from schedplan.measures.feasibility import violations
from schedplan.model.plan import PlanStatus


def test_every_profile_finds_its_place_and_keeps_it(gpu_slices):
    slots = {placed.job: placed.device_slots for placed in gpu_slices.plan.placements}

    # notebook (1g) and tune (2g) run for all three hours: at 6 and 4-5 they leave 0-3 of their device to chat (4g, from 09:00);
    # embed and rerank (2g) and eval (3g) fill the other device for an hour, then train has it as a whole
    expected = {
        "notebook": "1:6-6",
        "tune": "1:4-5",
        "chat": "1:0-3",
        "embed": "0:0-1",
        "rerank": "0:2-3",
        "eval": "0:4-7",
        "train": "0:0-7",
    }
    assert expected == slots
    assert gpu_slices.plan.proof.status is PlanStatus.OPTIMAL
    assert violations(gpu_slices.prepared.problem, gpu_slices.plan.decisions) == ()


def test_nobody_waits_and_nothing_is_left_out(gpu_slices):
    measures = {found.name: found.value for found in gpu_slices.plan.measures if not found.labels}
    # seven slices: (1 + 2) x 3 h + (2 + 2 + 3) x 1 h + 4 x 2 h + 7 x 1 h = 31 of 2 x 7 x 3 = 42
    expected = 31 / 42

    assert gpu_slices.plan.unplaced == ()
    assert measures["wait_s_max"] == 0
    assert abs(measures["utilization"] - expected) < 1e-9


def test_first_come_first_served_leaves_work_out(gpu_slices):
    unplaced = next(term for term in gpu_slices.plan.terms if term.name == "unplaced")

    # train is 7 of the 31 slice-hours
    assert abs(unplaced.reference - 7 / 31) < 1e-9
