import datetime
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rulenet import Network, bits
from rulenet.conditions import Attribute
from rulenet.encoding import Encoding
from rulenet.encoding.measures import measure, roundest
from rulenet.placing import Gap, gaps_of, place_cuts, trim
from rulenet.search.problem import Problem
from rulenet.search.weights import slice_weights


def make_problem(words, positive, encoding, weights=None):
    weights = np.ones(len(positive), np.int64) if weights is None else weights
    return Problem(words, bits.pack(positive), slice_weights(weights), encoding.relations, len(positive))


def errors_of(net, problem, literals):
    return replace(problem, literals=literals).errors(net)


def place(table, network, positive, weights=None, *, fixed=(), **wishes):
    encoding, words = Encoding.learn_encode(table, missing=False, **wishes)
    problem = make_problem(words, positive, encoding, weights)
    placed = place_cuts(network(encoding), encoding, table, problem, fixed=fixed)
    return encoding, placed, problem, network(encoding)


def reading(*texts):
    """A network that is true where all of some conditions are."""

    def build(encoding):
        shown = [str(condition) for condition in encoding.conditions]
        assert set(texts) <= set(shown)
        return Network([[[text in texts for text in shown]]])

    return build


@st.composite
def cases(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_rows = draw(st.integers(2, 150))
    numbers = np.where(rng.random(n_rows) < 0.1, np.nan, rng.normal(size=n_rows))
    infinite = np.where(
        rng.random(n_rows) < 0.1, rng.choice([-np.inf, np.inf], n_rows), rng.normal(size=n_rows).round(1)
    )
    table = pd.DataFrame(
        {
            "a": numbers,
            "b": rng.integers(-30, 30, n_rows),
            "c": rng.integers(0, 5, n_rows),
            "d": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 10**7, n_rows), unit="s"),
            "e": infinite,
            "f": rng.choice(["red", "blue"], n_rows),
        }
    )
    positive, weights = rng.random(n_rows) < 0.5, rng.integers(0, 4, n_rows)

    def network(encoding):
        n_literals, rng = len(encoding.conditions), np.random.default_rng(1)
        hidden = rng.random((4, n_literals)) < 3 / n_literals
        return Network([hidden, np.ones((1, 4), bool)])

    return table, network, positive, weights


@settings(deadline=None)
@given(cases(), st.integers(1, 8))
def test_errors_never_rise_and_what_is_not_read_stays(case, max_cuts):
    table, network, *labels = case
    encoding, placed, problem, net = place(table, network, *labels, max_cuts=max_cuts)
    assert errors_of(net, problem, placed.encode(table)) <= errors_of(net, problem, problem.literals)
    for old, new, read in zip(encoding.conditions, placed.conditions, net.reads, strict=True):
        assert read or str(old) == str(new)
    assert np.array_equal(placed.encode(table)[~net.reads], problem.literals[~net.reads])


@settings(deadline=None)
@given(cases())
def test_rounding_changes_no_prediction_on_the_training_rows(case):
    table, network, _, weights = case
    encoding, words = Encoding.learn_encode(table, missing=False)
    net = network(encoding)
    settled = make_problem(words, bits.unpack(net.evaluate(words), len(table)), encoding, weights)  # all is right
    placed = place_cuts(net, encoding, table, settled)
    assert np.array_equal(placed.encode(table)[net.reads], words[net.reads])
    again = place_cuts(net, placed, table, settled)
    assert again == placed


@settings(deadline=None)
@given(cases())
def test_no_other_gap_of_a_single_cut_has_fewer_errors(case):
    table, _, positive, weights = case
    table = table[["a"]].dropna()
    if table["a"].nunique() < 2:
        return
    positive, weights = positive[table.index], weights[table.index]
    first = Encoding.learn(table, max_cuts=1).conditions[0]
    _, placed, problem, net = place(table, reading(str(first)), positive, weights, max_cuts=1)
    values = np.unique(table["a"])

    def errors(cut):
        return weights[(table["a"].to_numpy() <= cut) != positive].sum()

    assert errors_of(net, problem, placed.encode(table)) == min(errors(cut) for cut in values[:-1])


def test_a_cut_moves_to_the_best_gap_and_is_round():
    values = np.arange(1000) / 7
    table = pd.DataFrame({"age": values})
    _, placed, problem, net = place(table, reading("age <= 71.4"), values <= 37.5, max_cuts=1)
    assert str(placed.conditions[0]) == "age <= 37.5"
    assert errors_of(net, problem, placed.encode(table)) == 0


