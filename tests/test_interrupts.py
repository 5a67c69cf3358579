"""Ctrl-C at any moment: a fitted model with a warning, or a classifier as it was before."""

import multiprocessing
import os
import random
import signal
import threading
import time
import warnings

import joblib
import numpy as np
import pytest

from rulenet import Anneal, Count, Greedy, RuleNetworkClassifier
from rulenet.auto import Auto
from rulenet.cli import app
from rulenet.search import interrupts

rng = np.random.default_rng(0)
X = rng.integers(0, 3, (80, 5))
LABELS = {2: rng.random(80) < X[:, 0] / 3, 3: np.where(rng.random(80) < 0.3, 0, X[:, 1])}
SMALL = Count(n_walks=2, n_folds=0, n_proposals=500)
forking = multiprocessing.get_context("fork")


@pytest.fixture(autouse=True)
def _no_interrupt_before(monkeypatch):
    monkeypatch.setattr(interrupts.Interrupts, "_last", -np.inf)


def fit_and_tell(search, y, fitted_before, connection):
    """Fit in this process, which others interrupt, and tell what became of the classifier."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    model, before, told = RuleNetworkClassifier(search=search, random_state=0), None, "nothing"
    if fitted_before is not None:
        model.fitted_ = before = fitted_before
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        connection.send("ready")
        try:
            model.fit(X, y)
            told = "fitted"
        except KeyboardInterrupt:
            told = "raised" if told == "nothing" else told
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    now = getattr(model, "fitted_", None)
    warned = sum("interrupted" in str(w.message) for w in caught)
    whole = now is not None and len(model.predict(X)) == len(X) and bool(str(model))
    connection.send((told, warned, whole, now is before))


def interrupted_fit(search, y, fitted_before, delays):
    """What a process tells of a fit that gets a SIGINT after each of the ``delays``."""
    mine, its = forking.Pipe()
    process = forking.Process(target=fit_and_tell, args=(search, y, fitted_before, its))
    process.start()
    assert mine.poll(60)
    assert mine.recv() == "ready"
    for delay in delays:
        time.sleep(delay)
        os.kill(process.pid, signal.SIGINT)
    assert mine.poll(120)
    told = mine.recv()
    process.join(60)
    return told


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("search", [Auto(max_time=0.5), Count(max_time=0.5), Anneal(max_time=0.5), Greedy()], ids=repr)
def test_interrupts_at_any_moment_leave_a_fitted_model_or_what_there_was(search, n_classes):
    if n_classes > 2 and not search.defaults.several_classes:
        pytest.skip("this search describes one of two classes")
    y, draws = LABELS[n_classes], random.Random(n_classes)
    begin = time.perf_counter()
    fitted = RuleNetworkClassifier(search=search, random_state=0).fit(X, y).fitted_  # compiles, too
    takes = min(time.perf_counter() - begin, 1.0)
    for number in range(int(os.environ.get("RULENET_INTERRUPTS", "6"))):
        delays = draws.uniform(0, takes), draws.choice([0.0, 0.001, 0.02, 0.2])
        told, warned, whole, as_before = interrupted_fit(search, y, fitted if number % 2 else None, delays)
        if told == "fitted":
            assert whole
            assert not as_before
            assert warned <= 1
        else:
            assert (told, as_before, warned) == ("raised", True, 0)


class Interrupted(Auto):
    """A search that gets an interrupt at every stage."""

    def search(self, problem, start, seed, n_jobs=None, report=None):
        return super().search(problem, start, seed, n_jobs, lambda progress: signal.raise_signal(signal.SIGINT))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_interrupts_in_close_succession_end_both_searches_and_warn_once(n_classes, monkeypatch):
    monkeypatch.setattr(interrupts, "SAME_WISH", 600.0)
    model = RuleNetworkClassifier(search=Interrupted(), random_state=0)
    with pytest.warns(RuntimeWarning, match="interrupted: this is the best network so far") as caught:
        model.fit(X, LABELS[n_classes])
    assert len(caught) == 1
    assert model.score(X, LABELS[n_classes]) > 0.3
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("moment", [0, 2])
def test_an_interrupt_before_there_is_a_network_that_counts_leaves_one_that_tells_something(moment, n_classes):
    y, seen = np.minimum(X[:, 0] * X[:, 1], n_classes - 1), []

    class InterruptedCount(Count):
        def search(self, problem, start, seed, n_jobs=None, report=None):
            def interrupt(progress):
                seen.append(progress)
                if len(seen) == moment + 1:
                    signal.raise_signal(signal.SIGINT)

            return super().search(problem, start, seed, n_jobs, interrupt)

    with pytest.warns(RuntimeWarning, match="interrupted: this is the best network so far"):
        model = RuleNetworkClassifier(search=InterruptedCount(), random_state=0).fit(X, y)
    assert model.score(X, y) > 0.9


def test_an_interrupt_that_comes_again_later_keeps_nothing(monkeypatch):
    model = RuleNetworkClassifier(search=Interrupted(), random_state=0)
    monkeypatch.setattr(interrupts, "SAME_WISH", 0.0)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, LABELS[2])
    assert not hasattr(model, "fitted_")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_handlers_of_others_are_left_alone():
    calls = []
    before = signal.signal(signal.SIGINT, lambda *_: calls.append(1))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            RuleNetworkClassifier(search=Interrupted(max_time=0.2), random_state=0).fit(X, LABELS[2])
    finally:
        signal.signal(signal.SIGINT, before)
    assert calls


def fitted_network(search=SMALL):
    return RuleNetworkClassifier(search=search, random_state=0).fit(X, LABELS[3]).network_


def send_network(connection):
    connection.send(fitted_network())


def test_fits_in_threads_forked_children_and_workers_are_the_same():
    expected, found = fitted_network(), []
    thread = threading.Thread(target=lambda: found.append(fitted_network()))
    thread.start()
    thread.join()
    mine, its = forking.Pipe()
    child = forking.Process(target=send_network, args=(its,))
    child.start()
    assert mine.poll(120)
    found.append(mine.recv())
    child.join()
    found += joblib.Parallel(n_jobs=2, backend="loky")(joblib.delayed(fitted_network)() for _ in range(2))
    assert found == [expected] * 4


def test_fits_in_workers_of_dask_are_the_same():
    distributed = pytest.importorskip("distributed")
    with distributed.Client(processes=False, n_workers=1, threads_per_worker=2, dashboard_address=None) as client:
        found = client.gather([client.submit(fitted_network, pure=False) for _ in range(2)])
    assert found == [fitted_network()] * 2


def run_command(arguments, connection):
    """Run the command in this process, and tell when its search begins."""
    begin = interrupts.Interrupts.begin

    def tell(self):
        connection.send("searching")
        return begin(self)

    interrupts.Interrupts.begin = tell
    signal.signal(signal.SIGINT, signal.default_int_handler)
    app(arguments)


def test_a_signal_to_terminate_the_command_saves_what_there_is(tmp_path, capfd):
    table, path = tmp_path / "rows.csv", tmp_path / "model.json"
    lines = [",".join(map(str, [*row, label])) for row, label in zip(X.tolist(), LABELS[3].tolist(), strict=True)]
    table.write_text("\n".join(["a,b,c,d,e,y", *lines]))
    mine, its = forking.Pipe()
    arguments = ["fit", str(table), "--target", "y", "--max-time", "60", "-o", str(path)]
    process = forking.Process(target=run_command, args=(arguments, its))
    process.start()
    assert mine.poll(120)
    time.sleep(0.2)
    process.terminate()
    process.join(120)
    assert process.exitcode == 0
    assert "interrupted: this is the best network so far" in capfd.readouterr().err
    assert len(RuleNetworkClassifier.load(path).predict(X.astype(str))) == len(X)
