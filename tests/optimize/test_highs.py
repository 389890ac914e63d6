"""HiGHS keeps its threads over all solves of a process: a solve before ours must not decide about ours."""

import highspy
import numpy as np
import pytest

from schedplan.errors import SolverError
from schedplan.optimize.solvers.silent import SilentHighs


def program() -> highspy.HighsLp:
    """Return: the least x with x >= 2."""
    found = highspy.HighsLp()
    found.num_col_, found.num_row_ = 1, 1
    found.col_cost_, found.col_lower_, found.col_upper_ = np.ones(1), np.zeros(1), np.full(1, highspy.kHighsInf)
    found.row_lower_, found.row_upper_ = np.array([2.0]), np.array([highspy.kHighsInf])
    found.a_matrix_.start_, found.a_matrix_.index_, found.a_matrix_.value_ = [0, 1], [0], [1.0]
    return found


def test_a_solve_on_more_threads_before_does_not_stop_ours():
    before = highspy.Highs()
    before.setOptionValue("output_flag", False)
    before.resetGlobalScheduler(True)
    before.setOptionValue("threads", 2)
    before.passModel(program())
    before.run()
    highs = SilentHighs()
    highs.passModel(program())

    highs.run()

    assert (2.0, highspy.HighsModelStatus.kOptimal) == (highs.getInfo().objective_function_value, highs.getModelStatus())


def test_an_error_of_the_library_is_no_answer(monkeypatch):
    monkeypatch.setattr(highspy.Highs, "run", lambda highs: highspy.HighsStatus.kError)

    with pytest.raises(SolverError, match="could not solve"):
        SilentHighs().run()
