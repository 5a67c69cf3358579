"""Training over the shards of a cluster is training on one machine, bit for bit."""

import numpy as np
import pandas as pd
import pytest

from rulenet import Count, RuleNetworkClassifier
from rulenet.exceptions import ParameterError, TableError

dask = pytest.importorskip("dask")
dd = pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")

TIMEOUT = 120  # seconds after which a computation counts as hanging


def make_table(n_rows=400):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "size": rng.normal(size=n_rows).round(2),
            "colour": rng.choice(["red", "green", "blue"], n_rows),
            "doors": rng.integers(2, 6, n_rows),
        }
    )
    table.loc[rng.random(n_rows) < 0.1, "size"] = None
    kind = np.where((table["size"] > 0.3) & (table["colour"] != "blue") | (table["doors"] == 2), "yes", "no")
    return table.assign(kind=kind)


def make_model(**parameters):
    search = Count(n_walks=1, n_folds=0, n_proposals=500)
    return RuleNetworkClassifier(**{"search": search, "random_state": 0, "max_search_rows": 300, **parameters})


def fit(model, table, *more):
    return model.fit(table.drop(columns="kind"), table["kind"], *more)


def assert_same(one, other):
    assert one.network_ == other.network_
    assert one.encoding_ == other.encoding_
    assert one.classes_.tolist() == other.classes_.tolist()
    assert one.fitted_.calibration == other.fitted_.calibration
    assert one.history_.tolist() == other.history_.tolist()


def divide(frames):
    """A Dask DataFrame with these partitions."""
    return dd.from_delayed([dask.delayed(frame) for frame in frames], meta=frames[0].iloc[:0], verify_meta=False)


@pytest.fixture(scope="module")
def table():
    return make_table()


@pytest.fixture(scope="module")
def alone(table):
    return fit(make_model(), table)


@pytest.fixture(scope="module", params=[1, 2, 4])
def client(request):
    settings = {"distributed.comm.timeouts.connect": "60s", "distributed.scheduler.worker-ttl": None}
    with (
        dask.config.set(settings),
        distributed.LocalCluster(
            n_workers=request.param, threads_per_worker=1, host="127.0.0.1", dashboard_address=None
        ) as cluster,
        distributed.Client(cluster, timeout=TIMEOUT) as client,
    ):
        yield client


@pytest.mark.parametrize("n_partitions", [1, 2, 3, 7])
def test_the_network_is_that_of_one_machine(client, table, alone, n_partitions):
    frame = dd.from_pandas(table, npartitions=n_partitions)
    assert_same(fit(make_model(), frame), alone)


def test_without_a_client_threads_do_the_same(table, alone):
    assert_same(fit(make_model(), dd.from_pandas(table, npartitions=3)), alone)


def test_small_parquet_files_that_dask_joins_are_one_table(table, alone, tmp_path):
    for number, first in enumerate(range(0, len(table), 60)):
        table.iloc[first : first + 60].to_parquet(tmp_path / f"{number}.parquet")
    whole = dd.read_parquet(tmp_path)
    several, one = whole[["size", "colour", "doors"]], whole["kind"]
    assert len(several.to_delayed()) != len(one.to_delayed()), "or this tests nothing"
    assert_same(make_model().fit(several, one), alone)


def test_partitions_may_be_empty_or_lack_a_class(table):
    parts = [part for _, part in table.groupby("kind")]
    frames = [parts[0].iloc[:0], parts[0], parts[1].iloc[:0], parts[1]]
    assert_same(fit(make_model(), divide(frames)), fit(make_model(), pd.concat(frames)))


def test_partitions_may_have_other_categories(table):
    first = table.assign(colour=pd.Categorical(table["colour"], ["red", "green", "blue"])).iloc[:150]
    second = table.assign(colour=pd.Categorical(table["colour"], ["blue", "grey", "green", "red"])).iloc[150:]
    assert_same(fit(make_model(), divide([first, second])), fit(make_model(), pd.concat([first, second])))


def test_weights_are_a_series_too(table):
    weights = pd.Series(np.arange(len(table)) % 3, index=table.index, dtype=float)
    alone = fit(make_model(class_weight="balanced"), table, weights)
    frame, series = dd.from_pandas(table, npartitions=3), dd.from_pandas(weights, npartitions=3)
    assert_same(fit(make_model(class_weight="balanced"), frame, series), alone)


def test_a_model_of_a_cluster_is_a_plain_one_and_predicts_by_partitions(table, alone, tmp_path):
    frame = dd.from_pandas(table, npartitions=3).drop(columns="kind")
    X = table.drop(columns="kind")
    predicted = alone.predict(frame)
    assert predicted.npartitions == 3
    assert (predicted.compute().to_numpy() == alone.predict(X)).all()
    assert np.allclose(alone.predict_proba(frame).compute(), alone.predict_proba(X))
    alone.save(tmp_path / "model.json")
    assert (RuleNetworkClassifier.load(tmp_path / "model.json").predict(X) == alone.predict(X)).all()


def test_labels_that_are_not_divided_alike_are_refused(table):
    frame = dd.from_pandas(table, npartitions=3)
    with pytest.raises(ParameterError, match="y is a Series, but X is a Dask DataFrame"):
        make_model().fit(frame.drop(columns="kind"), table["kind"])
    with pytest.raises(TableError, match="3 and 2 partitions"):
        make_model().fit(frame.drop(columns="kind"), dd.from_pandas(table["kind"], npartitions=2))


def test_partitions_that_are_computed_in_another_order_each_time_are_refused(table):
    def shuffled(part):
        return part.sample(frac=1, random_state=np.random.default_rng()).reset_index(drop=True)

    frame = dd.from_pandas(table, npartitions=3)
    frame = frame.map_partitions(shuffled, meta=frame._meta)
    with (
        dask.config.set(scheduler="synchronous"),
        pytest.raises(TableError, match="the second time its rows were others, or in another order"),
    ):
        fit(make_model(), frame)


def test_labels_in_another_order_than_their_rows_are_refused(table):
    frame = dd.from_pandas(table, npartitions=3)
    kind = frame["kind"].map_partitions(lambda part: part.sort_values(), meta=frame["kind"]._meta)
    with pytest.raises(TableError, match="X and y have the same index in another order"):
        make_model().fit(frame.drop(columns="kind"), kind)


def test_what_is_no_table_or_no_series_of_dask_is_refused(table):
    frame = dd.from_pandas(table, npartitions=3)
    with pytest.raises(TypeError, match="X is a Dask Array, but expected a Dask DataFrame"):
        make_model().fit(frame[["size"]].to_dask_array(lengths=True), frame["kind"])
    with pytest.raises(ParameterError, match="y is a Dask DataFrame of 2 dimensions"):
        make_model().fit(frame.drop(columns="kind"), frame[["kind"]])


@pytest.mark.parametrize("labels", [["no", "yes", "maybe"], [7, 8, 9]])
@pytest.mark.parametrize("on_conflict", ["largest", "abstain"])
def test_predictions_have_the_type_that_was_announced_also_in_empty_partitions(table, labels, on_conflict):
    kind = np.array(labels)[np.arange(len(table)) % 3]
    model = make_model(on_conflict=on_conflict).fit(table[["size", "doors"]], kind)
    frame = dd.from_pandas(table, npartitions=3)
    predicted = model.predict(dd.concat([frame, frame[frame["doors"] > 100]]))
    for part in predicted.partitions:
        assert part.compute().dtype == predicted.dtype
