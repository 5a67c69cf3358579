"""Learning on: a classifier that knows something meets new rows.

Its network is carried over to what is known of the columns now, and polished by the rows that are remembered and the
new ones. Where these have become many more since the last search, or tell another story, there is a search as well, and
the cheaper network is kept. Another story is told where the network errs on new rows clearly more often than it did on
new rows before; then what is remembered is forgotten.
"""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rulenet.conditions import Attribute, merge
from rulenet.encoding import Encoding
from rulenet.encoding.encoding import describe_names
from rulenet.encoding.sampling import choose_among
from rulenet.encoding.tables import Table, read_table
from rulenet.encoding.wishes import Wished, Wishes, ruled_out
from rulenet.exceptions import ParameterError, TableError
from rulenet.fitted import Fitted
from rulenet.labels import several_targets
from rulenet.network import Network
from rulenet.search.problem import Problem
from rulenet.search.protocol import Found
from rulenet.shards.partitions import is_partitioned
from rulenet.shards.parts import Part
from rulenet.shards.sources import as_frame, is_source
from rulenet.shards.survey import join, take

# The standard errors by which new rows must be worse before old ones are forgotten.
SURPRISE = 4.0
# What a unit of size must win, in rows, when the network that was there is compared with another.
PRICE = 1.0
# There is a search again once so many times as many rows are remembered as at the last one.
GROWTH = 1.5


@dataclass(frozen=True)
class Memory:
    """Rows that were seen, at most so many, and how often networks erred on rows before they learned from them."""

    rows: Part | None = None
    numbers: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    n_seen: int = 0
    n_judged: int = 0
    n_wrong: int = 0
    n_searched: int = 0

    def with_rows(self, part: Part, n_wrong: int | None, n_most: int) -> "Memory":
        """What is remembered after another part, of which the network got ``n_wrong`` rows wrong, if it was there."""
        n_new = len(part.labels)
        if n_wrong is not None and self.is_surprised(n_wrong, n_new):
            return Memory().with_rows(part, None, n_most)
        numbers = np.concatenate([self.numbers, np.arange(self.n_seen, self.n_seen + n_new)])
        rows = part if self.rows is None else join(_all_weighted([self.rows, part]))
        chosen = choose_among(numbers, n_most)
        return replace(
            self,
            rows=take(rows, chosen),
            numbers=numbers[chosen],
            n_seen=self.n_seen + n_new,
            n_judged=self.n_judged + (0 if n_wrong is None else n_new),
            n_wrong=self.n_wrong + (n_wrong or 0),
        )

    def is_surprised(self, n_wrong: int, n_rows: int) -> bool:
        """Whether networks err on new rows clearly more often than they did on new rows before.

        >>> Memory(n_judged=1000, n_wrong=100).is_surprised(120, 1000)
        False
        >>> Memory(n_judged=1000, n_wrong=100).is_surprised(200, 1000)
        True
        """
        if not self.n_judged or not n_rows:
            return False
        share = (self.n_wrong + n_wrong + 1) / (self.n_judged + n_rows + 2)
        error = (share * (1 - share) * (1 / self.n_judged + 1 / n_rows)) ** 0.5
        return bool(n_wrong / n_rows - self.n_wrong / self.n_judged > SURPRISE * error)

    @property
    def is_due(self) -> bool:
        """Whether there should be a search again."""
        return len(self.numbers) >= GROWTH * self.n_searched

    def searched(self) -> "Memory":
        """The same after a search."""
        return replace(self, n_searched=len(self.numbers))


def _all_weighted(parts: list[Part]) -> list[Part]:
    """The parts, all with weights if one has: rows that came without count once."""
    if all(part.weights is None for part in parts):
        return parts
    return [replace(part, weights=np.ones(len(part.labels))) if part.weights is None else part for part in parts]


def known_kinds(encoding: Encoding, wishes: Wished) -> Wished:
    """The wishes, with columns taken for what they were taken for before."""
    if wishes.get("nominal") == "all":
        return wishes
    heading = encoding.heading
    given = {heading.position(column, "nominal") for column in _list(wishes.get("nominal"))}
    text = {i for i, a in enumerate(encoding.attributes) if a.kind == "nominal" and a.values and not _are_booleans(a)}
    places = sorted(given | text)
    return {**wishes, "nominal": places if heading.labels is None else [heading.names[i] for i in places]}


