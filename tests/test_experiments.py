import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import PredefinedSplit, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeClassifier

from rulenet.datasets import make_parity
from rulenet.exceptions import ParameterError
from rulenet.experiments import Fit, Study, average_scores, failures, forget_results, read_results, run_study
from rulenet.experiments.results import COLUMNS, ResultsError, open_results


def cart(seed):
    return DecisionTreeClassifier(random_state=seed)


def dummy(seed):
    return DummyClassifier(strategy="most_frequent", random_state=seed)


def small_study(**changes):
    parts = {
        "datasets": {"parity-4": lambda: make_parity(4), "parity-6": lambda: make_parity(6, 3)},
        "learners": {"CART": cart, "majority": dummy},
        "seeds": (0, 1),
    }
    return Study(**(parts | changes))


def keys(results):
    return [Fit(*row) for row in results[["dataset", "learner", "seed", "fold"]].itertuples(index=False, name=None)]


def test_a_study_gives_one_row_for_every_fit(tmp_path):
    study = small_study()
    results = run_study(study, tmp_path / "results.csv")
    assert sorted(keys(results)) == sorted(study.fits())
    assert results["accuracy"].between(0, 1).all()
    assert results["error"].isna().all()


def test_folds_can_be_left_out_and_added_later(tmp_path):
    first = run_study(small_study(folds=(1,)), tmp_path / "results.csv")
    assert set(first["fold"]) == {1}
    both = run_study(small_study(), tmp_path / "results.csv")
    assert sorted(keys(both)) == sorted(small_study().fits())
    assert len(both) == 2 * len(first)
    with pytest.raises(ParameterError, match="folds is \\(2,\\), but with n_splits=2 they count from 0"):
        small_study(folds=(2,))


def test_rows_hold_what_a_person_would_measure(tmp_path):
    results = run_study(small_study(fold_seed=7), tmp_path / "results.csv")
    X, y = make_parity(6, 3)
    train, test = list(StratifiedKFold(2, shuffle=True, random_state=7).split(X, y))[1]
    expected = cart(1).fit(X.iloc[train], y.iloc[train]).score(X.iloc[test], y.iloc[test])
    row = results.set_index(["dataset", "learner", "seed", "fold"]).loc[("parity-6", "CART", 1, 1)]
    assert row["accuracy"] == expected
    assert (row["n_train"], row["n_test"], row["train_majority"]) == (32, 32, 0.5)


def test_without_a_fold_seed_the_folds_follow_the_seed(tmp_path):
    results = run_study(small_study(fold_seed=None), tmp_path / "results.csv")
    X, y = make_parity(6, 3)
    train, test = next(StratifiedKFold(2, shuffle=True, random_state=1).split(X, y))
    expected = cart(1).fit(X.iloc[train], y.iloc[train]).score(X.iloc[test], y.iloc[test])
    assert (
        results.set_index(["dataset", "learner", "seed", "fold"]).loc[("parity-6", "CART", 1, 0), "accuracy"]
        == expected
    )


@pytest.mark.parametrize("prefer", ["processes", "threads"])
def test_workers_give_the_rows_that_one_process_gives(tmp_path, prefer):
    alone = run_study(small_study(), tmp_path / "alone.csv")
    together = run_study(small_study(), tmp_path / "together.csv", n_jobs=2, progress=True, prefer=prefer)
    order = ["dataset", "learner", "seed", "fold"]
    columns = [*order, "accuracy", "train_accuracy"]
    pd.testing.assert_frame_equal(
        alone.sort_values(order)[columns].reset_index(drop=True),
        together.sort_values(order)[columns].reset_index(drop=True),
    )


def test_a_finished_study_is_not_run_again(tmp_path):
    path = tmp_path / "results.csv"
    run_study(small_study(), path)
    before = path.read_bytes()
    run_study(small_study(learners={"CART": lambda seed: cart(seed)}), path)
    assert path.read_bytes() == before


def test_learners_seeds_and_data_sets_may_be_added(tmp_path):
    path = tmp_path / "results.csv"
    run_study(small_study(learners={"CART": cart}, seeds=(0,)), path)
    results = run_study(small_study(), path)
    assert sorted(keys(results)) == sorted(small_study().fits())
    assert results["session"].value_counts().to_dict() == {0: 4, 1: 12}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_splits": 3}, "begun with n_splits = 2, but this study has 3"),
        ({"fold_seed": 1}, "begun with fold_seed = 0, but this study has 1"),
        (
            {"learners": {"CART": lambda seed: DecisionTreeClassifier(max_depth=2)}},
            "CART was .*max_depth=None.* but is",
        ),
    ],
)
def test_a_study_with_another_protocol_is_refused(tmp_path, change, message):
    run_study(small_study(), tmp_path / "results.csv")
    with pytest.raises(ResultsError, match=message):
        run_study(small_study(**change), tmp_path / "results.csv")


