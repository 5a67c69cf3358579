"""How every rule, concept and class does on a data set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulenet.conditions import Condition
from rulenet.exceptions import FormulaError
from rulenet.formulas.decision import Decision
from rulenet.formulas.export.text import words
from rulenet.formulas.expressions import AtLeast, Concept, Formula, Or, walk
from rulenet.formulas.truth import Codes, truth_of, truths
from rulenet.later import Later

if TYPE_CHECKING:
    import pandas as pd
else:
    pd = Later("pandas")


def rule_statistics(formula: Formula, rows: Codes, positive: NDArray[np.bool_]) -> pd.DataFrame:
    """One line for every rule of the target, for every concept and for the target itself.

    Columns are ``kind``, ``name``, ``meaning``, ``coverage`` (rows in which it holds), ``support`` (positive ones among
    them), ``precision`` (their share), ``low`` and ``high`` (its 95% confidence interval, by Wilson), ``recall`` (the
    share of all positive rows that it covers) and ``lift`` (the precision as a multiple of the share of positive rows
    among all). Shares of nothing are NaN. Where the target counts, there is one line of kind ``"part"`` for everything
    that is counted.

    >>> from rulenet.conditions import Attribute
    >>> from rulenet.formulas.truth import encode
    >>> a = Attribute("a", (0, 1))
    >>> rows = encode([a], [{"a": 1}, {"a": 1}, {"a": 0}])
    >>> table = rule_statistics(Formula(a.equal(1), {}, (a,)), rows, np.array([True, False, False]))
    >>> table[["name", "coverage", "support", "precision"]].values.tolist()
    [['rule 1', 2, 1, 0.5], ['positive', 2, 1, 0.5]]
    """
    known = truths(formula, rows)
    output, word = formula.output, "part" if isinstance(formula.output, AtLeast) else "rule"
    rules = dict.fromkeys(output.parts if isinstance(output, Or | AtLeast) else (output,))
    lines = [(word, f"{word} {k}", words(r), truth_of(r, rows, known).true) for k, r in enumerate(rules, start=1)]
    for name, meaning in formula.definitions:
        kind = "target" if name == formula.target else "concept"
        lines.append((kind, name, words(meaning), known[name].true))
    table = pd.DataFrame(
        [(kind, name, text, int(held.sum()), int((held & positive).sum())) for kind, name, text, held in lines],
        columns=["kind", "name", "meaning", "coverage", "support"],
    )
    return _with_shares(table, int(positive.sum()), len(positive))


def _with_shares(table: pd.DataFrame, n_positive: int, n_rows: int) -> pd.DataFrame:
    support, coverage = table["support"].to_numpy(float), table["coverage"].to_numpy(float)
    covered = np.where(coverage > 0, coverage, np.nan)
    table["precision"] = support / covered
    table["low"], table["high"] = wilson_interval(support, coverage)
    table["recall"] = support / (n_positive or np.nan)
    table["lift"] = table["precision"] / (n_positive / max(n_rows, 1) or np.nan)
    return table


def wilson_interval(
    hits: NDArray[np.float64], rows: NDArray[np.float64], z: float = 1.959963984540054
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The interval in which a share lies with 95% confidence, of ``hits`` among ``rows``; NaN where there are none.

    E. Wilson, "Probable Inference, the Law of Succession, and Statistical Inference", 1927.

    >>> low, high = wilson_interval(np.array([8.0, 0.0]), np.array([10.0, 10.0]))
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.49, 0.0], [0.943, 0.278])
    """
    n = np.where(rows > 0, rows, np.nan)
    share = hits / n
    middle, scale = share + z**2 / (2 * n), 1 + z**2 / n
    half = z * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    return np.clip((middle - half) / scale, 0, 1), np.clip((middle + half) / scale, 0, 1)


class ClassStatistics(NamedTuple):
    """How a decision does: one line a class, and how often one class is taken for another."""

    classes: pd.DataFrame
    confusion: pd.DataFrame


def class_statistics(decision: Decision, rows: Codes, labels: Sequence[Hashable]) -> ClassStatistics:
    """Precision (with its 95% interval), recall, F1 and lift of every class, and the confusion matrix.

    In the matrix actual classes stand down, decided ones across.

    ``fired`` are the rows in which the class reaches its need, ``decided`` those in which it wins, ``rows`` those that
    have it. Shares of nothing are NaN, but F1 is 0 where no row of the class is found. Labels that the decision does
    not know have a line of the confusion matrix, after the known ones.

    >>> from rulenet.conditions import Attribute
    >>> from rulenet.formulas.decision import Score
    >>> from rulenet.formulas.truth import encode
    >>> a = Attribute("a", (0, 1, 2))
    >>> decision = Decision((Score("x", 1, ((1, a.equal(0)),)), Score("y", 1, ((1, a.equal(1)),))), {}, (a,))
    >>> found = class_statistics(decision, encode([a], [{"a": 0}, {"a": 1}, {"a": 2}]), ["x", "y", "y"])
    >>> found.classes[["decided", "precision", "recall"]].values.tolist()
    [[2.0, 0.5, 1.0], [1.0, 1.0, 0.5]]
    >>> found.confusion.values.tolist()
    [[1, 0], [1, 1]]
    """
    if len(labels) != len(rows):
        raise FormulaError(f"there are {len(labels)} labels but {len(rows)} rows")
    margins = decision.margins(rows)
    known = [*decision.labels, *dict.fromkeys(label for label in labels if label not in decision.labels)]
    place = {label: k for k, label in enumerate(known)}
    actual, decided = np.array([place[label] for label in labels], dtype=np.int64), margins.argmax(axis=1)
    n = len(decision.labels)
    counts = np.bincount(actual * n + decided, minlength=len(known) * n).reshape(len(known), n)
    hits, n_decided, n_rows = np.diagonal(counts), counts.sum(axis=0), counts.sum(axis=1)[:n]
    names = pd.Index(list(decision.labels), dtype=object, name=decision.target)
    table = pd.DataFrame({"rows": n_rows, "fired": (margins >= 0).sum(axis=0), "decided": n_decided}, index=names)
    table["precision"] = hits / np.where(n_decided > 0, n_decided, np.nan)
    table["low"], table["high"] = wilson_interval(hits.astype(float), n_decided.astype(float))
    table["recall"] = hits / np.where(n_rows > 0, n_rows, np.nan)
    table["f1"] = 2 * hits / np.where(n_decided + n_rows > 0, n_decided + n_rows, np.nan)
    table["lift"] = table["precision"] / np.where(n_rows > 0, n_rows / max(len(labels), 1), np.nan)
    down = pd.Index(known, dtype=object, name="actual")
    return ClassStatistics(table, pd.DataFrame(counts, index=down, columns=names.rename("decided")))


