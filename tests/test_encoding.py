import datetime
import enum
import pickle
import re
import subprocess
import sys
import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import reference
from rulenet import bits, conditions, relations
from rulenet.conditions import MISSING, UNKNOWN, Attribute
from rulenet.encoding import Encoding, LeftOutWarning, packing
from rulenet.encoding.cuts import SAMPLE
from rulenet.exceptions import ParameterError, RuleNetError, TableError
from strategies import COLUMNS, MEASURED, tables

ANY = [*COLUMNS, *MEASURED]


def values_of(table, **options):
    return [attribute.values for attribute in Encoding.learn(table, **options).attributes]


def cuts_of(table, *args, **options):
    return [attribute.cuts for attribute in Encoding.learn(table, *args, **options).attributes]


def shown(table, *args, **options):
    return [str(condition) for condition in Encoding.learn(table, *args, **options).conditions]


def encode_bits(encoding, table, **options):
    n_rows = len(table)
    return bits.unpack(encoding.encode(table, **options), n_rows).T.tolist()


def one_column(cells, dtype=object):
    return pd.DataFrame({"c": pd.Series(cells, dtype=dtype)})


# A slow reading of conditions, which knows nothing of cells


def number(cell):
    if isinstance(cell, pd.Timedelta | datetime.timedelta):
        return pd.Timedelta(cell) // pd.Timedelta(microseconds=1)
    if (isinstance(cell, str) and cell[:2] == "20") or isinstance(cell, datetime.date):
        moment = pd.Timestamp(cell)
        moment = moment if moment.tzinfo is None else moment.tz_convert("UTC").tz_localize(None)
        return (moment - pd.Timestamp(0)) // pd.Timedelta(microseconds=1)
    return float(cell)


def holds(condition, cell):
    attribute = condition.attribute
    if pd.isna(cell):
        return condition.asks_missing
    if attribute.measured:
        x = number(cell)
        return any((low is None or low < x) and (high is None or x <= high) for low, high in condition.ranges)
    if attribute.values == (False, True) and isinstance(cell, str):
        cell = cell.lower() == "true"
    return any(reference.is_same(cell, value) for value in condition.members)


# Laws


@pytest.mark.kernels
@settings(deadline=None)
@given(tables(columns=ANY), st.booleans(), st.sampled_from(["auto", True, False]))
def test_every_condition_holds_where_it_reads_so(table, not_equal, missing):
    encoding, words = Encoding.learn_encode(table, not_equal=not_equal, missing=missing)
    rows = table.astype(object).to_numpy()
    expected = [[holds(x, row[i]) for x, i in zip(encoding.conditions, encoding.owners, strict=True)] for row in rows]
    assert bits.unpack(words, len(table)).T.tolist() == expected


@pytest.mark.kernels
@settings(deadline=None)
@given(tables(columns=ANY), st.integers(1, 5))
def test_codes_tell_what_bits_tell(table, max_cuts):
    encoding, words = Encoding.learn_encode(table, missing=True, not_equal=True, max_cuts=max_cuts)
    codes = encoding.codes(table)
    for condition, i, row in zip(encoding.conditions, encoding.owners, bits.unpack(words, len(table)), strict=True):
        assert np.array_equal(condition.table[codes[:, i]], row)


@given(tables(), st.booleans())
def test_nominal_bits_agree_with_the_reference(table, not_equal):
    encoding = Encoding.learn(table, nominal="all", not_equal=not_equal, missing=False)
    rows = table.astype(object).to_numpy().tolist()
    values = [attribute.values for attribute in encoding.attributes]
    assert encode_bits(encoding, table) == reference.encode(rows, values, not_equal)


@given(tables())
def test_nominal_values_agree_with_the_reference(table):
    for name, values in zip(table, values_of(table, nominal="all"), strict=True):
        if table[name].dtype not in ("category", "bool", "boolean"):
            assert list(values) == reference.values_of(table[name].astype(object))


@settings(max_examples=30, deadline=None)
@given(tables(max_rows=70, columns=ANY), st.data())
def test_a_row_is_encoded_by_itself(learned, data):
    encoding = Encoding.learn(learned, not_equal=True, missing=True)
    rows = np.array(data.draw(st.lists(st.integers(0, len(learned) - 1), min_size=1, max_size=70)))
    table = learned.astype(object).iloc[rows]
    single = [encode_bits(encoding, table.iloc[[r]])[0] for r in range(len(table))]
    assert encode_bits(encoding, table) == single
    assert encode_bits(encoding, learned.iloc[rows]) == single


@settings(deadline=None)
@given(tables(columns=ANY), st.integers(1, 3))
def test_learning_and_encoding_at_once_is_the_same(table, n_jobs):
    target = np.arange(len(table)) % 3
    encoding, words = Encoding.learn_encode(table, target, not_equal=True, n_jobs=n_jobs)
    assert encoding == Encoding.learn(table, target, not_equal=True)
    assert np.array_equal(words, encoding.encode(table, n_jobs=n_jobs))


@settings(deadline=None)
@given(tables(columns=ANY), st.data())
def test_only_the_needed_conditions_are_filled(table, data):
    encoding = Encoding.learn(table, not_equal=True)
    n_conditions = len(encoding.conditions)
    only = np.array(data.draw(st.lists(st.booleans(), min_size=n_conditions, max_size=n_conditions)))
    words, needed = encoding.encode(table), encoding.encode(table, only=only)
    assert np.array_equal(needed[only], words[only])
    assert not needed[~only].any()


@settings(deadline=None)
@given(tables(max_rows=70, columns=ANY))
def test_exclusive_conditions_exclude_each_other_and_spare_bits_are_zero(table):
    encoding = Encoding.learn(table, not_equal=True)
    words = encoding.encode(table)
    assert not (words & ~bits.mask(len(table))).any()
    rows, exclusive = bits.unpack(words, len(table)), encoding.relations.exclusive
    for group in range(exclusive.max() + 1):
        assert rows[exclusive == group].sum(axis=0).max() <= 1


@settings(deadline=None)
@given(tables(max_rows=70, columns=ANY))
def test_the_condition_further_up_holds_wherever_this_one_does(table):
    encoding = Encoding.learn(table)
    rows, up = bits.unpack(encoding.encode(table), len(table)), encoding.relations.up
    for j in np.flatnonzero(up >= 0):
        assert not (rows[j] & ~rows[up[j]]).any()


@settings(deadline=None)
@given(tables(max_rows=20, columns=ANY))
def test_pickle_keeps_the_encoding(table):
    encoding = Encoding.learn(table)
    encoding.encode(table)
    copy = pickle.loads(pickle.dumps(encoding))
    assert copy == encoding
    assert np.array_equal(copy.encode(table), encoding.encode(table))


