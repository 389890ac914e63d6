"""How long jobs run: what is expected of those that wait, and how such estimates did on the past. It estimates nothing."""

from __future__ import annotations

from schedplan.forecast.runtime_backtest import HISTORY, LAST, LEVELS, LIMIT, RuntimeBacktest, RuntimeScore
from schedplan.forecast.runtime_estimates import JobEstimate
from schedplan.model.findings import Severity
from schedplan.report.document import Block, Cell, Column, Document, Facts, Kind, Notice, Paragraph, Section, SectionRole, Table
from schedplan.report.figures import counted, number_text

WAYS = {HISTORY: "like jobs that had ended", LIMIT: "the user's limit", LAST: "last job of this user"}


def runtimes_document(
    backtest: RuntimeBacktest, estimates: tuple[JobEstimate, ...], *, title: str, timezone: str, notes: tuple[str, ...] = ()
) -> Document:
    """Return the document of run-time estimates; `estimates` at LEVELS."""
    answer: list[Block] = [Paragraph((_headline(backtest),), is_headline=True)]
    if backtest.scores:
        answer.append(_score_table(backtest))
    answer += [Notice(Severity.NOTE, note) for note in notes]
    waiting = _estimate_table(estimates)
    return Document(
        kind="runtimes",
        title=title,
        timezone=timezone,
        sections=(
            Section("answer", "The answer", tuple(answer), SectionRole.ANSWER),
            Section("waiting", "Jobs without run time", (waiting,)),
        ),
        facts=Facts(
            (
                ("judged", backtest.judged),
                ("ended", backtest.ended),
                ("scores", tuple(_score_facts(score) for score in backtest.scores)),
            )
        ),
        main_table="runtimes",
    )


def _headline(backtest: RuntimeBacktest) -> str:
    own = backtest.score(HISTORY)
    if own is None:
        return f"{counted(backtest.ended, 'job')} that ended and say how long they ran are too few to judge estimates by."
    others = [
        f"{number_text(score.mean_pinball_minutes)} by {WAYS[score.way]}" for score in backtest.scores if score.way != HISTORY
    ]
    beside = f" ({', '.join(others)})" if others else ""
    return (
        f"Judged on {counted(own.jobs, 'job')}: mean pinball {number_text(own.mean_pinball_minutes)} min{beside};"
        f" {own.coverage[LEVELS.index(0.9)]:.1%} ran no longer than their P90."
    )


def _score_table(backtest: RuntimeBacktest) -> Table:
    columns = (
        Column("way", "Estimated by"),
        Column("jobs", "Jobs", Kind.COUNT),
        *(Column(f"pinball_{level * 100:.4g}", f"P{level * 100:.4g} pinball, min", Kind.NUMBER) for level in LEVELS),
        *(Column(f"coverage_{level * 100:.4g}", f"within P{level * 100:.4g}", Kind.SHARE, digits=1) for level in LEVELS),
    )
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (WAYS[score.way], score.jobs, *score.pinball_minutes, *score.coverage) for score in backtest.scores
    )
    caption = (
        "Each job was estimated at its submission from the jobs that had ended by then; the first half of the history chose how"
        " fast they are forgotten, the second half is judged. A limit and a last job are one number for every quantile."
    )
    return Table("runtime-backtest", "How good the estimates are", columns, rows, caption)


def _estimate_table(estimates: tuple[JobEstimate, ...]) -> Table:
    columns = (
        Column("job", "Job"),
        Column("tenant", "Tenant"),
        Column("user", "User"),
        Column("time_limit_minutes", "Limit", Kind.NUMBER, "min"),
        *(Column(f"q{level * 100:.4g}", f"P{level * 100:.4g}", Kind.NUMBER, "min") for level in LEVELS),
        Column("basis", "Like jobs by"),
        Column("jobs", "Of them ended", Kind.COUNT),
    )
    rows = tuple(
        (
            each.job.name,
            each.job.tenant,
            each.job.user,
            each.job.time_limit_minutes,
            *(float(value) for value in each.estimate.minutes),
            each.estimate.basis,
            each.estimate.jobs,
        )
        for each in estimates
    )
    return Table("runtimes", "", columns, rows, "One row per open job that states no run time.")


def _score_facts(score: RuntimeScore) -> Facts:
    return Facts(
        (
            ("way", score.way),
            ("jobs", score.jobs),
            ("levels", LEVELS),
            ("pinball_minutes", score.pinball_minutes),
            ("coverage", score.coverage),
        )
    )
