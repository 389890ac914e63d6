"""The long proofs, as `make prove` runs them: every trial at its full number, on two processes, and tables of what was seen.

The tests of this folder run the same trials at about a tenth of their number. A trial depends on its own name and number alone,
and all are told in their order, so that the answer is the same however many processes share them.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from os import times
from pathlib import Path
from traceback import format_exception
from typing import TypeVar

from schedplan.engines.policy_table import POLICIES
from schedplan.measures.rules.case import CODES
from tests.oracle.agreement import Verdict, verdict
from tests.oracle.changes import CHANGES, Trial, trial
from tests.oracle.files import faults_of_files
from tests.oracle.instances import GRAFTS, THEMES, instance, pairs
from tests.oracle.mutants import Spoilt, spoilt
from tests.oracle.planted import Search, searched
from tests.simulate.trials import CASES_PER_RULE, RULES, RUNS_PER_POLICY, fault, law_fault

PER_THEME = 50
PER_PAIR = 4
SPOILT_PER_THEME = 20
TRIALS = 1000
PROCESSES = 2
Argument = TypeVar("Argument")
Result = TypeVar("Result")


def main() -> int:
    """Run all proofs and print them; return 1 where anything failed."""
    faults: list[str] = []
    with ProcessPoolExecutor(PROCESSES) as pool:
        for title, proof in (
            ("The optimum against trying everything", optima),
            ("The best plan with one thing changed", corruptions),
            ("Problems drawn around a plan", plants),
            ("Changes that must not matter", changes),
            ("Rows shuffled, files split", files),
            ("Replays against one that scans everything", replays),
            ("Random replays against the laws of conservation", laws),
        ):
            print(f"\n{title}", flush=True)
            found = proof(pool)
            print(f"faults: {len(found)}", *found, sep="\n  ", flush=True)
            faults += found
    used = times()
    cpu_s = used.user + used.system + used.children_user + used.children_system
    print(f"\n{'FAILED' if faults else 'proven'}: {len(faults)} faults, {cpu_s:.0f} s of CPU")
    return 1 if faults else 0


def optima(pool: Executor) -> list[str]:
    """Every theme, and every graft on every theme."""
    singles = [(theme, number) for theme in THEMES for number in range(PER_THEME)]
    both = [(theme, graft) for theme in THEMES for graft in GRAFTS]
    faults: list[str] = []
    verdicts: dict[str, list[Verdict]] = {}
    for (theme, _), found in _mapped(pool, theme_trial, singles, faults):
        verdicts.setdefault(theme, []).extend(found)
    for (_, graft), found in _mapped(pool, pair_trial, both, faults):
        verdicts.setdefault(f"+ {graft}", []).extend(found)
    rows = list(verdicts.items())
    everything = [one for _, found in rows for one in found]
    _print_table(
        ("theme, + graft", "instances", "optimal", "infeasible", "leave work out"),
        [(name, *_counts(found)) for name, found in [*rows, ("all", everything)]],
    )
    return faults + [fault for one in everything for fault in one.faults]


def corruptions(pool: Executor) -> list[str]:
    """Every rule must refuse something by itself, and what the check accepts must not be better than the best plan."""
    faults: list[str] = []
    alone: Counter[str] = Counter()
    mutants, plans = 0, 0
    singles = [(theme, number) for theme in THEMES for number in range(SPOILT_PER_THEME)]
    for _, found in _mapped(pool, spoil_trial, singles, faults):
        for one in found:
            mutants, plans, faults = mutants + one.mutants, plans + one.plans, [*faults, *one.faults]
            alone.update(one.alone)
    _print_table(("rule", "refused by it alone"), [(rule, alone[rule]) for rule in CODES])
    print(f"{mutants} changed plans, of which the check accepts {plans}")
    return faults + [f"rule {rule}: nothing is refused by it alone" for rule in CODES if not alone[rule]]


def plants(pool: Executor) -> list[str]:
    """Medium problems that have a plan: none may be called infeasible."""
    faults: list[str] = []
    found: list[Search] = [one for _, one in _mapped(pool, searched, range(TRIALS), faults)]
    unknown = [one.problem for one in found if one.is_unknown]
    _print_table(("problems", "planned", "unknown"), [(len(found), len(found) - len(unknown), len(unknown))])
    print(*(f"unknown: {name}" for name in unknown), sep="\n")
    return faults + [fault for one in found for fault in one.faults]


def changes(pool: Executor) -> list[str]:
    """So many trials of every change, over themes in turn; a change that has no place in a problem is tried on further ones."""
    faults: list[str] = []
    made: Counter[str] = Counter()
    begun = 0
    while min(made[change.name] for change in CHANGES) < TRIALS:
        turn = [(THEMES[idx % len(THEMES)], idx // len(THEMES)) for idx in range(begun, begun + TRIALS // 10)]
        begun += len(turn)
        for _, found in _mapped(pool, change_trial, turn, faults):
            made.update(found.made)
            faults += found.faults
        if begun >= 2 * TRIALS:
            break
    _print_table(("change", "trials"), [(change.name, made[change.name]) for change in CHANGES])
    short = [change.name for change in CHANGES if made[change.name] < TRIALS]
    return faults + [f"{name}: fewer than {TRIALS} trials" for name in short]


def files(pool: Executor) -> list[str]:
    """Reading must not see in which order, or in how many files, rows stand."""
    faults: list[str] = []
    found = [one for _, one in _mapped(pool, file_trial, range(TRIALS), faults)]
    _print_table(("projects",), [(len(found),)])
    return faults + [fault for one in found for fault in one]


def replays(pool: Executor) -> list[str]:
    """Every start of random cases under every combination of parts."""
    return _all_faults(pool, fault, [(name, seed) for name in RULES for seed in range(CASES_PER_RULE)])


def laws(pool: Executor) -> list[str]:
    """Random workloads under every policy."""
    names = [policy.name for policy in POLICIES if policy.name != "plan"]
    return _all_faults(pool, law_fault, [(name, seed) for name in names for seed in range(RUNS_PER_POLICY)])


def _all_faults(pool: Executor, trial_of: Callable[[str, int], str | None], arguments: list[tuple[str, int]]) -> list[str]:
    faults: list[str] = []
    told = Counter(name for name, _ in arguments)
    found = [text for _, texts in _mapped(pool, _Listed(trial_of), arguments, faults) for text in texts]
    _print_table(("under", "replays"), list(told.items()))
    return faults + found


class _Listed:
    """A trial of (name, seed) whose answer is a list, so that none means no error."""

    def __init__(self, trial_of: Callable[[str, int], str | None]) -> None:
        self.trial_of = trial_of

    def __call__(self, of: tuple[str, int]) -> list[str]:
        found = self.trial_of(*of)
        return [] if found is None else [found]


def theme_trial(of: tuple[str, int]) -> list[Verdict]:
    return [verdict(instance(*of))]


def pair_trial(of: tuple[str, str]) -> list[Verdict]:
    return [verdict(problem) for problem in pairs(*of, PER_PAIR)]


def spoil_trial(of: tuple[str, int]) -> list[Spoilt]:
    found = spoilt(instance(*of))
    return [] if found is None else [found]


def change_trial(of: tuple[str, int]) -> Trial:
    return trial(instance(*of))


def file_trial(number: int) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        return faults_of_files(number, Path(folder))


class _Guarded:
    """A trial that returns the words of an error in place of raising it: one that breaks must not end all others."""

    def __init__(self, run: Callable[[Argument], Result]) -> None:
        self.run = run

    def __call__(self, argument: Argument) -> tuple[Result | None, str]:
        try:
            return self.run(argument), ""  # type: ignore[arg-type, return-value]
        except Exception as error:  # noqa: BLE001 - whatever broke is a fault that is told
            return None, "".join(format_exception(error)[-3:]).replace("\n", " ")


def _mapped(
    pool: Executor, run: Callable[[Argument], Result], arguments: Sequence[Argument], faults: list[str]
) -> Iterator[tuple[Argument, Result]]:
    """Yield what each trial gave, in order; errors become faults."""
    results = pool.map(_Guarded(run), arguments, chunksize=4)
    for argument, (result, error) in zip(arguments, results, strict=True):
        if result is None:
            faults.append(f"{argument}: {error}")
        else:
            yield argument, result


def _counts(found: Iterable[Verdict]) -> tuple[int, int, int, int]:
    every = list(found)
    infeasible = sum(one.is_infeasible for one in every)
    return len(every), len(every) - infeasible, infeasible, sum(one.leaves_out for one in every)


def _print_table(head: tuple[str, ...], rows: list[tuple[object, ...]]) -> None:
    lines = [head, *([str(cell) for cell in row] for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    for line in lines:
        print(
            "  ".join(
                cell.ljust(width) if idx == 0 else cell.rjust(width)
                for idx, (cell, width) in enumerate(zip(line, widths, strict=True))
            )
        )


if __name__ == "__main__":
    sys.exit(main())
