"""Exchanges on nodes, worked out by hand."""

from __future__ import annotations

from schedplan.model.problem import Problem
from schedplan.optimize.static.assembly import Assembly
from schedplan.optimize.static.dives import weights_of
from schedplan.optimize.static.exchange import exchanged
from schedplan.optimize.static.instance import instance
from schedplan.optimize.static.standing import Standing, assembly_with, decisions_of
from tests.optimize_static.problems import node, pod, static


def assembly_of(problem: Problem, stands: tuple[tuple[str, int, tuple[int, ...]], ...]) -> Assembly:
    """Return an assembly on which jobs stand: (name, node, devices of a share)."""
    assembly = assembly_with(problem, instance(problem), Standing())
    class_of = {job.name: one.idx for one in assembly.instance.classes for job in one.jobs}
    for name, row, devices in stands:
        assembly.stand(row, [(class_of[name], devices)])
    return assembly


def placed(problem: Problem, assembly: Assembly) -> dict[str, str]:
    return {part.job: part.node for part in decisions_of(problem, assembly, Standing()).parts}


def test_shares_are_paired_anew() -> None:
    # Two devices. 0.4 and 0.4 share one, 0.6 is on the other, and the second 0.6 is left out; 0.4 + 0.6 twice is all.
    pools = (node("n", gpus=2, cpus=None, memory_gib=None),)
    problem = static(pools, (pod("a", 0.4), pod("b", 0.4), pod("c", 0.6), pod("d", 0.6)))
    # Devices are counted among those that are free, so the 0.6 is the first of one.
    assembly = assembly_of(problem, (("a", 0, (0,)), ("c", 0, (0,))))
    assembly.nodes.take(0, 0, assembly.nodes.need(0, 0), (0,))
    assembly.wanted[0] -= 1
    told: list[float] = []

    assert assembly.wanted.tolist() == [0, 1]
    assert exchanged(assembly, weights_of(assembly.instance), lambda found: told.append(found.weight())) == 1
    assert assembly.wanted.tolist() == [0, 0]
    assert set(placed(problem, assembly)) == {"a", "b", "c", "d"}
    assert told == [2.0]


def test_work_is_exchanged_between_nodes() -> None:
    # 8 and 4 cores, a device each. The pod of 2 cores stands on the large node, and the one of 8 cores is left out. Sizes: a device
    # is 1 of 2, 8 cores are 8/12 of all, times 2 devices: 1.33; so both together are worth more.
    pools = (node("large", cpus=8.0, memory_gib=None), node("small", cpus=4.0, memory_gib=None))
    problem = static(pools, (pod("thick", 1.0, 8.0), pod("thin", 1.0, 2.0)))
    assembly = assembly_of(problem, (("thin", 0, ()),))

    assert exchanged(assembly, weights_of(assembly.instance), lambda _: None) == 1
    assert placed(problem, assembly) == {"thick": "large", "thin": "small"}


def test_what_gains_nothing_stays_as_it_stands() -> None:
    # One device, and 0.6 stands on it; the other 0.6 finds no room, whatever is done.
    problem = static((node("n", cpus=None, memory_gib=None),), (pod("a", 0.6), pod("b", 0.6)))
    assembly = assembly_of(problem, (("a", 0, (0,)),))
    before = assembly.nodes.slices.tolist()

    assert exchanged(assembly, weights_of(assembly.instance), lambda _: None) == 0
    assert assembly.nodes.slices.tolist() == before
    assert assembly.wanted.tolist() == [1]


def test_gangs_stay_where_they_stand() -> None:
    # A gang of two devices stands on both nodes of 4 and 8 cores; the pod of 8 cores would be worth more in its place on the large
    # node (8/12 of 2 devices = 1.33 against half a gang), but a gang is not taken apart.
    pools = (node("large", cpus=8.0, memory_gib=None), node("small", cpus=4.0, memory_gib=None))
    problem = static(pools, (pod("gang", 1.0, 1.0, workers=2), pod("thick", 1.0, 8.0)))
    assembly = assembly_of(problem, (("gang", 0, ()), ("gang", 1, ())))

    assert exchanged(assembly, weights_of(assembly.instance), lambda _: None) == 0
    assert set(placed(problem, assembly)) == {"gang"}