def test_models_pickled_earlier_find_the_relations_of_conditions():
    assert conditions.Relations is relations.Relations


# Numbers


@st.composite
def numbers(draw):
    cells = st.one_of(st.floats(), st.integers(-20, 20).map(float), st.sampled_from([0.1, 0.2, 0.3]))
    column = np.array(draw(st.lists(cells, min_size=2, max_size=100)))
    return column, np.array(draw(st.lists(st.integers(0, 2), min_size=len(column), max_size=len(column))))


@settings(deadline=None)
@given(numbers(), st.integers(1, 20), st.booleans())
def test_values_at_just_below_and_just_above_every_cut_are_told_apart(case, max_cuts, labelled):
    column, target = case
    table = np.column_stack([column, np.arange(len(column))])
    encoding = Encoding.learn(table, target if labelled else None, max_cuts=max_cuts)
    cuts = np.array(encoding.attributes[0].cuts, float)
    later = np.concatenate([cuts, np.nextafter(cuts, -np.inf), np.nextafter(cuts, np.inf), [np.nan, np.inf, -np.inf]])
    words = encoding.encode(np.column_stack([later, np.zeros(len(later))]))
    for condition, i, row in zip(encoding.conditions, encoding.owners, bits.unpack(words, len(later)), strict=True):
        if i == 0:
            assert row.tolist() == [holds(condition, x) for x in later]


@settings(deadline=None)
@given(numbers(), st.integers(1, 20))
def test_cuts_are_few_lie_between_values_and_part_classes(case, max_cuts):
    column, target = case
    table = np.column_stack([column, np.arange(len(column))])
    attribute = Encoding.learn(table, target, max_cuts=max_cuts, monotonic={0: 1}).attributes[0]
    assert len(attribute.cuts) <= max_cuts
    known = column[~np.isnan(column)]
    gaps = []
    for low, high in zip(np.unique(known)[:-1], np.unique(known)[1:], strict=True):
        if len({*target[column == low], *target[column == high]}) > 1:
            gaps.append((low, high))
    places = [gap for gap in gaps for cut in attribute.cuts if gap[0] <= cut < gap[1]]
    assert len(places) == len(attribute.cuts) == len(set(places)) == min(max_cuts, len(gaps))


def test_many_rows_are_cut_at_quantiles():
    values = np.random.default_rng(0).permutation(3 * SAMPLE)
    (cuts,) = cuts_of(values[:, np.newaxis], max_cuts=3)
    assert np.allclose(cuts, np.array([0.25, 0.5, 0.75]) * 3 * SAMPLE, rtol=0.03)


def test_cuts_are_spread_where_one_value_is_frequent():
    values = np.concatenate([np.zeros(900), np.arange(1, 101) / 7])
    (cuts,) = cuts_of(values[:, np.newaxis], max_cuts=8)
    assert len(cuts) == 8


def test_whole_numbers_get_whole_cuts():
    (cuts,) = cuts_of(np.arange(100)[:, np.newaxis] * 1.0)
    assert all(isinstance(cut, int) for cut in cuts)


def test_there_are_fewer_cuts_where_columns_are_many():
    table = np.random.default_rng(0).normal(size=(50, 400))
    assert {len(cuts) for cuts in cuts_of(table)} == {2}


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ([0, 1, 1], ["= 0", "= 1"]),
        ([-7, 9], ["= -7", "= 9"]),
        ([0.5, 1.5], ["<= 1", "> 1"]),
        ([1, 2, 4], ["= 1", "= 2", "= 4", "<= 1", "<= 3", "> 1", "> 3"]),
        ([3, 3], []),
        ([0, np.inf], ["<= 0", "> 0"]),
        (range(10), [f"{sign} {k}" for sign in ("<=", ">") for k in range(9)]),
    ],
)
def test_few_whole_numbers_are_asked_both_ways(cells, expected):
    table = pd.DataFrame({"c": cells, "d": pd.Series(["x"] * len(cells))})
    assert shown(table)[:-1] == [f"c {text}" for text in expected]


def test_not_equal_is_asked_of_few_whole_numbers_and_inner_ranks():
    assert shown([[1], [2], [3]], not_equal=True)[3:6] == ["x0 != 1", "x0 != 2", "x0 != 3"]
    table = one_column(["S", "M", "L"], pd.CategoricalDtype(["S", "M", "L"], ordered=True))
    assert shown(table, not_equal=True) == ["c = M", "c != M", "c = S", "c <= M", "c > S", "c = L"]


def test_infinities_are_in_the_outer_cells():
    encoding = Encoding.learn(np.array([[-np.inf], [0.5], [np.inf], [np.nan]]))
    assert encoding.codes(np.array([[-np.inf], [np.inf], [np.nan], [0.5]])).ravel().tolist() == [0, 2, MISSING, 1]


def test_integers_beyond_floats_are_compared_as_floats():
    encoding = Encoding.learn(np.array([[2**60], [2**61], [3 * 2**61]]))
    assert encoding.codes([[2**60 + 1], [2**62]]).ravel().tolist() == [0, 1]


@pytest.mark.parametrize("dtype", ["int8", "uint64", "float32", "Int16", "Float64", "UInt8", "object", "str"])
def test_numbers_of_all_types_agree(dtype):
    cells = [1, 2, 3, 5, 8, 13, 21, 34, 55, 89]
    encoding, words = Encoding.learn_encode(one_column(cells, "int64"))
    other, other_words = Encoding.learn_encode(one_column([str(x) for x in cells] if dtype == "str" else cells, dtype))
    assert other == encoding
    assert np.array_equal(words, other_words)


def test_nullable_arrow_and_decimal_numbers_agree_with_floats():
    pa = pytest.importorskip("pyarrow")
    cells = [0.5, None, 1.25, 7.0, 3.5]
    encoding, words = Encoding.learn_encode(one_column(cells, "float64"))
    decimals = [None if x is None else Decimal(str(x)) for x in cells]
    for column in (
        pd.Series(cells, dtype="Float64"),
        pd.Series(cells, dtype=pd.ArrowDtype(pa.float32())),
        pd.Series(decimals, dtype=pd.ArrowDtype(pa.decimal128(9, 2))),
        pd.Series(decimals, dtype=object),
        pd.Series([None if x is None else str(x) for x in cells], dtype=pd.ArrowDtype(pa.string())),
    ):
        other, other_words = Encoding.learn_encode(pd.DataFrame({"c": column}))
        assert other == encoding
        assert np.array_equal(words, other_words)
        assert np.array_equal(encoding.encode(pd.DataFrame({"c": column})), words)


