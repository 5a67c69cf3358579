"""Tables that are not what they seem: a clear error or a warning, never a wrong answer in silence."""

import copy
import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from rulenet import Count, Encoding, RuleNetworkClassifier, TableError
from rulenet.exceptions import ParameterError, RuleNetError

rng = np.random.default_rng(0)
NUMBERS = rng.integers(0, 10, (120, 2))
HIGH = NUMBERS[:, 0] > 4
NAMED = pd.DataFrame(NUMBERS, columns=["a", "b"])


def fit(X, y=HIGH, *more, **parameters):
    search = Count(n_walks=1, n_folds=0, n_proposals=500)
    return RuleNetworkClassifier(search=search, random_state=0, **parameters).fit(X, y, *more)


def column(cells, dtype=None):
    return pd.DataFrame({"k": pd.Series(cells, dtype=dtype)})


@pytest.mark.parametrize("labels", [["a", "b"], [0, 1], [5, 7], ["x0", "x1"], [1.5, 2.5]])
def test_columns_in_another_order_are_refused_whatever_their_labels(labels):
    X = pd.DataFrame(NUMBERS, columns=labels)
    model = fit(X)
    assert (model.predict(X) == HIGH).all()
    with pytest.raises(TableError, match="same order"):
        model.predict(X[labels[::-1]])


@pytest.mark.parametrize("labels", [[1, 0], ["x1", "x0"]])
def test_columns_in_another_order_than_those_of_an_array_are_refused(labels):
    model = fit(NUMBERS)
    with pytest.raises(TableError, match="same order"):
        model.predict(pd.DataFrame(NUMBERS, columns=labels))
    assert (model.predict(pd.DataFrame(NUMBERS, columns=["0", "1"])) == HIGH).all()


