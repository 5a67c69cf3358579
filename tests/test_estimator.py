import copy
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

from rulenet import Anneal, Greedy, Network, ParameterError, RandomInit, RuleNetError, RuleNetworkClassifier
from rulenet.count.count import Count
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


@parametrize_with_checks(
    [
        RuleNetworkClassifier(),
        RuleNetworkClassifier(search="greedy"),
        RuleNetworkClassifier(nominal="all", search=Anneal(n_restarts=2, n_folds=2, n_proposals=20_000)),
        RuleNetworkClassifier(nominal="all", search="greedy"),
    ]
)
def test_scikit_learn_finds_nothing_to_object_to(estimator, check):
    if "multioutput" in check.func.__name__ or "multilabel" in check.func.__name__:
        # several columns of labels take as many searches; short ones show as much
        estimator = clone(estimator).set_params(search=Count(n_walks=1, n_folds=0, n_proposals=1_000))
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


def test_weights_that_are_shares_of_a_whole_tell_as_much_as_their_rows():
    rng = np.random.default_rng(0)
    X = rng.random((300, 5)) < 0.5
    y = (X.sum(axis=1) >= 3) ^ (rng.random(300) < 0.1)
    model = RuleNetworkClassifier(search=Count(n_walks=1, n_folds=2, n_proposals=3_000), random_state=0)
    plain = model.fit(X, y).predict_proba(X)
    assert np.ptp(plain[:, 1]) > 0.5
    assert model.fit(X, y, sample_weight=np.full(300, 1 / 300)).predict_proba(X) == pytest.approx(plain, abs=1e-6)


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


def test_numbers_are_measured_unless_the_user_says_that_they_are_names():
    X, y = make_toys()
    X["count"] = np.arange(len(X)) % 40
    kinds = [learner(nominal=nominal).fit(X, y).encoding_.attributes[3].kind for nominal in ("auto", ["count"], "all")]
    assert kinds == ["numeric", "nominal", "nominal"]


def make_numbers(n_rows=300, seed=0):
    """Between 20 and 37.5 years, or of great weight; some ages are missing."""
    rng = np.random.default_rng(seed)
    age, weight = rng.uniform(0, 90, n_rows).round(1), rng.normal(70, 12, n_rows)
    y = ((age > 20) & (age <= 37.5)) | (weight > 85)
    return pd.DataFrame({"age": np.where(rng.random(n_rows) < 0.1, np.nan, age), "weight": weight}), y


def test_intervals_are_found_and_read_as_such():
    X, y = make_numbers()
    model = RuleNetworkClassifier(random_state=0).fit(X, y)
    assert model.score(X, y) > 0.93
    assert "< age <=" in model.export("text")


def test_the_numbers_shown_change_no_training_prediction():
    X, y = make_numbers()
    model = RuleNetworkClassifier(random_state=0).fit(X, y)
    assert model.history_[-1] == pytest.approx(model.score(X, y))
    for attribute in model.encoding_.attributes:
        for cut in attribute.cuts:
            assert len(f"{cut:.12g}") <= 6, f"{cut} is not round"


def test_cuts_of_the_user_stay_where_they_are():
    X, y = make_numbers()
    model = RuleNetworkClassifier(cuts={"age": [18, 30, 65]}, random_state=0).fit(X, y)
    assert set(model.encoding_.attributes[0].cuts) <= {18, 30, 65}


@pytest.mark.parametrize("positive", ["majority", "minority"])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_monotonic_column_never_turns_the_other_way(sign, positive):
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"a": rng.normal(size=200), "b": rng.normal(size=200)})
    y = (X["a"] + rng.normal(0, 1, 200) > 0.7).to_numpy()
    model = RuleNetworkClassifier(monotonic_cst={"a": sign}, positive_class=positive, random_state=0).fit(X, y)
    steps = pd.DataFrame(
        {"a": np.repeat(np.linspace(-4, 4, 200)[np.newaxis], 20, axis=0).ravel(), "b": np.repeat(X["b"][:20], 200)}
    )
    predicted = model.predict_proba(steps)[:, 1].reshape(20, 200)
    assert (np.diff(predicted, axis=1) * sign >= 0).all()


def test_what_is_forbidden_is_not_asked_and_what_is_unknown_is_refused():
    X, y = make_numbers()
    model = RuleNetworkClassifier(forbid=["age"], random_state=0).fit(X, y)
    assert "age" not in model.export("text")
    with pytest.raises(ParameterError, match="sex"):
        RuleNetworkClassifier(forbid=["sex"]).fit(X, y)


def test_columns_that_the_model_does_not_read_need_not_be_there():
    X, y = make_numbers()
    X["noise"] = np.random.default_rng(9).normal(size=len(X))
    model = RuleNetworkClassifier(forbid=["noise"], random_state=0).fit(X, y)
    assert model.predict(X.drop(columns="noise")).tolist() == model.predict(X).tolist()


def test_integer_column_names_are_shown_as_they_are():
    X, y = make_numbers()
    X.columns = [10, 20]
    model = RuleNetworkClassifier(random_state=0).fit(X, y)
    assert {a.name for a in model.encoding_.attributes} == {"10", "20"}
    assert "20 > 8" in model.export("text")


