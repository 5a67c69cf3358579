"""Tables that are not what they seem: a clear error or a warning, never a wrong answer in silence."""

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
