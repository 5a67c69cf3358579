"""The report on accuracy: figures from made-up results, and one real run on tiny sets."""

from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("wittgenstein")
from benchmarks.accuracy import __main__ as command
from benchmarks.accuracy import pays, plan, report, tables
from benchmarks.accuracy.concepts import CONCEPTS, N_TEST, concept_sets, make_concept
from benchmarks.accuracy.learners import LEARNERS, MEASURES, count_conditions, count_units, ours
from benchmarks.accuracy.names import (
    AND_OR_DEEP,
    AND_OR_FLAT,
    BOOSTING,
    CART,
    COUNTING_DEEP,
    COUNTING_FLAT,
    DEEP,
    FLAT,
    LOSSES,
    OURS,
    PER_CLASS,
    RIPPER_PEER,
    in_time_of,
)
from benchmarks.accuracy.plan import PARTS, Part, Scale
from benchmarks.accuracy.sets import Sets, large_sets, main_sets, make_large

from rulenet import Anneal, DeepCount, Network
from rulenet.datasets import make_monk
from rulenet.experiments import Study


def row(dataset: str, learner: str, accuracy: float = 0.9, **more: object) -> dict[str, object]:
    key = {"group": dataset, "dataset": dataset, "fold": 0, "learner": learner, "seed": 0, "code": "a"}
    return {**key, "accuracy": accuracy, "fit_seconds": 1.0, **more}


def results(*rows: dict[str, object]) -> pd.DataFrame:
    more = ["size", "units", "conditions", "limit", "own_seconds", "memory", "error"]
    return pd.DataFrame(rows, columns=[*row("", ""), *more])


MAIN = results(
    row("vote", OURS, 0.94, size=10, units=3, conditions=8),
    row("vote", OURS, 0.96, size=14, units=3, conditions=8, seed=1),
    row("vote", CART, 0.93, size=16),
    row("vote", RIPPER_PEER, 0.95, size=4, conditions=4),
    row("monk-1", OURS, 1.0, size=20, units=5, conditions=10),
    row("monk-1", CART, 0.9, size=30),
    row("monk-1", RIPPER_PEER, 0.8, size=10, conditions=10),
)


def test_one_network_for_all_classes_is_compared_with_one_for_each() -> None:
    rows = [row("car", OURS, 0.97, conditions=40), row("car", PER_CLASS, 0.96, conditions=70), row("car", CART, 0.95)]
    text = "\n".join(report.report_classes(results(*rows)))
    assert "| car | 0.9700 | 0.9600 | 0.9500 |" in text
    assert "| car | 40 | 70 |" in text


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
    assert header == "| | rulenet: edges | units | conditions | CART: leaves | RIPPER (wittgenstein): conditions |"
    assert vote == "| vote | 12 | 3 | 8 | 16 | 4 |"


