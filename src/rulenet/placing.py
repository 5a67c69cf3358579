"""Put the cuts that a network uses at their best places among all gaps of the data, and show the roundest numbers.

A search sees a few cuts a column. Once it is done, one cut after the other is placed exactly: the network is evaluated
twice, with the literals of the cut as they are below it and as they are above it. What each row costs then depends on
the side of the cut that it lies on, and prefix sums over the sorted values tell the cost of every gap.

Rows cost an error each. For networks that count they cost the loss of their margin, calibrated by the rows, and a move
must win what it takes to say where the cut goes, the logarithm of the number of gaps: such networks were found by a
vote, and chasing single rows of a noisy table would undo what it knows.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import cycle, islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax

from rulenet import bits
from rulenet.calibration import calibrate
from rulenet.conditions import Attribute, Condition
from rulenet.encoding import Encoding
from rulenet.encoding.columns import Measured, Values
from rulenet.encoding.measures import roundest
from rulenet.kinds import Bound
from rulenet.network import Network
from rulenet.search.problem import Problem, decide

MAX_PASSES = 20
UNRANKED = -1  # the rank of a missing value
ONE_NAT = 1 << 14  # in the loss of margins

Cost = Callable[[bits.Words], NDArray[np.int64]]


class Judge(NamedTuple):
    """What every row costs, for packed literals, and what a nat is worth of that: a move must win some of them.

    ``cost`` gives a line or more, (n_costs, n_rows): the first one must fall, and none may rise.
    """

    cost: Cost
    nat: float


class Gap(NamedTuple):
    """Where a cut lies: from the largest value below it on, and below the smallest value above it."""

    low: Bound
    cut: Bound
    high: Bound


def place_cuts(
    network: Network,
    encoding: Encoding,
    table: object,
    problem: Problem,
    *,
    fixed: Collection[str] = (),
    barred: Iterable[Condition] = (),
) -> Encoding:
    """The encoding with every cut that ``network`` uses at its best place, and rounded.

    Conditions keep their positions, so the network stays as it is. Those that it does not read keep their cuts, so
    an attribute has the cuts of all its conditions. Only "at most" and "above" are moved; conditions such as ``= 3``
    stay, and so do all on columns named in ``fixed`` (whose cuts the user gave).

    Errors never rise. A cut is moved only if the cost falls; among equally good gaps the widest is taken.

    Parameters
    ----------
    network : Network
        What reads the literals.
    encoding : Encoding
        What the literals stand for.
    table : DataFrame, 2-d array or list of rows
        The training rows.
    problem : Problem
        The same rows, encoded, with their target and weights.
    fixed : collection of str
        Names of columns to leave alone.
    barred : iterable of Condition
        What must not be asked: no cut comes into the gap of one in that direction.
    """
    movable = _movable(encoding, network.reads, fixed)
    if not movable:
        return encoding
    columns = _columns(encoding, table, {cut.attribute.name for cut in movable})
    places = _sweep(network, problem, movable, columns, _closed(movable, barred, columns))
    moved = dict[int, Condition]()
    for cut, place in zip(movable, places, strict=True):
        bound = columns[cut.attribute.name].shown(place, cut)
        attribute = replace(cut.attribute, cuts=(bound,))
        moved |= {j: attribute.at_most(bound) for j in cut.at_most} | {j: attribute.above(bound) for j in cut.above}
    return encoding.replace(_agreeing([moved.get(j, x) for j, x in enumerate(encoding.conditions)]))


def gaps_of(attribute: Attribute, encoding: Encoding, table: object) -> tuple[Gap, ...]:
    """The gap between two values of the table that every cut of an attribute lies in, open ends left out."""
    column = _columns(encoding, table, {attribute.name})[attribute.name]
    places = [(cut, column.place(cut)) for cut in attribute.cuts]
    distinct = column.distinct.tolist()
    return tuple(Gap(distinct[k], cut, distinct[k + 1]) for cut, k in places if 0 <= k < len(distinct) - 1)


def trim(encoding: Encoding, reads: NDArray[np.bool_]) -> Encoding:
    """The encoding with the conditions that a network reads, and no other cuts than theirs."""
    return encoding.replace(_agreeing([x for x, read in zip(encoding.conditions, reads, strict=True) if read]))


@dataclass(frozen=True)
class _Cut:
    """A cut of an attribute, and the literals that are true up to it and above it."""

    attribute: Attribute
    bound: Bound
    at_most: tuple[int, ...]
    above: tuple[int, ...]


class _Side(NamedTuple):
    """A cut, and whether a condition asks what is above it."""

    cut: Bound
    is_above: bool


@dataclass(frozen=True)
class _Column:
    """The different values of a column in order, and for every row the rank of its value among them."""

    distinct: Values
    ranks: NDArray[np.int32]

    def place(self, bound: Bound) -> int:
        """The rank of the largest value up to ``bound``, -1 if there is none."""
        return int(np.searchsorted(self.distinct, bound, side="right")) - 1

    def shown(self, place: int, cut: _Cut) -> Bound:
        """The roundest number in the gap after the value of rank ``place``."""
        if not 0 <= place < len(self.distinct) - 1:
            return cut.bound
        low, high = self.distinct[place : place + 2].tolist()
        return roundest(low, high, cut.attribute.kind, cut.attribute.whole)


def _movable(encoding: Encoding, reads: NDArray[np.bool_], fixed: Collection[str]) -> list[_Cut]:
    """The cuts that some "at most" or "above" condition in use has."""
    found: dict[tuple[int, Bound], tuple[list[int], list[int]]] = {}
    for j in np.flatnonzero(reads).tolist():
        side = _side(encoding.conditions[j])
        if side is not None and encoding.conditions[j].attribute.name not in fixed:
            found.setdefault((int(encoding.owners[j]), side.cut), ([], []))[side.is_above].append(j)
    attributes = encoding.attributes
    return [_Cut(attributes[i], bound, tuple(low), tuple(high)) for (i, bound), (low, high) in sorted(found.items())]


def _side(condition: Condition) -> _Side | None:
    """What an "at most" or "above" condition says, None for any other."""
    if not condition.attribute.measured or condition.asks_missing or len(condition.ranges) != 1:
        return None
    low, high = condition.ranges[0]
    if low is None:
        return None if high is None else _Side(high, False)
    return _Side(low, True) if high is None else None


def _closed(movable: Sequence[_Cut], barred: Iterable[Condition], columns: dict[str, _Column]) -> list[list[int]]:
    """For every cut, the ranks after which one of its conditions would be a barred one."""
    found: dict[str, list[_Side]] = {}
    for condition in barred:
        side = _side(condition)
        if side is not None:
            found.setdefault(condition.attribute.name, []).append(side)
    return [
        [
            columns[cut.attribute.name].place(bound)
            for bound, is_above in found.get(cut.attribute.name, [])
            if (cut.above if is_above else cut.at_most)
        ]
        for cut in movable
    ]


def _columns(encoding: Encoding, table: object, names: Iterable[str]) -> dict[str, _Column]:
    kinds = {attribute.name: attribute.kind for attribute in encoding.attributes}
    columns = dict[str, _Column]()
    for name, values in encoding.measured(table, names).items():
        known = ~Measured(kinds[name], values).is_missing
        distinct, inverse = np.unique(values[known], return_inverse=True)
        ranks = np.full(len(values), UNRANKED, np.int32)
        ranks[known] = inverse
        columns[name] = _Column(distinct, ranks)
    return columns


def _sweep(
    network: Network,
    problem: Problem,
    movable: Sequence[_Cut],
    columns: dict[str, _Column],
    closed: Sequence[Sequence[int]],
) -> list[int]:
    """The rank after which every cut is best placed, moved one by one until no move helps; never a closed one."""
    literals = np.zeros_like(problem.literals)  # pages of literals that nobody reads are never touched
    reads = network.reads
    literals[reads] = problem.literals[reads]
    places = [columns[cut.attribute.name].place(cut.bound) for cut in movable]
    judge = judge_of(network, problem)
    n_settled = 0
    for k in islice(cycle(range(len(movable))), MAX_PASSES * len(movable)):
        cut, column = movable[k], columns[movable[k].attribute.name]
        place = _best_place(judge, literals, cut, column, places[k], closed[k])
        _set(literals, cut, column, place)
        n_settled = 1 if place != places[k] else n_settled + 1
        places[k] = place
        if n_settled == len(movable):
            break
    return places


def _best_place(
    judge: Judge, literals: bits.Words, cut: _Cut, column: _Column, present: int, closed: Sequence[int]
) -> int:
    """Where a cut has the fewest errors, given the others; its literals are left as they fall."""
    n_values = len(column.distinct)
    if n_values < 2:
        return present
    _set(literals, cut, column, n_values - 1)
    below = judge.cost(literals)
    _set(literals, cut, column, -1)
    changes = [
        np.bincount(1 + column.ranks, weights=line, minlength=1 + n_values)[1:] for line in below - judge.cost(literals)
    ]
    costs = np.cumsum(changes, axis=1)  # of the cut after every rank, less a constant; floats add whole numbers exactly
    now = costs[:, present] if present >= 0 else np.zeros(len(costs))
    allowed = (costs[:, :-1] <= now[:, np.newaxis]).all(axis=0)
    first = np.where(allowed, costs[0, :-1], np.inf)
    first[[place for place in closed if 0 <= place < len(first)]] = np.inf
    best = first.min()
    if now[0] <= best + judge.nat * np.log(n_values):
        return present
    widths = np.where(first == best, np.diff(column.distinct.astype(np.float64)), -1.0)
    return int(np.argmax(widths))


def judge_of(network: Network, problem: Problem) -> Judge:
    """Errors for networks of all and any; for those whose outputs count the loss of margins, and errors."""
    weights, codes, n_rows = problem.weights, problem.codes, problem.n_rows
    counts = bool((network.needs[-1] > 1).any())
    scale = _scale_of(network.margins(problem.literals, n_rows), codes, weights) if counts else 1.0

    def errors(literals: bits.Words) -> NDArray[np.int64]:
        return np.asarray(weights * (decide(network.margins(literals, n_rows)) != codes))[np.newaxis]

    def losses(literals: bits.Words) -> NDArray[np.int64]:
        margins = network.margins(literals, n_rows)
        nats = np.rint(losses_of(margins, codes, scale) * ONE_NAT).astype(np.int64)
        return np.asarray(weights * np.stack([nats, decide(margins) != codes]))

    return Judge(losses, problem.row_weight * ONE_NAT) if counts else Judge(errors, 0.0)


def _scale_of(margins: NDArray[np.int64], codes: NDArray[np.int64], weights: NDArray[np.int64]) -> float:
    """What a step of the margin is worth in nats, by these rows: little where many are wrong, much where few are."""
    return calibrate(margins, codes, weights / weights.mean()).scale


def losses_of(margins: NDArray[np.int64], codes: NDArray[np.int64], scale: float) -> NDArray[np.float64]:
    """The loss of every row in nats: logistic for one output, softmax for several.

    >>> losses_of(np.array([[0], [9]]), np.array([1, 1]), 0.5).round(2)
    array([0.58, 0.01])
    """
    if margins.shape[1] > 1:
        return np.asarray(-log_softmax(scale * margins, axis=1)[np.arange(len(margins)), codes])
    if not len(margins):
        return np.zeros(0)
    least = int(margins.min())
    steps = np.arange(least, int(margins.max()) + 1)
    table = -log_softmax(scale * np.column_stack([np.zeros(len(steps)), steps + 0.5]), axis=1)
    return np.asarray(table[margins[:, 0] - least, codes])


def _set(literals: bits.Words, cut: _Cut, column: _Column, place: int) -> None:
    """Make the literals of a cut those of a cut after the value of rank ``place``."""
    if cut.at_most:
        literals[list(cut.at_most)] = bits.pack((column.ranks <= place) & (column.ranks != UNRANKED))
    if cut.above:
        literals[list(cut.above)] = bits.pack(column.ranks > place)


def _agreeing(conditions: Sequence[Condition]) -> list[Condition]:
    """The same conditions, those of one name on an attribute with the cuts of all."""
    cuts: dict[str, set[Bound]] = {}
    for condition in conditions:
        if condition.attribute.measured:
            bounds = {bound for run in condition.ranges for bound in run if bound is not None}
            cuts.setdefault(condition.attribute.name, set()).update(bounds)
    return [_recut(x, tuple(sorted(cuts[x.attribute.name]))) if x.attribute.measured else x for x in conditions]


def _recut(condition: Condition, cuts: tuple[Bound, ...]) -> Condition:
    """A condition on a measured attribute, cut otherwise; its own cuts must be among the new ones."""
    attribute = replace(condition.attribute, cuts=cuts)
    cells = attribute.missing if condition.asks_missing else 0
    for low, high in condition.ranges:
        first = 0 if low is None else cuts.index(low) + 1
        after = attribute.n_cells if high is None else cuts.index(high) + 1
        cells |= (1 << after) - (1 << first)
    return Condition(attribute, cells)
