import datetime
import enum
import pickle
import re
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import reference
from rulenet import bits
from rulenet.encoding import Encoding
from rulenet.exceptions import ParameterError, RuleNetError, TableError
from rulenet.literals import Attribute
from strategies import tables


def values_of(table, **options):
    return [attribute.values for attribute in Encoding.learn(table, **options).attributes]


def encode_bits(encoding, table, **options):
    n_rows = len(table)
    return bits.unpack(encoding.encode(table, **options), n_rows).T.tolist()


def one_column(cells, dtype=object):
    return pd.DataFrame({"c": pd.Series(cells, dtype=dtype)})


# Laws


@given(tables(), st.booleans())
def test_bits_agree_with_the_reference(table, not_equal):
    encoding = Encoding.learn(table, nominal="all", not_equal=not_equal)
    rows = table.astype(object).to_numpy().tolist()
    values = [attribute.values for attribute in encoding.attributes]
    assert encode_bits(encoding, table) == reference.encode(rows, values, not_equal)


@given(tables())
def test_values_agree_with_the_reference(table):
    for name, values in zip(table, values_of(table, nominal="all"), strict=True):
        if table[name].dtype not in ("category", "bool", "boolean"):
            assert list(values) == reference.values_of(table[name].astype(object))


@settings(max_examples=30)
@given(tables(max_rows=70), tables(max_rows=70))
def test_a_row_is_encoded_by_itself(learned, table):
    table = table.reindex(columns=learned.columns).astype(object)
    encoding = Encoding.learn(learned, nominal="all", not_equal=True)
    single = [encode_bits(encoding, table.iloc[[r]])[0] for r in range(len(table))]
    assert encode_bits(encoding, table) == single


@given(tables(), st.integers(1, 3))
def test_learning_and_encoding_at_once_is_the_same(table, n_jobs):
    encoding, words = Encoding.learn_encode(table, nominal="all", not_equal=True, n_jobs=n_jobs)
    assert encoding == Encoding.learn(table, nominal="all", not_equal=True)
    assert np.array_equal(words, encoding.encode(table, n_jobs=n_jobs))


@given(tables(), st.data())
def test_only_the_needed_columns_are_filled(table, data):
    encoding = Encoding.learn(table, nominal="all", not_equal=True)
    n_literals = len(encoding.literals)
    only = np.array(data.draw(st.lists(st.booleans(), min_size=n_literals, max_size=n_literals)))
    words, needed = encoding.encode(table), encoding.encode(table, only=only)
    assert np.array_equal(needed[only], words[only])
    used = {literal.attribute.name for literal, matters in zip(encoding.literals, only, strict=True) if matters}
    unused = [literal.attribute.name not in used for literal in encoding.literals]
    assert not needed[unused].any()


@given(tables(max_rows=70))
def test_at_most_one_sibling_holds_and_spare_bits_are_zero(table):
    encoding = Encoding.learn(table, nominal="all", not_equal=True)
    words = encoding.encode(table)
    assert not (words & ~bits.mask(len(table))).any()
    rows = bits.unpack(words, len(table))
    for group in range(encoding.groups.max() + 1):
        assert rows[encoding.groups == group].sum(axis=0).max() <= 1


@given(tables(max_rows=20))
def test_pickle_keeps_the_encoding(table):
    encoding = Encoding.learn(table, nominal="all")
    encoding.encode(table)
    copy = pickle.loads(pickle.dumps(encoding))
    assert copy == encoding
    assert np.array_equal(copy.encode(table), encoding.encode(table))


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


def test_intervals_of_cut_are_categories():
    cut = pd.DataFrame({"age": pd.cut(pd.Series([3, 40, 70]), [0, 30, 60, 90])})
    encoding = Encoding.learn(cut)
    assert [str(literal) for literal in encoding.literals] == ["age = (0, 30]", "age = (30, 60]", "age = (60, 90]"]
    with pytest.raises(TableError, match="column 'age' was Interval in fit but is numeric here"):
        encoding.encode(pd.DataFrame({"age": [3, 40]}))


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