def test_class_weights_leave_probabilities_on_the_scale_of_the_data():
    X, y = make_numbers(600)
    balanced = RuleNetworkClassifier(class_weight="balanced", random_state=0).fit(X, y)
    assert balanced.predict_proba(X)[:, 1].mean() == pytest.approx(y.mean(), abs=0.03)


def make_rare(n_rows, seed):
    """1.5% of rows are met, most often those that look odd; few of these are, though."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"a": rng.normal(size=n_rows).round(2), "b": rng.choice([*"uvw"], n_rows)})
    return X, rng.random(n_rows) < np.where((X["a"] > 1) & (X["b"] != "u"), 0.12, 0.004)


@pytest.mark.parametrize("search", [Anneal(n_restarts=1, n_proposals=2000), Count(n_walks=1, n_folds=2)])
def test_class_weights_that_find_rare_rows_do_not_make_them_more_probable(search):
    X, y = make_rare(3000, 0)
    fresh, met = make_rare(8000, 1)
    model = RuleNetworkClassifier(search=search, class_weight="balanced", random_state=0).fit(X, y)
    found = model.predict_proba(fresh)
    assert y.mean() == pytest.approx(0.015, abs=0.003)
    assert model.predict(fresh).mean() > 0.05
    assert found[:, 1].mean() == pytest.approx(met.mean(), abs=0.005)
    assert ((found > 0) & (found < 1)).all()
    assert found.sum(axis=1) == pytest.approx(1)
    margins = np.arange(-5, 6)[:, np.newaxis]
    grown = model.fitted_.probabilities_of(margins)[:, model.fitted_.positive]
    assert (np.diff(grown) >= 0).all()


def follows(model):
    """Whether what is predicted is always most probable, in all networks of a classifier."""
    fitted = model.fitted_
    found = {x.calibration.follows for x in getattr(fitted, "targets", (fitted, *fitted.alternatives))}
    assert len(found) == 1
    return found.pop()


@pytest.mark.parametrize(
    ("class_weight", "expected"),
    [(None, True), ({"yes": 3, "no": 3}, True), ({"yes": 1}, True), ({"yes": 3}, False), ("balanced", False)],
)
def test_only_where_classes_weigh_differently_may_another_class_be_more_probable(class_weight, expected):
    X, y = make_toys()
    assert y.value_counts().nunique() == 2
    weights = np.random.default_rng(0).integers(1, 5, len(y))
    model = RuleNetworkClassifier(search=Anneal(n_restarts=1, n_proposals=500), random_state=0)
    model.set_params(class_weight=class_weight).fit(X, y, weights)
    assert follows(model) == expected
    assert follows(pickle.loads(pickle.dumps(model))) == expected
    assert follows(model.refit(X, y)) == expected
    assert follows(model.with_formula(model.formula_)) == expected
    assert follows(model.with_formula(model.formula_, X, y)) == expected
    assert follows(model.rename_concepts({})) == expected
    assert [follows(model.choose(row)) for row in range(len(model.pareto_))] == [expected] * len(model.pareto_)
    assert follows(copy.deepcopy(model).partial_fit(X, y)) == expected
    assert follows(copy.deepcopy(model).set_params(warm_start=True).fit(X, y)) == expected
    assert follows(copy.deepcopy(model).set_params(class_weight=None, warm_start=True).fit(X, y))
    assert follows(model.set_params(class_weight=None).refit(X, y))


def test_balanced_weights_of_classes_that_are_equally_frequent_change_nothing():
    X, y = make_toys()
    rows = np.sort(np.concatenate([np.flatnonzero(y == label)[:30] for label in ("no", "yes")]))
    assert follows(learner(class_weight="balanced").fit(X.iloc[rows], y.iloc[rows]))


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
        ({"hidden_layer_sizes": (4, 0)}, "hidden_layer_sizes is .4, 0., but must be"),
        ({"hidden_layer_sizes": (4, -1)}, "integer of at least 1"),
        ({"hidden_layer_sizes": (4, 2.0)}, "integer of at least 1"),
        ({"hidden_layer_sizes": ()}, "at least 1"),
        ({"hidden_layer_sizes": 4}, "must be 'auto' or a list"),
        ({"first_gate": "xor"}, "first_gate is 'xor'"),
        ({"search": "psychic"}, "search is 'psychic'"),
        ({"init": "psychic"}, "init is 'psychic'"),
        ({"init": Network([[[1]]])}, "init reads 1 literals but the table has 7"),
        ({"positive_class": "maybe"}, "positive_class is 'maybe'"),
        ({"random_state": -1}, "Seed must be between"),
        ({"n_jobs": 0}, "n_jobs is 0, but must be None or an integer of at least 1"),
        ({"max_values": 2, "nominal": ["colour"]}, "column 'colour'"),
        ({"cuts": {"age": [1]}}, "age"),
        ({"monotonic_cst": {"colour": 1}}, "colour"),
        ({"monotonic_cst": [0, 0]}, "monotonic_cst lists 2 directions, but the table has 3 columns"),
        ({"missing": "maybe"}, "missing is 'maybe'"),
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
