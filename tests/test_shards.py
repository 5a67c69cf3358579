"""Rows in batches and in blocks: what is learned is what one table in memory gives."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rulenet import Count, Greedy, Network, RuleNetworkClassifier, bits
from rulenet.encoding import Encoding
from rulenet.encoding.columns import load
from rulenet.encoding.digests import digest, merge
from rulenet.encoding.packing import append_bits
from rulenet.encoding.sampling import choose_among, choose_rows
from rulenet.exceptions import ParameterError, TableError
from rulenet.search.problem import Problem
from rulenet.shards.polish import _changes, polish
from rulenet.shards.shards import LocalShards, errors, gains
from rulenet.shards.sources import open_source

SMALL = Count(n_walks=1, n_folds=0, n_proposals=500)


def make_table(n_rows=700):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "size": rng.normal(size=n_rows).round(2),
            "colour": rng.choice(["red", "green", "blue"], n_rows),
            "doors": rng.integers(2, 6, n_rows),
            "written": rng.integers(0, 100, n_rows).astype(str),
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 90, n_rows), unit="D"),
        }
    )
    table.loc[rng.random(n_rows) < 0.1, ["size", "colour"]] = None
    kind = np.where((table["size"] > 0.3) & (table["colour"] != "blue") | (table["doors"] == 2), "yes", "no")
    return table, pd.Series(kind, name="kind")


def make_model(**parameters):
    return RuleNetworkClassifier(**{"search": SMALL, "random_state": 0, **parameters})


def assert_same(one, other):
    assert one.network_ == other.network_
    assert one.encoding_ == other.encoding_
    assert one.classes_.tolist() == other.classes_.tolist()
    assert one.fitted_.calibration == other.fitted_.calibration
    assert one.history_.tolist() == other.history_.tolist()
    assert one.target_name_ == other.target_name_


@pytest.fixture(scope="module")
def whole():
    table, kind = make_table()
    return table.assign(kind=kind), make_model().fit(table, kind)


def cut(table, *sizes):
    ends = np.cumsum([0, *sizes])
    return [table.iloc[a:b] for a, b in zip(ends, [*ends[1:], len(table)], strict=True)]


@pytest.mark.parametrize("sizes", [(), (1,), (63, 64, 65), (100,) * 6, (0, 300, 0)])
def test_batches_of_any_size_give_what_the_table_gives(whole, sizes):
    table, model = whole
    assert_same(make_model().fit(cut(table, *sizes), "kind"), model)


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_a_list_of_frames_of_any_kind_is_a_table_in_batches(whole, kind):
    table, model = whole
    convert = {
        "pandas": lambda part: part,
        "polars": lambda part: pytest.importorskip("polars").from_pandas(part),
        "pyarrow": lambda part: pytest.importorskip("pyarrow").Table.from_pandas(part),
    }[kind]
    assert_same(make_model().fit([convert(part) for part in cut(table, 300)], "kind"), model)


def test_more_rows_than_cuts_are_placed_by_and_than_a_search_sees_give_what_the_table_gives():
    dd = pytest.importorskip("dask.dataframe")
    table, kind = make_table(80_000)
    full = table.assign(kind=kind.where(table["doors"] != 5, "maybe"))
    one = make_model(max_search_rows=10_000).fit(table, full["kind"])
    assert_same(make_model(max_search_rows=10_000).fit(cut(full, 7_001, 60_000), "kind"), one)
    parts = dd.from_pandas(full, npartitions=3)
    assert_same(make_model(max_search_rows=10_000).fit(parts[[*table]], parts["kind"]), one)


def test_an_iterator_that_can_be_read_once_is_kept_in_a_file(whole):
    table, model = whole
    assert_same(make_model().fit(iter(cut(table, 100, 300)), "kind"), model)


def test_a_function_is_called_for_every_reading(whole):
    table, model = whole
    n_calls = []

    def batches():
        n_calls.append(1)
        return iter(cut(table, 350))

    assert_same(make_model().fit(batches, "kind"), model)
    assert len(n_calls) == 2


def test_the_paper_s_search_describes_both_classes_from_two_readings(whole):
    table, _ = whole
    greedy = Greedy(n_epochs=1, max_restarts=1)
    one = make_model(search=greedy).fit(table.drop(columns="kind"), table["kind"])
    frames = [cut(table, 200), cut(table, 500)]
    assert_same(make_model(search=greedy).fit(lambda: iter(frames.pop()), "kind"), one)


def test_parquet_files_folders_datasets_and_relations_give_what_the_table_gives(whole, tmp_path):
    dataset, duckdb = pytest.importorskip("pyarrow.dataset"), pytest.importorskip("duckdb")
    table, model = whole
    file, folder = tmp_path / "rows.parquet", tmp_path / "rows"
    table.to_parquet(file, row_group_size=99)
    folder.mkdir()
    for i, part in enumerate(cut(table, 1, 500)):
        part.to_parquet(folder / f"{i}.parquet", index=False)
    for source in (file, str(folder), dataset.dataset(folder), duckdb.read_parquet(str(file))):
        assert_same(make_model().fit(source, "kind"), model)
        assert (model.predict(source) == model.predict(table.drop(columns="kind"))).all()


def test_weights_come_from_a_column_and_rows_of_weight_zero_are_absent():
    table, kind = make_table()
    weights = np.random.default_rng(1).integers(0, 3, len(table)).astype(float)
    one = make_model(class_weight="balanced").fit(table, kind, weights)
    frames = cut(table.assign(kind=kind, weight=weights), 77, 400)
    assert_same(make_model(class_weight="balanced").fit(frames, "kind", "weight"), one)
    assert not one.fitted_.calibration.follows
    alike = {"no": 2, "yes": 2}
    same = make_model(class_weight=alike).fit(frames, "kind", "weight")
    assert_same(same, make_model(class_weight=alike).fit(table, kind, weights))
    assert same.fitted_.calibration.follows


def test_several_classes_may_be_missing_in_a_batch():
    table, kind = make_table()
    kind = kind.where(table["doors"] != 5, "maybe")
    frames = [part for _, part in table.assign(kind=kind).groupby("kind")]
    ordered = pd.concat(frames)
    one = make_model().fit(ordered.drop(columns="kind"), ordered["kind"])
    assert_same(make_model().fit(frames, "kind"), one)


def test_of_many_rows_a_sample_is_searched_and_all_rows_judge(whole):
    table, _ = whole
    model = make_model(max_search_rows=300)
    one = model.fit(table.drop(columns="kind"), table["kind"])
    assert_same(make_model(max_search_rows=300).fit(cut(table, 64, 400), "kind"), one)
    assert one.score(table.drop(columns="kind"), table["kind"]) > 0.7


def test_categories_that_differ_between_batches_are_their_values():
    table, kind = make_table()
    first = table.assign(colour=pd.Categorical(table["colour"], ["red", "green", "blue"]), kind=kind)
    second = first.assign(colour=pd.Categorical(table["colour"], ["blue", "grey", "red", "green"]))
    frames = [first.iloc[:300], second.iloc[300:]]
    joined = pd.concat(frames)
    assert_same(make_model().fit(frames, "kind"), make_model().fit(joined.drop(columns="kind"), joined["kind"]))


@pytest.mark.parametrize(
    ("frames", "y", "message"),
    [
        ([pd.DataFrame({"a": [1.0], "b": ["x"]})], "c", "no column is called 'c'"),
        ([pd.DataFrame({"a": [1.0], "b": ["x"]})], ["x"], "must be the name of one of its columns"),
        ([pd.DataFrame({"a": [1.0, 2.0], "b": ["x", None]})], "b", "missing label .* in row 1"),
        ([pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "x"]})], "b", "one class only"),
        ([pd.DataFrame({"a": [1.0], "b": ["x"]}), pd.DataFrame({"c": [1.0], "b": ["y"]})], "b", "has the columns c"),
        (
            [pd.DataFrame({"a": [1.0], "b": ["x"]}), pd.DataFrame({"a": ["k"], "b": ["y"]})],
            "b",
            "is numeric in one",
        ),
    ],
)
def test_batches_that_are_no_table_are_refused(frames, y, message):
    with pytest.raises((TableError, ParameterError), match=message):
        make_model().fit(frames, y)


def test_paths_that_hold_no_table_are_refused(tmp_path):
    with pytest.raises(TableError, match="no file or folder"):
        make_model().fit(tmp_path / "none.parquet", "y")
    (tmp_path / "rows.csv").write_text("a,b\n1,2\n")
    with pytest.raises(TableError, match=r"pandas.read_csv\(path, chunksize"):
        make_model().fit(str(tmp_path / "rows.csv"), "b")


def test_a_table_that_changes_between_readings_is_refused():
    table, kind = make_table(200)
    table["kind"] = kind
    frames = [[table], [table.iloc[:150]]]
    with pytest.raises(TableError, match="had 200 rows at first"):
        make_model().fit(lambda: iter(frames.pop(0)), "kind")


def test_predictions_are_written_batch_by_batch(whole, tmp_path):
    pytest.importorskip("pyarrow")
    table, model = whole
    n_rows = model.predict_to(cut(table, 100, 300), tmp_path / "out.parquet", proba=True)
    written = pd.read_parquet(tmp_path / "out.parquet")
    X = table.drop(columns="kind")
    assert n_rows == len(table)
    assert (written["prediction"].to_numpy() == model.predict(X)).all()
    assert np.allclose(written[["probability_no", "probability_yes"]], model.predict_proba(X))
    assert [path.name for path in tmp_path.iterdir()] == ["out.parquet"]


def test_a_column_of_the_name_of_the_predictions_is_refused_and_nothing_is_written(whole, tmp_path):
    pytest.importorskip("pyarrow")
    table, model = whole
    with pytest.raises(TableError, match="has a column 'kind' already"):
        model.predict_to([table], tmp_path / "out.parquet", name="kind")
    assert not list(tmp_path.iterdir())


def test_later_batches_that_do_not_fit_what_was_written_are_refused(whole, tmp_path):
    pytest.importorskip("pyarrow")
    table, model = whole
    for first, second, message in (
        (table.assign(size=None), table, "has other types than the first"),
        (table, table.assign(more=1), "has the column 'more'"),
    ):
        with pytest.raises(TableError, match=message):
            model.predict_to([first, second], tmp_path / "out.parquet")
        assert not list(tmp_path.iterdir())


@given(n_rows=st.integers(0, 2000), n_most=st.integers(1, 500), data=st.data())
@settings(deadline=None, max_examples=30)
def test_rows_chosen_from_parts_are_those_chosen_from_all(n_rows, n_most, data):
    chosen = choose_rows(n_rows, n_most)
    assert len(chosen) == min(n_rows, n_most)
    middle = data.draw(st.integers(0, n_rows))
    parts = [np.arange(middle), np.arange(middle, n_rows)]
    both = np.concatenate([part[choose_among(part, n_most)] for part in parts])
    assert both[choose_among(both, n_most)].tolist() == chosen.tolist()


CELLS = st.one_of(
    st.lists(st.one_of(st.none(), st.integers(-3, 12), st.floats(-2, 2).map(lambda x: round(x, 1))), max_size=30),
    st.lists(st.sampled_from(["1", "2", "2.5", "nan", None, "true"]), max_size=30),
    st.lists(st.sampled_from(["red", "blue", None, "7"]), max_size=30),
    st.lists(st.sampled_from([True, False, None]), max_size=30),
)


@given(cells=CELLS, data=st.data())
@settings(deadline=None, max_examples=60)
def test_merged_digests_say_what_the_digest_of_the_column_says(cells, data):
    middle = data.draw(st.integers(0, len(cells)))
    column = np.array([*cells, None], dtype=object)[:-1]
    parts = [digest(part, load(part, "c")) for part in (column[:middle], column[middle:])]
    one, other = digest(column, load(column, "c")), merge(parts, "c")
    one, other = (d.interpret("c") if hasattr(d, "interpret") else d for d in (one, other))
    assert type(one) is type(other)
    for name in ("n_rows", "n_missing", "few", "whole", "ends", "distinct", "declared"):
        assert getattr(one, name, None) == getattr(other, name, None)


@given(n_first=st.integers(0, 200), n_second=st.integers(0, 200))
@settings(deadline=None, max_examples=50)
def test_bits_put_after_others_are_those_of_both(n_first, n_second):
    rows = np.random.default_rng(n_first).random((3, n_first + n_second)) < 0.5
    words = np.zeros((3, bits.n_words(n_first + n_second)), np.uint64)
    append_bits(words, 0, bits.pack(rows[:, :n_first]), n_first)
    append_bits(words, n_first, bits.pack(rows[:, n_first:]), n_second)
    assert (words == bits.pack(rows)).all()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_errors_and_gains_of_blocks_add_up_to_those_of_all_rows(n_classes):
    table, _ = make_table(500)
    encoding, literals = Encoding.learn_encode(table)
    rng = np.random.default_rng(0)
    codes, weights = rng.integers(0, n_classes, 500), rng.integers(1, 4, 500).astype(float)
    problem = Problem.of_classes(literals, codes, n_classes, encoding.relations, weights)
    n_outputs = 1 if n_classes == 2 else n_classes
    first = rng.random((6, len(literals))) < 0.05
    networks = [Network([first, rng.random((n_outputs, 6)) < 0.5], "and") for _ in range(3)]
    one, many = LocalShards(problem), LocalShards(problem, n_jobs=2, block_words=1)
    assert errors(many, networks) == [problem.errors(network) for network in networks]
    for network in networks:
        for whole_gains, summed in zip(gains(one, network), gains(many, network), strict=True):
            assert (whole_gains == summed).all()


def test_polishing_never_costs_more_and_mends_a_network_that_lacks_an_edge():
    table, _ = make_table(3000)
    encoding, literals = Encoding.learn_encode(table.assign(size=table["size"] > 0.3), cuts=None)
    positive = bits.unpack(literals[0], 3000) & bits.unpack(literals[3], 3000)
    problem = Problem.of(literals, positive, encoding.relations)
    start = Network([np.eye(1, len(literals), dtype=bool), [[1]]])
    polished, n_wrong = polish(start, LocalShards(problem, block_words=7), problem)
    assert n_wrong == problem.errors(polished) < problem.errors(start)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_errors_that_gains_tell_are_those_that_are_counted(n_classes):
    table, _ = make_table(1000)
    encoding, literals = Encoding.learn_encode(table)
    rng = np.random.default_rng(3)
    codes = rng.integers(0, n_classes, 1000)
    problem = Problem.of_classes(literals, codes, n_classes, encoding.relations, rng.integers(1, 4, 1000).astype(float))
    shards, n_outputs = LocalShards(problem, block_words=5), 1 if n_classes == 2 else 3
    weights = [rng.random((6, len(literals))) < 0.1, rng.random((n_outputs, 6)) < 0.7]
    network = Network(weights, "and", [[1, 1, 2, 1, 3, 1], [2] * n_outputs])
    (n_wrong,) = errors(shards, [network])
    changes = [*_changes(network, shards, problem, 1.0, n_wrong)]
    told = [change for change in changes if change.n_wrong is not None]
    assert len(changes) > 6
    assert bool(told) == (n_classes == 2)
    for change in told:
        assert change.n_wrong == problem.errors(change.apply(network))


def test_datasets_that_are_not_what_their_files_hold_are_read_as_they_say(whole, tmp_path):
    """A filter, columns from the names of folders, files with other columns, an index that is stored."""
    dataset = pytest.importorskip("pyarrow.dataset")
    table, _ = whole
    table.assign(number=range(len(table))).to_parquet(tmp_path / "more.parquet", index=False)
    more = dataset.dataset(tmp_path / "more.parquet")
    few = [len(x) for x in open_source(more.filter(dataset.field("number") < 10)).rows()]
    assert sum(few) == 10
    table.to_parquet(tmp_path / "parts", partition_cols=["kind"], index=False)
    parts = dataset.dataset(tmp_path / "parts", partitioning="hive")
    assert {*pd.concat(open_source(parts).rows())["kind"]} == {"no", "yes"}
    folder = tmp_path / "uneven"
    folder.mkdir()
    table.iloc[:300].set_index(np.arange(300) * 7 % 300).to_parquet(folder / "0.parquet")
    table.iloc[300:].drop(columns="colour").to_parquet(folder / "1.parquet")
    frames = [*open_source(str(folder)).rows()]
    assert [*frames[0]] == [*frames[-1]] == [*table]
    assert frames[-1]["colour"].isna().all()
    assert_same(
        make_model().fit(dataset.dataset(folder / "0.parquet"), "kind"),
        make_model().fit(table.iloc[:300].drop(columns="kind"), table["kind"].iloc[:300]),
    )


def test_columns_in_the_names_of_folders_are_columns_unless_files_have_them_too(whole, tmp_path):
    pytest.importorskip("pyarrow")
    table, _ = whole
    table.to_parquet(tmp_path / "parts", partition_cols=["doors"], index=False)
    assert {*pd.concat(open_source(tmp_path / "parts").rows())["doors"]} == {2, 3, 4, 5}
    model = make_model().fit(tmp_path / "parts", "kind")
    assert [a.name for a in model.encoding_.attributes] == ["size", "colour", "written", "day", "doors"]
    for doors, part in table.groupby("doors"):
        (tmp_path / "twice" / f"doors={doors}").mkdir(parents=True)
        part.to_parquet(tmp_path / "twice" / f"doors={doors}" / "0.parquet", index=False)
    assert [*next(open_source(tmp_path / "twice").rows())] == [*table]


def test_a_row_group_is_read_in_batches_and_words_are_the_same_objects(tmp_path):
    pytest.importorskip("pyarrow")
    n_rows = 150_000
    words = pd.Series(["red", None, "blue"] * (n_rows // 3), dtype=object)
    table = pd.DataFrame({"word": words, "number": np.arange(n_rows) / 7})
    table.to_parquet(tmp_path / "one.parquet", index=False, row_group_size=n_rows)
    frames = [*open_source(tmp_path / "one.parquet").rows()]
    assert len(frames) > 1
    assert len({id(word) for frame in frames for word in frame["word"]}) == 3
    pd.testing.assert_frame_equal(pd.concat(frames, ignore_index=True), table)


def test_rows_that_come_in_another_order_when_read_again_are_refused():
    table, kind = make_table(700)
    seeds = iter(range(2))
    shuffled = lambda: [table.assign(kind=kind).sample(frac=1, random_state=next(seeds))]  # noqa: E731
    with pytest.raises(TableError, match="the second time its rows were others, or in another order"):
        make_model(max_search_rows=500).fit(shuffled, "kind")


def test_labels_may_be_numbers_in_one_batch_and_truth_values_in_another():
    table, kind = make_table(600)
    number = (kind == "yes").astype(int)
    frames = [table[:300].assign(kind=number[:300]), table[300:].assign(kind=number[300:] == 1)]
    assert_same(make_model().fit(frames, "kind"), make_model().fit(table, number.rename("kind")))


def test_labels_that_name_rows_are_refused_as_what_they_are():
    frame = pd.DataFrame({"size": np.zeros(100_001), "number": np.arange(100_001)})
    with pytest.raises(TableError, match="y holds 100,001 classes and more"):
        make_model().fit([frame], "number")
    with pytest.raises(TableError, match="sample_weight has more than 100,000 different values"):
        make_model().fit([frame.assign(kind="yes")], "kind", "number")


def test_labels_of_kinds_that_have_no_order_are_refused():
    table, _ = make_table(600)
    with pytest.raises(TypeError, match="y holds 'yes' and 1, but labels must be all text"):
        make_model().fit([table.assign(kind=[1, "yes"] * 300)], "kind")
    with pytest.raises(TableError, match="y is numeric and text in parts of the table"):
        make_model().fit([table[:300].assign(kind=1), table[300:].assign(kind="yes")], "kind")


def test_weights_of_classes_that_are_not_there_are_refused_in_batches_too():
    table, kind = make_table(300)
    with pytest.raises(ParameterError, match="class_weight has the class 'maybe', but the classes are 'no', 'yes'"):
        make_model(class_weight={"maybe": 2}).fit([table.assign(kind=kind)], "kind")
    grade = pd.Series(np.arange(300) % 3, name="kind")
    frames = [table.assign(kind=grade)]
    assert make_model(class_weight={2: 0}).fit(frames, "kind").classes_.tolist() == [0, 1]


@pytest.mark.parametrize("kind", ["parquet", "duckdb", "arrow", "polars"])
def test_long_whole_numbers_that_are_names_stay_whole_beside_missing_ones(kind, tmp_path):
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = arrow.table({"code": [2**60 + 1, 2**60 + 3, None] * 50, "kind": [1, 0, 0] * 50})
    parquet.write_table(table, tmp_path / "rows.parquet")
    source = tmp_path / "rows.parquet"
    if kind == "duckdb":
        source = pytest.importorskip("duckdb").connect().from_parquet(str(source))
    elif kind != "parquet":
        source = [table if kind == "arrow" else pytest.importorskip("polars").from_arrow(table)]
        source = iter(source)
    model = make_model(nominal=["code"]).fit(source, "kind")
    assert model.encoding_.attributes[0].values == (2**60 + 1, 2**60 + 3)
    assert model.predict(tmp_path / "rows.parquet").tolist() == [1, 0, 0] * 50


def test_an_ordered_dictionary_of_arrow_is_ordinal_in_memory_too():
    arrow = pytest.importorskip("pyarrow")
    sizes = pd.Categorical(["small", "large", "medium"] * 50, ["small", "medium", "large"], ordered=True)
    table = arrow.Table.from_pandas(pd.DataFrame({"size": sizes}))
    assert [a.kind for a in make_model().fit(table, [0, 1, 0] * 50).encoding_.attributes] == ["ordinal"]


def test_predictions_keep_the_types_of_the_file_and_the_labels_of_rows(whole, tmp_path):
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table, model = whole
    n = 100_000
    rows = table.drop(columns="kind").sample(n, replace=True, random_state=0).reset_index(drop=True)
    late = [None] * 80_000 + [1] * 20_000  # the first batch has no value
    columns = {
        "id": arrow.array([None if i % 7 == 0 else 2**60 + i for i in range(n)], arrow.int64()),
        "when": arrow.array(late, arrow.date32()),
        "price": arrow.array(late, arrow.decimal128(10, 2)),
        "note": arrow.array([None if x is None else "n" for x in late]),
    }
    stored = arrow.Table.from_pandas(rows.set_axis([f"row {i}" for i in range(n)]))
    for name, column in columns.items():
        stored = stored.append_column(name, column)
    parquet.write_table(stored, tmp_path / "rows.parquet")
    model.predict_to(tmp_path / "rows.parquet", tmp_path / "out.parquet")
    written = parquet.read_table(tmp_path / "out.parquet")
    for name in stored.column_names:
        assert written[name].equals(stored[name].cast(written[name].type)), name
        assert written.schema.field(name).type == stored.schema.field(name).type, name
    assert written["prediction"].to_pylist() == model.predict(rows).tolist()
    frame = rows[:1000].sample(frac=1, random_state=0)
    model.predict_to(frame, tmp_path / "out.parquet")
    assert pd.read_parquet(tmp_path / "out.parquet").index.equals(frame.index)