def test_infinity_and_dates_are_unseen_values_later():
    encoding = Encoding.learn([[1], [2]], nominal="all")
    assert not encoding.encode([[np.inf], [pd.Timestamp("2020")], ["1"]]).any()


def test_missing_values_set_no_literal():
    encoding = Encoding.learn(one_column(["a", "b", "c"]), not_equal=True)
    assert not encoding.encode(one_column([None, np.nan, pd.NA, pd.NaT, Decimal("NaN"), "unseen"])).any()


def test_a_column_without_values_has_no_literals():
    encoding = Encoding.learn(pd.DataFrame({"a": [np.nan, np.nan], "b": ["x", "y"]}))
    assert [attribute.values for attribute in encoding.attributes] == [(), ("x", "y")]
    assert encoding.encode(pd.DataFrame({"a": [7], "b": ["x"]})).tolist() == [[1], [0]]


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
    encoding, words = Encoding.learn_encode(one_column(cells), nominal="all")
    values = [attribute.values for attribute in encoding.attributes]
    assert bits.unpack(words, len(cells)).T.tolist() == reference.encode([[cell] for cell in cells], values)


@pytest.mark.parametrize("dtype", [object, "str", int, float])
def test_many_unseen_values_are_no_problem(dtype):
    encoding = Encoding.learn(one_column([3, 5]).astype(dtype), nominal="all")
    words = encoding.encode(one_column(range(10_000)).astype(dtype))
    assert [np.flatnonzero(row).tolist() for row in bits.unpack(words, 10_000)] == [[3], [5]]


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


def test_frames_without_text_names_count_as_unnamed():
    encoding = Encoding.learn(pd.DataFrame([["a"], ["b"]]))
    assert not encoding.named
    assert encoding.attributes[0].name == "x0"


def test_nothing_to_encode_gives_no_words():
    assert Encoding.learn([["a"], ["b"]]).encode(np.empty((0, 1), object)).shape == (2, 0)


def test_literals_and_groups_are_computed_once():
    encoding = Encoding.learn([["a"], ["b"]])
    assert encoding.literals is encoding.literals
    assert encoding.groups is encoding.groups


# Numeric columns


def test_numeric_columns_need_a_word_from_the_user():
    message = (
        "column 'age' is numeric (int64, 3 different values): name it in nominal=[...] to treat its values as "
        "categories, or cut it into intervals first, for example with pandas.cut"
    )
    with pytest.raises(TableError, match=re.escape(message)):
        Encoding.learn(pd.DataFrame({"age": [30, 40, 50]}))


def test_object_columns_of_numbers_are_numeric():
    for cells in ([1, 2.5, None], [Decimal("1.5"), 2]):
        with pytest.raises(TableError, match="'c' is numeric"):
            Encoding.learn(one_column(cells))


def test_numeric_categories_need_no_word():
    assert values_of(one_column([3, 1], "category")) == [(1, 3)]


@pytest.mark.parametrize("nominal", [["a", "b"], [0, 1], [np.int64(0), "b"], "all"])
def test_nominal_lists_names_or_positions(nominal):
    assert values_of(pd.DataFrame({"a": [2, 1], "b": [0, 0]}), nominal=nominal) == [(1, 2), (0,)]


def test_nominal_must_list_columns_of_the_table():
    table = pd.DataFrame({"a": [1, 2], "b": ["x", "y"]})
    with pytest.raises(TableError, match="nominal lists 'c', but the table has the columns a, b and positions 0 to 1"):
        Encoding.learn(table, nominal=["c"])
    with pytest.raises(TableError, match="nominal lists 2"):
        Encoding.learn(table, nominal=[2])
    with pytest.raises(TableError, match="has no column names"):
        Encoding.learn(table.to_numpy(), nominal=["a"])
    with pytest.raises(ParameterError, match=r"expected 'auto', 'all' or a list such as \['a'\]"):
        Encoding.learn(table, nominal="a")


