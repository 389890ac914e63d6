"""The recommendation in words: what fits, why by the numbers of this workload, what replays say, and what would change it."""

from __future__ import annotations

from dataclasses import dataclass

from schedplan.compare_engines.comparison import LEVEL, Candidate, Comparison, Standing
from schedplan.compare_engines.fit import AtomScore
from schedplan.compare_engines.gates import Outcome
from schedplan.compare_engines.profile import Profile
from schedplan.compare_engines.replays import ReplayRow
from schedplan.engines.fact import Value

REASONS_SHOWN = 4
LACKS_SHOWN = 3
LEAST_FEATURE = 0.1
"""A feature below this is no reason to name: our choice."""
MOVES_SHOWN = 2
LEVEL_WAITS = 0.05
"""Mean waits closer than this share are called level: one replay has no band, so less ranks nothing."""


@dataclass(frozen=True, slots=True)
class Recommendation:
    """engine: the name, None where nothing passes the gates. headline: a sentence. reasons, lacks, conditions: by facts. measured:
    by replays. changes: what would make the answer another. All are sentences."""

    engine: str | None
    headline: str
    reasons: tuple[str, ...]
    lacks: tuple[str, ...]
    conditions: tuple[str, ...]
    measured: tuple[str, ...]
    changes: tuple[str, ...]


def recommend(found: Comparison) -> Recommendation:
    """Return the recommendation that a comparison leads to."""
    best = found.best
    if best is None:
        return Recommendation(None, _nothing(found), (), (), (), _measured(found, None), _without_a_gate(found, None))
    return Recommendation(
        engine=best.engine.name,
        headline=_headline(found, best),
        reasons=_reasons(best, found.profile),
        lacks=_lacks(best, found.profile),
        conditions=_conditions(best),
        measured=_measured(found, best),
        changes=(*_unconditional(found, best), *_without_a_gate(found, best), *_moves(found, best)),
    )


def _headline(found: Comparison, best: Candidate) -> str:
    peers = [one for one in found.with_standing(best.standing) if one is not best]
    passed = (
        "passes every gate" if best.standing is Standing.PASSES else "passes the gates only with conditions, as does every other"
    )
    if best.standing is not Standing.PASSES and len(peers) + 1 == 1:
        passed = "passes the gates only with conditions, and nothing else passes them"
    told = f"{best.engine.title} {passed} and has {best.score:.0%} of what this workload weighs"
    if not peers:
        return f"{told}; no other engine is left beside it."
    next_best = peers[0]
    level = [one.engine.title for one in _level_with(found, best)]
    if level:
        return f"{told}; {_listed(level)} {'is' if len(level) == 1 else 'are'} level with it."
    return f"{told}; next is {next_best.engine.title} with {next_best.score:.0%}."


def _level_with(found: Comparison, best: Candidate) -> tuple[Candidate, ...]:
    """Return those of the same standing whose fit is not told apart from the best one's."""
    return tuple(one for one in found.with_standing(best.standing) if one is not best and best.score - one.score < LEVEL)


def _nothing(found: Comparison) -> str:
    failed = {result.gate.name for one in found.candidates for result in one.results_with(Outcome.FAILED)}
    names = [gate.name for gate in found.gates if gate.name in failed]
    if not names:
        return "None of the engines compared is a scheduler."
    return f"No engine passes every gate: each fails at {_listed(names, 'or')}."


def _reasons(best: Candidate, profile: Profile) -> tuple[str, ...]:
    asked = [atom for atom in _asked(best, profile) if atom.points == 1.0]
    strongest = sorted(asked, key=lambda atom: (-atom.need.weight, atom.need.atom.name))[:REASONS_SHOWN]
    return tuple(_because(atom, profile) for atom in strongest)


def _lacks(best: Candidate, profile: Profile) -> tuple[str, ...]:
    missing = [atom for atom in _asked(best, profile) if atom.points is not None and atom.points < 1.0]
    worst = sorted(missing, key=lambda atom: (-atom.need.weight * (1.0 - (atom.points or 0.0)), atom.need.atom.name))
    return tuple(_because(atom, profile) for atom in worst[:LACKS_SHOWN])


def _asked(best: Candidate, profile: Profile) -> list[AtomScore]:
    """Return the atoms that the workload itself asks for."""
    return [
        atom
        for atom in best.fit.atoms
        if atom.need.feature is not None and atom.weight > 0 and profile.value_of[atom.need.feature] >= LEAST_FEATURE
    ]


def _because(atom: AtomScore, profile: Profile) -> str:
    feature = atom.need.feature
    evidence = "" if feature is None else f" Here: {profile.evidence(feature)}."
    answer = "" if atom.fact.value is Value.YES else f" ({_word(atom.fact.value)})"
    return f"{atom.need.atom.name}, {atom.need.atom.title}{answer}: {atom.fact.note}{evidence}"


def _word(value: Value) -> str:
    return {Value.NOT_VERIFIED: "not verified", Value.NOT_APPLICABLE: "not applicable"}.get(value, value.value)


def _conditions(best: Candidate) -> tuple[str, ...]:
    return tuple(
        f"gate {result.gate.name} ({result.outcome.value}): {result.statement}"
        for result in best.results_with(Outcome.CONDITION, Outcome.UNKNOWN)
    )


