"""Feasibility: every rule that decisions break, by name and with numbers. It has never heard of a solver.

SP3101 place      no job twice, all names known, every instant inside the horizon
SP3102 capacity   devices, cores, memory, other resources and workers per node, per node and slot; shares on single devices
SP3103 gang       all workers at once, in one cluster, on one accelerator, in one market; rows of one gang together or not at all
SP3104 topology   all workers inside the domain the job asks for
SP3105 window     start at or after the release; booked end by the hard deadline and the horizon
SP3106 spot       only what may run on spot nodes, or in a market, stands there
SP3107 service    replicas enough for target and load, within their bounds, spread and held as asked
SP3108 budget     what is paid in a day, with the rework of what starts in it and what is borrowed in it
SP3109 supply     work only on nodes that are there, on and up; sunk nodes all on, others between their least and most
SP3110 required   a required job is placed
SP3111 running    what runs stays where it runs
SP3112 eligible   accelerator, memory, size, taints: a node may hold what stands on it
SP3113 quota      what counts for a tenant or cohort is at most what it may hold, or what runs already
SP3114 after      a job starts when what it waits for has ended, and not without it
SP3115 slices     profiles at legal starts of single devices, no memory slice held twice
SP3116 min_on_time  a hard deadline is met on spot with the chance asked for
SP3117 rules      no work on nodes that a rule of `[rules] forbid` keeps it off, unless it runs there already
SP3118 reserve    after the loss of any one node, rack or zone the replicas elsewhere still serve
SP3119 pieces     a job runs in pieces only as best effort; they do its work, one after the other, and no more
SP3130 outage     no work on a node in a slot that one of its outages touches, unless it runs there already
SP3131 pin        pinned jobs stand on their place and start at their time, pinned services have their replicas there
SP3132 preempt    what was stopped gave way to a more urgent job on its nodes
SP3150 at_most    a goal that is held at a value does not exceed it
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from schedplan.measures.rules.after import after
from schedplan.measures.rules.at_most import at_most
from schedplan.measures.rules.budget import budget
from schedplan.measures.rules.capacity import capacity
from schedplan.measures.rules.case import Case
from schedplan.measures.rules.eligible import eligible
from schedplan.measures.rules.forbid import forbid
from schedplan.measures.rules.gang import gang
from schedplan.measures.rules.min_on_time import min_on_time
from schedplan.measures.rules.outage import outage
from schedplan.measures.rules.pieces import pieces
from schedplan.measures.rules.pin import pin
from schedplan.measures.rules.place import place, required
from schedplan.measures.rules.preempt import preempt
from schedplan.measures.rules.quota import quota
from schedplan.measures.rules.readable import unreadable
from schedplan.measures.rules.reserve import reserve
from schedplan.measures.rules.running import running
from schedplan.measures.rules.service import service
from schedplan.measures.rules.slices import slices
from schedplan.measures.rules.supply import supply
from schedplan.measures.rules.topology import topology
from schedplan.measures.rules.window import window
from schedplan.model.findings import Finding
from schedplan.model.plan import Decisions
from schedplan.model.problem import Problem

RULES: tuple[Callable[[Case], Iterator[Finding]], ...] = (
    place,
    eligible,
    forbid,
    gang,
    topology,
    window,
    pieces,
    min_on_time,
    after,
    supply,
    outage,
    pin,
    preempt,
    capacity,
    slices,
    service,
    reserve,
    quota,
    budget,
    required,
    running,
    at_most,
)
"""In the order in which they are told."""


def violations(problem: Problem, decisions: Decisions) -> tuple[Finding, ...]:
    """Return one finding per broken rule and subject, in the order of the rules; empty where decisions are feasible.

    Names or slots that the problem does not have are told alone: nothing else can be checked before.
    """
    case = Case(problem, decisions)
    senseless = tuple(unreadable(case))
    if senseless:
        return senseless
    return tuple(finding for rule in RULES for finding in rule(case))
