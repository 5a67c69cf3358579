"""What is written beside the nodes of a picture: how many rows they cover, and how pure these are."""

from collections.abc import Hashable, Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from rulenet.conditions import Condition
from rulenet.formulas.decision import Decision
from rulenet.formulas.expressions import And, AtLeast, Expression, Formula, Not, Or, walk
from rulenet.formulas.truth import Codes, Mask, Truth, truth_of, truths
from rulenet.scene.graph import Notes
from rulenet.scene.labels import shortened

LENGTH = 16


def notes_on(said: Formula | Decision, rows: Codes, labels: Sequence[Hashable]) -> Notes:
    """How many of the ``rows`` every condition and unit covers, and the share of the most frequent label among them.

    >>> from rulenet.conditions import Attribute
    >>> from rulenet.formulas.truth import encode
    >>> a = Attribute("a", (0, 1))
    >>> formula = Formula(Or((a.equal(1), a.is_missing)), {}, (a,), "yes")
    >>> notes_on(formula, encode([a], [{"a": 1}, {"a": 1}, {"a": 0}, {}]), ["p", "n", "n", "p"])["yes"]
    '3 rows, 67% p'
    """
    names = [*dict.fromkeys(labels)]
    places = {label: k for k, label in enumerate(names)}
    codes = np.array([places[label] for label in labels], np.int64)
    found: dict[str | Expression, str] = {}
    for key, held in _covered(said, rows):
        counts = np.bincount(codes[held], minlength=len(names))
        best = names[int(counts.argmax())]
        found[key] = _short(counts) if isinstance(key, Condition) else _said(counts, str(best))
    return found


def notes_of(statistics: pd.DataFrame) -> Notes:
    """What is written below concepts and the target, from the table that ``rule_statistics`` makes.

    >>> table = pd.DataFrame({"kind": ["target"], "name": ["yes"], "coverage": [40], "support": [38]})
    >>> notes_of(table)
    {'yes': '40 rows, 95% positive'}
    """
    named = statistics[statistics["kind"] != "rule"]
    rows = zip(named["name"], named["coverage"], named["support"], strict=True)
    return {name: f"{n:,} rows" + (f", {support / n:.0%} positive" if n else "") for name, n, support in rows}


def _covered(said: Formula | Decision, rows: Codes) -> Iterator[tuple[str | Expression, Mask]]:
    """The target or the classes, concepts, conditions and units without a name, and where they hold."""
    known: Mapping[str, Truth]
    if isinstance(said, Formula):
        known, meanings = truths(said, rows), [meaning for _, meaning in said.definitions]
    else:
        known = said.known(rows)
        meanings = [*said.concepts.values(), *(part for score in said.outputs for _, part in score.parts)]
        margins = said.margins(rows)
        yield from ((said.name(score.label), margins[:, k] >= 0) for k, score in enumerate(said.outputs))
    yield from ((name, truth.true) for name, truth in known.items())
    parts = dict.fromkeys(part for meaning in meanings for part in walk(meaning))
    for part in parts:
        if isinstance(part, Condition | And | Or | AtLeast | Not):
            yield part, truth_of(part, rows, known).true


def _said(counts: np.ndarray, name: str) -> str:
    n, called = int(counts.sum()), f"class {name}" if name.isdecimal() else shortened(name, LENGTH)
    return f"{n:,} row{'' if n == 1 else 's'}, {counts.max() / n:.0%} {called}" if n else "no rows"


def _short(counts: np.ndarray) -> str:
    n = int(counts.sum())
    return f"{n:,} · {counts.max() / n:.0%}" if n else "no rows"
