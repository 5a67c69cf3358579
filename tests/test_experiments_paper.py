"""The paper's tables to the digit, and what is derived from them."""

from dataclasses import replace
from itertools import islice

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from rulenet.cli import app
from rulenet.experiments import average_scores, read_results, run_study
from rulenet.experiments.paper import beyond, example, figure4, figure5, ripper, table2, table3
from rulenet.experiments.paper.learners import NETWORKS
from rulenet.experiments.paper.published import published_table
from rulenet.experiments.paper.uci import load_all_rows, load_last_rows
from rulenet.network import Network


def assert_equal_to_four_digits(scores, published):
    np.testing.assert_array_equal(scores.round(4), published.loc[scores.index, scores.columns])


def only(study, *datasets):
    return replace(study, datasets={name: study.datasets[name] for name in datasets})


@pytest.fixture(scope="module")
def table2_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("table2")
    outcome = CliRunner().invoke(app, ["reproduce", "table2", "--out", str(folder), "--no-ripper", "--n-jobs", "1"])
    assert outcome.exit_code == 0, outcome.output
    return folder


def test_table2_has_all_60_network_cells_and_cart_to_four_digits(table2_folder):
    scores = average_scores(read_results(table2_folder / "results.csv"))
    assert_equal_to_four_digits(scores[[*NETWORKS, "CART"]], published_table("table2"))
    assert scores.shape == (20, 4)


def test_table2_reports_the_papers_averages_ranks_wins_and_distances(table2_folder):
    text = (table2_folder / "table2.md").read_text()
    assert "60 of the 60 network cells agree" in text
    assert "| Ø accuracy | .9467 | .9502 | .9386 | .9644 |" in text
    assert "| Ø rank | 1.7750 | 1.7250 | 2.5000 |" in text
    assert "critical distance 0.741 (95%), 0.649 (90%)" in text
    assert "| DRNC(5) | 0 | 9 | 15 |" in text
    assert (table2_folder / "critical-difference.svg").exists()


def test_ripper_gives_the_published_figures(tmp_path):
    study = replace(only(table2.declare(), "5", "24", "36"), learners={"RIPPER": table2.declare().learners["RIPPER"]})
    scores = average_scores(run_study(study, tmp_path / "results.csv"))
    assert_equal_to_four_digits(scores, published_table("table2"))


def test_table3_has_all_18_network_cells_and_cart_to_four_digits(shared_data, tmp_path):
    folder = str(tmp_path)
    options = ["--data-home", str(shared_data), "--no-ripper", "--n-jobs", "1", "--fair-seeds", "0"]
    outcome = CliRunner().invoke(app, ["reproduce", "table3", "--out", folder, *options])
    assert outcome.exit_code == 0, outcome.output
    scores = table3.as_published(read_results(tmp_path / "results.csv"))
    assert_equal_to_four_digits(scores[[*NETWORKS, "CART"]], published_table("table3"))
    assert "18 of the 18 network cells agree" in (tmp_path / "table3.md").read_text()
    assert "| Ø rank | 1.667 | 2.167 | 2.167 |" in (tmp_path / "table3.md").read_text()


def test_the_fair_table_has_a_spread_and_no_collapsed_network(shared_data, tmp_path):
    study = replace(table3.declare_fair(shared_data, 2, all_rows=()), n_splits=2)
    results = run_study(only(study, "car-evaluation", "vote"), tmp_path / "fair.csv")
    share = {"car-evaluation": 0.7002, "vote": 0.6138}
    assert all(row.accuracy > share[row.dataset] + 0.01 for row in results.itertuples())
    complete = pd.concat([results.assign(dataset=name) for name in table3.UCI_NAMES])
    assert "±" in table3.report_fair(complete).text


def test_the_rows_of_table3_are_those_of_the_published_runs(shared_data):
    shares = {name: load_last_rows(name, shared_data)[1].mean() for name in ("mushroom", "connect-4", "car-evaluation")}
    assert shares == pytest.approx({"mushroom": 0.784, "connect-4": 0.6565, "car-evaluation": 0.7002}, abs=5e-5)
    X, y = load_all_rows("connect-4", shared_data)
    assert (len(X), int(y.sum())) == (67557, 44473)


def test_figure4_has_54_deep_and_42_shallow_settings_and_five_plots(tmp_path):
    assert (len(figure4.DEEP), len(figure4.SHALLOW)) == (54, 42)
    results = run_study(only(figure4.declare(), "82"), tmp_path / "results.csv")
    report = figure4.report(results)
    assert len(results) == 2 * 96
    assert [axes.get_title() for axes in report.figures["figure4"].axes] == ["(a)", "(b)", "(c)", "(d)", "(e)"]