def test_many_different_numbers_as_objects_or_text_are_read():
    numbers = np.random.default_rng(0).normal(size=20_000)
    encoding, words = Encoding.learn_encode(one_column(numbers, "float64"))
    for cells in (numbers.tolist(), [repr(x) for x in numbers.tolist()], [Decimal(x) for x in numbers.tolist()]):
        other, other_words = Encoding.learn_encode(one_column(cells))
        assert other == encoding
        assert np.array_equal(words, other_words)


def test_a_column_of_numbers_takes_numbers_in_any_form_later():
    encoding = Encoding.learn(one_column([1.5, 2.5, 3.5, 9]))
    expected = encoding.encode(one_column([2.0, 10, np.nan], float))
    for cells in (["2", "1e1", None], [Decimal(2), np.int8(10), pd.NA], ["2", 10.0, np.nan]):
        assert np.array_equal(encoding.encode(one_column(cells)), expected)
    assert np.array_equal(encoding.encode(one_column(["2", "10", None], "category")), expected)
    assert not encoding.encode(one_column([None, None])).any()


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (["3", "abc"], "'age' was numeric in fit but holds 'abc' here"),
        (["3", ""], "'age' was numeric in fit but holds '' here"),
        ([True, False], "'age' was numeric in fit but is Boolean here"),
        (pd.date_range("2020", periods=2), "'age' was numeric in fit but is dates here"),
        ([3, datetime.date(2020, 1, 1)], "which reads as dates"),
    ],
)
def test_what_is_no_number_is_refused_in_a_column_of_numbers(cells, message):
    encoding = Encoding.learn(pd.DataFrame({"age": [30, 40, 50]}))
    with pytest.raises(TableError, match=message):
        encoding.encode(pd.DataFrame({"age": cells}))


def test_unused_categories_that_are_no_numbers_do_no_harm():
    encoding = Encoding.learn(one_column([1, 2]))
    table = one_column(["1", "2"], pd.CategoricalDtype(["1", "2", "abc"]))
    assert np.array_equal(encoding.encode(table), encoding.encode(one_column([1, 2])))


# Text that is something else


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["37", " -1.5e3", "+.5", "7."], "numeric"),
        (["inf", "-Infinity", "0"], "numeric"),
        (["1", "2", "nan"], "numeric"),
        (["1_000", "2"], "nominal"),
        (["1", "2", "x"], "nominal"),
        (["1,5", "2,5"], "nominal"),
        (["0x10", "1"], "nominal"),
        (["٣", "1"], "nominal"),
        (["True", "false", "TRUE"], "nominal"),
        (["2024-01-31", "2024-02-01"], "date"),
        (["2024-01-31T10:00", "2024-02-01 10:00:00.123456"], "date"),
        (["2024-01-31T10:00Z", "2024-02-01 10:00:00+02:00"], "instant"),
        (["2024-01-31T10:00Z", "2024-02-01"], "nominal"),
        (["2024-02-30", "2024-02-01"], "nominal"),
        (["20240101x", "2024-01-01"], "nominal"),
        (["2024-01-01", "37"], "nominal"),
        (["1", 2, 2.5, Decimal(3)], "numeric"),
    ],
)
def test_text_is_what_all_its_cells_are(cells, kind):
    for table in (one_column([*cells, None]), [[cell] for cell in cells]):
        assert Encoding.learn(table).attributes[0].kind == kind


def test_text_of_truth_values_is_boolean():
    encoding = Encoding.learn(one_column(["TRUE", "false", None]))
    assert encoding.attributes[0].values == (False, True)
    assert encode_bits(encoding, one_column(["true", "False"])) == [[False, True], [True, False]]
    assert encode_bits(encoding, one_column([True, False], bool)) == [[False, True], [True, False]]


def test_text_stays_text_where_it_is_said_to_be_nominal():
    assert values_of(one_column(["10", "9", "007"]), nominal=["c"]) == [("007", "10", "9")]


# Dates and durations


DAYS = ["2024-01-05", "2024-01-20", "2024-02-03", None]


@pytest.mark.parametrize(
    "column",
    [
        pd.to_datetime(DAYS).astype("datetime64[ns]"),
        pd.to_datetime(DAYS).astype("datetime64[s]"),
        np.array(DAYS, "M8[D]"),
        np.array([None if x is None else datetime.date.fromisoformat(x) for x in DAYS], object),
        np.array([None if x is None else datetime.datetime.fromisoformat(x) for x in DAYS], object),
        np.array([None if x is None else pd.Timestamp(x) for x in DAYS], object),
        np.array([None if x is None else np.datetime64(x) for x in DAYS], object),
        pd.PeriodIndex(DAYS, freq="D"),
        np.array(DAYS, object),
        pd.array(DAYS, dtype="string"),
    ],
)
def test_dates_of_all_types_agree(column):
    encoding, words = Encoding.learn_encode(pd.DataFrame({"day": column}))
    assert [str(x) for x in encoding.conditions] == [
        "day <= 2024-01-12", "day <= 2024-02-01", "day > 2024-01-12", "day > 2024-02-01"
    ]  # fmt: skip
    assert words[:, 0].tolist() == [1, 3, 6, 4]
    assert encoding.codes(pd.DataFrame({"day": DAYS})).ravel().tolist() == [0, 1, 2, MISSING]


def test_instants_are_counted_in_utc():
    column = pd.to_datetime(["2024-01-01 00:30", "2024-01-01 05:00"]).tz_localize("Europe/Vienna")
    encoding = Encoding.learn(pd.DataFrame({"at": column}))
    assert encoding.attributes[0].kind == "instant"
    assert str(encoding.conditions[0]) == "at <= 2024-01-01 00:00:00+00:00"
    expected = encoding.encode(pd.DataFrame({"at": column}))
    assert np.array_equal(encoding.encode(pd.DataFrame({"at": column.tz_convert("Asia/Tokyo")})), expected)
    assert np.array_equal(encoding.encode([["2024-01-01T00:30+01:00"], ["2024-01-01 04:00Z"]]), expected)


def test_dates_with_and_without_a_time_zone_do_not_mix():
    naive, aware = pd.Timestamp("2024"), pd.Timestamp("2024", tz="UTC")
    with pytest.raises(TableError, match="all with a time zone or all without"):
        Encoding.learn(one_column([naive, aware]))
    encoding = Encoding.learn(one_column([naive, naive + pd.Timedelta("9D")]))
    for cells in ([aware], ["2024-01-01T00:00Z"]):
        with pytest.raises(TableError, match=r"'c' was dates in fit but holds .* reads as dates with a time zone"):
            encoding.encode(one_column(cells))
    with pytest.raises(TableError, match="'c' was dates in fit but is dates with a time zone here"):
        encoding.encode(one_column([aware], "datetime64[us, UTC]"))
    with pytest.raises(TableError, match="'c' was dates in fit but is numeric here"):
        encoding.encode(one_column([3], int))


