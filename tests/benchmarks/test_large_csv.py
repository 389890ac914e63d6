"""The benchmark of large CSV files runs at a small size; no time is looked at."""

from benchmarks.large_csv import WAYS, Cost, cost, sentence, write_large_csv


def test_both_ways_convert_every_row(tmp_path):
    write_large_csv(tmp_path / "load.csv", 10_003)
    costs = [cost(way, tmp_path / "load.csv", tmp_path / way) for way in WAYS]

    assert [10_003, 10_003] == [one.rows for one in costs]
    assert all(one.peak_mb > 1 for one in costs)


def test_costs_are_told_as_a_ratio():
    # 3 s are one and a half times 2 s
    assert "5 rows: schedplan 3.00 s and 300 MB, pyarrow 2.00 s and 100 MB, ratio 1.50" == sentence(
        5, Cost(3.0, 300.0, 5), Cost(2.0, 100.0, 5)
    )
