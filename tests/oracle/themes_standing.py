"""Themes of what is decided about places beforehand: rules of selector on selector."""

from __future__ import annotations

import random
from dataclasses import replace

from schedplan.measures.forbidding import with_rules
from schedplan.model.cluster import Market
from schedplan.model.forbid import parse_forbid
from schedplan.model.problem import Problem
from tests.oracle.drawing import a_pool, a_problem, of_tenants, some_jobs, with_services

RULES = (
    "kind=training on edge=true",
    "kind=batch on edge=false",
    "tenant=a on edge=true",
    "tenant=b priority=0 on tier=x|y",
    "priority=5|9 on tier=x, edge=true",
    "kind=service on tier=y",
    "tenant=a on market=on_demand",
)


def _rules(source: random.Random) -> Problem:
    """One to three rules over labels and markets; some of the work is required, or a service."""
    pools = []
    for idx, nodes in enumerate(source.choice(([2, 1], [1, 1, 1], [2, 2]))):
        labels = (("edge", source.choice(("true", "false"))), ("tier", source.choice("xyz")))
        pools.append(replace(a_pool(source, f"p{idx}", nodes, source.choice((1, 2))), labels=labels))
    jobs = of_tenants(source, some_jobs(source, source.randint(2, 5)), "ab")
    jobs = [replace(job, required=source.random() < 0.15, workers=source.choice((1, 1, 2))) for job in jobs]
    problem = a_problem(source, pools, jobs, n_slots=3)
    if source.random() < 0.4:
        problem = with_services(source, problem, 1)
        any_market = tuple(replace(service, markets=tuple(Market)[:3]) for service in problem.services)
        problem = replace(problem, services=any_market)
    texts = source.sample(RULES, source.randint(1, 3))
    return with_rules(replace(problem, forbid=tuple(parse_forbid(text) for text in texts)))


THEMES = {"rules": _rules}
