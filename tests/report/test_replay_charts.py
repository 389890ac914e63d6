"""A replay over time: means of a step function by hand, waits sorted, however long it is."""

import numpy as np

from schedplan.report.charts import LineChart, PointChart
from schedplan.report.replay_charts import MOST_SPANS, ReplayEvents, replay_section, span_means


def events(**more: object) -> ReplayEvents:
    given = {
        "taken_s": np.array([0, 3600, 7200, 10800]),
        "taken": np.array([8.0, 4.0, -8.0, -4.0]),
        "submit_s": np.array([0, 0]),
        "start_s": np.array([0, 3600]),
        "wait_s": np.array([0, 3600]),
    }
    return ReplayEvents(**{**given, **more})


def test_means_are_the_area_over_the_span() -> None:
    # 8 devices from 0, 12 from 3600, 4 from 7200, 0 from 10800; spans of 1.5 h: (8 + 12 / 2) / 1.5 and (12 / 2 + 4) / 1.5
    means = span_means(np.array([0, 5400, 10800]), events().taken_s, events().taken)

    assert [round(14 / 1.5, 9), round(10 / 1.5, 9)] == means.tolist()


def test_what_begins_on_a_border_counts_from_it() -> None:
    assert [0.0, 2.0] == span_means(np.array([0, 10, 20]), np.array([10]), np.array([2.0])).tolist()


def test_a_long_replay_has_no_more_points_than_a_page_shows() -> None:
    rng = np.random.default_rng(0)
    submit_s = np.sort(rng.integers(0, 10_000_000, 50_000))
    start_s = submit_s + 3600
    section = replay_section(events(submit_s=submit_s, start_s=start_s, wait_s=start_s - submit_s))
    _, queue, waits = section.blocks

    assert isinstance(queue, LineChart)
    assert isinstance(waits, PointChart)
    assert len(queue.lines[0].values) <= MOST_SPANS + 1
    # each of 50,000 jobs waits an hour: 180 million job-seconds in all
    spans = np.diff(np.array(queue.lines[0].instants_s))
    assert abs(float((np.array(queue.lines[0].values[:-1], dtype=float) * spans).sum()) - 180e6) < 1e-3 * 180e6
    assert [1.0] == sorted({point.y for point in waits.points})


def test_nothing_happened_nothing_is_drawn() -> None:
    none = np.array([], dtype=np.int64)

    assert () == replay_section(ReplayEvents(none, none.astype(float), none, none, none)).blocks


def test_a_replay_of_one_instant_is_drawn() -> None:
    one = np.array([5])
    section = replay_section(ReplayEvents(one, np.array([1.0]), one, one, np.array([0])))

    assert ["devices", "queue", "waits"] == [
        block.block_id for block in section.blocks if isinstance(block, LineChart | PointChart)
    ]
