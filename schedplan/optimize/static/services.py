"""What services ask of a static placement: so many replicas of each, wherever they stand. It places none of them."""

from __future__ import annotations

from dataclasses import dataclass

from schedplan.measures.eligibility import service_refusal
from schedplan.model.problem import Problem
from schedplan.model.workload import WorkerShape
from schedplan.optimize.requirement import least_replicas_by_slot
from schedplan.optimize.static.instance import Instance, Need, need_of


@dataclass(frozen=True, slots=True)
class ServiceNeed:
    """Replicas of one service: what one takes of each type, and how many of them alone meet the target; None: none may stand."""

    name: str
    tenant: str
    shape: WorkerShape
    needs: tuple[Need | None, ...]
    least: tuple[int | None, ...]
    min_replicas: int


def service_needs(problem: Problem, instance: Instance) -> tuple[ServiceNeed, ...]:
    """Return what each service needs of the types of an instance, in the order of the services."""
    found = []
    for service in problem.services:
        least_on = {
            model: least_replicas_by_slot(problem, service, model)[0]
            for model in dict.fromkeys(one.pool.accelerator for one in instance.types)
        }
        open_to = [service_refusal(one.pool, service) is None for one in instance.types]
        least = tuple(
            least_on[one.pool.accelerator] if is_open else None for one, is_open in zip(instance.types, open_to, strict=True)
        )
        needs = tuple(
            need_of(service.shape, one.pool, instance.resources) if count is not None else None
            for one, count in zip(instance.types, least, strict=True)
        )
        found.append(ServiceNeed(service.name, service.tenant, service.shape, needs, least, service.min_replicas))
    return tuple(found)
