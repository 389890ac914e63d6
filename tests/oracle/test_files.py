"""Rows in another order, and rows shared out over several files; a tenth of what `make prove` does."""

import pytest

from tests.oracle.files import faults_of_files


@pytest.mark.parametrize("number", range(100))
def test_neither_the_order_of_rows_nor_the_number_of_files_matters(number, tmp_path):
    assert faults_of_files(number, tmp_path) == []