def test_time_against_time_counts_sets_and_tells_the_largest_overrun() -> None:
    ours = in_time_of(RIPPER_PEER)
    frame = results(
        row("a", RIPPER_PEER, 0.8),
        row("a", ours, 0.9, own_seconds=1.1, limit=1.0),
        row("b", RIPPER_PEER, 0.8),
        row("b", ours, 0.8, own_seconds=0.3, limit=0.2),
        row("c", RIPPER_PEER, 0.8),
        row("c", RIPPER_PEER, 0.9, fold=1),
        row("c", ours, 0.7, own_seconds=4.0, limit=4.0),
        row("c", ours, 0.9, own_seconds=4.2, limit=4.0, fold=1),
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
    frame = results(*(row(f"{n:,} rows", OURS, fit_seconds=0.001 * n, memory=100, size=5) for n in (10_000, 1_000)))
    assert report.growth_slope(frame) == pytest.approx(1.0)
    assert report.growth_table(frame)[-1] == "| 10,000 rows | 0.9000 | 5 | 10.00 | 10.00 | 100 |"
    assert np.isnan(report.growth_slope(frame[:1]))


def test_a_report_has_the_parts_asked_for_and_says_what_failed_and_what_is_mixed() -> None:
    failed = row("vote", BOOSTING, np.nan, fit_seconds=np.nan, error="stopped after 9 s")
    other = results(row("100 rows", OURS, code="b"))
    text = report.write_report({"main": pd.concat([MAIN, results(failed)], ignore_index=True), "large": other})
    assert "2 seeds" in text
    assert "2 versions of the code" in text
    assert f"- {BOOSTING} on vote, 1 fit: stopped after 9 s" in text
    assert "Growth" in text
    assert "Deep against flat" not in text


def test_every_part_has_a_section() -> None:
    assert set(PARTS) == set(report.SECTIONS)


def test_real_tables_stand_beside_what_peers_reach(monkeypatch: pytest.MonkeyPatch) -> None:
    figures = (("iris", 0.95, 12), ("wine", 0.9, 20))
    ours = [row(name, OURS, a, fold=fold, conditions=n) for name, a, n in figures for fold in (0, 1)]
    peers = [row(name, "RF", 0.9, fold=fold) for name in ("iris", "wine", "other") for fold in (0, 1)]
    ebm = [row("iris", "EBM-main", 0.97, fold=fold) for fold in (0, 1)]
    monkeypatch.setattr(tables, "read_baselines", lambda: results(*peers, *ebm))
    monkeypatch.setattr(tables, "class_counts", lambda: {"iris": 3, "wine": 2})
    text = "\n".join(report.report_tables(results(*ours, row("wine", OURS, np.nan, fold=2, error="no memory"))))
    assert "| iris (3) | .950 | .970 | .900 | 12 |" in text
    assert "| wine |  |  | .900 |  |" in text  # a fold of ours failed
    assert "| mean of more | .950 | .970 | .900 | 12 |" in text
    assert "| mean of all |  |  | .900 |  |" in text
    assert "| rulenet − RF | +0.0250 |" in text
    assert "other" not in text


def test_large_tables_are_seeded_and_their_labels_are_noisy() -> None:
    (X, y), (again, labels) = make_large(2_000), make_large(2_000)
    _, clean = make_large(2_000, noise=0)
    pd.testing.assert_frame_equal(X, again)
    assert (y == labels).all()
    assert X.shape == (2_000, 30)
    assert 0.01 < (y != clean).mean() < 0.03


@pytest.mark.parametrize("kind", CONCEPTS)
def test_only_rows_to_learn_from_have_wrong_labels(kind: str) -> None:
    (X, y), (again, clean) = make_concept(kind, 15, seed=7, n_training=200), make_concept(kind, 0, 7, n_training=200)
    pd.testing.assert_frame_equal(X, again)
    assert X.shape == (200 + N_TEST, 12)
    assert int((y != clean)[:200].sum()) == 30
    assert (y == clean)[200:].all()
    assert 0.3 <= clean.mean() <= 0.7


def test_every_generated_table_has_a_concept_of_its_own() -> None:
    sets = concept_sets(2, quick=False)
    assert len(sets.datasets) == 2 * 5 * 3
    assert len({load()[0].to_csv() for load in sets.datasets.values()}) == 30
    train, test = next(iter(sets.splitters["deep, 15% wrong #1"].split()))
    assert (len(train), len(test), test.min()) == (400, 1_000, 400)


def kinds_of_networks(*accuracies: tuple[str, float, float, float]) -> pd.DataFrame:
    """Results of the flat, the deep and the counting network on each of the named tables."""
    kinds = (AND_OR_FLAT, AND_OR_DEEP, COUNTING_FLAT)
    rows = [row(name, kind, a, size=8) for name, *scores in accuracies for kind, a in zip(kinds, scores, strict=True)]
    frame = results(*rows).assign(n_train=400, n_test=1_000)
    return frame.assign(group=frame["dataset"].str.split(" #").str[0])


def test_kinds_of_networks_are_paired_by_table() -> None:
    frame = kinds_of_networks(
        ("DNF, 0% wrong #0", 0.90, 0.91, 0.90),
        ("M-of-N, 5% wrong #0", 0.80, 0.80, 1.00),
        ("DNF, 0% wrong #1", 0.90, 0.93, 0.80),
    )
    text = "\n".join(pays.report_pay(frame))
    assert "| DNF, 0% wrong | .9000 | .9200 | .8500 |" in text
    assert "| mean of 2 | .8500 | .8600 | .9250 |" in text
    assert "| M-of-N, 5% wrong | 0 | 0 | 1 | 1 |" in text
    assert "| counting, flat − AND/OR, flat | +0.0333 | -0.3461 to +0.4128 | 1 : 1 : 1 |" in text
    assert "| DNF | +0.0200 (-0.1071 to +0.1471) | -0.0500 (-0.6853 to +0.5853) |" in text
    assert "| 5% wrong | +0.0000 | +0.2000 |" in text


def test_a_kind_that_failed_is_left_blank_and_not_compared_there() -> None:
    frame = kinds_of_networks(("DNF, 0% wrong #0", 0.9, 0.9, np.nan), ("deep, 0% wrong #0", 0.8, 0.9, 0.7))
    text = "\n".join(pays.report_pay(frame))
    assert "| DNF, 0% wrong | .9000 | .9000 |  |" in text
    assert "| mean of 1 | .8000 | .9000 | .7000 |" in text
    assert "| DNF | +0.0000 |  |" in text
    assert "| AND/OR, deep − AND/OR, flat | +0.0500 |" in text
    assert "nan" not in text
    nothing = "\n".join(pays.report_pay_tables(frame[frame["learner"] == COUNTING_FLAT]))
    assert "interval" not in nothing


def test_losses_are_compared_by_table() -> None:
    rows = [
        row(dataset, learner, accuracy + better, auc=0.9, log_loss=0.4, size=20)
        for dataset, accuracy in (("blood", 0.7), ("sonar", 0.8))
        for learner, better in zip(LOSSES.values(), (0.04, 0.02, 0.0), strict=True)
    ]
    text = "\n".join(pays.report_losses(pd.DataFrame(rows)))
    assert "| logistic loss | .7900 | .9000 | .4000 | 20.0000 |" in text
    assert "| logistic loss − errors loss | +0.0400 |" in text


def test_sets_are_divided_as_the_paper_does() -> None:
    study = main_sets(False).study({OURS: LEARNERS[CART]}, 1, MEASURES)
    assert sum(1 for _ in study.fits()) == 40 + 12 + 3 + 4 + 4
    train, test = next(iter(large_sets(True).splitters["1,000 rows"].split()))
    assert (len(train), len(test), test.min()) == (1_000, 20_000, 0)


def test_conditions_are_the_edges_from_literals_and_units_read_something() -> None:
    class Model:
        network_ = Network([[[1, 0, 1], [0, 1, 0], [0, 0, 0]], [[1, 1, 0]]])

    assert (count_units(Model()), count_conditions(Model())) == (3, 3)
    assert np.isnan(count_units(object()))


def test_tables_are_read_as_they_are(shared_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RULENET_TABLES", str(shared_data / "tables"))
    sets = tables.table_sets(quick=False)
    study = sets.study({OURS: LEARNERS[CART]}, 1, {})
    columns = tables.read_columns()
    assert len(sets.datasets) == 36
    assert len(tables.two_class_sets(quick=False).datasets) == 16
    small = tables.small_two_class_sets(quick=False)
    assert len(small.datasets) == 13
    assert all(len(load()[0]) <= 1_000 for load in small.datasets.values())
    assert set(small.folds.values()) == {(0, 1)}
    assert ((columns["type"] == "class") & (columns["n_distinct"] == 2)).sum() == 16
    assert len(study.folds_of("magic")) == 2
    X, y = sets.datasets["mammographic"]()
    assert y.nunique() == 2
    assert X.select_dtypes("category").columns.tolist() == ["shape", "margin"]


def load_monk() -> tuple[pd.DataFrame, pd.Series]:
    X, y = make_monk(1)
    return X, y == y.max()


MONK = Sets({"monk-1": load_monk}, folds={"monk-1": (0,)})
TINY = {
    "main": Part(lambda scale: [MONK.study({n: LEARNERS[n] for n in (CART, RIPPER_PEER)}, 1, MEASURES)]),
    "time": Part(lambda scale: [MONK.study({n: LEARNERS[n] for n in (BOOSTING, in_time_of(BOOSTING))}, 1, MEASURES)]),
    "large": Part(
        lambda scale: [Sets({"216 rows": load_monk}, n_splits=2).study({CART: LEARNERS[CART]}, 1, MEASURES)],
        patience=300,
    ),
}


def test_a_run_on_tiny_sets_resumes_and_reports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "PARTS", TINY)
    command.main(["main", "time", "large"], out=tmp_path)
    frames = {name: report.read_part(tmp_path / "accuracy" / f"{name}.csv") for name in TINY}
    every = pd.concat(frames.values())
    assert every["error"].isna().all()
    assert len(every) == 2 + 2 + 2
    assert every["accuracy"].between(0.5, 1).all()
    assert (frames["large"]["memory"] > 10).all()
    assert (frames["time"]["limit"].dropna() > 0).all()
    assert f"## In the time of {BOOSTING}" in (tmp_path / "accuracy.md").read_text()

    before = (tmp_path / "accuracy" / "main.csv").read_bytes()
    command.measure("main", Scale(), tmp_path / "accuracy")
    assert (tmp_path / "accuracy" / "main.csv").read_bytes() == before  # nothing was left to run
    command.measure("main", Scale(), tmp_path / "accuracy", fresh_ours=True)
    assert (tmp_path / "accuracy" / "main.csv").read_bytes() == before  # peers are kept


def pay_in_no_time(scale: Scale) -> list[Study]:
    searches = {
        AND_OR_FLAT: Anneal(max_time=0.2),
        AND_OR_DEEP: Anneal(max_time=0.2),
        COUNTING_DEEP: DeepCount(max_time=0.2),
    }
    learners = {name: partial(ours, search=search) for name, search in searches.items()}
    return [concept_sets(1, quick=True).study(learners, 1, MEASURES)]


def test_kinds_of_networks_are_run_and_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "PARTS", {"pay": Part(pay_in_no_time)})
    command.main(["pay", "--quick"], out=tmp_path)
    frame = report.read_part(tmp_path / "accuracy-quick" / "pay.csv")
    assert frame["error"].isna().all()
    assert sorted(frame["group"].unique()) == ["DNF, 5% wrong", "M-of-N, 5% wrong"]
    assert (frame["n_train"].eq(100) & frame["n_test"].eq(1_000) & frame["size"].gt(0)).all()
    text = (tmp_path / "accuracy-quick.md").read_text()
    assert "## Does counting, does depth pay?" in text
    assert "| counting, deep − AND/OR, deep |" in text


def test_the_parts_are_studies() -> None:
    scale = Scale(n_seeds=1, quick=True)
    for name in ("main", "time", "depth", "vote", "pay", "large", "all-rows"):
        assert all(study.learners for study in plan.PARTS[name].studies(scale))


@pytest.mark.parametrize("name", PARTS)
def test_the_studies_of_a_part_fit_into_one_file(name: str, shared_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RULENET_TABLES", str(shared_data / "tables"))
    first, *others = PARTS[name].studies(Scale(1, quick=False, peers=False))
    assert all(study.n_splits == first.n_splits for study in others)
    known: dict[str, str] = {}
    for study in (first, *others):
        for learner, settings in study.protocol()["learners"].items():
            assert known.setdefault(learner, settings) == settings
