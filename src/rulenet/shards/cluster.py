"""Calls that Dask makes: on the workers of the current client where there is one, else on threads.

What a lost worker had is computed again by Dask. Where nobody is left to do that, waiting ends with an error.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager
from importlib import import_module
from time import monotonic
from typing import Any

from rulenet.exceptions import RuleNetError, TableError

#: Seconds without any worker after which a fit gives up.
PATIENCE = 60.0
#: Seconds between two looks at the workers.
PAUSE = 1.0


class WorkersLostError(TableError):
    """A computation that could not be finished on the workers of a cluster."""


def delayed(function: Callable[..., Any], *args: Any) -> Any:
    """A call that Dask makes when it is asked for the result."""
    return import_module("dask").delayed(function, pure=False)(*args)


def compute(calls: Sequence[Any]) -> list[Any]:
    """The results of calls."""
    client = _client()
    if client is None:
        return list(import_module("dask").compute(*calls))
    with _said_clearly(client), _seceded():
        return _gathered(client, client.compute(list(calls)))


def persist(calls: Sequence[Any]) -> list[Any]:
    """The calls, their results kept where they were made."""
    client = _client()
    if client is None:
        return list(import_module("dask").persist(*calls))
    with _said_clearly(client):
        return list(client.persist(list(calls)))


def _client() -> Any:
    try:
        distributed = import_module("distributed")
    except ImportError:
        return None
    try:
        return distributed.get_client() if _on_worker() else distributed.Client.current()
    except ValueError:
        return None


def _on_worker() -> bool:
    try:
        import_module("distributed").get_worker()
    except ValueError:
        return False
    return True


@contextmanager
def _seceded() -> Iterator[None]:
    """Leave the thread of a worker to others: what a task waits for may need it."""
    if not _on_worker():
        yield
        return
    distributed = import_module("distributed")
    distributed.secede()
    try:
        yield
    finally:
        distributed.rejoin()


def _gathered(client: Any, futures: list[Any]) -> list[Any]:
    """The results, or an error once there has been no worker for a while.

    Gathering waits by itself, also for results that are lost on their way and computed again.
    """
    gathering = asyncio.run_coroutine_threadsafe(_results(client, futures), client.loop.asyncio_loop)
    try:
        last_seen = monotonic()
        while not _ended(gathering):
            now = monotonic()
            last_seen = now if _has_workers(client) else last_seen
            if now - last_seen >= PATIENCE:
                raise WorkersLostError(
                    f"the cluster has had no worker for {PATIENCE:.0f} seconds, so the fit cannot go on: start workers "
                    "and fit again"
                )
        return gathering.result()
    finally:
        gathering.cancel()
        for future in futures:
            future.release()


async def _results(client: Any, futures: list[Any]) -> list[Any]:
    return list(await client.gather(futures, asynchronous=True))


def _ended(gathering: "Future[list[Any]]") -> bool:
    """Whether the results, or an error, are there; wait a moment for them."""
    try:
        gathering.exception(timeout=PAUSE)
    except TimeoutError:
        return gathering.done()
    return True


def _has_workers(client: Any) -> bool:
    try:
        return bool(client.scheduler_info()["workers"])
    except OSError:  # no scheduler answers
        return False


@contextmanager
def _said_clearly(client: Any) -> Iterator[None]:
    """What Dask says when it gives up, as an error of ours."""
    try:
        yield
    except RuleNetError:
        raise
    except import_module("distributed").KilledWorker as error:
        raise WorkersLostError(
            f"workers were lost again and again at the same task ({error}): give them more memory, or make the "
            "partitions smaller, and fit again"
        ) from error
    except (Exception, asyncio.CancelledError) as error:
        if client.status == "running" and not isinstance(error, CancelledError | asyncio.CancelledError):
            raise
        raise WorkersLostError(
            "the cluster is gone, or what the table is computed from was cancelled, so the fit cannot go on: connect a "
            "client, load the table and fit again"
        ) from error
