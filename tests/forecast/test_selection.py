"""Who wins a backtest, and in what words."""

from __future__ import annotations

from dataclasses import replace

from schedplan.forecast.backtest import Score
from schedplan.forecast.selection import best, verdict

NAIVE_DAY = Score("seasonal-naive", 10, 10.0, 1.0, 0.1, 1.0, 2.0, 0.8, 0.95, 0.05)
SARIMA = replace(NAIVE_DAY, model="sarima", mae=8.0, relative_mae=0.8, pinball_95=1.5)
LAST = replace(NAIVE_DAY, model="naive", mae=30.0, relative_mae=3.0, pinball_95=9.0)


def test_the_lowest_mean_error_wins() -> None:
    assert best((NAIVE_DAY, SARIMA, LAST)) is SARIMA


def test_within_one_percent_the_tail_decides() -> None:
    # 9.95 against 10.0 is a tie; the pinball of the P95 is 2.0 against 2.5
    near = replace(SARIMA, mae=9.95, pinball_95=2.5)

    assert best((NAIVE_DAY, near)) is NAIVE_DAY
    assert best((NAIVE_DAY, replace(near, pinball_95=1.9))) != NAIVE_DAY


def test_a_tie_in_both_goes_to_the_first() -> None:
    assert best((NAIVE_DAY, replace(SARIMA, mae=9.95, pinball_95=1.99))) is NAIVE_DAY


def test_a_season_has_to_beat_none_by_five_percent() -> None:
    # 8.0 * 1.05 = 8.4
    rival = replace(LAST, mae=8.4)

    assert best((NAIVE_DAY, SARIMA, rival)) is rival
    assert best((NAIVE_DAY, SARIMA, replace(LAST, mae=8.41))) is SARIMA


def test_nothing_judged_has_no_winner() -> None:
    assert best(()) is None
    assert best((replace(SARIMA, mae=None),)) is None


def test_a_season_that_wins_in_one_half_alone_is_left_out() -> None:
    # 8 against 10 in all, but 12 against 10 in the newer half
    seasonal = replace(NAIVE_DAY, model="sarima-blend", mae=8.0, pinball_95=1.0, mae_halves=(4.0, 12.0))
    last = replace(NAIVE_DAY, model="naive", mae=10.0, pinball_95=2.0, mae_halves=(10.0, 10.0))

    assert best((seasonal, last)) == last
    assert best((replace(seasonal, mae_halves=(7.0, 9.0)), last)) == replace(seasonal, mae_halves=(7.0, 9.0))


def test_the_verdict_has_its_figures() -> None:
    words = verdict(SARIMA, (SARIMA, NAIVE_DAY), seasonal=True)

    assert words.startswith("sarima: error 20% below seasonal naive (relative MAE 0.80 over 10 origins)")
    assert words.endswith("mean error 10.0% of the load, not under 5%; P95 exceeded by 5.0% of the actuals, within 3% to 8%")


def test_the_verdict_says_who_won_and_what_the_tail_is_worth() -> None:
    naive_wins = verdict(NAIVE_DAY, (NAIVE_DAY, replace(SARIMA, relative_mae=1.2)), seasonal=True)
    none_found = verdict(replace(LAST, relative_mae=0.7), (LAST, NAIVE_DAY), seasonal=True)
    low, high = (verdict(replace(SARIMA, exceedance_95=share), (SARIMA,), seasonal=True) for share in (0.01, 0.2))

    assert naive_wins.startswith("seasonal naive wins (relative MAE 1.00 over 10 origins, sarima 1.20)")
    assert none_found.startswith("no season found: naive does as well without one (relative MAE 0.70")
    assert low.endswith("less than 3%: the quantile is generous")
    assert high.endswith("more than the 8% that would do: plan with a higher quantile")