def condition_counts(said: Formula | Decision) -> dict[str, int]:
    """How many conditions of a formula or a decision ask about every column; those of concepts count once.

    >>> from rulenet.conditions import Attribute
    >>> from rulenet.formulas.expressions import And
    >>> a, b = Attribute("a", (0, 1)), Attribute("b", (0, 1))
    >>> condition_counts(Formula(Or((a.equal(1), And((a.equal(0), b.equal(1))))), {}, (a, b)))
    {'a': 2, 'b': 1}
    """
    meanings = [*said.concepts.values()]
    meanings += [said.output] if isinstance(said, Formula) else [p for score in said.outputs for _, p in score.parts]
    asked = Counter(x.attribute.name for meaning in meanings for x in walk(meaning) if isinstance(x, Condition))
    return {attribute.name: asked[attribute.name] for attribute in said.attributes}


def decision_path(decision: Decision, rows: Codes, one_fires: bool = False) -> pd.DataFrame:
    """One line a row: its class and by what margin, the runner-up, and which classes fired.

    Of two classes one fires in every row, as ``one_fires`` says: the one that is described where it reaches its need,
    else the other one.

    ``lead`` is how far the class is ahead of the runner-up, 0 in a tie; ``says`` is "one" where one class fired,
    "conflict" where several did, "none" where none. Then there is a column ``margin of ...`` for every class.

    >>> from rulenet.conditions import Attribute
    >>> from rulenet.formulas.decision import Score
    >>> from rulenet.formulas.truth import encode
    >>> a = Attribute("a", (0, 1, 2))
    >>> decision = Decision((Score("x", 1, ((1, a.equal(0)),)), Score("y", 1, ((2, ~a.equal(2)),))), {}, (a,))
    >>> decision_path(decision, encode([a], [{"a": 0}, {"a": 2}])).iloc[:, :6].values.tolist()
    [['y', 1, 'x', 1, ('x', 'y'), 'conflict'], ['x', -1, 'y', 0, (), 'none']]
    """
    margins = decision.margins(rows)
    order = np.argsort(-margins, axis=1, kind="stable")
    first, second = order[:, 0], order[:, min(1, margins.shape[1] - 1)]
    i = np.arange(len(margins))
    labels = np.empty(len(decision.labels), dtype=object)
    labels[:] = decision.labels
    fired = [tuple(label for label, m in zip(decision.labels, row, strict=True) if m >= 0) for row in margins]
    if one_fires:
        fired = [(label,) for label in labels[first]]
    table = pd.DataFrame({decision.target: labels[first], "margin": margins[i, first], "runner-up": labels[second]})
    table["lead"] = margins[i, first] - margins[i, second]
    table["fired"] = pd.Series(fired, dtype=object)
    table["says"] = [("none", "one", "conflict")[min(len(f), 2)] for f in fired]
    columns = [f"margin of {label}" for label in decision.labels]
    return pd.concat([table, pd.DataFrame(margins, columns=columns)], axis=1)


def concept_matrix(decision: Decision) -> pd.DataFrame:
    """The points of every part (concepts first, then the others) for every class, 0 where it does not count.

    >>> from rulenet.conditions import Attribute
    >>> from rulenet.formulas.decision import Score
    >>> from rulenet.formulas.expressions import Concept
    >>> a = Attribute("a", (0, 1, 2))
    >>> scores = (Score("x", 1, ((1, a.equal(0)),)), Score("y", 1, ((2, Concept("c1")),)))
    >>> concept_matrix(Decision(scores, {"c1": ~a.equal(2)}, (a,))).to_dict("index")
    {'c1': {'x': 0, 'y': 2}, 'a = 0': {'x': 1, 'y': 0}}
    """
    named = [words(Concept(name)) for name in decision.concepts]
    points = [{words(part): n for n, part in score.parts} for score in decision.outputs]
    lines = dict.fromkeys([*named, *(text for found in points for text in found)])
    cells = [[found.get(text, 0) for found in points] for text in lines]
    columns = pd.Index(list(decision.labels), dtype=object, name=decision.target)
    return pd.DataFrame(cells, index=pd.Index([*lines], name="part"), columns=columns, dtype=np.int64)
