"""Why nothing is feasible: rules that can't hold together, by name and as few as possible. It proposes, it changes nothing.

The rows of every named rule hang on a literal. A core of them is taken from the solver, checked to be infeasible on its own, and
shrunk by leaving out one after the other: what remains is infeasible, and feasible without any one of its rules. Two solvers
confirm it. Then the rest is asked again, for several conflicts may stand side by side.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ortools.sat.python import cp_model

from schedplan.errors import SolverError
from schedplan.measures.forbidding import without_rules
from schedplan.model.plan import ConflictItem
from schedplan.model.problem import Problem
from schedplan.optimize.cells import Level
from schedplan.optimize.conflict.confirm import is_confirmed
from schedplan.optimize.conflict.evidence import item
from schedplan.optimize.conflict.satisfaction import must_be_placed, musts, of_named_work
from schedplan.optimize.formulation import Formulation, formulate
from schedplan.optimize.layout import Layout, layout
from schedplan.optimize.options import SolveOptions
from schedplan.optimize.solvers.cp_sat import configure, stoppable
from schedplan.packing.screen import Screened

MOST_CONFLICTS = 3
UNNAMED = "what runs already and what is always true of nodes leave no plan by themselves"


@dataclass(frozen=True, slots=True)
class _Core:
    """Rules of one layout that can't hold together."""

    shape: Layout
    rules: tuple[str, ...]


def conflict(problem: Problem, screened: tuple[Screened, ...], options: SolveOptions) -> tuple[ConflictItem, ...]:
    """Return the conflicts of an infeasible problem, each minimal and told by its number, those of arithmetic first.

    Raises SolverError where a solver found no plan and no second one confirms it.
    """
    items: list[ConflictItem] = []
    impossible = [found for found in screened if must_be_placed(found.job)]
    for group, found in enumerate(impossible):
        items += [ConflictItem(one.rule, f"job {one.job.name}", one.evidence, group) for one in _with_causes(found, screened)]
    left_out = {found.job.name for found in screened}
    rest = musts(replace(problem, jobs=tuple(job for job in problem.jobs if job.name not in left_out)))
    cores = _cores(_opened(rest), options)
    confirmed = [core for core in cores if is_confirmed(core.shape, frozenset(core.rules), options)]
    if not items and not confirmed:
        why = "one solver alone says so" if cores else "the rules by themselves were not decided"
        raise SolverError(
            f"no plan was found, and that there is none is not confirmed: {why}",
            hint="Raise the limits of the solver, or make the problem smaller.",
        )
    for number, core in enumerate(confirmed, start=len(impossible)):
        items += [item(problem, rule, number) for rule in core.rules] or [ConflictItem("capacity", "cluster", UNNAMED, number)]
    return tuple(items)


def _with_causes(found: Screened, screened: tuple[Screened, ...]) -> tuple[Screened, ...]:
    """Return a job that arithmetic rules out, and those that it can't be placed because of."""
    by_name = {one.job.name: one for one in screened}
    told: dict[str, Screened] = {}
    waiting = [found]
    while waiting:
        one = waiting.pop(0)
        if one.job.name not in told:
            told[one.job.name] = one
            waiting += [by_name[name] for name in one.because]
    return tuple(told.values())


def _opened(problem: Problem) -> Problem:
    """Return a problem that offers also the columns which a rule closes; the model then has rows of that rule's name instead."""
    return without_rules(problem)


def _cores(problem: Problem, options: SolveOptions) -> list[_Core]:
    """Return minimal cores that share no rule, on pools, or on single nodes where pools have none."""
    for level, limit in ((Level.POOLS, options.pool_columns), (Level.NODES, options.node_columns)):
        shape = layout(problem, problem.jobs, level, merged=False)
        if shape.n_columns > limit:
            continue
        formulation = formulate(shape, None)
        open_rules = list(formulation.rows.literals)
        found: list[_Core] = []
        while len(found) < MOST_CONFLICTS and (core := _core(formulation, open_rules, options)) is not None:
            found.append(_shrunk(problem, _Core(shape, core), options))
            open_rules = [rule for rule in open_rules if rule not in found[-1].rules]
        if found:
            return found
    return []


def _core(formulation: Formulation, assumed: list[str], options: SolveOptions) -> tuple[str, ...] | None:
    """Return assumed rules that have no solution together, few where the solver tells which; None where they have one."""
    if not assumed:
        return None
    literals = formulation.rows.literals
    named = _refused(formulation, assumed, options)
    if named is None:
        return None
    few = [rule for rule in assumed if literals[rule].index in named]
    is_sound = bool(few) and len(few) == len(named) and _refused(formulation, few, options) is not None
    return tuple(few if is_sound else assumed)


def _refused(formulation: Formulation, assumed: list[str], options: SolveOptions) -> frozenset[int] | None:
    """Return the literals that a proof of infeasibility rests on, None where the rules have a solution or nothing is proven."""
    model = formulation.model
    model.clear_assumptions()
    model.add_assumptions([formulation.rows.literals[rule] for rule in assumed])
    solver = cp_model.CpSolver()
    configure(solver, options, options.work_limit, 0.0)
    if stoppable(solver, model) != cp_model.INFEASIBLE:
        return None
    return frozenset(solver.sufficient_assumptions_for_infeasibility())


def _shrunk(problem: Problem, core: _Core, options: SolveOptions) -> _Core:
    """Leave out chunks, then single rules, as long as the rest has no solution; the work that no rule names is left out first."""
    shape, rules = core.shape, list(core.rules)
    formulation = formulate(shape, None)
    smaller = _of_named_work(problem, core)
    if smaller is not None and _refused(smaller, _known(smaller, rules), options) is not None:
        formulation, shape = smaller, smaller.variables.layout
        rules = _known(smaller, rules)
    size = max(len(rules) // 2, 1)
    while rules:
        first = 0
        while first < len(rules):
            trial = rules[:first] + rules[first + size :]
            if _refused(formulation, trial, options) is not None:
                rules = trial
            else:
                first += size
        if size == 1:
            break
        size //= 2
    return _Core(shape, tuple(rules))


def _of_named_work(problem: Problem, core: _Core) -> Formulation | None:
    """Return the model of the work alone that the rules name, and of what runs; None where they name all of it or none."""
    few = of_named_work(problem, {rule.partition(" ")[2] for rule in core.rules}, problem)
    return None if few is None else formulate(layout(few, few.jobs, core.shape.level, merged=False), None)


def _known(formulation: Formulation, rules: list[str]) -> list[str]:
    return [rule for rule in rules if rule in formulation.rows.literals]