def test_an_index_in_another_order_is_warned_of():
    shuffled = NAMED.sample(frac=1, random_state=1)
    y, weights = pd.Series(HIGH), pd.Series(1.0, shuffled.index)
    with pytest.warns(UserWarning, match="X and y have the same index in another order"):
        fit(shuffled, y)
    with pytest.warns(UserWarning, match="X and sample_weight have the same index in another order"):
        model = fit(NAMED, y, weights)
    with pytest.warns(UserWarning, match="same index in another order"):
        model.partial_fit(shuffled, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit(shuffled, y.loc[shuffled.index], weights)
        fit(shuffled, y.to_numpy())
        fit(NAMED.set_index(NAMED.index + 1), y)


def test_what_is_masked_is_missing():
    masked = np.ma.masked_array(NUMBERS, mask=NUMBERS > 6)
    missing = np.where(NUMBERS > 6, np.nan, NUMBERS)
    assert Encoding.learn(masked, missing=True) == Encoding.learn(missing, missing=True)
    model = fit(NUMBERS)
    assert np.array_equal(model.predict_proba(masked), model.predict_proba(missing))
    words = np.ma.masked_array([["a"], ["b"], ["a"]], mask=[[0], [0], [1]])
    assert Encoding.learn(words).codes(words).tolist() == [[0], [1], [-1]]
    with pytest.raises(TableError, match="masked labels"):
        fit(NUMBERS, np.ma.masked_array(HIGH, mask=HIGH))
    with pytest.raises(ParameterError, match="masked entries"):
        fit(NUMBERS, HIGH, np.ma.masked_array(np.ones(120), mask=HIGH))


@pytest.mark.parametrize("cells", [["yes", "no"], ["1", "0"], [1, 0], [1.0, None], [True, "maybe"]], ids=str)
def test_anything_else_where_there_were_truth_values_is_refused(cells):
    encoding = Encoding.learn(column([True, False]))
    with pytest.raises(TableError, match="'k' was Boolean in fit but holds"):
        encoding.encode(column(cells, object))
    assert encoding.codes(column(["TRUE", "false", None], object)).tolist() == [[1], [0], [-1]]


def test_truth_values_where_there_were_numbers_that_are_names_are_refused():
    encoding = Encoding.learn(column([0, 1, 2]), nominal=["k"])
    with pytest.raises(TableError, match="'k' was numeric in fit but holds True"):
        encoding.encode(column([True], object))


def test_whole_numbers_that_are_names_are_compared_exactly_as_text_too():
    names = 2**53 + np.arange(4)
    encoding = Encoding.learn(column(names), nominal=["k"])
    for dtype in (int, "Int64", object, str):
        assert encoding.codes(column(names).astype(dtype)).ravel().tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("dtype", [np.int64, np.uint64, "Int64", "UInt64"])
def test_whole_numbers_that_floats_do_not_hold_are_warned_of(dtype):
    with pytest.warns(UserWarning, match="'k' holds whole numbers beyond 2.*53.* 9007199254740993 is taken as"):
        Encoding.learn(column(2**53 + np.arange(40)).astype(dtype))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Encoding.learn(column(2**53 - np.arange(40)).astype(dtype))
        Encoding.learn(column(2**53 + np.arange(40)).astype(dtype), nominal=["k"])


@pytest.mark.parametrize("dtype", [str, object, "string"])
def test_whole_numbers_that_floats_do_not_hold_are_warned_of_as_text_and_as_objects(dtype):
    for n_rows in (40, 5000):
        with pytest.warns(UserWarning, match="'k' holds whole numbers beyond 2.*53.* 9007199254740993 is taken as"):
            Encoding.learn(column(2**53 + np.arange(n_rows)).astype(dtype))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Encoding.learn(column(2**53 - np.arange(40)).astype(dtype))


def test_whole_numbers_that_floats_do_not_hold_are_warned_of_in_batches():
    table = column(2**53 + np.arange(120)).assign(a=NUMBERS[:, 0], y=HIGH)
    with pytest.warns(UserWarning, match="'k' holds whole numbers beyond 2.*53.* 9007199254740993 is taken as"):
        fit([table[:60], table[60:]], "y")


@pytest.mark.skipif(not hasattr(np.dtypes, "StringDType"), reason="text of any length came with NumPy 2")
@pytest.mark.parametrize("nothing", [None, np.nan, pd.NA])
def test_text_of_any_length_in_numpy_is_text(nothing):
    cells = ["x", "y", nothing, "x", "y", "x"] * 20
    texts = np.array(cells, dtype=np.dtypes.StringDType(na_object=nothing)).reshape(-1, 1)
    for nominal in ("auto", "all"):
        assert Encoding.learn(texts, nominal=nominal).codes(texts).ravel().tolist() == [0, 1, -1, 0, 1, 0] * 20
    labels = np.where(HIGH, "yes", "no").astype(np.dtypes.StringDType())
    assert (fit(NUMBERS, labels).predict(NUMBERS) == labels).all()


@pytest.mark.parametrize("unit", ["ns", "us", "s", "D"])
def test_durations_of_numpy_among_objects_are_durations(unit):
    cells = [np.timedelta64("NaT"), np.timedelta64(3, unit), np.timedelta64(5, unit)] * 40
    found = Encoding.learn(column(cells, object), cuts={"k": [pd.Timedelta(4, unit)]} if unit != "ns" else None)
    assert [a.kind for a in found.attributes] == ["duration"]


@pytest.mark.parametrize(
    "cells",
    [np.array(["2021-01-01", "400000-01-01"] * 9, "M8[s]"), np.array([3, 10**15] * 9, "m8[s]")],
    ids=["dates", "durations"],
)
def test_what_microseconds_do_not_hold_is_refused(cells):
    with pytest.raises(TableError, match="too far from 1970 to be counted in microseconds"):
        Encoding.learn(cells.reshape(-1, 1))
    with pytest.raises(TableError, match="too far from 1970 to be counted in microseconds"):
        Encoding.learn(np.array([cells[0], cells[0] + 5], cells.dtype).reshape(-1, 1)).encode(cells.reshape(-1, 1))


def test_a_missing_label_in_a_list_is_no_class_called_nan():
    labels = ["yes" if high else float("nan") for high in HIGH]
    for learn in (fit, lambda X, y: RuleNetworkClassifier().partial_fit(X, y)):
        with pytest.raises(TableError, match="y has a missing label"):
            learn(NUMBERS, labels)
    model = fit(NUMBERS, np.where(HIGH, "yes", "no"))
    with pytest.raises(TableError, match="y has a missing label"):
        model.partial_fit(NUMBERS, labels)


@pytest.mark.parametrize("kind", [list, tuple, lambda labels: pd.Series(labels, dtype=object)])
def test_text_among_other_labels_is_refused(kind):
    with pytest.raises(TableError, match="y holds '1' and 1, but labels must be all text or all something else"):
        fit(NUMBERS, kind([1 if high else "1" for high in HIGH]))


@pytest.mark.parametrize("unit", ["ns", "s", "D"])
def test_dates_that_are_classes_stay_dates(unit, tmp_path):
    early, late = np.datetime64("2020-01-01", unit), np.datetime64("2021-01-01", unit)
    labels = np.where(HIGH, late, early)
    for y in (labels, labels - np.datetime64("2019-01-01", unit)):
        model = fit(NUMBERS, y)
        assert model.score(NUMBERS, y) == 1
        assert not any(isinstance(label, int) for label in model.classes_.tolist())
        with pytest.raises(RuleNetError, match="which a model file cannot say"):
            model.save(tmp_path / "model.json")


def objects(*cells):
    found = np.empty(120, object)
    found[:] = cells * 60
    return found


@pytest.mark.parametrize(
    "labels",
    [
        *(objects(1, "1"), objects(Decimal(0), Decimal(1)), objects({1}, {2}), objects((1,), (2,))),
        *(np.array(cells * 60) for cells in ([b"a", b"b"], [np.inf, 1], [1j, 2], [0.25, 0.5])),
    ],
    ids=lambda labels: str(labels[0]),
)
@pytest.mark.filterwarnings("error")
def test_labels_that_are_no_classes_are_an_error_of_ours(labels):
    with pytest.raises(RuleNetError):
        fit(NUMBERS, labels)


def test_truth_values_kept_as_objects_are_labels():
    assert (fit(NUMBERS, HIGH.astype(object)).predict(NUMBERS) == HIGH).all()


def test_one_number_and_gaps_tell_both_classes():
    for labels in (HIGH, ~HIGH):
        X = column(np.where(labels, 1.0, np.nan))
        for positive in (True, False):
            model = fit(X, HIGH, positive_class=positive)
            assert (model.predict(X) == HIGH).all()
            assert (model.rows(X, model.target_name_) == (positive == HIGH)).all()


def test_learning_on_takes_rows_without_names_by_position():
    model = fit(NAMED).partial_fit(NUMBERS, HIGH)
    assert (model.predict(NAMED) == HIGH).all()
    with pytest.raises(TableError):
        model.partial_fit(NUMBERS[:, :1], HIGH)


@pytest.mark.parametrize("labels", [[1, 2], [2, 1], [1, 0], [10, 20]])
def test_a_list_of_directions_goes_by_position_whatever_the_labels_of_columns(labels):
    X = pd.DataFrame(NUMBERS, columns=labels)
    assert (fit(X, monotonic_cst=[1, 0]).predict(X) == HIGH).all()
    model = fit(X, monotonic_cst=[-1, 0])
    assert {c.attribute.name for c in model.formula_.conditions} <= {str(labels[1])}


@pytest.mark.parametrize("labels", [[1, 2], [2, 1], [1, 0], [10, 20], ["a", "b"]])
@pytest.mark.parametrize("wish", [{"cuts": [2.5, 4.5]}, {"nominal": None}, {"forbid": None}])
def test_columns_with_numbers_for_labels_are_found_by_label_at_every_stage(labels, wish):
    X, name = pd.DataFrame(NUMBERS, columns=labels).assign(text="x"), labels[0]
    X = X.set_axis([*labels, "text" if isinstance(name, str) else 7], axis="columns")
    X.iloc[::2, 2] = "y"
    asked = {key: [name] if value is None else {name: value} for key, value in wish.items()}
    model = fit(X, HIGH, **asked)
    on = [copy.copy(model).partial_fit(X, HIGH), copy.copy(model).set_params(warm_start=True).fit(X, HIGH)]
    for stage in [model, model.refit(X, HIGH), *on]:
        attribute = stage.encoding_.attributes[0]
        read = {condition.attribute.name for condition in stage.formula_.conditions}
        assert set(attribute.cuts) <= {2.5, 4.5} or "cuts" not in wish
        assert attribute.kind == "nominal" or "nominal" not in wish
        assert str(name) not in read or "forbid" not in wish


def test_several_columns_of_labels_leave_columns_with_numbers_for_labels_what_they_are():
    X = pd.DataFrame(NUMBERS, columns=[1, 0])
    Y = pd.DataFrame({"p": HIGH, "q": HIGH & (NUMBERS[:, 1] > 3), "r": np.where(HIGH, "u", "v")})
    model = fit(X, Y, forbid=[0])
    assert {c.attribute.name for c in model.formula_.conditions} == {"1"}
    assert fit(X, Y).score(X, Y) == 1


def test_labels_of_another_type_are_no_labels_of_other_rows():
    model = fit(NAMED)
    for judge in (model.rule_statistics, model.refit, lambda X, y: model.with_formula(model.formula_, X, y)):
        with pytest.raises(TableError, match=r"'(True|False)', but the class"):
            judge(NAMED, HIGH.astype(str))
    kinds = np.where(HIGH, 2, NUMBERS[:, 1] > 4)
    several = fit(NAMED, kinds, on_conflict="abstain")
    for judge in (several.rule_statistics, several.refit, several.score):
        with pytest.raises(TableError, match=r"'[012]', but the class"):
            judge(NAMED, kinds.astype(str))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.rule_statistics(NAMED, HIGH[:5])


def test_classes_that_are_balanced_come_in_the_order_of_their_rows_however_sums_are_rounded():
    X = pd.DataFrame({"a": np.arange(400)})
    y = np.where(X["a"] < 40, "rare", np.where(X["a"] % 3 == 0, "some", "many"))
    for labels in (y, np.where(y == "some", "many", y), np.where(y == "rare", "a", "b")):
        model = fit(X, labels, class_weight="balanced")
        again = fit([X[:70].assign(y=labels[:70]), X[70:].assign(y=labels[70:])], "y", class_weight="balanced")
        assert (again.predict_proba(X) == model.predict_proba(X)).all()
        if len(model.classes_) == 2:
            positive = fit(X, labels, class_weight="balanced", positive_class="minority").positive_class_
            assert positive == min(model.classes_, key=labels.tolist().count)


@pytest.mark.parametrize(
    "wish",
    [
        *({"monotonic_cst": {"a": direction}} for direction in (0.5, "1", True, 2)),
        *({"monotonic_cst": {1, 0}}, {"hidden_layer_sizes": {4, 8}}, {"search": Count}),
        *({"cuts": {"a": "25"}}, {"cuts": {"a": 5}}, {"ordinal": {"a": "0123456789"}}),
    ],
    ids=str,
)
def test_what_parameters_do_not_take_is_refused(wish):
    with pytest.raises(ParameterError, match=f"{next(iter(wish))} is .*, but must be"):
        RuleNetworkClassifier(**wish).fit(NAMED, HIGH)


def test_columns_of_labels_in_another_order_are_refused():
    Y = pd.DataFrame({"p": HIGH, "q": NUMBERS[:, 1] > 3})
    model = fit(NAMED, Y)
    assert model.score(NAMED, Y) == model.score(NAMED, Y.to_numpy()) > 0.9
    for judge in (model.score, model.rule_statistics):
        with pytest.raises(TableError, match="columns of y must be in the same order"):
            judge(NAMED, Y[["q", "p"]])
        with pytest.raises(TableError, match="it holds 'True'"):
            judge(NAMED, Y.astype(str))