def test_durations_and_times_of_day_are_measured():
    for cells in (
        pd.to_timedelta(["8h", "20h"]),
        np.array([datetime.timedelta(hours=8), datetime.timedelta(hours=20)], object),
        np.array([datetime.time(8), datetime.time(20)], object),
    ):
        encoding = Encoding.learn(pd.DataFrame({"t": cells}))
        assert [str(x) for x in encoding.conditions] == ["t <= 12:00:00", "t > 12:00:00"]


def test_dates_among_other_things_are_refused():
    for cell in (datetime.date(2020, 1, 1), pd.Timestamp("2020"), np.datetime64("2020"), datetime.timedelta(1)):
        with pytest.raises(TableError, match=r"column 'c' holds .* and 'a', but expected dates only"):
            Encoding.learn(one_column(["a", cell]))


def test_dates_far_away_are_refused():
    with pytest.raises(TableError, match="outside the years 1 to 9999"):
        Encoding.learn(np.array([["2024-01-01"], ["20240-01-01"]], "M8[D]"))


# Values


def test_values_are_sorted():
    assert values_of(one_column(["b", "a", "c", "a"])) == [("a", "b", "c")]


def test_declared_categories_count_in_their_order_observed_or_not():
    column = pd.Categorical(["small", None], categories=["small", "medium", "large"])
    assert values_of(pd.DataFrame({"size": column})) == [("small", "medium", "large")]


def test_categories_are_matched_by_value_not_by_code():
    encoding = Encoding.learn(one_column(["a", "b"], "category"))
    other = one_column(["b", "a"], pd.CategoricalDtype(["x", "b", "a"]))
    assert encode_bits(encoding, other) == [[False, True], [True, False]]


@pytest.mark.parametrize("dtype", [bool, "boolean"])
def test_booleans_always_have_both_values(dtype):
    assert values_of(one_column([True, True], dtype)) == [(False, True)]


def test_arrow_columns_are_read():
    pa = pytest.importorskip("pyarrow")
    frame = pd.DataFrame(
        {
            "text": pd.Series(["b", None, "a"], dtype=pd.ArrowDtype(pa.string())),
            "flag": pd.Series([True, None, False], dtype=pd.ArrowDtype(pa.bool_())),
        }
    )
    encoding, words = Encoding.learn_encode(frame)
    assert [attribute.values for attribute in encoding.attributes] == [("a", "b"), (False, True)]
    assert words[:, 0].tolist() == [4, 1, 4, 1]
    assert np.array_equal(encoding.encode(pa.table(frame)), words)


def test_mixed_types_have_an_order():
    assert values_of(one_column(["b", 2, True, "a", 1.5, 10])) == [(True, 1.5, 2, 10, "a", "b")]


def test_values_without_an_order_are_sorted_by_their_text():
    assert values_of(one_column([(1, "a"), ("a", 1)])) == [(("a", 1), (1, "a"))]


def test_values_are_plain_python_objects():
    class Colour(enum.StrEnum):
        RED = "red"

    cells = [np.str_("a"), np.int64(3), np.float64(2.0), np.True_, Colour.RED]
    (values,) = values_of(one_column(cells))
    assert [type(value) for value in values] == [bool, int, int, str, str]
    assert values == (True, 2, 3, "a", "red")


def test_integral_floats_are_integers():
    encoding = Encoding.learn(np.array([[1.0], [2.0], [0.5], [np.nan]]), nominal="all")
    assert encoding.attributes[0].values == (0.5, 1, 2)
    assert encode_bits(encoding, [[1], [2.0], [3]]) == [[False, True, False], [False, False, True], [False] * 3]


def test_a_value_of_another_type_is_unseen():
    encoding = Encoding.learn(one_column(["1", True, "a"]))
    assert not encoding.encode(one_column([1, 1.0, 2, b"a", ("a",), datetime.date(2020, 1, 1)])).any()
    assert encode_bits(encoding, one_column([np.True_, "1"])) == [[True, False, False], [False, True, False]]


def test_missing_values_set_no_literal():
    encoding = Encoding.learn(one_column(["a", "b", "c"]), not_equal=True)
    assert not encoding.encode(one_column([None, np.nan, pd.NA, pd.NaT, Decimal("NaN"), "unseen"])).any()


def test_a_column_of_text_may_be_all_missing_later():
    encoding = Encoding.learn(one_column(["a", "b"]))
    assert not encoding.encode(one_column([np.nan, np.nan], float)).any()


@pytest.mark.parametrize(
    "make_cell",
    [
        lambda i: f"value {i % 7}",
        lambda i: i % 7 + 1000,
        lambda i: (i % 7) / 8,
        lambda i: ["a", 1000 + i % 7, None][i % 3],
    ],
)
def test_equal_cells_need_not_be_one_object(make_cell):
    cells = [make_cell(i) for i in range(10_000)]
    encoding, words = Encoding.learn_encode(one_column(cells), nominal="all", missing=False)
    values = [attribute.values for attribute in encoding.attributes]
    assert bits.unpack(words, len(cells)).T.tolist() == reference.encode([[cell] for cell in cells], values)


@pytest.mark.kernels
@pytest.mark.parametrize("dtype", [object, "str", int, float])
def test_many_unseen_values_are_no_problem(dtype):
    encoding = Encoding.learn(one_column([3, 5]).astype(dtype), nominal="all")
    words = encoding.encode(one_column(range(10_000)).astype(dtype))
    assert [np.flatnonzero(row).tolist() for row in bits.unpack(words, 10_000)] == [[3], [5]]


def test_infinity_is_an_unseen_category_later():
    encoding = Encoding.learn([[1], [2]], nominal="all")
    assert encode_bits(encoding, [[np.inf], ["1"], ["x"]]) == [[False, False], [True, False], [False, False]]


def test_a_column_without_values_has_no_conditions():
    encoding = Encoding.learn(pd.DataFrame({"a": [np.nan, np.nan], "b": ["x", "y"]}))
    assert [attribute.n_cells for attribute in encoding.attributes] == [0, 2]
    assert encoding.encode(pd.DataFrame({"a": [7], "b": ["x"]})).tolist() == [[1], [0]]
    later = pd.DataFrame({"a": [pd.Timestamp("2024"), None], "b": ["x", "z"]})
    assert (
        encoding.codes(later).tolist()
        == encoding.codes(later.assign(a=[7, None])).tolist()
        == [
            [UNKNOWN, 0],
            [MISSING, UNKNOWN],
        ]
    )


def test_intervals_of_cut_are_ranks():
    cut = pd.DataFrame({"age": pd.cut(pd.Series([3, 40, 70]), [0, 30, 60, 90])})
    encoding = Encoding.learn(cut)
    assert "age = (30, 60]" in [str(condition) for condition in encoding.conditions]
    with pytest.raises(TableError, match="column 'age' was Interval in fit but is numeric here"):
        encoding.encode(pd.DataFrame({"age": [3, 40]}))