def test_a_torn_last_line_is_cut_off_and_its_fit_repeated(tmp_path):
    path, study = tmp_path / "results.csv", small_study()
    whole = run_study(study, path)
    text = path.read_bytes()
    for length in (len(text) - 1, len(text) - 20, len(text.split(b"\n")[0]) + 5, 10, 0):
        path.write_bytes(text[:length])
        resumed = run_study(study, path)
        assert Counter(keys(resumed)) == Counter(keys(whole))
        assert path.read_bytes().count(b"\n") == 1 + len(whole)


def test_a_torn_last_line_is_not_read(tmp_path):
    path = tmp_path / "results.csv"
    whole = run_study(small_study(), path)
    path.write_bytes(path.read_bytes()[:-3])
    assert len(read_results(path)) == len(whole) - 1


def test_an_error_is_a_row_and_the_study_goes_on(tmp_path):
    class Failing(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            raise ValueError("no rules,\nno hope")

    results = run_study(small_study(learners={"bad": lambda seed: Failing(), "CART": cart}), tmp_path / "results.csv")
    bad = results[results["learner"] == "bad"]
    assert set(bad["error"]) == {"ValueError: no rules, no hope"}
    assert bad["accuracy"].isna().all()
    assert results.loc[results["learner"] == "CART", "accuracy"].notna().all()


def test_a_study_may_have_its_own_measures(tmp_path):
    study = small_study(learners={"CART": cart}, measures={"n_leaves": lambda tree: tree.get_n_leaves()})
    assert (run_study(study, tmp_path / "results.csv")["n_leaves"] > 1).all()


def test_rows_are_judged_by_probabilities_and_size_too(tmp_path):
    results = run_study(small_study(), tmp_path / "results.csv")
    trees, dummies = (results[results["learner"] == name] for name in ("CART", "majority"))
    assert (trees["size"] > 1).all()
    assert dummies["size"].isna().all()
    assert dummies["auc"].eq(0.5).all()
    assert results["balanced_accuracy"].between(0, 1).all()
    assert (results["log_loss"] >= 0).all()


def test_data_sets_may_have_folds_of_their_own(tmp_path):
    X, y = make_parity(4)
    study = small_study(
        datasets={"parts": lambda: (X, y), "parity-6": lambda: make_parity(6, 3)},
        splitters={"parts": PredefinedSplit([-1] * 10 + [0] * 6)},
        folds={"parity-6": (1,)},
        seeds=(0,),
    )
    results = run_study(study, tmp_path / "results.csv").set_index(["dataset", "learner"])
    assert results.loc[("parts", "CART"), ["fold", "n_train", "n_test"]].tolist() == [0, 10, 6]
    assert results.loc[("parity-6", "CART"), "fold"] == 1


def test_with_patience_every_fit_has_a_process_and_an_end(tmp_path):
    study = small_study(learners={"CART": cart}, seeds=(0,), folds=(0,))
    results = run_study(study, tmp_path / "results.csv", patience=300)
    assert results["error"].isna().all()
    assert (results["memory"] > 10).all()
    stopped = run_study(study, tmp_path / "stopped.csv", patience=0)
    assert set(stopped["error"]) == {"stopped after 0 s"}


def test_a_learner_that_failed_on_one_fold_has_no_mean_and_is_named(tmp_path):
    class Moody(DecisionTreeClassifier):
        def fit(self, X, y):
            if X.index[0] == 0:
                raise ValueError("not today")
            return super().fit(X, y)

    results = run_study(small_study(learners={"moody": lambda seed: Moody(), "CART": cart}), tmp_path / "results.csv")
    scores = average_scores(results)
    assert scores["moody"].isna().all()
    assert scores["CART"].notna().all()
    assert failures(results)[0] == "moody on parity-4, 2 fits: ValueError: not today"


def test_forgotten_learners_are_fitted_again(tmp_path):
    path = tmp_path / "results.csv"
    before = run_study(small_study(), path)
    forget_results(path, ["CART"])
    assert set(read_results(path)["learner"]) == {"majority"}
    again = run_study(small_study(learners={"CART": lambda seed: cart(seed + 5), "majority": dummy}), path)
    assert sorted(keys(again)) == sorted(keys(before))
    forget_results(path)
    assert not path.exists()


def test_every_session_records_its_versions(tmp_path):
    path = tmp_path / "results.csv"
    run_study(small_study(), path)
    run_study(small_study(), path)
    record = json.loads((tmp_path / "results.json").read_text())
    assert len(record["sessions"]) == 2
    assert record["sessions"][0]["packages"]["numpy"] == np.__version__
    assert "random_state=0" in record["protocol"]["learners"]["CART"]


def test_a_learner_is_described_alike_in_every_process():
    study = small_study(learners={"piped": lambda seed: make_pipeline(FunctionTransformer(make_parity), cart(seed))})
    description = study.protocol()["learners"]["piped"]
    assert "function make_parity>" in description
    assert "0x" not in description


def test_two_processes_do_not_write_to_one_file(tmp_path):
    study = small_study()
    with open_results(tmp_path / "results.csv", study), pytest.raises(ResultsError, match="another process is writing"):
        run_study(study, tmp_path / "results.csv")


def test_a_file_with_other_columns_is_refused(tmp_path):
    (tmp_path / "results.csv").write_text("dataset,accuracy\ncar,1.0\n")
    with pytest.raises(ResultsError, match=f"dataset,accuracy, but this study writes {','.join(COLUMNS)}"):
        run_study(small_study(), tmp_path / "results.csv")


def test_seeds_may_differ_by_data_set_and_must_be_complete():
    study = small_study(seeds={"parity-4": (5,), "parity-6": (6,)})
    assert {(fit.dataset, fit.seed) for fit in study.fits()} == {("parity-4", 5), ("parity-6", 6)}
    with pytest.raises(ParameterError, match="no entry for the data set 'parity-6'"):
        small_study(seeds={"parity-4": (5,)})


SLOW_STUDY = """
    import os, sys, time
    from joblib import parallel_config
    from sklearn.tree import DecisionTreeClassifier
    from rulenet.datasets import make_parity
    from rulenet.experiments import Study, run_study

    folder = sys.argv[1]

    class Slow(DecisionTreeClassifier):
        def fit(self, X, y):
            with open(os.path.join(folder, "begun"), "a") as log:
                log.write(f"{self.random_state}\\n")
            time.sleep(0.05)
            return super().fit(X, y)

    study = Study({"parity": lambda: make_parity(4)}, {"slow": lambda seed: Slow(random_state=seed)}, seeds=range(20))
    with parallel_config("threading", n_jobs=2):
        run_study(study, os.path.join(folder, "results.csv"))
"""


def test_a_study_killed_again_and_again_is_finished_without_loss_or_repetition(tmp_path):
    script = tmp_path / "study.py"
    script.write_text(textwrap.dedent(SLOW_STUDY))
    command = [sys.executable, str(script), str(tmp_path)]
    path = tmp_path / "results.csv"
    seen: list[Fit] = []
    n_kills = 0
    for n_more in (1, 7, 1000):
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL, env={**os.environ, "PYTHONPATH": _source()})
        while process.poll() is None and _n_rows(path) < len(seen) + n_more:
            time.sleep(0.005)
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            n_kills += 1
        process.wait()
        rows = keys(read_results(path))
        assert rows[: len(seen)] == seen, "a row was lost or changed"
        assert len(rows) == len(set(rows)), "a fit was repeated"
        seen = rows
    assert n_kills == 2
    assert len(seen) == 40
    n_begun = len((tmp_path / "begun").read_text().split())
    assert n_begun <= 40 + n_kills * 8, "only fits under way when the process was killed are begun again"


def _source():
    return str(Path(__file__).resolve().parents[1] / "src")


def _n_rows(path):
    return max(path.read_bytes().count(b"\n") - 1, 0) if path.exists() else 0


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning")
def test_a_study_runs_on_a_dask_cluster(tmp_path):
    distributed = pytest.importorskip("distributed")
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, protocol="tcp", host="127.0.0.1", dashboard_address=None
    )
    with cluster, distributed.Client(cluster), parallel_config("dask"):
        results = run_study(small_study(), tmp_path / "results.csv")
    assert sorted(keys(results)) == sorted(small_study().fits())
    assert results["error"].isna().all()
