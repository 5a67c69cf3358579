import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks

from rulenet import Greedy, Network, ParameterError, RandomInit, RuleNetError, RuleNetworkClassifier, TableError
from rulenet.datasets import make_artificial

COLOURS = np.array(["blue", "green", "red"])
SHAPES = np.array(["disc", "ring"])


def make_toys(n_rows=120, seed=0):
    """Red rings, and anything large: text, category and Boolean columns, some values missing."""
    rng = np.random.default_rng(seed)
    colour, shape, large = rng.integers(0, 3, n_rows), rng.integers(0, 2, n_rows), rng.random(n_rows) < 0.3
    wanted = ((colour == 2) & (shape == 1)) | large
    X = pd.DataFrame({"colour": COLOURS[colour].astype(object), "shape": pd.Categorical(SHAPES[shape]), "large": large})
    X.loc[rng.random(n_rows) < 0.05, "colour"] = None
    return X, pd.Series(np.where(wanted, "yes", "no"))


def learner(**parameters):
    return RuleNetworkClassifier((8, 4), search=Greedy(), random_state=0, **parameters)


@parametrize_with_checks([RuleNetworkClassifier(nominal="all"), RuleNetworkClassifier(nominal="all", search="greedy")])
def test_scikit_learn_finds_nothing_to_object_to(estimator, check):
    check(estimator)


def test_a_frame_with_nominal_columns_is_learned_as_it_is():
    X, y = make_toys()
    model = learner().fit(X, y)
    assert model.score(X, y) > 0.95
    assert model.classes_.tolist() == ["no", "yes"]
    assert model.feature_names_in_.tolist() == list(X)
    assert model.n_features_in_ == 3
    assert isinstance(model.network_, Network)
    assert len(model.history_) >= 2
    assert model.history_[-1] == pytest.approx(model.score(X, y))


def test_frames_arrays_and_lists_of_rows_give_the_same_network():
    X, y = make_toys()
    X["shape"] = X["shape"].astype(object)
    models = [learner().fit(table, y) for table in (X, X.to_numpy(), X.to_numpy().tolist())]
    assert len({model.network_ for model in models}) == 1


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=20)
def test_the_prediction_for_a_row_does_not_depend_on_the_other_rows(seed):
    X, y = make_toys()
    model = learner().fit(X, y)
    rows = X.sample(30, random_state=np.random.RandomState(seed), replace=True)
    rows.loc[rows.index[0], "colour"] = "unseen"
    alone = [model.predict(rows.iloc[[i]])[0] for i in range(len(rows))]
    assert model.predict(rows).tolist() == alone


def test_an_unseen_value_behaves_like_a_missing_one():
    X, y = make_toys()
    model = learner().fit(X, y)
    unseen, missing = X.copy(), X.copy()
    unseen["colour"], missing["colour"] = "violet", None
    assert model.predict(unseen).tolist() == model.predict(missing).tolist()


def test_the_same_seed_gives_the_same_network_on_any_number_of_threads():
    X, y = make_toys(2000)
    networks = {learner(n_jobs=n_jobs).fit(X, y).network_ for n_jobs in (None, 1, 2, -1)}
    assert len(networks) == 1


def test_positive_class_is_the_majority_the_minority_a_label_or_the_better_one():
    X, y = make_toys()
    majority = y.mode()[0]
    minority = "yes" if majority == "no" else "no"
    models = {p: learner(positive_class=p).fit(X, y) for p in ("majority", "minority", "yes", "no", "auto")}
    assert models["majority"].positive_class_ == majority
    assert models["minority"].positive_class_ == minority
    assert models["yes"].positive_class_ == "yes"
    assert models["no"].positive_class_ == "no"
    assert models["auto"].history_[-1] == max(models["yes"].history_[-1], models["no"].history_[-1])


def test_integer_weights_equal_repeated_rows_when_all_rows_are_one_batch():
    X, y = make_toys(80)
    weights = np.random.default_rng(1).integers(0, 4, len(X))
    weighted = RuleNetworkClassifier((6, 3), search=Greedy(batch_size=None), random_state=0)
    repeated = clone(weighted)
    rows = np.repeat(np.arange(len(X)), weights)
    weighted.fit(X, y, sample_weight=weights)
    repeated.fit(X.iloc[rows].reset_index(drop=True), y.iloc[rows])
    assert weighted.network_ == repeated.network_


def test_rows_of_weight_zero_count_as_absent():
    X, y = make_toys()
    weights = np.where(np.arange(len(X)) % 3, 1.0, 0.0)
    kept = weights > 0
    assert learner().fit(X, y, sample_weight=weights).network_ == learner().fit(X[kept], y[kept]).network_


def test_class_weights_are_the_same_as_row_weights():
    X, y = make_toys()
    by_class = learner(class_weight={"yes": 3, "no": 1}).fit(X, y)
    by_row = learner().fit(X, y, sample_weight=np.where(y == "yes", 3, 1))
    assert by_class.network_ == by_row.network_
    n = y.value_counts()
    balanced = learner(class_weight="balanced").fit(X, y)
    assert balanced.network_ == learner().fit(X, y, sample_weight=y.map(1 / n)).network_


def test_weights_change_what_is_learned():
    X, y = make_artificial(24)
    predicted = [
        RuleNetworkClassifier((4,), search=Greedy(), class_weight={True: weight, False: 1}, random_state=0)
        .fit(X, y)
        .predict(X)
        for weight in (0.02, 50)
    ]
    assert predicted[0].mean() < y.mean() < predicted[1].mean()


