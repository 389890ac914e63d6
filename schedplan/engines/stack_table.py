"""Which stacks are compared, by name. A new one is a row here, and a model in policies/ where a replay can follow it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches

from schedplan.engines.catalog import ALIASES, ENGINE_NAMES
from schedplan.engines.parameter import Parameter, Tier, Value
from schedplan.engines.policies import (
    ack,
    aws_batch,
    coscheduling,
    gke_autopilot,
    kai,
    kube_scheduler,
    kueue,
    ray,
    slurm,
    volcano,
    yunikorn,
)
from schedplan.engines.policy import Policy
from schedplan.engines.stack import Layer, Model, Place, Preset, Stack
from schedplan.errors import UsageError

_LAWS = "laws of conservation on random workloads (tests/simulate)"
_GANGS = "gang-32x53: 53 gangs of 1 to 32 on 32 nodes (tests/compare_engines)"
_KUBE = (_LAWS, _GANGS, *kube_scheduler.CHECKED)
_KUEUE = (_LAWS, _GANGS, "the published baseline of 15,000 workloads: waits and makespan (tests/engines)")
_HAND = "its own formula on cases worked by hand (tests/engines)"

_KUBE_MODEL = Model(kube_scheduler.kube_scheduler, kube_scheduler.PARAMETERS, Tier.SOURCE, _KUBE)
_VOLCANO_MODEL = Model(volcano.volcano, volcano.PARAMETERS, Tier.SOURCE, (_LAWS, _GANGS, _HAND))
_KUEUE_MODEL = Model(kueue.kueue, kueue.PARAMETERS, Tier.SOURCE, _KUEUE)


def _alone(engine: str, title: str, place: Place, model: Model | None) -> Stack:
    return Stack(engine, title, (Layer(place, engine),), model)


STACKS: tuple[Stack, ...] = (
    _alone("kube-scheduler", "kube-scheduler", Place.PLACER, _KUBE_MODEL),
    _alone(
        "coscheduling",
        "kube-scheduler with Coscheduling and CapacityScheduling",
        Place.PLACER,
        Model(coscheduling.coscheduling, coscheduling.PARAMETERS, Tier.SOURCE, (_LAWS, _GANGS)),
    ),
    _alone("volcano", "Volcano", Place.PLACER, _VOLCANO_MODEL),
    Stack(
        "trainer+volcano",
        "Kubeflow Trainer on Volcano",
        (Layer(Place.CONTROLLER, "kubeflow"), Layer(Place.PLACER, "volcano")),
        Model(
            volcano.volcano,
            volcano.PARAMETERS,
            Tier.SOURCE,
            (_LAWS, _GANGS, _HAND),
            ("trials of Katib, of which parallelTrialCount run at once: jobs come as the tables say",),
        ),
    ),
    _alone(
        "yunikorn",
        "Apache YuniKorn",
        Place.PLACER,
        Model(yunikorn.yunikorn, yunikorn.PARAMETERS, Tier.SOURCE, (_LAWS, _GANGS, _HAND)),
    ),
    Stack(
        "kueue+kube-scheduler",
        "Kueue on kube-scheduler",
        (Layer(Place.ADMISSION, "kueue"), Layer(Place.PLACER, "kube-scheduler")),
        _KUEUE_MODEL,
    ),
    Stack(
        "kuberay+kueue",
        "KubeRay below Kueue",
        (Layer(Place.CONTROLLER, "ray"), Layer(Place.ADMISSION, "kueue"), Layer(Place.PLACER, "kube-scheduler")),
        Model(
            kueue.kueue,
            kueue.PARAMETERS,
            Tier.SOURCE,
            _KUEUE,
            ("the head pod of a RayCluster", "what Ray places inside its own cluster", "replicas of Serve and the autoscaler"),
        ),
    ),
    _alone(
        "ray",
        "Ray with Serve and KubeRay",
        Place.WHOLE,
        Model(
            ray.ray,
            ray.PARAMETERS,
            Tier.DOCUMENTS,
            (
                _LAWS,
                _GANGS,
                "a trial of Ray 2.60.0 on emulated nodes: PACK, and a blocked group blocks none behind it (tests/simulate)",
            ),
        ),
    ),
    _alone("kubeflow", "Kubeflow Katib and Trainer", Place.CONTROLLER, None),
    _alone("ack", "Alibaba Cloud ACK Pro", Place.WHOLE, Model(ack.ack, ack.PARAMETERS, Tier.ASSUMED, (_LAWS, _GANGS))),
    _alone(
        "aws-batch",
        "AWS Batch",
        Place.WHOLE,
        Model(aws_batch.aws_batch, aws_batch.PARAMETERS, Tier.DOCUMENTS, (_LAWS, _GANGS)),
    ),
    _alone(
        "gke-autopilot",
        "GKE Autopilot",
        Place.WHOLE,
        Model(gke_autopilot.autopilot, gke_autopilot.PARAMETERS, Tier.DOCUMENTS, (_LAWS, _GANGS)),
    ),
    Stack(
        "autopilot+kueue",
        "Kueue on GKE Autopilot",
        (Layer(Place.ADMISSION, "kueue"), Layer(Place.NODE_SUPPLY, "gke-autopilot")),
        Model(
            gke_autopilot.autopilot_with_kueue,
            gke_autopilot.WITH_KUEUE,
            Tier.DOCUMENTS,
            (_LAWS, _GANGS),
            ("retries of provisioning requests that fail", "the seven days after which flex-start ends"),
        ),
    ),
    _alone(
        "slurm",
        "Slurm",
        Place.WHOLE,
        Model(
            slurm.slurm,
            slurm.PARAMETERS,
            Tier.SOURCE,
            (_LAWS, _GANGS, _HAND, "its rule of backfill: a real Slurm on emulated nodes, where one is installed (tests/real)"),
        ),
    ),
    _alone("kai", "KAI Scheduler", Place.PLACER, Model(kai.kai, kai.PARAMETERS, Tier.SOURCE, (_LAWS, _GANGS, _HAND))),
)


def stack_names() -> tuple[str, ...]:
    """Return the names in the order in which they are listed."""
    return tuple(one.name for one in STACKS)


def preset_policies() -> tuple[Policy, ...]:
    """Return the policy of every preset of every stack that has a model."""
    return tuple(one.policy(preset) for one in STACKS if one.model is not None for preset in Preset)


def stacks_of(name: str) -> tuple[Stack, ...]:
    """Return the stack of a name; where there is none that a replay can follow, also those of which it names a layer.

    Raises UsageError, with the nearest, for a name of none.
    """
    wanted = name.strip().lower().replace("_", "-").replace(" ", "-")
    engine = ALIASES.get(wanted, wanted)
    found = tuple(one for one in STACKS if one.name == engine)
    if not any(one.model is not None for one in found):
        found = stacks_with(engine)
    if found:
        return found
    known = (*ENGINE_NAMES, *ALIASES, *stack_names())
    near = get_close_matches(wanted, known, n=1)
    hint = f"Did you mean {ALIASES.get(near[0], near[0])}?" if near else f"Engines: {', '.join(dict.fromkeys(known))}."
    raise UsageError(f"there is no engine {name.strip()!r}", hint=hint)


def stacks_with(engine: str) -> tuple[Stack, ...]:
    """Return the stacks of which an engine is a layer."""
    return tuple(one for one in STACKS if engine in one.engines)


def parameters_of(engine: str) -> tuple[Parameter, ...]:
    """Return the parameters that carry the name of an engine, each once."""
    found = {one.path: one for stack in STACKS if stack.model is not None for one in stack.model.parameters if one.engine == engine}
    return tuple(found.values())


def parse_changes(assignments: Iterable[tuple[str, str]]) -> dict[str, Value]:
    """Return values by path of assignments such as (volcano.binpack.gpu, 10).

    Raises UsageError, with the nearest, for an engine or a parameter there is not, and for a value that it can't take.
    """
    found: dict[str, Value] = {}
    for key, text in assignments:
        section, _, name = key.partition(".")
        engine = ALIASES.get(section.lower(), section.lower())
        known = {one.name: one for one in parameters_of(engine)}
        if engine not in ENGINE_NAMES:
            near = get_close_matches(engine, ENGINE_NAMES, n=1)
            hint = f"Did you mean {near[0]}.{name}?" if near else f"Engines: {', '.join(ENGINE_NAMES)}."
            raise UsageError(f"--set {key}: there is no engine {section!r}", hint=hint)
        if not known:
            raise UsageError(f"--set {key}: {engine} has no parameter that a replay obeys", hint="`schedplan engines` lists them.")
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f"Did you mean {engine}.{near[0]}?" if near else f"{engine} has: {', '.join(known)}."
            raise UsageError(f"--set {key}: {engine} has no parameter {name!r}", hint=hint)
        found[f"{engine}.{name}"] = known[name].read(text)
    return found


def changed_by(stack: Stack, changes: Mapping[str, Value]) -> dict[str, Value]:
    """Return those of the changes that a stack has a parameter for."""
    own = {one.path for one in (() if stack.model is None else stack.model.parameters)}
    return {path: value for path, value in changes.items() if path in own}
