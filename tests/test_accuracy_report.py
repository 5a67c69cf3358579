"""The report on accuracy: figures from a made-up file of results, and one real run on tiny sets."""

from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("wittgenstein")
from benchmarks.accuracy import measure, report
from benchmarks.accuracy.learners import count_parts
from benchmarks.accuracy.names import BOOSTING, CART, DEEP, FLAT, OURS, RIPPER_PEER, in_time_of
from benchmarks.accuracy.plan import PARTS, Part
from benchmarks.accuracy.tasks import Data, Task, large_tasks, main_tasks, make_large

from rulenet import Network
from rulenet.datasets import make_monk


def row(task: str, learner: str, accuracy: float = 0.9, **more: object) -> dict[str, object]:
    key = {"part": "main", "group": task, "task": task, "fold": 0, "learner": learner, "seed": 0, "code": "a"}
    return {**key, "accuracy": accuracy, "seconds": 1.0, **more}


def results(*rows: dict[str, object]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=measure.COLUMNS)


MAIN = results(
    row("vote", OURS, 0.94, size=10, units=3, conditions=8),
    row("vote", OURS, 0.96, size=14, units=3, conditions=8, seed=1),
    row("vote", CART, 0.93, size=16),
    row("vote", RIPPER_PEER, 0.95, size=4, conditions=4),
    row("monk-1", OURS, 1.0, size=20, units=5, conditions=10),
    row("monk-1", CART, 0.9, size=30),
    row("monk-1", RIPPER_PEER, 0.8, size=10, conditions=10),
)


def test_ranks_are_means_over_sets_and_equal_learners_share_theirs() -> None:
    ranks = report.mean_ranks(MAIN, [OURS, CART, RIPPER_PEER])
    assert ranks.to_dict() == {OURS: 1.25, CART: 2.5, RIPPER_PEER: 2.25}


def test_seeds_of_one_set_are_averaged_and_their_spread_is_told() -> None:
    spread = report.deviation_over_seeds(MAIN)
    assert spread["vote"] == pytest.approx(np.std([0.94, 0.96], ddof=1))
    assert np.isnan(spread["monk-1"])
    lines = report.accuracy_table(MAIN, [OURS, CART, RIPPER_PEER])
    assert "| vote | 0.9500 | 0.9300 | 0.9500 | 1 | 0.0141 | 0.9500 |" in lines
    assert "| monk-1 | 1.0000 | 0.9000 | 0.8000 | 1 |  | 1.0000 |" in lines
    assert "| mean rank over 2 sets | 1.25 | 2.50 | 2.25 |  |  |  |" in lines


def test_the_mean_of_the_uci_sets_needs_all_of_them() -> None:
    some = results(*(row(name, OURS, 0.5) for name in report.UCI[1:]))
    every = results(*(row(name, OURS, 0.5) for name in report.UCI))
    assert not any("UCI" in line for line in report.accuracy_table(some, [OURS]))
    assert "| mean of the 6 UCI sets | 0.5000 |  |  |  |" in report.accuracy_table(every, [OURS])


def test_sizes_are_compared_by_the_median_over_sets() -> None:
    assert report.median_ratio(MAIN, "size") == 2.5  # 12 edges for 4 conditions, 20 for 10
    assert report.median_ratio(MAIN, "conditions") == 1.5
    assert "edges 2.50, conditions 1.50" in report.compare_sizes(MAIN)
    header, _, vote, *_ = report.size_table(MAIN, [OURS, CART, RIPPER_PEER])
    assert header == "| | rulenet: edges | units | conditions | CART: splits | RIPPER (wittgenstein): conditions |"
    assert vote == "| vote | 12 | 3 | 8 | 16 | 4 |"


def test_time_against_time_counts_sets_and_tells_the_largest_overrun() -> None:
    ours = in_time_of(RIPPER_PEER)
    frame = results(
        row("a", RIPPER_PEER, 0.8),
        row("a", ours, 0.9, seconds=1.1, limit=1.0),
        row("b", RIPPER_PEER, 0.8),
        row("b", ours, 0.8, seconds=0.3, limit=0.2),
        row("c", RIPPER_PEER, 0.8),
        row("c", RIPPER_PEER, 0.9, fold=1),
        row("c", ours, 0.7, seconds=4.0, limit=4.0),
        row("c", ours, 0.9, seconds=4.2, limit=4.0, fold=1),
    )
    pairs = report.pair_up(frame, RIPPER_PEER)
    assert report.describe_wins(pairs) == "Over 3 sets: better on 1, equal on 1, worse on 1: c (-0.0500)."
    assert report.describe_overrun(pairs).endswith("at most +0.20 s (c) and +50% (b).")


