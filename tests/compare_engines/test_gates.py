"""Gates by profiles made by hand: which there are, and how engines do at them."""

from __future__ import annotations

import pytest

from schedplan.compare_engines.gates import Gate, Outcome, atoms_of, gates_of, held_against, parse_requirements
from schedplan.compare_engines.profile import Profile, profile_of
from schedplan.engines.catalog import engine as known
from schedplan.engines.fact import Role, Value
from schedplan.errors import UsageError
from schedplan.model.cluster import Cluster, Pool
from schedplan.model.workload import Job, Service, WorkerShape
from tests.compare_engines.workloads import FOUR_NODES, WITH_SPOT, engine, job, profile

ALWAYS = ("nodes", "queues")


def names(found: Profile, *requirements: str) -> tuple[str, ...]:
    return tuple(gate.name for gate in gates_of(found, requirements) if gate.name not in ALWAYS)


def gate(found: Profile, name: str) -> Gate:
    return next(one for one in gates_of(found) if one.name == name)


@pytest.mark.parametrize(
    ("jobs", "expected"),
    [
        ((job("single"),), ()),
        ((job("gang", workers=2),), ("gang",)),
        ((job("half", gpus=0.5),), ("fractional-gpu",)),
        ((job("slice", shape=WorkerShape(1.0, slice_profile="1g.10gb")),), ("isolation",)),
    ],
    ids=["single", "gang", "fraction", "slice"],
)
def test_a_workload_sets_the_gates_that_it_needs(jobs: tuple[Job, ...], expected: tuple[str, ...]) -> None:
    assert expected == names(profile(*jobs))


def test_a_gang_that_may_run_on_spot_is_a_gate_where_there_is_spot() -> None:
    gang = job("gang", workers=2, spot_ok=True)

    assert names(profile(gang)) == ("gang",)
    assert names(profile(gang, cluster=WITH_SPOT)) == ("gang", "gang-on-spot")


def test_services_are_a_gate_beside_jobs_and_alone() -> None:
    service = Service("s", 200.0, 100.0, shape=WorkerShape(gpus=1.0))
    mixed, alone = profile(job("single"), services=(service,)), profile(services=(service,))

    assert gate(mixed, "serving").atoms == ("shared-pool",)
    assert gate(alone, "serving").atoms == ("serving-autoscaling",)


def test_a_required_gang_is_told_in_the_reason() -> None:
    reason = gate(profile(job("g", workers=3, required=True), job("h", workers=2)), "gang").reason

    assert reason == "2 gangs, 1 of them required; the largest is g of 3 workers and 3 devices"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Value.YES, Outcome.PASSED),
        (Value.PARTIAL, Outcome.CONDITION),
        (Value.NO, Outcome.FAILED),
        (Value.NOT_VERIFIED, Outcome.UNKNOWN),
        (Value.NOT_APPLICABLE, Outcome.NOT_APPLICABLE),
    ],
)
def test_only_a_plain_yes_passes(value: Value, expected: Outcome) -> None:
    found = held_against(Gate("gang", "", ("gang",)), engine("one", gang=value))

    assert expected is found.outcome
    assert found.statement == "one on gang."
    assert [fact.atom for fact in found.facts] == ["gang"]


def test_where_a_partial_answer_is_enough_it_passes() -> None:
    assert Outcome.PASSED is held_against(Gate("s", "", ("gang",), partial_passes=True), engine("one", gang=Value.PARTIAL)).outcome


def test_a_gate_of_two_atoms_is_as_bad_as_the_worse() -> None:
    both = Gate("gang-on-spot", "", ("gang", "gang-on-spot"))

    assert Outcome.FAILED is held_against(both, engine("one", gang=Value.YES)).outcome
    assert held_against(both, engine("one", gang=Value.YES)).statement == "one on gang-on-spot."
    assert Outcome.CONDITION is held_against(both, engine("one", gang=Value.PARTIAL, gang_on_spot=Value.YES)).outcome
    assert Outcome.PASSED is held_against(both, engine("one", gang=Value.YES, gang_on_spot=Value.NOT_APPLICABLE)).outcome


def test_what_is_no_scheduler_is_not_held_against_gates_of_one() -> None:
    controller = engine("one", role=Role.WORKLOAD_CONTROLLER)

    assert Outcome.NOT_APPLICABLE is held_against(Gate("gang", "", ("gang",)), controller).outcome


def test_the_facts_that_the_gates_are_about() -> None:
    """Gangs on spot: not AWS Batch, whose multi-node jobs do not run there. On premises: neither it nor GKE, and ACK in part."""
    spot = Gate("gang-on-spot", "", atoms_of("gang-on-spot"))
    premises = Gate("on-premises", "", atoms_of("on-premises"))
    plain = Gate("no-kubernetes", "", atoms_of("no-kubernetes"))

    assert held_against(spot, known("aws-batch")).outcome is Outcome.FAILED
    assert held_against(spot, known("volcano")).outcome is Outcome.PASSED
    assert held_against(premises, known("gke")).outcome is Outcome.FAILED
    assert held_against(premises, known("ack")).outcome is Outcome.CONDITION
    assert [held_against(plain, known(name)).outcome for name in ("slurm", "kai")] == [Outcome.PASSED, Outcome.FAILED]


def test_more_nodes_than_the_makers_speak_of_are_a_condition() -> None:
    """Kubernetes is designed for 5,000 nodes; for Slurm no such number was read."""

    def outcomes(count: int) -> list[Outcome]:
        many = profile_of(Cluster((Pool("p", count, count, count, gpus=8),)), (job("single"),))
        return [held_against(gate(many, "nodes"), known(name)).outcome for name in ("kueue", "slurm")]

    assert outcomes(5_000) == [Outcome.PASSED, Outcome.PASSED]
    assert outcomes(5_001) == [Outcome.CONDITION, Outcome.PASSED]


def test_more_tenants_than_queues_are_a_condition() -> None:
    def outcome(count: int) -> Outcome:
        found = profile_of(FOUR_NODES, tuple(job(f"j{idx}", tenant=f"t{idx}") for idx in range(count)))
        return held_against(gate(found, "queues"), known("aws-batch")).outcome

    assert [outcome(50), outcome(51)] == [Outcome.PASSED, Outcome.CONDITION]


def test_what_is_required_is_a_gate_and_stands_once() -> None:
    found = profile(job("gang", workers=2))

    assert names(found, "gang", "on-premises") == ("gang", "on-premises")
    (gang,) = [one for one in gates_of(found, ("gang",)) if one.name == "gang"]
    assert gang.reason.startswith("--require gang; 1 gang")


def test_requirements_are_read_in_any_case_and_once() -> None:
    assert parse_requirements("Gang, on_premises,gang,dra") == ("gang", "on-premises", "dra")
    assert parse_requirements(None) == ()


@pytest.mark.parametrize(("said", "hint"), [("gagn", "Did you mean gang?"), ("on-premise", "Did you mean on-premises?")])
def test_an_unknown_requirement_is_told_its_likely_name(said: str, hint: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_requirements(f"gang,{said}")

    assert (f"--require: there is no requirement {said!r}", hint) == (refused.value.message, refused.value.hint)


def test_a_requirement_like_no_other_is_told_which_there_are() -> None:
    with pytest.raises(UsageError) as refused:
        parse_requirements("")

    assert refused.value.hint is not None
    assert refused.value.hint.startswith("Requirements: gang-on-spot, on-premises")