# Bad input


def test_infinite_numbers_are_refused():
    with pytest.raises(TableError, match="column 'x0' holds inf, but expected finite numbers"):
        Encoding.learn([[1.5], [np.inf]], nominal="all")


def test_complex_numbers_are_refused():
    for table in (np.array([[1j]]), [[1j]]):
        with pytest.raises(TableError, match="Complex data not supported"):
            Encoding.learn(table, nominal="all")


@pytest.mark.parametrize(
    "column",
    [
        pd.date_range("2020", periods=2),
        pd.timedelta_range("1D", periods=2),
        pd.period_range("2020", periods=2, freq="M"),
        np.array(["2020"], "M8[D]"),
    ],
)
def test_dates_and_times_are_refused(column):
    table = pd.DataFrame({"c": column})
    with pytest.raises(TableError, match=re.escape(f"column 'c' is {table['c'].dtype}, but expected text, categories")):
        Encoding.learn(table)


def test_dates_among_objects_are_refused():
    for cell in (datetime.date(2020, 1, 1), pd.Timestamp("2020"), np.datetime64("2020")):
        with pytest.raises(TableError, match="column 'c' holds dates or times such as"):
            Encoding.learn(one_column(["a", cell]))


def test_values_that_python_takes_as_equal_are_refused():
    with pytest.raises(TableError, match="column 'c' holds True and 1, which Python takes as equal"):
        Encoding.learn(one_column([1, True, "a"]))


def test_too_many_values_are_refused():
    with pytest.raises(TableError, match="column 'c' has 5000 different values, but expected at most 1000"):
        Encoding.learn(one_column([str(i) for i in range(5000)]))
    with pytest.raises(TableError, match="has 3 different values, but expected at most 2"):
        Encoding.learn(one_column([], pd.CategoricalDtype(["a", "b", "c"])).reindex([0]), max_values=2)


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
        ("ab", "yet now missing:\n- c\n$"),
        ("abd", "unseen at fit time:\n- d\nFeature names seen at fit time, yet now missing:\n- c\n$"),
    ],
)
def test_names_must_be_those_of_the_learned_table(encoding, columns, message):
    table = pd.DataFrame([["x"] * len(columns)], columns=list(columns))
    with pytest.raises(TableError, match="feature names should match those that were passed during fit.\n.*" + message):
        encoding.encode(table)


def test_names_are_checked_even_where_no_column_is_needed(encoding):
    with pytest.raises(TableError, match="now missing"):
        encoding.encode(pd.DataFrame({"a": ["x"]}), only=np.zeros(len(encoding.literals), bool))


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
        (["1", "2"], [1, 2], "was text in fit but is numeric here"),
        (["1", "2"], [True], "was text in fit but is Boolean here"),
        ([True, False], [1, 0], "was Boolean in fit but is numeric here"),
        ([1, 0], [True], "was numeric in fit but is Boolean here"),
        ([1, 2], pd.Series(["1"], dtype="string"), "was numeric in fit but is text here"),
        ([1, 2], pd.Series(["1"], dtype="category"), "was numeric in fit but is text here"),
    ],
)
def test_a_column_that_was_converted_differently_is_refused(learned, later, message):
    encoding = Encoding.learn(pd.DataFrame({"age": learned}), nominal="all")
    with pytest.raises(TableError, match=f"column 'age' {message}"):
        encoding.encode(pd.DataFrame({"age": later}))


def test_only_must_be_a_mask_of_the_literals(encoding):
    for only in (np.ones(3, bool), np.ones(len(encoding.literals), int)):
        with pytest.raises(ParameterError, match="expected one Boolean for each"):
            encoding.encode([["x", "x", True]], only=only)
