"""How good the plans of generated fleets are: their proven gap, when the first plan stands, what the process takes, and the list
policies' plans of the same jobs beside.

    python -m benchmarks.gaps [SPEC ...] [--size N]   named fleets in all their sizes; default: all in their first

Each plan is made in a process of its own, forecasts included. A ratio is the plan's objective by the policy's: below one is better
than the policy. It knows nothing of how a plan is made.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import TYPE_CHECKING

from benchmarks import phases
from benchmarks.registry import SPECS, Spec, sizes_of

if TYPE_CHECKING:
    from schedplan.model.plan import Plan
    from schedplan.model.problem import Problem
    from schedplan.model.progress import Progress

FLEET = "fleet-"
"""Names of the specs begin so whose plans are held against a bound here."""
POLICIES = ("first-come", "shortest-first", "earliest-deadline", "best-fit")
HEADER = (
    "| spec | nodes | verified at, s | better at, s | planned in, s | gap on nodes | avoidable | MB | jobs left out | "
    + " | ".join(f"to {name}" for name in POLICIES)
    + " |"
)
_PER_MB = 1_000_000 if sys.platform == "darwin" else 1_000_000 / 1024  # ru_maxrss is in bytes there, else in KiB


@dataclass(frozen=True, slots=True)
class Standing:
    """How a plan stands. verified_s: wall seconds until a first plan was accepted, better_s: until one better than first-come's
    was, all_s: until the end, all with loading and forecasts; None where there was none. cpu_s: of the process. ratios: objective
    by that of each of POLICIES."""

    verified_s: float | None
    better_s: float | None
    all_s: float
    cpu_s: float
    gap: float | None
    gap_avoidable: float | None
    peak_mb: float
    left_out: int
    violations: int
    ratios: tuple[float | None, ...]


class _FirstPlans:
    """Watches a search and notes when its first plan was accepted, and the first one better than that."""

    def __init__(self, begin_s: float) -> None:
        self.begin_s = begin_s
        self.verified_s: float | None = None
        self.better_s: float | None = None
        self.worth: float | None = None

    def __call__(self, progress: Progress) -> None:
        if progress.objective is None or self.better_s is not None:
            return
        if self.worth is None:
            self.verified_s, self.worth = perf_counter() - self.begin_s, progress.objective
        elif progress.objective < self.worth:
            self.better_s = perf_counter() - self.begin_s


def standing(spec: Spec, size: int, folder: Path) -> Standing:
    """Build the project of a size in `folder`, plan it in this process and tell how the plan stands."""
    from schedplan.optimize.solve import optimize

    spec.build(folder, size)
    first, cpu_s = _FirstPlans(perf_counter()), process_time()
    problem = phases.forecast(*phases.load(folder))
    plan = optimize(problem, watch=first)
    all_s, cpu_s = perf_counter() - first.begin_s, process_time() - cpu_s
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _PER_MB
    placed = {part.job for part in plan.decisions.parts}
    return Standing(
        verified_s=first.verified_s,
        better_s=first.better_s,
        all_s=all_s,
        cpu_s=cpu_s,
        gap=plan.proof.gap,
        gap_avoidable=plan.proof.gap_avoidable,
        peak_mb=peak_mb,
        left_out=sum(job.name not in placed for job in problem.jobs),
        violations=phases.verify(problem, plan),
        ratios=policy_ratios(problem, plan),
    )


def policy_ratios(problem: Problem, plan: Plan) -> tuple[float | None, ...]:
    """Return the plan's objective by that of the plan of each of POLICIES, None where that one breaks a rule."""
    from schedplan.measures.objective import Normalisation
    from schedplan.optimize.reference.plan import normalisation, reference
    from schedplan.optimize.reference.policy import FIRST_COME, OTHERS
    from schedplan.optimize.reference.standard import values

    plans = tuple((policy, reference(problem, policy)) for policy in (FIRST_COME, *OTHERS))
    scales: Normalisation = normalisation(problem, plans[0][1])
    worth = {value.name: value.objective for value in values(problem, plans, scales)}
    own = plan.proof.objective
    return tuple(None if own is None or not worth[name] else own / worth[name] for name in POLICIES)


def row(spec: Spec, size: int, found: Standing) -> str:
    """Return a plan's standing as a row of a Markdown table."""
    cells = (
        spec.name,
        f"{size:,}",
        _told(found.verified_s, ".0f"),
        _told(found.better_s, ".0f"),
        f"{found.all_s:.0f}",
        _told(found.gap, ".2%"),
        _told(found.gap_avoidable, ".2%"),
        f"{found.peak_mb:.0f}",
        f"{found.left_out:,}",
        *(_told(ratio, ".2f") for ratio in found.ratios),
    )
    return f"| {' | '.join(cells)} |"


def main(arguments: list[str]) -> int:
    """Plan the named fleets, all in their first size without names, and print a row for each; 2 where a name is unknown."""
    size = int(arguments[arguments.index("--size") + 1]) if "--size" in arguments else None
    names = arguments[: arguments.index("--size")] if "--size" in arguments else arguments
    fleets = [spec for spec in SPECS if spec.name.startswith(FLEET)]
    unknown = sorted(set(names) - {spec.name for spec in fleets})
    if unknown:
        print(f"no such spec: {', '.join(unknown)}; there are {', '.join(spec.name for spec in fleets)}", file=sys.stderr)
        return 2
    print(HEADER, "|---" * (HEADER.count("|") - 1) + "|", sep="\n")
    for spec in fleets:
        sizes = sizes_of(spec, names)
        for each in (size,) if size and sizes else sizes:
            print(row(spec, each, _apart(spec, each)), flush=True)
    return 0


def _apart(spec: Spec, size: int) -> Standing:
    """Return the standing of a plan that is made in a process of its own."""
    call = [sys.executable, "-m", "benchmarks.gaps", "--plan", spec.name, str(size)]
    told = subprocess.run(call, check=True, capture_output=True, text=True, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
    return Standing(**json.loads(told.stdout))


def _told(value: float | None, form: str) -> str:
    return "–" if value is None else format(value, form)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--plan"]:
        fleet = next(spec for spec in SPECS if spec.name == sys.argv[2])
        with TemporaryDirectory() as place:
            print(json.dumps(asdict(standing(fleet, int(sys.argv[3]), Path(place)))))
        sys.exit(0)
    sys.exit(main(sys.argv[1:]))
