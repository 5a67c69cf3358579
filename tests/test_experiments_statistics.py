import numpy as np
import pandas as pd
import pytest
import scikit_posthocs
from scipy import stats

from rulenet.experiments.markdown import beside_published, significance, summary_rows, to_markdown
from rulenet.experiments.plots import plot_accuracy_against_size, plot_critical_difference, plot_curves, plot_lines
from rulenet.experiments.statistics import (
    average_ranks,
    average_scores,
    compare,
    compare_all,
    count_collapsed,
    count_wins,
    critical_distance,
    friedman_p,
    indistinguishable,
    nemenyi_p,
)


@pytest.fixture
def scores():
    rng = np.random.default_rng(0)
    return pd.DataFrame(rng.normal([0.9, 0.91, 0.95], 0.03, (20, 3)).round(2), columns=["a", "b", "c"])


@pytest.mark.parametrize(("alpha", "distance"), [(0.05, 0.741), (0.1, 0.649)])
def test_critical_distances_are_those_of_the_paper(alpha, distance):
    assert critical_distance(3, 20, alpha) == pytest.approx(distance, abs=5e-4)


def test_nemenyi_agrees_with_scikit_posthocs(scores):
    expected = scikit_posthocs.posthoc_nemenyi_friedman(scores.to_numpy())
    np.testing.assert_allclose(nemenyi_p(scores).to_numpy(), expected.to_numpy(), atol=2e-3)


def test_friedman_agrees_with_the_ranks_that_a_person_would_compute(scores):
    ranks = np.array([stats.rankdata(-row) for row in scores.to_numpy()])
    np.testing.assert_allclose(average_ranks(scores), ranks.mean(axis=0))
    assert friedman_p(scores) < 0.001


def test_wins_ties_and_losses_add_up_to_the_data_sets(scores):
    comparison = compare(scores, "c", "a")
    wins = count_wins(scores)
    assert (comparison.wins, comparison.losses) == (wins.loc["c", "a"], wins.loc["a", "c"])
    assert comparison.wins + comparison.ties + comparison.losses == 20
    assert comparison.low < comparison.mean_difference < comparison.high


def test_the_interval_is_that_of_the_paired_t_test(scores):
    comparison = compare(scores, "c", "a")
    test = stats.ttest_rel(scores["c"], scores["a"])
    interval = test.confidence_interval(0.95)
    assert (comparison.low, comparison.high) == pytest.approx((interval.low, interval.high))
    assert comparison.t_p == pytest.approx(test.pvalue)


def test_networks_that_predict_one_class_are_counted():
    results = pd.DataFrame(
        {"learner": ["a", "a", "b"], "train_accuracy": [0.7, 0.9, 0.8], "train_majority": [0.7, 0.7, 0.7]}
    )
    assert count_collapsed(results).to_dict() == {"a": 1, "b": 0}


def test_equal_learners_do_not_differ(scores):
    comparison = compare(scores.assign(d=scores["a"]), "a", "d")
    assert (comparison.t_p, comparison.wilcoxon_p, comparison.sign_p) == (1, 1, 1)


def test_all_pairs_are_compared_the_better_learner_first(scores):
    pairs = compare_all(scores)
    assert len(pairs) == 3
    assert (pairs["mean_difference"] >= 0).all()


def test_groups_of_indistinguishable_learners_are_maximal():
    ranks = pd.Series({"a": 1.0, "b": 1.2, "c": 1.9, "d": 3.5})
    assert indistinguishable(ranks, 1.0) == [["a", "b", "c"]]
    assert indistinguishable(ranks, 0.1) == []


def test_scores_are_means_over_folds_and_seeds_in_order_of_appearance():
    results = pd.DataFrame(
        {"dataset": ["z", "z", "a", "a"], "learner": ["L"] * 4, "seed": [0, 1, 0, 1], "accuracy": [0.5, 0.7, 1.0, 1.0]}
    )
    scores = average_scores(results)
    assert scores.index.tolist() == ["z", "a"]
    assert scores["L"].tolist() == pytest.approx([0.6, 1.0])


def test_a_table_shows_the_published_figure_only_where_it_differs():
    index = pd.Index(["car", "vote"], name="data set")
    ours = pd.DataFrame({"CART": [0.98206, 0.9]}, index=index)
    published = pd.DataFrame({"CART": [0.9821, 0.9287]}, index=index)
    table = to_markdown(beside_published(ours, published))
    assert "| car | .9821 |" in table
    assert "| vote | .9000 (.9287) |" in table


def test_summary_and_significance_name_every_learner(scores):
    assert summary_rows(scores, ["a", "b"]).loc["Ø rank"].notna().tolist() == [True, True, False]
    text = significance(scores)
    assert "critical distance 0.741 (95%), 0.649 (90%)" in text
    assert text.count("against") == 3


def test_every_plot_is_drawn_without_a_display(scores, tmp_path):
    points = pd.DataFrame(
        {"size": [10, 20], "accuracy": [0.9, 0.95], "size_error": [1, 1], "accuracy_error": [0.01, 0.01]},
        index=["a", "b"],
    )
    figures = {
        "difference": plot_critical_difference(scores),
        "lines": plot_lines(scores.head(4), "setting"),
        "curves": plot_curves(pd.DataFrame({"a": [0.5, 0.6, 0.7]}), "mini-batch", 2),
        "size": plot_accuracy_against_size(points),
    }
    for name, figure in figures.items():
        figure.savefig(tmp_path / f"{name}.svg")
        assert (tmp_path / f"{name}.svg").stat().st_size > 1000