def test_codes_outside_the_categories_are_refused():
    column = pd.Categorical.from_codes([0, 7, 1], ["a", "b"], validate=False)
    with pytest.raises(TableError, match="column 'c' has the category code 7, but its codes must be -1 to 1"):
        Encoding.learn(pd.DataFrame({"c": column}))


# Kinds of tables


def test_arrays_lists_and_frames_agree():
    rows = [["a", "x"], ["b", "y"], ["a", "y"]]
    frame = pd.DataFrame(rows, columns=["x0", "x1"])
    encoding, words = Encoding.learn_encode(frame)
    for table in (
        rows,
        [tuple(row) for row in rows],
        np.array(rows),
        np.array(rows, object),
        np.array(rows, order="F"),
    ):
        other, other_words = Encoding.learn_encode(table)
        assert other.attributes == encoding.attributes
        assert np.array_equal(other_words, words)
        assert np.array_equal(encoding.encode(table), words)
    assert (encoding.named, other.named) == (True, False)


@pytest.mark.parametrize(
    "dtype", ["int8", "uint8", ">i4", "int64", "uint64", "float16", "float32", "float64", object, bool]
)
def test_numeric_arrays_of_all_types_are_read(dtype):
    array = np.array([[0, 1], [1, 1], [1, 0]]).astype(dtype)
    _, words = Encoding.learn_encode(array, nominal="all")
    assert words.tolist() == [[1], [6], [4], [3]]


def test_read_only_memory_maps_are_read(tmp_path):
    np.save(tmp_path / "table.npy", np.arange(12).reshape(6, 2) % 3)
    array = np.load(tmp_path / "table.npy", mmap_mode="r")
    encoding, words = Encoding.learn_encode(array, nominal="all")
    assert np.array_equal(encoding.encode(array.tolist()), words)


def test_other_frames_are_read_by_their_columns():
    class Frame:
        columns = ("a", "b")
        shape = (2, 2)

        def __getitem__(self, name):
            return {"a": np.array(["x", "y"]), "b": np.array([True, False])}[name]

    encoding = Encoding.learn(Frame())
    assert encoding.attributes == (Attribute("a", ("x", "y")), Attribute("b", (False, True)))


def test_polars_and_pyarrow_agree_with_pandas():
    pl, pa = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    moments = pd.date_range("2024-01-01", periods=40, freq="31h")
    frame = pd.DataFrame(
        {
            "i": pd.array([None, *range(39)], dtype="Int64"),
            "f": [None, *np.linspace(0, 1, 39)],
            "b": [True, False, None, True] * 10,
            "t": ["x", "y", None, "z"] * 10,
            "n": ["1.5", "2", None, "7"] * 10,
            "d": moments,
            "z": moments.tz_localize("Europe/Vienna"),
            "dur": moments - moments[0],
            "c": pd.Categorical(["u", "v", None, "u"] * 10),
            "dec": [Decimal("1.25"), Decimal("2.5"), None, Decimal("9")] * 10,
            "day": [datetime.date(2024, 1, 1 + i % 9) for i in range(40)],
            "gaps": [datetime.date(2024, 1, 1 + i % 9) if i % 7 else None for i in range(40)],
        }
    )
    encoding, words = Encoding.learn_encode(frame, not_equal=True)
    arrow = pa.Table.from_pandas(frame, preserve_index=False)
    (batch,) = arrow.to_batches()
    for table in (arrow, batch, pl.from_pandas(frame), arrow.to_pandas(types_mapper=pd.ArrowDtype)):
        other, other_words = Encoding.learn_encode(table, not_equal=True)
        assert other == encoding
        assert np.array_equal(other_words, words)
        assert np.array_equal(encoding.encode(table), words)
    nominal = Encoding.learn(frame[["i"]], nominal="all")
    assert Encoding.learn(pl.from_pandas(frame[["i"]]), nominal="all") == nominal
    with pytest.raises(TableError, match=r"call .collect\(\)"):
        Encoding.learn(pl.from_pandas(frame).lazy())


def test_categories_of_pyarrow_keep_their_order_and_their_type():
    pa = pytest.importorskip("pyarrow")
    sizes, others = (pd.Categorical(cells, ["S", "M", "L"], ordered=True) for cells in (["S", "M"], ["L", None]))
    frame = pd.DataFrame({"size": sizes, "code": pd.Categorical([3, 1])})
    more = pd.DataFrame({"size": others, "code": pd.Categorical([2, 3])})
    encoding = Encoding.learn(whole := pd.concat([frame.assign(code=[3, 1]), more]), nominal=["code"])
    table = pa.concat_tables([pa.Table.from_pandas(part, preserve_index=False) for part in (frame, more)])
    for arrow in (table, table.to_pandas(types_mapper=pd.ArrowDtype)):
        assert Encoding.learn(arrow) == encoding
        assert np.array_equal(encoding.codes(arrow), encoding.codes(whole))


def test_views_of_text_are_text():
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"colour": pa.array(["red", None, "blue", "red"]).cast(pa.string_view())})
    plain = Encoding.learn(pd.DataFrame({"colour": ["red", None, "blue", "red"]}))
    for view in (table, table.to_pandas(types_mapper=pd.ArrowDtype)):
        assert Encoding.learn(view) == plain
        assert plain.codes(view)[:, 0].tolist() == [1, MISSING, 0, 1]


def test_dates_that_are_categories_are_nominal():
    table = one_column(pd.Categorical(pd.to_datetime(["2024-01-02", None, "2024-01-01"])), None)
    encoding, words = Encoding.learn_encode(table)
    assert [attribute.kind for attribute in encoding.attributes] == ["nominal"]
    assert np.array_equal(encoding.encode(table), words)
    assert encoding.codes(table)[:, 0].tolist() == [1, MISSING, 0]


def test_cells_with_parts_are_refused():
    pl = pytest.importorskip("polars")
    with pytest.raises(TypeError, match=r"column 'a' holds .* \(a dict\)"):
        Encoding.learn(pl.DataFrame({"a": [{"x": 1}, {"x": 2}]}))


def test_enums_of_polars_are_ordinal():
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame({"size": pl.Series(["M", "S", None], dtype=pl.Enum(["S", "M", "L"]))})
    expected = pd.DataFrame({"size": pd.Categorical(["M", "S", None], ["S", "M", "L"], ordered=True)})
    assert Encoding.learn(frame) == Encoding.learn(expected)


