"""`schedplan simulate`: jobs replayed under a policy; `schedplan policies`: what each policy does."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from schedplan.cli import options
from schedplan.cli.call import Call
from schedplan.cli.frame import command


class Order(Enum):
    """What comes first at one instant."""

    SUBMISSIONS_FIRST = "submissions-first"
    ENDS_FIRST = "ends-first"


PolicyName = Annotated[
    str | None,
    typer.Option("--policy", metavar="NAME", help="`schedplan policies` lists them. Default: fcfs.", show_default=False),
]
PlanFolder = Annotated[Path | None, typer.Option("--plan", metavar="DIR", help="The plan that is followed.", show_default=False)]
MachineText = Annotated[
    str | None,
    typer.Option("--machine", metavar="COUNTxSIZE", help="The nodes, such as 40x8gpu, or auto.", show_default=False),
]
OrderChoice = Annotated[Order, typer.Option("--order", help="What comes first among the events of one instant.")]
Runtime = Annotated[
    float | None,
    typer.Option("--runtime", metavar="MINUTES", help="Run time of jobs that state neither it nor a limit.", show_default=False),
]
Replications = Annotated[
    int,
    typer.Option("--replications", metavar="N", help="Replay N times, submissions moved, with bands of all measures.", min=1),
]
Against = Annotated[
    list[str] | None,
    typer.Option("--against", metavar="NAME", help="A policy to hold against it on the same replications.", show_default=False),
]
Asked = Annotated[str | None, typer.Argument(metavar="[NAME]", help="A policy; the list without.", show_default=False)]


@command(
    "schedplan simulate --policy easy",
    "schedplan simulate data/jobs.parquet --machine 40x8gpu --policy easy",
    "schedplan simulate --policy easy --set policy.order=shortest --set policy.nodes=fgd",
    "schedplan simulate --policy easy --against fcfs --replications 20",
    "schedplan simulate --plan runs/plan -o json",
)
def simulate(
    call: Call,
    data: options.Data = None,
    policy: PolicyName = None,
    plan: PlanFolder = None,
    machine: MachineText = None,
    order: OrderChoice = Order.SUBMISSIONS_FIRST,
    runtime: Runtime = None,
    replications: Replications = 1,
    against: Against = None,
) -> None:
    """Replay jobs under a policy, from the first submission to the last end, and save and measure what happens."""
    from schedplan.workflows.project import open_project
    from schedplan.workflows.simulate import default_folder, save, simulate_options, simulate_project

    place = call.place(data)
    settings = call.settings(place)
    asked = simulate_options(policy, order.value, machine, plan, runtime, settings.policy, replications, tuple(against or ()))
    with call.progress() as progress:
        progress("read")
        project = open_project(place, settings)
        simulated = simulate_project(project, asked, progress)
    folder = call.out or default_folder(project)
    save(simulated, project, folder, force=call.force)
    call.present(simulated.document)
    call.talk().note(f'replay saved in {folder}; next: schedplan check {folder} --rule "wait_s_mean <= 1h"')


@command("schedplan policies", "schedplan policies easy", "schedplan policies conservative --set policy.depth=20")
def policies(call: Call, name: Asked = None) -> None:
    """Print what a policy does: every rule, what it leaves out of the engine it models, and its sources. With parts of --set
    policy.PART=NAME in place of its own; without NAME, every policy and every part there is."""
    from schedplan.config.load import load_settings
    from schedplan.workflows.policies import policies_known

    call.present(policies_known(name, load_settings(None, call.overrides()).policy))
