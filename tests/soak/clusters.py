"""Faults that meet a fit on a cluster: workers that are killed, and schedulers."""

import asyncio
import hashlib
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection

import numpy as np
import pandas as pd
import warm

from rulenet import Count, RuleNetworkClassifier
from rulenet.model_file import dumps
from rulenet.shards import cluster
from rulenet.shards.cluster import WorkersLostError

N_WORKERS = 2
LONGEST = 120.0  # seconds after which a fit counts as hanging


def make_table(n_rows: int = 2000) -> pd.DataFrame:
    """A table to learn from."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"size": rng.normal(size=n_rows).round(2), "doors": rng.integers(2, 6, n_rows)})
    return table.assign(kind=np.where((table["size"] > 0.3) | (table["doors"] == 2), "yes", "no"))


def fit(table: object) -> str:
    """What a fit gives, as a digest of its model file."""
    model = RuleNetworkClassifier(search=Count(n_walks=1, n_folds=0, n_proposals=2000), random_state=0)
    model.fit(table.drop(columns="kind"), table["kind"])  # type: ignore[attr-defined]
    return hashlib.sha256(dumps(model._state()).encode()).hexdigest()


def schedule(connection: Connection) -> None:
    """Be a scheduler, and tell the address."""
    import distributed

    async def serve() -> None:
        async with distributed.Scheduler(host="127.0.0.1", port=0, dashboard=False) as scheduler:
            connection.send(scheduler.address)
            await scheduler.finished()

    _quiet()
    asyncio.run(serve())


def work(address: str, name: str) -> None:
    """Be a worker."""
    import distributed

    async def serve() -> None:
        async with distributed.Worker(address, nthreads=1, name=name, dashboard=False) as worker:
            await worker.finished()

    _quiet()
    asyncio.run(serve())


def fit_on(address: str, connection: Connection) -> None:
    """Fit on a cluster, and tell when it begins and how it ends."""
    import dask.dataframe as dd
    import distributed

    _quiet()
    cluster.PATIENCE = 5.0
    with distributed.Client(address, timeout=30, set_as_default=True) as client:
        client.wait_for_workers(N_WORKERS, timeout=60)
        connection.send("ready")
        try:
            connection.send(fit(dd.from_pandas(make_table(), npartitions=4)))
        except WorkersLostError as error:
            connection.send(error)
        except BaseException as error:  # told to the other side
            connection.send(RuntimeError(f"{type(error).__name__}: {error}"))


def _quiet() -> None:
    import logging

    logging.disable(logging.CRITICAL)


@contextmanager
def a_cluster() -> Iterator[tuple[str, list]]:
    """The address of a scheduler, and its process with those of its workers."""
    mine, its = warm.forking.Pipe()
    processes = [warm.start(schedule, its)]
    try:
        if not mine.poll(60):
            raise RuntimeError("no scheduler came up")
        address = mine.recv()
        processes += [warm.start(work, address, str(i)) for i in range(N_WORKERS)]
        yield address, processes
    finally:
        for process in processes:
            warm.kill(process)


def strike_once(victim: Callable[[str, list], None], delay: float) -> tuple[object, float]:
    """What a fit tells in the middle of which a process is lost, and how long it took."""
    with a_cluster() as (address, processes):
        mine, its = warm.forking.Pipe()
        fitting = warm.start(fit_on, address, its)
        try:
            if not mine.poll(90) or mine.recv() != "ready":
                return "did not begin", 0.0
            begin = time.monotonic()
            if delay >= 0:
                time.sleep(delay)
                victim(address, processes)
            found = mine.recv() if mine.poll(LONGEST) else "hangs"
            return found, time.monotonic() - begin
        except EOFError:
            return "the fitting process died", 0.0
        finally:
            warm.kill(fitting)


def lose_worker(address: str, processes: list) -> None:
    """Kill a worker; another one comes."""
    warm.kill(processes[1])
    processes.append(warm.start(work, address, "new"))


def lose_scheduler(address: str, processes: list) -> None:
    """Kill the scheduler."""
    warm.kill(processes[0])


def kill_workers(n_times: int, draws: random.Random) -> tuple[int, list[str]]:
    """The network of one machine, whichever worker is lost."""
    expected, failures = fit(make_table()), list[str]()
    takes = min(strike_once(lose_worker, -1.0)[1] for _ in range(2))
    for number in range(n_times):
        found, _ = strike_once(lose_worker, warm.moment(draws, takes))
        if found != expected:
            failures.append(f"kill {number}: {found!r}")
    return n_times, failures


def kill_schedulers(n_times: int, draws: random.Random) -> tuple[int, list[str]]:
    """The network of one machine where it was done by then, else an error that says so; never a hang."""
    expected, failures, n_refused = fit(make_table()), list[str](), 0
    takes = min(strike_once(lose_scheduler, -1.0)[1] for _ in range(2))
    for number in range(n_times):
        found, _ = strike_once(lose_scheduler, warm.moment(draws, takes))
        n_refused += isinstance(found, WorkersLostError)
        if found != expected and not isinstance(found, WorkersLostError):
            failures.append(f"kill {number}: {found!r}")
    if not n_refused:
        failures.append("no kill met a fit")
    return n_times, failures