def test_names_that_are_not_text_are_names_in_text():
    table = pd.DataFrame([["a", 1], ["b", 2]], columns=[10, 20])
    encoding = Encoding.learn(table, nominal=[20])
    assert [str(x) for x in encoding.conditions] == ["10 = a", "10 = b", "20 = 1", "20 = 2"]
    assert not encoding.named
    assert np.array_equal(encoding.encode([["a", 1]]), encoding.encode(table.head(1)))
    assert Encoding.learn(table, nominal=[1]) == Encoding.learn(table, nominal=["20"]) == encoding


def test_frames_without_names_count_as_unnamed():
    encoding = Encoding.learn(pd.DataFrame([["a"], ["b"]]))
    assert not encoding.named
    assert encoding.attributes[0].name == "x0"


def test_nothing_to_encode_gives_no_words():
    assert Encoding.learn([["a"], ["b"]]).encode(np.empty((0, 1), object)).shape == (2, 0)


# What the user says


@pytest.mark.parametrize("nominal", [["a", "b"], [0, 1], [np.int64(0), "b"], "all"])
def test_nominal_lists_names_or_positions(nominal):
    assert values_of(pd.DataFrame({"a": [2, 1], "b": [0, 0]}), nominal=nominal) == [(1, 2), (0,)]


def test_columns_that_are_not_there_are_refused():
    table = pd.DataFrame({"age": [1, 2], "b": ["x", "y"]})
    message = "nominal lists 'agee', but the table has the columns age, b and positions 0 to 1; did you mean 'age'?"
    with pytest.raises(TableError, match=re.escape(message)):
        Encoding.learn(table, nominal=["agee"])
    for wishes in ({"nominal": [2]}, {"cuts": {"c": [1]}}, {"ordinal": {"c": [1, 2]}}, {"monotonic": {-1: 1}}):
        with pytest.raises(TableError, match=f"{next(iter(wishes))} lists .* but the table has the columns"):
            Encoding.learn(table, **wishes)
    with pytest.raises(TableError, match="has no column names"):
        Encoding.learn(table.to_numpy(), nominal=["a"])
    with pytest.raises(ParameterError, match=r"expected 'auto', 'all' or a list such as \['a'\]"):
        Encoding.learn(table, nominal="a")
    with pytest.raises(ParameterError, match="nominal and cuts both list column 'age'"):
        Encoding.learn(table, nominal=["age"], cuts={"age": [1]})


def test_nominal_overrules_the_order_of_categories():
    table = one_column(["S", "M"], pd.CategoricalDtype(["S", "M", "L"], ordered=True))
    assert Encoding.learn(table).attributes[0].kind == "ordinal"
    assert shown(table, nominal="all") == ["c = S", "c = M", "c = L"]


def test_ordered_categories_are_ordinal():
    table = one_column(["S", "L", None], pd.CategoricalDtype(["S", "M", "L", "XL"], ordered=True))
    encoding, words = Encoding.learn_encode(table)
    assert [str(x) for x in encoding.conditions] == [
        "c = M", "c = L", "c = S", "c <= M", "c <= L", "c > S", "c > M", "c = XL"
    ]  # fmt: skip
    assert words[:, 0].tolist() == [0, 2, 1, 1, 3, 2, 2, 0]
    assert encoding.codes(one_column(["XL", "no"])).ravel().tolist() == [3, UNKNOWN]


def test_the_user_ranks_values():
    table = pd.DataFrame({"size": ["M", "S", None, "M"], "grade": ["3", "1", "2", "1"]})
    encoding, words = Encoding.learn_encode(table, ordinal={"size": ["S", "M", "L"], "grade": [3, np.int8(2), 1.0]})
    assert [str(x) for x in encoding.conditions] == [
        "size = M", "size = S", "size <= M", "size > S", "size = L",
        "grade = 2", "grade = 3", "grade <= 2", "grade > 3", "grade = 1",
    ]  # fmt: skip
    assert words[:, 0].tolist() == [9, 2, 11, 9, 0, 4, 1, 5, 14, 10]
    with pytest.raises(TableError, match=r"column 'size' holds 'M', but ordinal lists only \['S', 'L'\]"):
        Encoding.learn(table, ordinal={"size": ["S", "L"]})
    with pytest.raises(ParameterError, match="two or more different values"):
        Encoding.learn(table, ordinal={"size": ["S", "S"]})


def test_the_cuts_of_the_user_are_the_only_ones():
    table = pd.DataFrame({"age": range(100), "day": pd.date_range("2024", periods=100), "t": ["1", "2"] * 50})
    cuts = {
        "age": [65, 18.0, 30],
        "day": ["2024-02-01", datetime.date(2024, 3, 1), pd.Timestamp("2024-04-01")],
        "t": [1.5],
    }
    attributes = Encoding.learn(table, cuts=cuts).attributes
    assert attributes[0].cuts == (18, 30, 65)
    assert [attributes[1].shown(cut) for cut in attributes[1].cuts] == ["2024-02-01", "2024-03-01", "2024-04-01"]
    assert shown(table[["t"]], cuts={"t": [1.5]}) == ["t <= 1.5", "t > 1.5"]
    for wrong in (["x"], [np.inf], [datetime.date(2024, 1, 1)], []):
        with pytest.raises(ParameterError, match="for column 'age'"):
            Encoding.learn(table, cuts={"age": wrong})
    with pytest.raises(TableError, match="cuts lists column 'c', but it holds 'x', which is no number or date"):
        Encoding.learn(one_column(["1", "x"]), cuts={"c": [1]})


def test_conditions_on_monotonic_columns_have_one_direction():
    table = pd.DataFrame(
        {
            "a": [1, 2, None, 2] * 5,
            "b": [0, 1] * 10,
            "s": pd.Categorical(list("SMLM") * 5, list("SML"), ordered=True),
            "f": [True, False] * 10,
            "n": ["x", "y"] * 10,
        }
    )
    wishes = {"not_equal": True, "missing": True}
    assert shown(table, monotonic={"a": 1, "b": -1, "s": 1, "f": -1, 4: 0}, **wishes) == [
        "a > 1", "b <= 0", "s > S", "s = L", "f = False", "n = x", "n = y"
    ]  # fmt: skip
    with pytest.raises(ParameterError, match="monotonic lists column 'n', which is nominal"):
        Encoding.learn(table, monotonic={"n": 1})
    with pytest.raises(ParameterError, match="direction of column 'a' in monotonic is 2"):
        Encoding.learn(table, monotonic={"a": 2})


