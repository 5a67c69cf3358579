"""Models of every kind, made by hand: what a page must show and compute like Python."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from rulenet.calibration import Calibration
from rulenet.encoding import Encoding
from rulenet.fitted import Alternative, Fitted
from rulenet.network import Network

HOSTILE = [
    "</script><script>globalThis.pwned = 1</script>",
    "<img src=x onerror='globalThis.pwned = 1'>",
    "\"quoted\" 'twice' \\ `${globalThis.pwned = 1}`",
    "\u202eright to left\u2066",
    "\U0001f600 {{script}} & &amp; ]]>",
    "__proto__",
]


RARE = Calibration(0.7, (-3.0,), follows=False)


@dataclass(frozen=True)
class Case:
    fitted: Fitted
    X: pd.DataFrame
    y: np.ndarray


def fitted_of(
    X: pd.DataFrame, classes: list[Any], sizes: tuple[int, ...], seed: int, needs: bool, **wishes: Any
) -> Fitted:
    """A random network over the conditions of a table, sparse, with some alternatives."""
    random = np.random.default_rng(seed)
    encoding = Encoding.learn(X, **wishes)
    n_outputs = 1 if len(classes) == 2 else len(classes)

    def network(sizes: tuple[int, ...]) -> Network:
        shape = [len(encoding.conditions), *sizes, n_outputs]
        weights = []
        for below, above in itertools.pairwise(shape):
            layer = np.zeros((above, below), bool)
            for unit in layer:
                unit[random.choice(below, min(below, int(random.integers(1, 5))), replace=False)] = True
            weights.append(layer)
        weights[-1][:] |= random.random(weights[-1].shape) < 0.7
        counts = [
            [int(random.integers(1, max(2, w.sum() // 2 + 1))) if needs else 1 for w in layer] for layer in weights
        ]
        return Network(weights, "and" if seed % 2 else "or", counts)

    calibration = Calibration(0.7, tuple(np.linspace(-0.3, 0.4, n_outputs).tolist()))
    networks = [network((3,)), network(sizes), network((12, 6))]
    alternatives = tuple(Alternative(n, calibration, 0.1 * i, 0.5 + 0.1 * i) for i, n in enumerate(networks))
    outputs = (1,) if n_outputs == 1 else tuple(random.permutation(n_outputs).tolist())
    labels = np.array(classes)
    return Fitted(
        encoding, networks[1], labels, outputs, calibration, f"class = {classes[1]}", np.zeros(0), alternatives
    )


def labels_for(X: pd.DataFrame, classes: list[Any], seed: int) -> np.ndarray:
    return np.random.default_rng(seed + 100).choice(np.array(classes), len(X))


def numbers(n: int = 300) -> Case:
    random = np.random.default_rng(1)
    X = pd.DataFrame({f"x{i}": random.normal(size=n) for i in range(4)} | {"whole": random.integers(0, 5, n)})
    X.loc[0, "x0"], X.loc[1, "x0"], X.loc[2, "x1"] = np.inf, -np.inf, 1e-9
    y = np.where(X["x0"] + X["x1"] > 0, "yes", "no")
    return Case(fitted_of(X, ["no", "yes"], (8, 4), 1, False), X, y)


def missing(n: int = 200) -> Case:
    random = np.random.default_rng(2)
    X = pd.DataFrame(
        {
            "age": np.where(random.random(n) < 0.3, np.nan, random.normal(40, 9, n).round()),
            "colour": random.choice(np.array(["red", "blue", "green", None], object), n),
        }
    )
    fitted = fitted_of(X, [0, 1], (9, 4), 2, True, missing=True, not_equal=True)
    other = X.copy()
    other.loc[3, "colour"] = "never seen"
    return Case(fitted, other, labels_for(X, [0, 1], 2))


def moments(n: int = 150) -> Case:
    random = np.random.default_rng(3)
    days = pd.Timestamp("2023-01-01") + pd.to_timedelta(random.integers(0, 700, n), unit="D")
    X = pd.DataFrame(
        {
            "signed": days,
            "called": pd.to_datetime(days + pd.to_timedelta(random.random(n) * 1e5, unit="s")).tz_localize(
                "Europe/Vienna", ambiguous=True, nonexistent="shift_forward"
            ),
            "took": pd.to_timedelta(random.integers(0, 10**12, n), unit="us"),
            "old": np.datetime64("1400-05-06T07:08:09.123456") + random.integers(0, 10**6, n).astype("m8[us]"),
        }
    )
    X.loc[5, "signed"] = pd.NaT
    return Case(fitted_of(X, [False, True], (9, 4), 16, False), X, labels_for(X, [False, True], 3))


def counting(n: int = 250) -> Case:
    random = np.random.default_rng(4)
    X = pd.DataFrame(random.choice(["a", "b", "c"], (n, 8)), columns=[f"q{i}" for i in range(8)])
    return Case(fitted_of(X, ["n", "p"], (12, 8, 5), 4, True, not_equal=True), X, labels_for(X, ["n", "p"], 4))


def weighted(n: int = 200) -> Case:
    """Found with class weights: it says "yes" where that is not likely."""
    random = np.random.default_rng(8)
    X = pd.DataFrame({f"x{i}": random.normal(size=n).round(2) for i in range(4)})
    fitted = fitted_of(X, ["no", "yes"], (8, 4), 4, True)
    alternatives = tuple(replace(a, evidence=RARE) for a in fitted.alternatives)
    return Case(replace(fitted, evidence=RARE, alternatives=alternatives), X, labels_for(X, ["no", "yes"], 8))


def classes(n: int = 300) -> Case:
    random = np.random.default_rng(5)
    X = pd.DataFrame(
        {f"v{i}": random.normal(size=n).round(1) for i in range(3)} | {"kind": random.choice(["u", "v", "w"], n)}
    )
    X["size"] = pd.Categorical(random.choice(["S", "M", "L", "XL"], n), ["S", "M", "L", "XL"], ordered=True)
    labels = ["ant", "bee", "cat", "dog"]
    return Case(fitted_of(X, labels, (14, 9), 5, True), X, labels_for(X, labels, 5))


def hostile(n: int = 80) -> Case:
    random = np.random.default_rng(6)
    X = pd.DataFrame({name: random.choice(np.array(HOSTILE, object), n) for name in HOSTILE})
    labels = sorted([HOSTILE[0], HOSTILE[1], HOSTILE[3]])
    return Case(fitted_of(X, labels, (9, 4), 6, True), X, labels_for(X, labels, 6))


def large(n_rows: int, n_rules: int, n_conditions: int, n_columns: int = 60) -> Case:
    """Rules of four conditions each under one counting output, of so many conditions."""
    random = np.random.default_rng(7)
    X = pd.DataFrame({f"measure {i}": random.normal(size=n_rows).round(3) for i in range(n_columns)})
    encoding = Encoding.learn(X)
    chosen = random.choice(len(encoding.conditions), n_conditions, replace=False)
    layer = np.zeros((n_rules, len(encoding.conditions)), bool)
    for i, j in enumerate(chosen):
        layer[i % n_rules, j] = True
    y = np.where(X.iloc[:, 0] + X.iloc[:, 1] > 0, "yes", "no")
    network = Network([layer, np.ones((1, n_rules), bool)], "and", [[1] * n_rules, [2]])
    return Case(
        Fitted(encoding, network, np.array(["no", "yes"]), (1,), Calibration(1.0, (0.0,)), "outcome = yes"), X, y
    )


CASES: dict[str, Callable[[], Case]] = {
    "numbers": numbers,
    "missing": missing,
    "moments": moments,
    "counting": counting,
    "weighted": weighted,
    "classes": classes,
    "hostile": hostile,
}
