"""Runs the benchmarks and prints what each phase takes, as a ratio to a fixed piece of arithmetic timed beside it.

    python -m benchmarks [SPEC ...]      the named specs in all their sizes; default: all, each in its smallest size

CPU seconds depend on the machine, the ratios much less.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

from benchmarks.registry import PHASES, SPECS, Outcome, run, sizes_of


def main(names: list[str]) -> int:
    """Run the named specs in all sizes, all specs in their first one without names; 2 where a name is unknown."""
    unknown = sorted(set(names) - {spec.name for spec in SPECS})
    if unknown:
        print(f"no such spec: {', '.join(unknown)}; there are {', '.join(spec.name for spec in SPECS)}", file=sys.stderr)
        return 2
    unit_s = min(time_unit_s() for _ in range(3))
    for spec in SPECS:
        for size in sizes_of(spec, names):
            with TemporaryDirectory() as folder:
                print(f"{spec.name}, size {size}: {told(run(spec, size, Path(folder)), unit_s)}")
    return 0


def time_unit_s() -> float:
    """Return the CPU seconds of a million steps of integer arithmetic."""
    begin, value = process_time(), 1
    for step in range(1_000_000):
        value = (value * 1_103_515_245 + step) % 2_147_483_648
    return process_time() - begin


def told(outcome: Outcome, unit_s: float) -> str:
    """Return an outcome in words: status, gap, violations, and per phase CPU seconds and their ratio to the unit."""
    gap = "none" if outcome.gap is None else f"{outcome.gap:.2%}"
    times = [f"{phase} {cpu_s:.2f} s = {cpu_s / unit_s:.1f} units" for phase, cpu_s in zip(PHASES, outcome.cpu_s, strict=True)]
    return f"{outcome.status}, gap {gap}, {outcome.violations} violations; {', '.join(times)}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