def test_columns_conditions_and_not_equal_can_be_forbidden():
    table = pd.DataFrame({"colour": ["red", "blue", "green"], "age": [10, 20, 30], "k": [1, 2, 3]})
    encoding = Encoding.learn(table, not_equal=True)
    left = shown(table, not_equal=True, forbid=["!=", "colour", encoding.conditions[-1], "age <= 10"])
    assert not [text for text in left if "colour" in text or "!=" in text]
    assert set(shown(table)) - set(left) == {"colour = blue", "colour = green", "colour = red", "k > 2", "age <= 10"}
    assert shown(table, forbid=[0]) == shown(table, forbid=["colour"]) == shown(table, forbid="colour")
    assert shown(table, forbid=["!="]) == shown(table)
    for nothing in ("colur", "age <= 11", "colour = pink", 3, None, encoding.conditions[0] & encoding.conditions[1]):
        with pytest.raises(ParameterError, match="forbid lists"):
            Encoding.learn(table, forbid=[nothing])
    with pytest.raises(ParameterError, match="did you mean 'colour'"):
        Encoding.learn(table, forbid=["colur"])
    with pytest.raises(TableError, match="everything is forbidden"):
        Encoding.learn(table, forbid=["colour", "age", "k"])


def test_being_missing_is_asked_where_enough_rows_are():
    table = pd.DataFrame({"a": [1.5] * 95 + [None] * 5, "b": ["x"] * 96 + [None] * 4, "c": [None] * 100})
    assert [text for text in shown(table) if "missing" in text] == ["a is missing"]
    assert [text for text in shown(table, missing=True) if "missing" in text] == ["a is missing", "b is missing"]
    assert not [text for text in shown(table, missing=False) if "missing" in text]
    words = Encoding.learn(table).encode(pd.DataFrame({"a": [1, None], "b": ["x", "y"], "c": [None, None]}))
    assert words[:2].tolist() == [[1], [2]]  # "a is known", which is all that one number tells, and "a is missing"
    with pytest.raises(ParameterError, match="missing is 'yes'"):
        Encoding.learn(table, missing="yes")


def test_a_column_of_mostly_different_text_is_left_out_with_a_warning():
    names = [f"Name {i}" for i in range(50)]
    table = pd.DataFrame({"name": names, "flag": [True, False] * 25})
    message = (
        r"column 'name' is left out: it has 50 different values in 50 rows.* name it in nominal=\['name'\] to keep"
    )
    with pytest.warns(LeftOutWarning, match=message) as caught:
        encoding = Encoding.learn(table)
    assert caught[0].filename == __file__
    assert encoding.attributes[0] == Attribute("name")
    assert encoding.codes(table)[:, 0].tolist() == [UNKNOWN] * 50
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(values_of(table, nominal=["name"])[0]) == 50
        Encoding.learn(table.assign(name=[f"{i % 25}x" for i in range(50)]))
        Encoding.learn(table.assign(name=table["name"].astype("category")))
        Encoding.learn(table.head(20))
    with pytest.raises(TableError, match="has 50 different values, but expected at most 40"):
        Encoding.learn(table, nominal=["name"], max_values=40)


def test_replace_keeps_the_columns_and_takes_the_attributes_of_the_conditions():
    encoding = Encoding.learn(pd.DataFrame({"a": range(20), "b": ["x", "y"] * 10}))
    moved = Attribute("a", kind="numeric", cuts=(7.5,))
    other = encoding.replace([encoding.conditions[-1], moved.above(7.5)])
    assert other.attributes == (moved, encoding.attributes[1])
    assert [str(x) for x in other.conditions] == ["b = y", "a > 7.5"]
    assert encode_bits(other, pd.DataFrame({"a": [7, 8], "b": ["x", "y"]})) == [[False, False], [True, True]]
    with pytest.raises(ParameterError, match="disagree about its cells"):
        encoding.replace([encoding.conditions[0], moved.above(7.5)])
    with pytest.raises(ParameterError, match="no column of this encoding"):
        encoding.replace([Attribute("z", ("x",)).equal("x")])


# Bad input


def test_complex_numbers_are_refused():
    for table in (np.array([[1j]]), [[1j]]):
        with pytest.raises(TableError, match="Complex data not supported"):
            Encoding.learn(table, nominal="all")


def test_values_that_python_takes_as_equal_are_refused():
    with pytest.raises(TableError, match="column 'c' holds True and 1, which Python takes as equal"):
        Encoding.learn(one_column([1, True, "a"]))


def test_a_table_without_any_value_is_refused():
    with pytest.raises(TableError, match="found no value in any of the 2 columns"):
        Encoding.learn([[None, np.nan], [None, None]])


@pytest.mark.parametrize("table", [pd.DataFrame({"a": []}), np.empty((0, 3)), []])
def test_a_table_without_rows_is_refused(table):
    with pytest.raises(TableError, match=r"0 sample\(s\)"):
        Encoding.learn(table)


@pytest.mark.parametrize("table", [pd.DataFrame(index=[0, 1]), np.empty((12, 0)), [[], []]])
def test_a_table_without_columns_is_refused(table):
    with pytest.raises(TableError, match=r"0 feature\(s\) \(shape=\(\d*, 0\)\) while a minimum of \d* is required."):
        Encoding.learn(table)


@pytest.mark.parametrize("table", [np.array(["a", "b"]), ["ab", "cd"], [1, 2], pd.Series(["a"]), np.array("a")])
def test_a_single_dimension_is_refused(table):
    with pytest.raises(TableError, match=r"Expected 2D array, got .* Reshape your data"):
        Encoding.learn(table)


def test_three_dimensions_are_refused():
    with pytest.raises(TableError, match="dim 3"):
        Encoding.learn(np.zeros((2, 2, 2)))


def test_ragged_rows_are_refused():
    with pytest.raises(TableError, match="row 1 has 1 cells but row 0 has 2"):
        Encoding.learn([["a", "b"], ["a"]])


@pytest.mark.parametrize("table", ["text", None, 3, {"a": [1]}, [{"a": 1}]])
def test_what_is_no_table_is_refused(table):
    with pytest.raises(TableError, match=r"found a|is a dict"):
        Encoding.learn(table)


def test_sparse_matrices_are_refused():
    for table in (sparse.csr_matrix(np.eye(2)), sparse.coo_array(np.eye(2))):
        with pytest.raises(TypeError, match="sparse") as caught:
            Encoding.learn(table)
        assert isinstance(caught.value, RuleNetError)


@pytest.mark.parametrize("n_rows", [2, 10_000])
def test_unhashable_cells_are_refused(n_rows):
    cells = [f"{i}" for i in range(n_rows)]
    encoding = Encoding.learn(one_column(["0", "1"]))
    for cell in ({"foo": "bar"}, [1, 2], np.zeros(2), ([],)):
        table = one_column([*cells, cell])
        for use in (Encoding.learn, encoding.encode):
            with pytest.raises(TypeError, match=r"column 'c' holds .* argument must be .* string.* number"):
                use(table)


def test_columns_of_one_name_are_refused():
    with pytest.raises(TableError, match="two columns are named 'a'"):
        Encoding.learn(pd.DataFrame([["x", "y"]], columns=["a", "a"]))