def test_depths_are_paired_by_set() -> None:
    deep = [row(str(i), DEEP, 0.9 + 0.01 * i) for i in range(4)]
    text = report.compare_depths(results(*deep, *(row(str(i), FLAT, 0.9) for i in range(4))))
    assert "the difference is +0.0150, 95% interval -0.0055 to +0.0355" in text
    assert "deep is better on 3, worse on 0" in text


def test_growth_is_a_slope_in_logarithms() -> None:
    frame = results(*(row(f"{n:,} rows", OURS, seconds=0.001 * n, memory=100, size=5) for n in (10_000, 1_000)))
    assert report.growth_slope(frame) == pytest.approx(1.0)
    assert report.growth_table(frame)[-1] == "| 10,000 rows | 0.9000 | 5 | 10.00 | 10.00 | 100 |"
    assert np.isnan(report.growth_slope(frame[:1]))


def test_a_report_has_the_parts_asked_for_and_says_what_failed_and_what_is_mixed() -> None:
    failed = row("vote", BOOSTING, np.nan, seconds=np.nan, error="stopped after 9 s")
    other = row("100 rows", OURS, part="large", code="b")
    text = report.write_report(pd.concat([MAIN, results(failed, other)], ignore_index=True), ["main", "depth"])
    assert "2 seeds" in text
    assert "2 versions of the code" in text
    assert f"- {BOOSTING} on vote, fold 0: stopped after 9 s" in text
    assert "Growth" not in text
    assert "Deep against flat" not in text


def test_every_part_has_a_section() -> None:
    assert set(PARTS) == set(report.SECTIONS)


def test_a_line_cut_short_counts_as_absent_and_a_repeated_fit_once(tmp_path: Path) -> None:
    path = tmp_path / "accuracy.csv"
    for accuracy in (0.5, 0.75):
        measure.append(path, row("a", OURS, accuracy))
    path.write_text(path.read_text() + "main,b,b,0,rulenet,0,0.9")
    assert measure.read(path)["accuracy"].to_list() == [0.75]
    measure.tidy(path)
    measure.append(path, row("b", CART))
    assert measure.read(path)["task"].to_list() == ["a", "b"]
    measure.tidy(path, forget=["main"], keep_peers=True)
    assert measure.read(path)["learner"].to_list() == [CART]


def test_large_tables_are_seeded_and_their_labels_are_noisy() -> None:
    (X, y), (again, labels) = make_large(2_000), make_large(2_000)
    _, clean = make_large(2_000, noise=0)
    pd.testing.assert_frame_equal(X, again)
    assert (y == labels).all()
    assert X.shape == (2_000, 30)
    assert 0.01 < (y != clean).mean() < 0.03


def test_tasks_have_names_of_their_own() -> None:
    names = [(task.name, task.fold) for task in main_tasks(False)]
    assert len(set(names)) == len(names) == 40 + 12 + 3 + 4 + 4
    assert [task.name for task in large_tasks(False) if task.with_peers] == ["100,000 rows"]


def test_conditions_are_the_edges_from_literals_and_units_read_something() -> None:
    network = Network([[[1, 0, 1], [0, 1, 0], [0, 0, 0]], [[1, 1, 0]]])
    assert count_parts(network) == (3, 3)


def load_monk() -> Data:
    X, y = make_monk(1)
    return Data(X, np.asarray(y == y.max()), np.arange(0, len(y), 2), np.arange(1, len(y), 2))


def one_task(name: str, quick: bool) -> list[Task]:
    return [Task(name, name, 0, load_monk)]


TINY = {
    "main": Part(partial(one_task, "monk-1"), peers=(CART, RIPPER_PEER)),
    "time": Part(partial(one_task, "monk-1"), rivals=(RIPPER_PEER, BOOSTING)),
    "large": Part(partial(one_task, "216 rows"), peers=(CART,), patience=120.0),
}


def test_a_run_on_tiny_sets_resumes_and_reports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "accuracy.csv"
    measure.measure(TINY, path, n_seeds=1)
    frame = measure.read(path)
    assert frame["error"].isna().all()
    assert len(frame) == 2 + 4 + 1
    assert frame["accuracy"].between(0.5, 1).all()
    assert (frame.loc[frame["part"] == "large", "memory"] > 10).all()
    assert f"## In the time of {BOOSTING}" in report.write_report(frame, ["time"])

    monkeypatch.setattr(measure, "run", None)  # nothing is left to run
    measure.measure(TINY, path, n_seeds=1)
    assert len(measure.read(path)) == len(frame)


def test_one_learner_that_fails_does_not_end_the_run() -> None:
    data = load_monk()
    assert "error" in measure.run(CART, Data(data.X, data.y, np.arange(0), data.test), 0)
    assert measure.run_alone(CART, data, 0, patience=0.0) == {"error": "stopped after 0 s"}