def test_grid_search_reaches_into_strategies():
    X, y = make_toys()
    grid = GridSearchCV(
        RuleNetworkClassifier((4,), init=RandomInit(), search=Greedy(), random_state=0),
        {"search__n_epochs": [0, 2], "init__avg_rule_length": [1, 2], "hidden_layer_sizes": [(4,), (4, 2)]},
        cv=2,
    ).fit(X, y)
    assert grid.best_score_ > 0.7
    assert set(grid.best_params_) == {"search__n_epochs", "init__avg_rule_length", "hidden_layer_sizes"}


def test_works_in_pipelines_and_cross_validation():
    X, y = make_toys()
    pipeline = make_pipeline(FunctionTransformer(lambda frame: frame.drop(columns="shape")), learner())
    assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.7


def test_clone_and_pickle_keep_parameters_and_predictions():
    X, y = make_toys()
    model = learner(class_weight="balanced").fit(X, y)
    assert repr(clone(model)) == repr(model)
    thawed = pickle.loads(pickle.dumps(model))
    assert thawed.network_ == model.network_
    assert thawed.predict(X).tolist() == model.predict(X).tolist()


def test_a_network_can_be_the_start():
    X, y = make_toys()
    first = learner(positive_class="yes").fit(X, y)
    again = RuleNetworkClassifier(
        init=first.network_, search=Greedy(n_epochs=0), positive_class="yes", random_state=0
    ).fit(X, y)
    assert again.history_[0] == first.history_[-1]


def test_integers_are_nominal_when_the_user_says_so():
    X, y = make_toys()
    X["count"] = np.arange(len(X)) % 4
    with pytest.raises(TableError, match="column 'count'"):
        learner().fit(X, y)
    assert learner(nominal=["count"]).fit(X, y).n_features_in_ == 4


def test_a_second_fit_forgets_the_first():
    X, y = make_toys()
    model = learner().fit(X, y)
    model.fit(X.to_numpy()[:, :2], y)
    assert not hasattr(model, "feature_names_in_")
    assert model.n_features_in_ == 2


def test_verbose_draws_a_bar_on_standard_error(capsys):
    X, y = make_toys()
    learner(verbose=2).fit(X, y)
    shown = capsys.readouterr()
    assert "epoch 1" in shown.err
    assert "accuracy" in shown.err
    assert shown.out == ""


TOYS, LABELS = make_toys(40)
NAN_LABELS = LABELS.astype(object).where(np.arange(40) != 7)


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (TOYS.iloc[:0], LABELS.iloc[:0], "0 sample"),
        (TOYS.iloc[:1], LABELS.iloc[:1], "one class only"),
        (TOYS, np.full(40, "yes"), "one class only, 'yes'"),
        (TOYS, np.arange(40) % 3, "Only binary classification"),
        (TOYS, LABELS[:30], "inconsistent numbers of samples"),
        (TOYS, NAN_LABELS, "missing label .* in row 7"),
        (TOYS, np.where(np.arange(40) == 7, np.nan, np.arange(40) % 2), "missing label .* in row 7"),
        (TOYS, None, "requires y"),
        (TOYS, np.linspace(0, 1, 40), "continuous"),
        (TOYS.assign(bad=[[1]] * 40), LABELS, "column 'bad'"),
        (TOYS[[]], LABELS, "0 feature"),
        (TOYS["large"], LABELS, "2D"),
    ],
)
def test_bad_tables_and_labels_are_refused(X, y, message):
    model = learner()
    with pytest.raises(ValueError, match=message):
        model.fit(X, y)
    assert not hasattr(model, "network_")


@pytest.mark.parametrize("weights", [np.full(40, np.nan), np.full(40, np.inf), -np.ones(40), np.zeros(40), np.ones(39)])
def test_bad_row_weights_are_refused(weights):
    with pytest.raises(ValueError, match=r"weight"):
        learner().fit(TOYS, LABELS, sample_weight=weights)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"hidden_layer_sizes": (4, 0)}, "has 0"),
        ({"hidden_layer_sizes": (4, -1)}, "has -1"),
        ({"hidden_layer_sizes": (4, 2.0)}, "has 2.0"),
        ({"hidden_layer_sizes": ()}, "empty"),
        ({"hidden_layer_sizes": 4}, "must be a sequence"),
        ({"first_gate": "xor"}, "first_gate is 'xor'"),
        ({"search": "psychic"}, "search is 'psychic'"),
        ({"init": "psychic"}, "init is 'psychic'"),
        ({"init": Network([[[1]]])}, "init reads 1 literals but the table has 7"),
        ({"positive_class": "maybe"}, "positive_class is 'maybe'"),
        ({"random_state": -1}, "Seed must be between"),
        ({"max_values": 2}, "column 'colour'"),
    ],
)
def test_bad_parameters_are_refused(parameters, message):
    model = learner().set_params(**parameters)
    with pytest.raises(ValueError, match=message):
        model.fit(TOYS, LABELS)
    assert not hasattr(model, "network_")


def test_a_failed_fit_keeps_what_was_learned_before():
    model = learner().fit(TOYS, LABELS)
    network = model.network_
    with pytest.raises(RuleNetError):
        model.fit(TOYS, np.full(40, "yes"))
    with pytest.raises(ParameterError):
        model.set_params(positive_class="maybe").fit(TOYS, LABELS)
    assert model.network_ is network


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda X: X.drop(columns="shape"), "now missing"),
        (lambda X: X.rename(columns={"shape": "form"}), "unseen at fit time"),
        (lambda X: X[["shape", "colour", "large"]], "same order"),
        (lambda X: X.to_numpy()[:, :2], "2 features"),
        (lambda X: X.assign(colour=1), "column 'colour' was text in fit but is numeric here"),
    ],
)
def test_tables_with_other_columns_are_not_predicted(change, message):
    model = learner().fit(TOYS, LABELS)
    with pytest.raises(ValueError, match=message):
        model.predict(change(TOYS))
