"""Workers that are lost in the middle of a fit: the same network, or a clear error, never a hang."""

import os
import signal
import time
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
import pytest

from rulenet import Count
from rulenet.shards import cluster as waiting
from rulenet.shards.cluster import WorkersLostError
from test_dask import TIMEOUT, assert_same, dask, dd, distributed, fit, make_model, make_table

N_PARTITIONS = 4


@pytest.fixture(scope="module")
def table():
    return make_table()


@pytest.fixture(scope="module")
def alone(table):
    return fit(make_model(), table)


@contextmanager
def a_cluster(**more):
    settings = {"distributed.comm.timeouts.connect": "10s", "distributed.scheduler.worker-ttl": None}
    with (
        dask.config.set(settings),
        distributed.LocalCluster(threads_per_worker=1, host="127.0.0.1", dashboard_address=":0", **more) as cluster,
        distributed.Client(cluster, timeout=TIMEOUT) as client,
    ):
        yield cluster, client


@pytest.fixture(scope="module")
def client():
    """A client of two processes."""
    with a_cluster(n_workers=2) as (_, client):
        yield client


@pytest.fixture
def cluster():
    """A cluster of one thread, to lose."""
    with a_cluster(n_workers=1, processes=False, protocol="tcp://") as (cluster, _):
        yield cluster


def make_search(meanwhile):
    """A search that calls ``meanwhile`` first: by then all rows are packed in shards, which polishing will ask for."""

    class Meanwhile(Count):
        def search(self, *args, **more):
            meanwhile()
            return super().search(*args, **more)

    return Meanwhile(n_walks=1, n_folds=0, n_proposals=500)


def kill_a_worker(client):
    """Kill the process of a worker that keeps shards."""
    pids, kept = client.run(os.getpid), client.has_what()
    address = next(address for address, keys in kept.items() if any("pack" in str(key) for key in keys))
    os.kill(pids[address], signal.SIGKILL)


def load(rows: pd.DataFrame, folder: Path) -> pd.DataFrame:
    """A partition; the worker that loads it for the third time, after counting and looking, dies."""
    times = len(list(folder.iterdir())) + 1
    (folder / str(times)).touch()
    if times == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return rows


def test_shards_of_a_killed_worker_are_built_again(client, table, alone):
    killed = []
    search = make_search(lambda: killed.append(kill_a_worker(client)))
    assert_same(fit(make_model(search=search), dd.from_pandas(table, npartitions=N_PARTITIONS)), alone)
    assert len(killed) == 1


def test_a_worker_may_die_while_it_packs(client, table, alone, tmp_path):
    parts = [dask.delayed(load)(table.iloc[:150], tmp_path), dask.delayed(table.iloc[150:])]
    frame = dd.from_delayed(parts, meta=table.iloc[:0], verify_meta=False)
    assert_same(fit(make_model(), frame), alone)
    assert len(list(tmp_path.iterdir())) == 4


def test_a_cluster_without_workers_is_a_clear_error(cluster, table, monkeypatch):
    monkeypatch.setattr(waiting, "PATIENCE", 2.0)
    model = make_model(search=make_search(lambda: cluster.scale(0)))
    begin = time.monotonic()
    with pytest.raises(WorkersLostError, match="the cluster has had no worker for 2 seconds"):
        fit(model, dd.from_pandas(table, npartitions=N_PARTITIONS))
    assert time.monotonic() - begin < 30
    assert not hasattr(model, "fitted_")


def test_rows_that_kill_every_worker_are_a_clear_error(table):
    deadly = [dask.delayed(lambda: os.kill(os.getpid(), signal.SIGKILL))()]
    frame = dd.from_delayed(deadly, meta=table.iloc[:0], verify_meta=False)
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        a_cluster(n_workers=1),
        pytest.raises(WorkersLostError, match="workers were lost again and again at the same task"),
    ):
        fit(make_model(), frame)


def test_a_cluster_that_is_gone_is_a_clear_error(cluster, table):
    model = make_model(search=make_search(cluster.close))
    with pytest.raises(WorkersLostError, match="the cluster is gone"):
        fit(model, dd.from_pandas(table, npartitions=N_PARTITIONS))


def test_errors_of_the_rows_are_told_as_they_are(cluster, table, tmp_path):
    parts = [dask.delayed(pd.read_parquet)(tmp_path / "none.parquet")]
    with pytest.raises(FileNotFoundError, match=r"none\.parquet"):
        fit(make_model(), dd.from_delayed(parts, meta=table.iloc[:0], verify_meta=False))


def test_a_fit_within_a_task_leaves_the_only_thread_to_its_partitions(cluster, table, alone):
    frame = dd.from_pandas(table, npartitions=2)
    future = distributed.Client.current().submit(lambda: fit(make_model(), frame))
    assert_same(future.result(timeout=TIMEOUT), alone)
