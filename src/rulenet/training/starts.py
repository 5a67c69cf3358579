"""Starts from data: what a known learner finds, as a network to search on from.

Each start says on every row without missing values exactly what its source says there. (A source that sees literals
as plain Boolean columns takes "not x = 1" to hold where x is missing; a network has no literal for that.)
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.tree import DecisionTreeClassifier

from rulenet import bits
from rulenet.exceptions import FormulaError, ParameterError
from rulenet.formulas.cubes import Cube, Space
from rulenet.formulas.dnf import Dnf, conjunction
from rulenet.formulas.espresso import espresso
from rulenet.formulas.expressions import FALSE, TRUE, And, Expression, Formula, Or
from rulenet.formulas.primes import fewest, primes_outside, restrict
from rulenet.formulas.to_network import to_network
from rulenet.literals import Attribute, Literal
from rulenet.network import Gate, Network
from rulenet.training.problem import Problem
from rulenet.training.select import sample_rows
from rulenet.training.structure import widen

MAX_PRIMES = 2_000
MAX_TREE_ROWS, TREE_SHARE, TREE_EVERY = 8192, 0.5, 5
# Units that a search may fill, in every layer of a start.
N_SPARE = 8

Codes = NDArray[np.int64]


class TreeInit(BaseEstimator):  # type: ignore[misc]
    """A decision tree with equal subtrees merged.

    Parameters
    ----------
    max_leaf_nodes : int or None, default=64
        The most leaves of the tree.
    max_rows : int, default=8192
        The most rows to learn the tree from.
    """

    def __init__(self, max_leaf_nodes: int | None = 64, max_rows: int = 8192) -> None:
        self.max_leaf_nodes = max_leaf_nodes
        self.max_rows = max_rows

    def learn(self, problem: Problem, literals: Sequence[Literal], seed: int) -> Network:
        """The network of a tree for the rows of ``problem``."""
        return to_network(self.formula(problem, literals, seed), literals)

    def formula(self, problem: Problem, literals: Sequence[Literal], seed: int) -> Formula:
        """The tree as a formula."""
        rows, target, weights = _sample(problem, self.max_rows, seed)
        model = DecisionTreeClassifier(max_leaf_nodes=self.max_leaf_nodes, random_state=seed % 2**32)
        tree = model.fit(rows, target, sample_weight=weights).tree_
        says = model.classes_[tree.value[:, 0].argmax(axis=1)]

        def expression(node: int) -> Expression:
            if tree.children_left[node] < 0:
                return TRUE if says[node] else FALSE
            literal = literals[tree.feature[node]]
            no, yes = expression(tree.children_left[node]), expression(tree.children_right[node])
            return _either(_both(literal, yes), _both(negated(literal), no)) if yes != no else yes

        return Formula(expression(0), {}, _attributes(literals))


def rules_start(problem: Problem, literals: Sequence[Literal], sizes: Sequence[int], gate: Gate, seed: int) -> Network:
    """A decision tree's leaves in a network of a given shape.

    With an AND first every unit of layer 0 is the path to a positive leaf, with an OR first the complement of the path
    to a negative leaf; the first unit of the next layer joins them, and its value is passed on to the output.
    """
    rows, target, weights = _sample(problem, MAX_TREE_ROWS, seed)
    # A random subset of the literals makes trees differ.
    model = DecisionTreeClassifier(max_leaf_nodes=2 * sizes[0], max_features=TREE_SHARE, random_state=seed % 2**32)
    tree = model.fit(rows, target, sample_weight=weights).tree_
    says, place = model.classes_[tree.value[:, 0].argmax(axis=1)], {x: j for j, x in enumerate(literals)}
    paths: list[list[int]] = []

    def descend(node: int, path: list[Literal]) -> None:
        if tree.children_left[node] < 0:
            if says[node] == (gate == "and"):
                said = path if gate == "and" else [negated(x) for x in path]
                paths.append([place[x] for x in said if x in place])
            return
        literal = literals[tree.feature[node]]
        descend(tree.children_left[node], [*path, negated(literal)])
        descend(tree.children_right[node], [*path, literal])

    descend(0, [])
    layers = [np.zeros((n, m), dtype=np.bool_) for m, n in pairwise([len(literals), *sizes, 1])]
    for unit, path in zip(layers[0], paths, strict=False):
        unit[path] = True
    layers[1][0, : len(paths)] = True
    for layer in layers[2:]:
        layer[0, 0] = True
    return Network(layers, gate)


class RipperInit(BaseEstimator):  # type: ignore[misc]
    """The rules of RIPPER, as implemented in the package wittgenstein.

    Parameters
    ----------
    max_rows : int, default=2048
        The most rows to learn the rules from.
    """

    def __init__(self, max_rows: int = 2048) -> None:
        self.max_rows = max_rows

    def learn(self, problem: Problem, literals: Sequence[Literal], seed: int) -> Network:
        """The network of the rules for the rows of ``problem``."""
        return to_network(self.formula(problem, literals, seed), literals)

    def formula(self, problem: Problem, literals: Sequence[Literal], seed: int) -> Formula:
        """The rules as a formula."""
        rows, target, _ = _sample(problem, self.max_rows, seed)
        model = _ripper()(random_state=seed % 2**32)
        model.fit(rows, y=target, pos_class=True, feature_names=[str(j) for j in range(len(literals))])
        rules = [
            tuple(_condition(literals[int(c.feature)], str(c.val) in ("True", "1")) for c in rule.conds)
            for rule in model.ruleset_.rules
        ]
        parts = tuple(conjunction(rule) for rule in rules)
        return Formula(Or(parts) if parts else FALSE, {}, _attributes(literals))


class EspressoInit(BaseEstimator):  # type: ignore[misc]
    """Rules grown one after the other until they cover a sample of the rows without error.

    Parameters
    ----------
    max_rows : int, default=400
        The most rows to cover. Where equal rows have different labels, the majority decides.
    """

    def __init__(self, max_rows: int = 400) -> None:
        self.max_rows = max_rows

    def learn(self, problem: Problem, literals: Sequence[Literal], seed: int) -> Network:
        """The network of a cover for the rows of ``problem``."""
        return to_network(self.formula(problem, literals, seed), literals)

    def formula(self, problem: Problem, literals: Sequence[Literal], seed: int) -> Formula:
        """The cover as a formula."""
        attributes = _attributes(literals)
        space, not_equal = Space(attributes), any(literal.operator == "!=" for literal in literals)
        rows, target, weights = _sample(problem, self.max_rows, seed)
        codes, positive = _distinct(_codes(rows, literals, attributes), target, weights)
        return Dnf(space, tuple(self._cover(space, codes, positive, not_equal)), attributes).formula()

    def _cover(self, space: Space, codes: Codes, positive: NDArray[np.bool_], not_equal: bool) -> list[Cube]:
        on = [space.closure(space.row(row), not_equal=not_equal) for row in codes[positive].tolist()]
        off = [space.row(row) for row in codes[~positive].tolist()]
        return espresso(space, on, lambda c: not any(space.nonempty(c & o) for o in off), not_equal=not_equal)


class QuineMcCluskeyInit(EspressoInit):
    """The provably fewest rules that cover a sample of the rows without error.

    Parameters
    ----------
    max_rows : int, default=200
        The most rows to cover; half as many, and so on, where more than 2000 rules are to choose from.
    """

    def __init__(self, max_rows: int = 200) -> None:
        super().__init__(max_rows)

    def _cover(self, space: Space, codes: Codes, positive: NDArray[np.bool_], not_equal: bool) -> list[Cube]:
        off = [space.row(row) for row in codes[~positive].tolist()]
        try:
            candidates = restrict(space, primes_outside(space, off, MAX_PRIMES), not_equal=not_equal)
            cover = fewest(space, candidates, codes[positive]) if len(candidates) <= MAX_PRIMES else None
        except FormulaError:
            cover = None
        return self._cover(space, codes[::2], positive[::2], not_equal) if cover is None else cover


class DataStart:
    """A start that is learned from the rows a search sees, with room for more units in every layer."""

    def __init__(self, init: Any, problem: Problem, literals: Sequence[Literal]) -> None:
        self.init = init
        self.problem = problem
        self.literals = literals

    def on(self, problem: Problem) -> "DataStart":
        """The start for other rows."""
        return DataStart(self.init, problem, self.literals)

    def __call__(self, seed: int) -> Network:
        """The network to start from."""
        return widen(self.init.learn(self.problem, self.literals, seed), N_SPARE)


class MixedStart(DataStart):
    """Starts of several shapes and gates: most are random, every fifth comes from a decision tree's leaves."""

    def __init__(
        self,
        init: Any,
        problem: Problem,
        literals: Sequence[Literal],
        shapes: Sequence[tuple[int, ...]],
        gates: Sequence[Gate],
    ) -> None:
        super().__init__(init, problem, literals)
        self.shapes, self.gates = shapes, gates

    def on(self, problem: Problem) -> "MixedStart":
        """The start for other rows."""
        return MixedStart(self.init, problem, self.literals, self.shapes, self.gates)

    def __call__(self, seed: int) -> Network:
        """The network to start from."""
        if seed % TREE_EVERY == TREE_EVERY - 1:
            return self.from_tree(seed)
        sizes, gate = self._variant(seed)
        return Network(self.init.start(self.problem.groups, sizes, "and", seed).weights, gate)

    def from_tree(self, seed: int) -> Network:
        """A network of the same shape that comes from a tree."""
        return rules_start(self.problem, self.literals, *self._variant(seed), seed)

    def _variant(self, seed: int) -> tuple[tuple[int, ...], Gate]:
        return self.shapes[seed // len(self.gates) % len(self.shapes)], self.gates[seed % len(self.gates)]


def negated(literal: Literal) -> Literal:
    """The literal that says the opposite of known values."""
    others = [v for v in literal.attribute.values if v != literal.value]
    if len(others) == 1:
        return Literal(literal.attribute, others[0], literal.operator)
    return Literal(literal.attribute, literal.value, "!=" if literal.operator == "==" else "==")


def _condition(literal: Literal, holds: bool) -> Literal:
    return literal if holds else negated(literal)


def _both(literal: Literal, rest: Expression) -> Expression:
    return literal if rest == TRUE else FALSE if rest == FALSE else And((literal, rest))


def _either(left: Expression, right: Expression) -> Expression:
    return right if left == FALSE else left if right == FALSE else Or((left, right))


def _attributes(literals: Sequence[Literal]) -> tuple[Attribute, ...]:
    return tuple(dict.fromkeys(literal.attribute for literal in literals))


def _sample(
    problem: Problem, max_rows: int, seed: int
) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.int64]]:
    """Literals, labels and weights of at most ``max_rows`` rows."""
    seen = problem.take(sample_rows(np.arange(problem.n_rows), max_rows, seed))
    return bits.unpack(seen.literals, seen.n_rows).T, bits.unpack(seen.target, seen.n_rows), seen.weights


def _codes(rows: NDArray[np.bool_], literals: Sequence[Literal], attributes: Sequence[Attribute]) -> Codes:
    """The position of every row's value of every attribute; -1 where it is missing."""
    place = {attribute: i for i, attribute in enumerate(attributes)}
    codes = np.full((len(rows), len(attributes)), -1)
    for j, literal in enumerate(literals):
        if literal.operator == "==":
            codes[rows[:, j], place[literal.attribute]] = literal.attribute.values.index(literal.value)
    return codes


def _distinct(codes: Codes, target: NDArray[np.bool_], weights: NDArray[np.int64]) -> tuple[Codes, NDArray[np.bool_]]:
    """The different rows, in random order, and the label of most of the weight of each."""
    different, index = np.unique(codes, axis=0, return_inverse=True)
    balance = np.bincount(index.ravel(), np.where(target, weights, -weights))
    order = RandomState(0).permutation(len(different))
    return different[order], (balance > 0)[order]


def _ripper() -> Callable[..., Any]:
    try:
        from wittgenstein import RIPPER
    except ImportError:
        raise ParameterError(
            "init is 'ripper', which needs the package wittgenstein: pip install rulenet[peers]"
        ) from None
    return RIPPER  # type: ignore[no-any-return]