def within(base: Fitted, wishes: Wished) -> Fitted:
    """The base without the conditions that the wishes rule out by now; refused where its network reads one."""
    out = ruled_out(base.encoding.conditions, Wishes(**wishes), base.encoding.heading)
    for j in np.flatnonzero(out & base.network.reads):
        raise ParameterError(
            f"forbid or monotonic_cst rules out '{base.encoding.conditions[j]}', which the network to go on from "
            "reads: refit learns without it, and so does fit of a new classifier"
        )
    if not out.any():
        return base
    network, left = base.network, np.flatnonzero(~out)
    weights = [network.weights[0][:, left], *network.weights[1:]]
    conditions = tuple(base.encoding.conditions[j] for j in left)
    return replace(
        base,
        encoding=replace(base.encoding, conditions=conditions),
        network=Network(weights, network.first_gate, network.needs),
        alternatives=(),
    )


def widen(known: Encoding, learned: Encoding) -> Encoding:
    """An encoding with the values, cuts and conditions of both; the conditions of the first come first."""
    found, expected = (tuple(a.name for a in encoding.attributes) for encoding in (learned, known))
    if found != expected:
        raise TableError(describe_names(found, expected))
    others = {a.name: a for a in learned.attributes}
    finer = {a.name: _merged(a, others.get(a.name)) for a in known.attributes}
    new = [x for x in learned.conditions if x.attribute.kind == finer[x.attribute.name].kind]
    both = dict.fromkeys(x.on(finer[x.attribute.name]) for x in (*known.conditions, *new))
    return Encoding(tuple(finer.values()), tuple(both), known.named)


def carry(network: Network, n_literals: int) -> Network:
    """The network over more literals, of which it does not read the new ones."""
    more = np.zeros((len(network.weights[0]), n_literals - network.n_literals), np.bool_)
    return Network([np.hstack([network.weights[0], more]), *network.weights[1:]], network.first_gate, network.needs)


def better(polished: Found, searched: Found, problem: Problem) -> Found:
    """The cheaper of two networks; the one that was there before on a tie."""
    price = PRICE * problem.row_weight
    costs = [problem.errors(found.network) + price * found.network.size for found in (polished, searched)]
    return polished if costs[0] <= costs[1] else searched


def as_part(table: Any, y: Any, sample_weight: Any) -> Part:
    """Rows to learn on from."""
    if is_partitioned(table) or is_source(table):
        raise ParameterError(
            f"partial_fit takes rows in memory, but X is a {type(table).__name__}: give one batch after the other, or "
            "learn on from all rows with warm_start=True and fit"
        )
    frame = pd.DataFrame(table) if isinstance(table, list | tuple) else as_frame(table)
    if several_targets(frame, y) is not None:
        raise ParameterError("y has several columns of labels, but partial_fit learns on from one: fit takes several")
    return Part.of(frame.reset_index(drop=True), y, sample_weight).counting({})


def with_names(table: Any, encoding: Encoding) -> Table:
    """The table with the labels of the columns that the encoding has: by position, where one of both has none."""
    encoding.check(view := read_table(table))
    return replace(view, labels=encoding.heading.labels)


def named_part(part: Part, encoding: Encoding) -> Part:
    """The rows under the names of the columns that the encoding has."""
    return replace(part, table=part.table.set_axis(list(with_names(part.table, encoding).names), axis="columns"))


def check_first(labels: NDArray[Any], classes: Any) -> None:
    """Refuse a first part of the rows that lacks a class."""
    if classes is None:
        return
    found, wanted = set(np.unique(labels).tolist()), set(np.unique(classes).tolist())
    if found != wanted:
        odd = sorted(map(repr, found ^ wanted))[0]
        raise ParameterError(
            f"classes and y differ by {odd}, but the first rows must have all classes, and no other: begin with more "
            "rows"
        )


def _merged(known: Attribute, other: Attribute | None) -> Attribute:
    """An attribute with the values and cuts of both; one without any cells says nothing."""
    if other is None or not other.n_cells or (other.kind != known.kind and not other.values and not other.cuts):
        return known
    if not known.measured and not known.values:
        return other
    return merge(known, other)


def _are_booleans(attribute: Attribute) -> bool:
    return all(isinstance(value, bool) for value in attribute.values)


def _list(nominal: Any) -> list[Any]:
    return [] if nominal is None or isinstance(nominal, str) else list(nominal)