def _measured(found: Comparison, best: Candidate | None) -> tuple[str, ...]:
    """What replays say of the recommended engine and of those level with it, and what tells the policies apart on these jobs."""
    if not found.replays:
        return ("Nothing was replayed, so all of this rests on facts alone.",)
    own = () if best is None else tuple(_own_replay(found, one) for one in (best, *_level_with(found, best)))
    return (*own, *_told_apart(found), *_gangs_in_parts(found), *_never_started(found))


def _own_replay(found: Comparison, candidate: Candidate) -> str:
    rows, title = found.replays_of(candidate.engine), candidate.engine.title
    if not rows:
        return f"No model stands in for {title}, so none of its behaviour was measured here."
    first, *others = rows
    told = f"{title} replayed, preset {first.case.preset}: {_waits(first)}"
    same = [row.case.preset for row in others if row.measures == first.measures]
    told += f"; {_listed(same)} {'is' if len(same) == 1 else 'are'} the same here" if same else ""
    return "; ".join((told, *(f"{row.case.preset}: {_waits(row)}" for row in others if row.measures != first.measures))) + "."


def _told_apart(found: Comparison) -> tuple[str, ...]:
    waits = [(wait, row) for row in found.replays if (wait := row.value("wait_s_mean")) is not None and not row.value("unplaced")]
    if not waits:
        return ()
    least, first = min(waits, key=lambda pair: (pair[0], pair[1].policy))
    level = [row.policy for wait, row in waits if row is not first and wait <= least * (1.0 + LEVEL_WAITS)]
    if len(waits) > 1 and len(level) == len(waits) - 1:
        return (f"All {len(waits)} policies replayed let jobs wait alike ({_waits(first)}): replays tell no engines apart here.",)
    beside = f" ({_listed(level)} within {LEVEL_WAITS:.0%})" if level else ""
    said = f"Of the policies replayed, {first.policy} let jobs wait least: {_waits(first)}{beside}."
    load = found.profile.offered_load
    if load is None or load <= 1.0:
        return (said,)
    return (said, f"The offered load is {load:.0%}: the queue grows to the end, so waits measure the length of the log as well.")


def _gangs_in_parts(found: Comparison) -> tuple[str, ...]:
    rates = [(row.policy, rate) for row in found.replays if (rate := row.value("gang_start_rate")) is not None and rate < 1.0]
    if not rates:
        return ()
    listed = _listed([f"{policy} ({rate:.0%} started whole)" for policy, rate in rates])
    return (f"Gangs were bound in parts, and held devices without running, under {listed}.",)


def _never_started(found: Comparison) -> tuple[str, ...]:
    stuck = [f"{row.policy} ({row.value('unplaced'):,.0f})" for row in found.replays if row.value("unplaced")]
    return (f"Jobs that never started: under {_listed(stuck)}.",) if stuck else ()


def _waits(row: ReplayRow) -> str:
    mean, late = row.value("wait_s_mean"), row.value("wait_s_p95")
    if mean is None:
        return "no job started"
    told = f"mean wait {hours_or_minutes(mean)}"
    return told if late is None else f"{told}, 95 % within {hours_or_minutes(late)}"


def hours_or_minutes(seconds: float) -> str:
    """Return a duration as people say it: 45 s, 12.3 min, 4.5 h, 8.1 d."""
    for unit, size in (("d", 86400.0), ("h", 3600.0), ("min", 60.0)):
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.0f} s"


def _unconditional(found: Comparison, best: Candidate) -> tuple[str, ...]:
    """Engines that would fit better, were their conditions accepted."""
    if best.standing is not Standing.PASSES:
        return ()
    better = [one for one in found.with_standing(Standing.CONDITIONAL) if one.score > best.score + LEVEL]
    return tuple(
        f"{one.engine.title} has {one.score:.0%}, and would be the answer if its conditions are acceptable: "
        + "; ".join(_conditions(one))
        for one in better
    )


def _without_a_gate(found: Comparison, best: Candidate | None) -> tuple[str, ...]:
    """Engines that a single failed gate keeps out, where they would fit better."""
    floor = best.score + LEVEL if best is not None else -1.0
    said = []
    for one in found.with_standing(Standing.EXCLUDED):
        failed = one.results_with(Outcome.FAILED)
        if len(failed) == 1 and one.score > floor:
            said.append(
                f"without the gate {failed[0].gate.name}, {one.engine.title} would be a candidate with {one.score:.0%};"
                f" it fails there: {failed[0].statement}"
            )
    return tuple(said[:MOVES_SHOWN])


def _moves(found: Comparison, best: Candidate) -> tuple[str, ...]:
    if not found.moves:
        return (f"no weight of a single dimension makes another engine fit better than {best.engine.title}",)
    titles = {one.engine.name: one.engine.title for one in found.candidates}
    return tuple(
        f"with the weight of {move.dimension.value} at {move.to_weight:.2f} in place of {move.from_weight:.2f}"
        f" ({'+' if move.to_weight > move.from_weight else '-'}{move.relative:.0%}), {titles[move.challenger]} draws level"
        for move in found.moves[:MOVES_SHOWN]
    )


def _listed(names: list[str], last: str = "and") -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {last} {names[-1]}"
