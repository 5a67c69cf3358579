"""Starts from a decision tree: the whole tree, or its leaves in a network of a given shape."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rulenet.conditions import Condition
from rulenet.formulas.expressions import FALSE, TRUE, And, Expression, Formula, Or
from rulenet.formulas.to_network import to_network
from rulenet.network import Gate, Network
from rulenet.parameters import Constraint, integer, options
from rulenet.search.problem import Problem
from rulenet.starts.learned import LearnedInit, Sample, attributes_of, find_deniable

# Of trees for a shape: the most rows, and the share of literals that each split looks at, which makes trees differ.
MAX_ROWS, SHARE_OF_LITERALS = 8192, 0.5


class TreeInit(LearnedInit):
    """A decision tree with equal subtrees merged.

    Parameters
    ----------
    max_leaf_nodes : int or None, default=64
        The most leaves of the tree.
    max_rows : int, default=8192
        The most rows to learn the tree from.
    """

    constraints: ClassVar[Mapping[str, tuple[Constraint, ...]]] = {
        "max_leaf_nodes": (options(None), integer(2)),
        "max_rows": (integer(1),),
    }

    def __init__(self, max_leaf_nodes: int | None = 64, max_rows: int = 8192) -> None:
        self.max_leaf_nodes = max_leaf_nodes
        self.max_rows = max_rows

    def learn(self, problem: Problem, conditions: Sequence[Condition], seed: int) -> Network:
        """The network of a tree for the rows of ``problem``."""
        return to_network(self.formula(problem, conditions, seed), conditions)

    def learn_counting(self, problem: Problem, conditions: Sequence[Condition], seed: int) -> Network:
        """The leaves of a tree for any number of classes: a unit for the way to each, a point for its class.

        It asks only what has its opposite among ``conditions``.
        """
        self.check()
        sample, place = Sample.of(problem, self.max_rows, seed), {x: j for j, x in enumerate(conditions)}
        asked = np.array([j for j, x in enumerate(conditions) if ~x in place], dtype=np.int64)
        model = _new_tree(max_leaf_nodes=self.max_leaf_nodes, random_state=seed % 2**32)
        seen = sample.literals[:, asked] if len(asked) else np.zeros((len(sample.codes), 1))
        model.fit(seen, sample.codes, sample_weight=sample.weights)
        ways = _ways_to_classes(model.tree_, model.classes_, [conditions[j] for j in asked])
        n_outputs = 1 if problem.n_classes == 2 else problem.n_classes
        told = [(way, k) for way, k in ways if n_outputs > 1 or k == 1] or [((), -1)]
        first = np.zeros((len(told), len(conditions)), dtype=np.bool_)
        last = np.zeros((n_outputs, len(told)), dtype=np.bool_)
        for unit, (way, k) in enumerate(told):
            first[unit, [place[x] for x in way]] = True
            if k >= 0:
                last[k if n_outputs > 1 else 0, unit] = True
        return Network([first, last])

    def formula(self, problem: Problem, conditions: Sequence[Condition], seed: int) -> Formula:
        """The tree as a formula."""
        self.check()
        sample, asked = Sample.of(problem, self.max_rows, seed), find_deniable(conditions)
        if not len(asked):
            positive = sample.weights[sample.target].sum() * 2 > sample.weights.sum()
            return Formula(TRUE if positive else FALSE, {}, attributes_of(conditions))
        model = _new_tree(max_leaf_nodes=self.max_leaf_nodes, random_state=seed % 2**32)
        tree = model.fit(sample.literals[:, asked], sample.target, sample_weight=sample.weights).tree_
        leaves = model.classes_[tree.value[:, 0].argmax(axis=1)]

        def expression(node: int) -> Expression:
            if tree.children_left[node] < 0:
                return TRUE if leaves[node] else FALSE
            condition = conditions[asked[tree.feature[node]]]
            no, yes = expression(tree.children_left[node]), expression(tree.children_right[node])
            return _either(_both(condition, yes), _both(~condition, no)) if yes != no else yes

        return Formula(expression(0), {}, attributes_of(conditions))


def start_from_leaves(
    problem: Problem, conditions: Sequence[Condition], sizes: Sequence[int], gate: Gate, seed: int
) -> Network:
    """A decision tree's leaves in a network of a given shape.

    With an AND first every unit of layer 0 is the path to a positive leaf, with an OR first the complement of the path
    to a negative leaf; the first unit of the next layer joins them, and its value is passed on to the output.
    """
    sample = Sample.of(problem, MAX_ROWS, seed)
    model = _new_tree(max_leaf_nodes=2 * sizes[0], max_features=SHARE_OF_LITERALS, random_state=seed % 2**32)
    model.fit(sample.literals, sample.target, sample_weight=sample.weights)
    paths = _list_paths(model, conditions, gate)
    layers = [np.zeros((n, m), dtype=np.bool_) for m, n in pairwise([len(conditions), *sizes, 1])]
    for unit, path in zip(layers[0], paths, strict=False):
        unit[path] = True
    layers[1][0, : len(paths)] = True
    for layer in layers[2:]:
        layer[0, 0] = True
    return Network(layers, gate)


Way = tuple[tuple[Condition, ...], int]


def _ways_to_classes(tree: Any, classes: NDArray[np.int64], asked: Sequence[Condition]) -> list[Way]:
    """The conditions on the way to every leaf, with its class; splits among leaves of one class are left out."""
    leaves = classes[tree.value[:, 0].argmax(axis=1)]

    def descend(node: int, way: tuple[Condition, ...]) -> list[Way]:
        if tree.children_left[node] < 0:
            return [(_shortest(way), int(leaves[node]))]
        condition = asked[tree.feature[node]]
        no, yes = tree.children_left[node], tree.children_right[node]
        found = [*descend(no, (*way, ~condition)), *descend(yes, (*way, condition))]
        return [(_shortest(way), found[0][1])] if len({k for _, k in found}) == 1 else found

    return descend(0, ())


def _shortest(way: Sequence[Condition]) -> tuple[Condition, ...]:
    """The conditions that no other one of the same attribute implies."""
    different = [*dict.fromkeys(way)]

    def is_implied(x: Condition) -> bool:
        others = (y for y in different if y is not x and y.attribute == x.attribute)
        return any(y.cells & ~x.cells == 0 for y in others)

    return tuple(x for x in different if not is_implied(x))


def _list_paths(model: Any, conditions: Sequence[Condition], gate: Gate) -> list[list[int]]:
    """The literals on every path to a leaf of the class that ``gate`` joins, as far as there are such."""
    tree, place = model.tree_, {condition: j for j, condition in enumerate(conditions)}
    leaves = model.classes_[tree.value[:, 0].argmax(axis=1)]
    paths: list[list[int]] = []

    def descend(node: int, path: list[Condition]) -> None:
        if tree.children_left[node] < 0:
            if leaves[node] == (gate == "and"):
                joined = path if gate == "and" else [~x for x in path]
                paths.append([place[x] for x in joined if x in place])
            return
        condition = conditions[tree.feature[node]]
        descend(tree.children_left[node], [*path, ~condition])
        descend(tree.children_right[node], [*path, condition])

    descend(0, [])
    return paths


def _new_tree(**options: Any) -> Any:
    from sklearn.tree import DecisionTreeClassifier  # takes its time to load

    return DecisionTreeClassifier(**options)


def _both(condition: Condition, rest: Expression) -> Expression:
    return condition if rest == TRUE else FALSE if rest == FALSE else And((condition, rest))


def _either(left: Expression, right: Expression) -> Expression:
    return right if left == FALSE else left if right == FALSE else Or((left, right))