def test_names_that_are_text_only_in_part_are_refused():
    with pytest.raises(TypeError, match="found 'a' and 1"):
        Encoding.learn(pd.DataFrame([["x", "y"]], columns=["a", 1]))


# Another table than the learned one


@pytest.fixture
def encoding():
    return Encoding.learn(pd.DataFrame({"a": ["x", "y"], "b": ["x", "y"], "c": [True, False]}))


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ("bac", "must be in the same order"),
        ("abcd", "unseen at fit time:\n- d\n$"),
        ("ba", "yet now missing:\n- c\n$"),
        ("ab", "yet now missing:\n- c\n$"),
        ("abd", "unseen at fit time:\n- d\nFeature names seen at fit time, yet now missing:\n- c\n$"),
    ],
)
def test_names_must_be_those_of_the_learned_table(encoding, columns, message):
    table = pd.DataFrame([["x"] * len(columns)], columns=list(columns))
    with pytest.raises(TableError, match="feature names should match those that were passed during fit.\n.*" + message):
        encoding.encode(table)


def test_columns_that_do_not_matter_need_not_be_there(encoding):
    only = encoding.owners > 0
    table = pd.DataFrame({"a": ["x"], "b": ["y"], "c": [True]})
    assert np.array_equal(encoding.encode(table[["b", "c"]], only=only), encoding.encode(table, only=only))
    for columns, message in (
        (["c", "b"], "same order"),
        (["b"], "missing:\n- a\n- c\n$"),
        (["b", "c", "d"], "unseen at fit time:\n- d\n"),
    ):
        with pytest.raises(TableError, match=message):
            encoding.encode(table.reindex(columns=columns), only=only)
    assert encoding.measured(table, []) == {}


def test_names_are_checked_even_where_no_column_is_needed(encoding):
    with pytest.raises(TableError, match="now missing"):
        encoding.encode(pd.DataFrame({"a": ["x"]}), only=np.zeros(len(encoding.conditions), bool))


def test_the_number_of_columns_must_be_that_of_the_learned_table(encoding):
    with pytest.raises(TableError, match="X has 2 features, but Encoding is expecting 3 features as input: a, b, c"):
        encoding.encode([["x", "y"]])


def test_columns_without_names_are_taken_by_position(encoding):
    expected = encoding.encode(pd.DataFrame({"a": ["x"], "b": ["y"], "c": [True]}))
    assert np.array_equal(encoding.encode([["x", "y", True]]), expected)
    unnamed = Encoding.learn([["x", "x", True], ["y", "y", False]])
    assert np.array_equal(unnamed.encode(pd.DataFrame({"p": ["x"], "q": ["y"], "r": [True]})), expected)


@pytest.mark.parametrize(
    ("learned", "later", "message"),
    [
        (["a", "2"], [1, 2], "was text in fit but is numeric here"),
        (["a", "2"], [True], "was text in fit but is Boolean here"),
        (["a", "2"], pd.date_range("2020", periods=1), "was text in fit but is dates here"),
        ([True, False], [1, 0], "was Boolean in fit but is numeric here"),
        ([1, 0], [True], "was numeric in fit but is Boolean here"),
    ],
)
def test_a_column_that_was_converted_differently_is_refused(learned, later, message):
    encoding = Encoding.learn(pd.DataFrame({"age": learned}), nominal="all")
    with pytest.raises(TableError, match=f"column 'age' {message}"):
        encoding.encode(pd.DataFrame({"age": later}))


@pytest.mark.parametrize("dtype", ["string", "category", object])
def test_categories_that_are_numbers_are_found_in_text(dtype):
    encoding = Encoding.learn(pd.DataFrame({"age": [1, 2.5]}), nominal="all")
    later = pd.DataFrame({"age": pd.Series(["2.50", "1", "x", None], dtype=dtype)})
    assert encoding.codes(later).ravel().tolist() == [1, 0, UNKNOWN, MISSING]


def test_only_must_be_a_mask_of_the_literals(encoding):
    for only in (np.ones(3, bool), np.ones(len(encoding.conditions), int)):
        with pytest.raises(ParameterError, match="expected one Boolean for each"):
            encoding.encode([["x", "x", True]], only=only)


@pytest.mark.parametrize("n_cuts", [1, 64, 65, 300])
@pytest.mark.parametrize("dtype", [np.float64, np.int64])
def test_numbers_are_packed_alike_below_few_and_many_cuts(n_cuts, dtype):
    rng = np.random.default_rng(n_cuts)
    cuts = np.sort(rng.choice(1_000, n_cuts, replace=False)).astype(dtype)
    values = rng.integers(-10, 1_010, 700).astype(dtype)
    nothing = values[0]
    every = np.arange(n_cuts)
    runs = packing.Runs(n_cuts + 1, every, np.arange(n_cuts + 1), np.zeros(n_cuts, np.int64), every + 1)
    words = np.zeros((n_cuts, bits.n_words(700)), np.uint64)
    packing.pack_numbers(values, cuts, nothing, runs, words)
    at_most = (values <= cuts[:, None]) & (values != nothing)
    assert (bits.unpack(words, 700) == at_most).all()


def test_numbers_in_the_byte_order_of_another_machine_are_numbers():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"length": rng.normal(size=90), "name": rng.integers(0, 100, 90)})
    foreign = pd.DataFrame({"length": frame["length"].astype(">f8"), "name": frame["name"].astype(">i4")})
    encoding, words = Encoding.learn_encode(foreign)
    assert encoding.conditions == Encoding.learn(frame).conditions
    assert np.array_equal(words, encoding.encode(frame))


def test_columns_that_may_and_that_may_not_be_written_to_are_compiled_once():
    frozen, found = np.arange(10.0), np.zeros(4)
    frozen.flags.writeable = False
    assert packing.scan_numbers(np.arange(10.0), np.nan, found) == packing.scan_numbers(frozen, np.nan, found)
    assert not packing.read_only(frozen).flags.writeable
    open_column = np.arange(10.0)
    assert not packing.read_only(open_column).flags.writeable
    assert open_column.flags.writeable, "the column itself stays as it was"


def test_what_was_pickled_in_another_process_is_found_in_sets():
    make = "import pickle, sys\nfrom rulenet.conditions import Attribute\ncolour = Attribute('colour', ('a', 'b'))\n"
    write = make + "hash(colour)\nsys.stdout.buffer.write(pickle.dumps(colour))"
    read = make + "print(pickle.load(sys.stdin.buffer) in {colour})"
    pickled = subprocess.run([sys.executable, "-c", write], check=True, capture_output=True).stdout
    found = subprocess.run([sys.executable, "-c", read], check=True, capture_output=True, input=pickled).stdout
    assert found.strip() == b"True"