def test_both_sides_of_a_cut_move_together_and_others_keep_their_positions():
    values = np.arange(100)
    table = pd.DataFrame({"x": values, "y": values % 10})
    encoding = Encoding.learn(table, max_cuts=3)
    shown = [str(condition) for condition in encoding.conditions]
    low, high = next((a, b) for a in shown for b in shown if a[:4] == "x <=" and b == a.replace("<=", ">"))
    _, placed, _, _ = place(table, reading(low, high), np.zeros(100, bool), max_cuts=3)
    assert [str(x) for x in placed.conditions] == shown


def test_fixed_columns_and_single_numbers_stay():
    values = np.repeat([1, 2, 3], 30)
    table = pd.DataFrame({"x": np.arange(90), "k": values})
    encoding = Encoding.learn(table, cuts={"x": [10]})
    for text in ("x <= 10", "k = 2"):
        _, placed, _, _ = place(table, reading(text), np.arange(90) > 70, fixed=["x"], cuts={"x": [10]})
        assert [str(x) for x in placed.conditions] == [str(x) for x in encoding.conditions]


def test_dates_are_placed_and_rounded_as_dates():
    moments = pd.date_range("2023-06-01", periods=400)
    table = pd.DataFrame({"signed": moments})
    encoding = Encoding.learn(table, max_cuts=1)
    positive = np.asarray(moments <= "2024-01-01")
    _, placed, _, _ = place(table, reading(str(encoding.conditions[0])), positive, max_cuts=1)
    assert str(placed.conditions[0]) == "signed <= 2024-01-01"


def test_trimming_keeps_what_is_read():
    table = pd.DataFrame({"x": np.arange(90.0), "y": np.arange(90) % 7, "z": list("ab") * 45})
    encoding, words = Encoding.learn_encode(table)
    reads = np.isin([str(x) for x in encoding.conditions], ["x > 41", "y = 3", "z = a"])
    trimmed = trim(encoding, reads)
    assert np.array_equal(trimmed.encode(table), words[reads])
    assert [a.cuts for a in trimmed.attributes] == [(41,), (2, 3), ()]


def test_gaps_are_told():
    table = pd.DataFrame({"x": [1.0, 2.0, 5.0, 9.0]})
    encoding = Encoding.learn(table, cuts={"x": [0, 3, 7]})
    assert gaps_of(encoding.attributes[0], encoding, table) == (Gap(2, 3, 5), Gap(5, 7, 9))


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (37.4821, 37.6, 37.5),
        (95, 105, 100),
        (-0.3, 8, 0),
        (0.1, 0.2, 0.1),
        (-7.3, -7.2, -7.3),
        (1e-9, 1e-3, 0.0005),
        (-np.inf, 3, 0),
        (5, np.inf, 10),
        (-np.inf, np.inf, 0),
        (1.0, np.nextafter(1.0, 2), 1),
        (np.nextafter(1.0, 0), 1.0, np.nextafter(1.0, 0)),
        (1e300, 2e300, 1e300),
    ],
)
def test_the_roundest_number_of_a_gap(low, high, expected):
    assert roundest(low, high) == expected


@given(st.floats(allow_nan=False), st.floats(allow_nan=False))
def test_the_roundest_number_lies_in_its_gap(a, b):
    low, high = sorted([a, b])
    if low < high:
        found = roundest(low, high)
        assert low <= found < high
        assert np.isfinite(found) or high == -np.finfo(float).max


@given(st.integers(-(10**12), 10**12), st.integers(1, 10**9))
def test_whole_numbers_and_durations_are_rounded_within_their_gap(low, width):
    for kind, whole in (("numeric", True), ("duration", False)):
        found = roundest(low, low + width, kind, whole)
        assert low <= found < low + width
        assert float(found).is_integer()


@given(st.datetimes(), st.timedeltas(datetime.timedelta(microseconds=1), datetime.timedelta(days=4000)))
def test_dates_are_rounded_within_their_gap(start, width):
    low = measure(start).number
    high = low + width // datetime.timedelta(microseconds=1)
    assert low <= roundest(low, high, "date") < high


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        ("2023-11-05", "2024-03-01", "2024-01-01 00:00:00"),
        ("2024-02-10 08:00", "2024-03-20", "2024-03-01 00:00:00"),
        ("2024-02-10 08:00", "2024-02-12 08:00", "2024-02-11 00:00:00"),
        ("2024-02-10 08:20", "2024-02-10 09:01", "2024-02-10 09:00:00"),
    ],
)
def test_dates_are_rounder_at_the_start_of_a_year_month_day_or_hour(low, high, expected):
    found = roundest(measure(low).number, measure(high).number, "date")
    assert Attribute("d", kind="date").shown(found) == expected
