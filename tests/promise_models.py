"""Models of every kind, made by hand, and rows that try them: the left side of the table in test_promise."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone
from functools import cache, cached_property
from typing import Any

import numpy as np
import pandas as pd

from rulenet import Greedy, RuleNetworkClassifier
from rulenet.calibration import Calibration
from rulenet.conditions import Attribute, Condition
from rulenet.encoding import Encoding
from rulenet.fitted import Fitted
from rulenet.fitted_targets import FittedTargets, Target
from rulenet.formulas.edit import add_rule, need
from rulenet.kinds import DAY, EPOCH
from rulenet.network import Network

KOLKATA = timezone(timedelta(hours=5, minutes=30))
HOSTILE = (
    "it's",
    'say "x"',
    "'; DROP TABLE data; --",
    "a\nb",
    "a\r\tb",
    "/* no */ -- comment",
    "%",
    "_%",
    "__import__('os')",
    "\u202eexe.gpj\u2066",
    "back\\slash \\' \\n",
    "`${1}` $1 {0} %s",
    "[a]]",
    "</script>&amp;<!--",
    "=1+1",
    "NULL",
    "TRUE",
    "select",
    "naïve ☃ 𝄞",
    "__proto__",
    "\x07\x7f\u0085\u2028",
    "",
    " ",
    " blanks around ",
    "x" * 300,
)


@dataclass(frozen=True)
class Case:
    """A fitted model, what its columns may hold besides, and who refuses it with what words.

    The keys of ``refused`` are how the names of programs and styles begin.
    """

    model: RuleNetworkClassifier
    also: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def attributes(self) -> tuple[Attribute, ...]:
        return self.model.encoding_.attributes

    def refusal(self, column: str) -> str:
        """What the error of an export says; nothing where there is none."""
        return next((words for start, words in self.refused.items() if column.startswith(start)), "")

    def rows(self, *, coarse: bool = False, n_random: int = 40) -> list[dict[str, Any]]:
        """Rows in which every value to try of every column occurs; ``coarse`` ones keep some distance to cuts."""
        rng = np.random.default_rng(0)
        choices = {a.name: [*probes(a, coarse=coarse), *self.also.get(a.name, ())] for a in self.attributes}

        def random_row() -> dict[str, Any]:
            return {name: found[rng.integers(len(found))] for name, found in choices.items()}

        swept = [random_row() | {name: value} for name, found in choices.items() for value in found]
        return swept + [random_row() for _ in range(n_random if len(choices) > 1 else 0)]

    def predicted(self, rows: list[dict[str, Any]]) -> list[Any]:
        """What ``predict`` says: a class a row, or a list of classes."""
        return self.model.predict(pd.DataFrame(rows, columns=[a.name for a in self.attributes], dtype=object)).tolist()


def moment(text: str) -> int:
    """Microseconds since 1970."""
    return (datetime.fromisoformat(text) - EPOCH) // timedelta(microseconds=1)


def natural(attribute: Attribute, bound: int) -> Any:
    """A cut of dates or durations as a value of a row."""
    if attribute.kind == "duration":
        return timedelta(microseconds=bound)
    value = EPOCH + timedelta(microseconds=bound)
    return value.replace(tzinfo=UTC).astimezone(KOLKATA) if attribute.kind == "instant" else value


def probes(attribute: Attribute, *, coarse: bool = False) -> list[Any]:
    """Every value; at, just below and just above every cut; infinite, unseen and missing ones."""
    if attribute.kind == "numeric":
        at = [float(cut) for cut in attribute.cuts]
        if coarse:
            return [cut * (1 + side) if cut else side for cut in at for side in (-1e-9, 0, 1e-9)] + [None]
        near = [float(np.nextafter(cut, side)) for cut in at for side in (-np.inf, np.inf)]
        return [*at, *near, *(int(cut) for cut in at if abs(cut) < 1e9), math.inf, -math.inf, None]
    if attribute.measured:
        steps = (-1_000_000, 0, 1_000_000) if coarse else (-1, 0, 1)
        return [natural(attribute, cut + step) for cut in attribute.cuts for step in steps] + [None]
    kinds = {type(value) for value in attribute.values}
    unseen: tuple[Any, ...] = unseen_texts(attribute.values) if kinds == {str} else ()
    if kinds <= {int, float}:
        unseen = (99, -1, 0.25) if max(map(abs, attribute.values)) < 2**53 else (99, 2**60 + 2, 2**60 - 1)
    return [*attribute.values, *unseen, None]


def unseen_texts(values: tuple[Any, ...]) -> tuple[str, ...]:
    """Texts that are near to the values of a column, but none of them."""
    near = ["", " ", "never seen", "NA", "nan", "None", "missing", "null", "0", "1.0", "%"]
    near += [change(v) for v in values for change in (str.upper, str.lower, str.strip, lambda v: f"{v} ", repr)]
    return tuple(dict.fromkeys(text for text in near if text not in values))


def model_of(
    attributes: tuple[Attribute, ...],
    conditions: list[Condition],
    network: Network,
    labels: list[Any],
    outputs: tuple[int, ...],
    target: str = "kind",
) -> RuleNetworkClassifier:
    """A fitted classifier of these parts; ``labels`` in order, ``outputs`` are the places of those described."""
    classes = np.array(labels, dtype=object if isinstance(labels[0], str) else None)
    calibration = Calibration(0.7, tuple(np.linspace(-0.3, 0.4, len(outputs)).tolist()))
    model = RuleNetworkClassifier()
    model.fitted_ = Fitted(
        Encoding(attributes, tuple(conditions), True), network, classes, outputs, calibration, target
    )
    return model


def telling(attribute: Attribute, names: tuple[str, ...] = ()) -> RuleNetworkClassifier:
    """A model that says in which cell a row is, or that the value is missing or unseen."""
    conditions = [Condition(attribute, 1 << cell) for cell in range(attribute.n_cells)] + [attribute.is_missing]
    labels = [*(names or [f"cell {cell}" for cell in range(attribute.n_cells)]), "missing", "unseen"]
    weights = np.vstack([np.eye(len(conditions), dtype=bool), np.zeros((1, len(conditions)), bool)])
    order = [len(labels) - 1, *range(len(labels) - 1)]  # of equal margins the first wins, and that is "unseen"
    return model_of((attribute,), conditions, Network([weights[order]], "or"), labels, tuple(order))


def random_condition(attribute: Attribute, rng: np.random.Generator) -> Condition:
    if rng.random() < 0.15:
        return attribute.is_missing if rng.random() < 0.5 else attribute.is_known
    if attribute.ordered and attribute.n_cells > 1 and rng.random() < 0.6:
        low, high = sorted(rng.choice(attribute.n_cells + 1, 2, replace=False).tolist())
        return Condition(attribute, (1 << high) - (1 << low))
    return Condition(attribute, int(rng.integers(1, min(2 * attribute.missing, 2**62))))


def deep(
    *attributes: Attribute, labels: list[Any] | None = None, counting: bool = True, seed: int = 0
) -> RuleNetworkClassifier:
    """A random network with shared units, units twice and units without inputs; all its classes are met."""
    labels = labels or ["no", "yes"]
    for attempt in range(300):
        rng = np.random.default_rng([seed, attempt])
        conditions = list(dict.fromkeys(random_condition(a, rng) for a in attributes for _ in range(4)))
        model = model_of(attributes, conditions, *_random_network(len(conditions), labels, counting, rng))
        case = Case(model)
        found = case.predicted(case.rows())
        if min(map(found.count, labels)) >= 5:
            return model
    raise AssertionError("no network found")


def _random_network(
    n: int, labels: list[Any], counting: bool, rng: np.random.Generator
) -> tuple[Network, list[Any], tuple[int, ...]]:
    first = np.array([rng.permutation(n) < rng.integers(1, 4) for _ in range(9)])
    second = np.array([rng.permutation(9) < rng.integers(1, 4) for _ in range(7)])
    second = np.vstack([second, second[:2], np.zeros((1, 9), bool)])
    n_outputs = len(labels) if len(labels) > 2 else 1
    third = np.array([rng.permutation(10) < rng.integers(1, 3) for _ in range(9 + n_outputs)])
    last = rng.random((n_outputs, len(third))) < 0.4
    layers = [first, second, third, last]
    needs = [rng.integers(1, 3 if counting else 2, len(layer)) for layer in layers]
    needs[1][7:9] = needs[1][:2]
    outputs = tuple(rng.permutation(n_outputs).tolist()) if n_outputs > 1 else (int(rng.integers(2)),)
    return Network(layers, "and", needs), labels, outputs


COLOUR = Attribute("colour", ("blue", "red", "green", "black"))
LIT = Attribute("lit", (False, True))
CODE = Attribute("code", (1, 2, 30))
RATIO = Attribute("ratio", (0.5, 1e-9, 0.1, 2.25))
SIZE = Attribute("size", ("S", "M", "L", "XL"), kind="ordinal")
AGE = Attribute("age", kind="numeric", cuts=(-1e300, -2.5e-9, 0, 0.1, 0.1 + 0.2, 37.5, 123456789.12345679, 1e16, 1e300))
VISITS = Attribute("visits", kind="numeric", cuts=(0, 1, 2, 3, 10, 16777217), whole=True)
MARCH = moment("2024-03-01")
SIGNED = Attribute("signed", kind="date", cuts=(-DAY, MARCH, MARCH + DAY, MARCH + 9 * DAY), whole=True)
SEEN = Attribute("seen", kind="date", cuts=(moment("1950-01-01"), moment("2024-03-01 12:30:00.000001"), 10**16))
AT = Attribute("at", kind="instant", cuts=(0, moment("2024-03-31 01:30:00.5")))
TOOK = Attribute("took", kind="duration", cuts=(-1, 0, 300_000, 90_500_000, 40 * DAY))
SINGLE = Attribute("single", kind="numeric")
TWINS = (Attribute("Age", kind="numeric", cuts=(18,)), Attribute("age", kind="numeric", cuts=(30, 60)))
MANY = Attribute("a", tuple(f"v{k}" for k in range(48)))
BIG = Attribute("big", (1, 2**60, 2**60 + 1))
INFINITE = Attribute("a", kind="numeric", cuts=(-math.inf, 3.5))
NUL, HALF = Attribute("a", ("x\0y", "x", "x\0")), Attribute("a", ("\ud800", "x"))
MIXED = Attribute("a", ("1", 1, False, "True", 0.5))
CODE_NAMES = (
    *(Attribute(name, kind="numeric", cuts=(1.5, 2.5)) for name in ("float", "row", "predict", "value", "Infinity")),
    *(Attribute(name, kind="date", cuts=(MARCH,)) for name in ("datetime", "date", "label", "margins")),
    *(Attribute(name, kind="duration", cuts=(DAY,)) for name in ("timedelta", "took", "margin of x", "c1", "kind")),
)
EVERY = (COLOUR, LIT, CODE, SIZE, AGE, VISITS, SIGNED, SEEN, AT, TOOK, SINGLE)


def hostile_columns() -> tuple[Attribute, ...]:
    """Columns whose names and values are hostile; no column holds what another format than text cannot."""
    names = [name for name in HOSTILE if name]
    texts = [Attribute(name, (HOSTILE[k], HOSTILE[k - 1], HOSTILE[k - 2])) for k, name in enumerate(names[:9])]
    return (*texts, *(Attribute(name, kind="numeric", cuts=(1.5, 2.5)) for name in names[9:]))


def targets() -> RuleNetworkClassifier:
    """Two yes-or-no columns and one of three classes in one network; their names are hostile too."""
    one, three = Calibration(1.0, (0.0,)), Calibration(1.0, (0.0,) * 3)
    columns = (
        Target("__proto__", "__proto__ = True", np.array([False, True]), (1,), one),
        Target("2", "2 = no", np.array(["no", "yes"], object), (0,), one),
        Target("it's", "it's", np.array(["x", "y", "z"], object), (2, 0, 1), three),
    )
    model = RuleNetworkClassifier()
    for seed in range(300):
        rng = np.random.default_rng(seed)
        conditions = list(dict.fromkeys(random_condition(a, rng) for a in (COLOUR, LIT, AGE) for _ in range(4)))
        network, _, _ = _random_network(len(conditions), [*"abcde"], True, rng)
        model.fitted_ = FittedTargets(Encoding((COLOUR, LIT, AGE), tuple(conditions), True), network, columns)
        found = np.array(Case(model).predicted(Case(model).rows()), object)
        if [len(set(found[:, k])) for k in range(3)] == [2, 2, 3]:
            return model
    raise AssertionError("no network found")


def small_fit(**parameters: Any) -> tuple[RuleNetworkClassifier, pd.DataFrame, Any]:
    rng = np.random.default_rng(1)
    X = pd.DataFrame({n: rng.choice(["u", "v", "w"], 200) for n in "abcd"} | {"heat": rng.normal(size=200).round(1)})
    y = np.where((X["a"] == "u") & (X["b"] != "v") | (X["heat"] > 0.5) & (X["d"] == "u"), "in", "out")
    search = Greedy(n_epochs=2)
    model = RuleNetworkClassifier([8], random_state=0, search=search, positive_class="in", **parameters)
    return model.fit(X, y), X, y


def edited() -> RuleNetworkClassifier:
    """A fitted model with a rule that was typed, a need that was changed and names that people gave."""
    model, _, _ = small_fit()
    formula = add_rule(model.formula_, "heat <= -1.25 and not (a = w) and c != u")
    changed = model.with_formula(need(formula, formula.target, 2))
    return changed.rename_concepts({name: f'it\'s "{name}";\n' for name in changed.formula_.concepts})


def called_like_columns() -> RuleNetworkClassifier:
    """A model whose concepts have the names that exports give to columns of their own, but for their case."""
    model = deep(COLOUR, AGE, LIT, labels=["ant", "bee", "cat"], seed=5)
    names = ("margin of ant", "Margin of ant", "COLOUR", "Kind")
    assert len(model.formula_.concepts) >= 2
    return model.rename_concepts(dict(zip(model.formula_.concepts, names, strict=False)))


def locked() -> RuleNetworkClassifier:
    """A fitted model learned again around a rule that stays."""
    model, X, y = small_fit()
    return model.refit(X, y, lock=[1], forbid=["heat"])


DATABASES = ("sqlite", "duckdb", "postgresql")
NO_MIXTURE = dict.fromkeys((*DATABASES, "onnx"), "values of several kinds")
RENAME = {"onnx": "rename it"}
NO_HALVES = dict.fromkeys((*DATABASES, "onnx", "prolog"), "no valid Unicode") | {"excel": "no spreadsheet"}
# Networks as they are have no such limit.
NOT_EQUAL = {"javascript network": "", "": "that Python holds equal"}
CASES: dict[str, Callable[[], Case]] = {
    "nominal": lambda: Case(telling(COLOUR)),
    "truth": lambda: Case(telling(LIT)),
    "codes": lambda: Case(telling(CODE)),
    "fractions": lambda: Case(telling(RATIO)),
    "ordinal": lambda: Case(telling(SIZE)),
    "numeric": lambda: Case(telling(AGE)),
    "whole numbers": lambda: Case(telling(VISITS)),
    "days": lambda: Case(telling(SIGNED)),
    "dates": lambda: Case(telling(SEEN)),
    "instants": lambda: Case(telling(AT)),
    "durations": lambda: Case(telling(TOOK)),
    "without cuts": lambda: Case(telling(SINGLE)),
    "hostile values": lambda: Case(telling(Attribute("a", HOSTILE), (*HOSTILE,))),
    "hostile names": lambda: Case(deep(*hostile_columns(), labels=sorted(HOSTILE[:3]))),
    "twin values": lambda: Case(telling(Attribute("a", ("A", "a", "a ", "ä", "Ä", "ß", "ss", "SS")))),
    "twin columns": lambda: Case(deep(*TWINS, seed=1), refused={"sqlite": "differ", "duckdb": "differ"}),
    "two classes": lambda: Case(deep(COLOUR, AGE, counting=False)),
    "counting": lambda: Case(deep(COLOUR, SIZE, VISITS, seed=1)),
    "several classes": lambda: Case(deep(COLOUR, AGE, LIT, labels=["ant", "bee", "cat", "dog"])),
    "numbers as classes": lambda: Case(deep(COLOUR, AGE, labels=[1, 2, 30])),
    "truths as classes": lambda: Case(deep(SIZE, AGE, labels=[False, True], seed=2)),
    "every kind of column": lambda: Case(deep(*EVERY, labels=["x", "y", "z"], seed=3)),
    "50 classes": lambda: Case(telling(MANY), refused={"excel cells": "", "excel": "use style='cells'"}),
    "several targets": lambda: Case(targets()),
    "edited": lambda: Case(edited()),
    "locked": lambda: Case(locked()),
    "weighted": lambda: Case(small_fit(class_weight={"in": 9})[0]),
    "far beyond": lambda: Case(telling(BIG), refused={"javascript": "rounds", "excel": "15 digits"}),
    "infinite cuts": lambda: Case(telling(INFINITE), refused=dict.fromkeys((*DATABASES, "excel"), "cut at -inf")),
    "NUL": lambda: Case(telling(NUL), refused=dict.fromkeys((*DATABASES, "onnx"), "NUL") | {"excel": "no spreadsheet"}),
    "NUL in a name": lambda: Case(
        telling(Attribute("a\0b", ("x", "y"))), refused=dict.fromkeys(DATABASES, "NUL") | RENAME
    ),
    "no name": lambda: Case(
        telling(Attribute("", ("x", "y"))), refused=dict.fromkeys((*DATABASES, "onnx"), "rename it")
    ),
    "concepts called like columns": lambda: Case(called_like_columns()),
    "half a character": lambda: Case(telling(HALF), refused=NO_HALVES),
    "names that code uses": lambda: Case(deep(*CODE_NAMES, labels=["x", "y", "z"], seed=6)),
    "kinds mixed": lambda: Case(telling(MIXED), {"a": ("0.5", "0", 1.0, 0, True, "False")}, NO_MIXTURE),
    "equal in Python": lambda: Case(telling(Attribute("a", ("1", 1, True))), refused=NOT_EQUAL),
}
CASES = {name: cache(make) for name, make in CASES.items()}