def test_figure5_averages_the_accuracy_after_every_mini_batch(tmp_path):
    results = run_study(only(figure5.declare(), "82", "85"), tmp_path / "results.csv")
    curves = figure5.average_curves(results)
    assert curves.shape == (50, 3)
    assert (curves.iloc[-1] > curves.iloc[0]).all()
    assert "| 50 |" in figure5.report(results).text


def test_the_equations_have_the_printed_sizes_and_are_the_data_of_seed_128():
    sizes = example.sizes(example.forms())
    assert sizes.loc["equation 1", ["aggregations", "AND", "OR", "edges"]].tolist() == [23, 15, 8, 33]
    assert sizes.loc["equation 2", ["aggregations", "AND", "OR"]].tolist() == [11, 6, 5]
    assert sizes.loc["factored", "aggregations"] <= 11
    assert all(example.agrees_with_data(formula) for formula in example.forms().values())


def test_the_example_is_written_with_equations_and_networks(tmp_path):
    outcome = CliRunner().invoke(app, ["reproduce", "example", "--out", str(tmp_path)])
    assert outcome.exit_code == 0, outcome.output
    assert "Proven equal: yes" in outcome.output
    assert (tmp_path / "figure2b.svg").exists()
    assert r"\land" in (tmp_path / "equation 2.tex").read_text()


def test_fresh_data_sets_are_balanced_and_of_every_depth():
    for generator in beyond.GENERATORS.values():
        for seed in islice(generator.fresh_seeds(), 2):
            assert seed > 120
            assert 0.2 <= generator.make(seed)[1].mean() <= 0.8


def test_a_part_of_beyond_has_data_sets_of_every_depth_with_untouched_seeds():
    papers, ours = beyond.declare(n_sets=8, n_others=2)
    assert (len(papers.datasets), len(ours.datasets)) == (4 * 8, 8 + 3 * 2)
    assert set(ours.datasets) < set(papers.datasets)
    assert {name.split(",")[0] for name in islice(ours.datasets, 7)} == set(beyond.GENERATORS)
    assert all(int(name.split()[-1]) > beyond.DEVELOPED_UP_TO for name in papers.datasets)


def test_beyond_reports_every_pair_with_an_interval(tmp_path):
    tiny = {name: replace(NETWORKS["RNC"], hidden_layer_sizes=(4,)) for name in beyond.DEFAULTS}
    for study in beyond.declare(n_sets=3, n_others=2):
        learners = {name: tiny.get(name, learner) for name, learner in study.learners.items()}
        results = run_study(replace(study, learners=learners), tmp_path / "results.csv")
    report = beyond.report(results)
    assert "# Deep or shallow: 12 fresh data sets" in report.text
    assert "| learner | 1 layer (3 sets) | 3 layers (3 sets) |" in report.text
    assert "| learner | 1 layer (2 sets) | 3 layers (2 sets) | 5 layers (3 sets) |" in report.text
    assert "| 7 layers: default, deep − default, flat |" in report.text
    assert "## All pairs on the paper's generator, 3 data sets" in report.text
    report.write(tmp_path, "beyond")
    assert (tmp_path / "size.svg").exists()


def test_only_edges_that_reach_the_output_count_as_size():
    class Model:
        network_ = Network([[[1, 1], [1, 0]], [[0, 1]]])

    assert beyond.count_live_edges(Model()) == 2
    assert np.isnan(beyond.count_live_edges(object()))


def test_without_wittgenstein_the_command_says_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setattr(ripper, "is_installed", lambda: False)
    monkeypatch.setattr(
        table2, "declare", lambda with_ripper: pytest.fail("RIPPER is wanted") if with_ripper else _tiny()
    )
    monkeypatch.setattr(table2, "report", lambda results: figure5.Report("a report"))
    outcome = CliRunner().invoke(app, ["reproduce", "table2", "--out", str(tmp_path), "--n-jobs", "1"])
    assert outcome.exit_code == 0, outcome.output
    assert "pip install 'rulenet[peers]'" in outcome.stderr


def test_without_data_the_command_says_what_to_do_in_one_line(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("RULENET_DATA", raising=False)
    monkeypatch.setattr("rulenet.datasets.uci.public.fetch_openml", _no_network)
    outcome = CliRunner().invoke(app, ["reproduce", "table3", "--out", str(tmp_path), "--n-jobs", "1"])
    assert outcome.exit_code == 1
    assert "rulenet: car-evaluation is neither in data_home" in outcome.stderr


def _no_network(**_):
    raise ConnectionError("no network")


def _tiny():
    return only(replace(figure4.declare(), learners=dict(NETWORKS)), "82")
