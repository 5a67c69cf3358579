"""A start of concepts learned layer by layer, after F. Beck, J. Fürnkranz and V. Q. P. Huynh, "Layerwise Learning of
Mixed Conjunctive and Disjunctive Rule Sets", RuleML+RR 2023 (CORD): many general concepts first, refined above. Each
layer finds a locally optimal rule for every example, as V. Q. P. Huynh, J. Fürnkranz and F. Beck do in "Efficient
Learning of Large Sets of Locally Optimal Classification Rules", Machine Learning 112, 2023 (LORD).

As in `rulenet.kernels`, one operation serves both gates: a layer sees signals and a target, finds conjunctions of
signals for the target, and passes on their complements, with the complement of the target. So every other layer
learns, by De Morgan, the disjunctions that leave out rows of the other class.
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

from rulenet import bits
from rulenet.conditions import Condition
from rulenet.network import Gate, Network
from rulenet.parameters import Constraint, integer, list_of, number, options
from rulenet.search.folds import sample_rows
from rulenet.search.problem import Problem
from rulenet.starts import layers_kernels
from rulenet.starts.learned import LearnedInit

# A layer learns from so many rows of its class at most.
MAX_EXAMPLES = 256

Units = NDArray[np.bool_]


class LayersInit(LearnedInit):
    """Concepts learned layer by layer, each from the concepts below.

    A layer grows, for every one of some rows, a conjunction that holds there: inputs are added while the m-estimate
    of its precision rises, and dropped while it does not fall. The next layer does the same for the other class with
    the complements of these, which makes disjunctions. Of the concepts found, a layer keeps those that together cover
    its class best. The output reads what lowers the errors.

    Parameters
    ----------
    hidden_layer_sizes : sequence of int, default=(32, 8, 2)
        The most concepts of every hidden layer, the one next to the literals first.
    first_gate : {"and", "or"}, default="and"
        The gate of the first hidden layer.
    m : float, default=5
        How many rows of average weight, in the proportions of the classes, are added to those that a concept covers
        when it is judged: concepts are the more general the higher it is.
    max_rows : int, default=4096
        The most rows to learn from.
    """

    constraints: ClassVar[Mapping[str, tuple[Constraint, ...]]] = {
        "hidden_layer_sizes": (list_of(integer(1), least=1),),
        "first_gate": (options("and", "or"),),
        "m": (number(0),),
        "max_rows": (integer(1),),
    }

    def __init__(
        self,
        hidden_layer_sizes: Sequence[int] = (32, 8, 2),
        first_gate: Gate = "and",
        m: float = 5.0,
        max_rows: int = 4096,
    ) -> None:
        self.hidden_layer_sizes = hidden_layer_sizes
        self.first_gate = first_gate
        self.m = m
        self.max_rows = max_rows

    def learn(self, problem: Problem, conditions: Sequence[Condition], seed: int) -> Network:
        """The network of the concepts for the rows of ``problem``."""
        return Network(self.concepts(problem, seed), self.first_gate)

    def concepts(self, problem: Problem, seed: int) -> list[Units]:
        """For every layer, the output included, which inputs each of its concepts reads."""
        self.check()
        rng = RandomState(seed % 2**32)
        seen = problem.take(sample_rows(np.arange(problem.n_rows), self.max_rows, seed))
        m = self.m * seen.total_weight / seen.n_rows
        signals, target = seen.literals, seen.target
        if self.first_gate == "or":
            signals, target = ~signals, ~target
        layers = []
        for n_units in self.hidden_layer_sizes:
            view = _View(signals, target, seen.planes)
            layers.append(view.learn(n_units, m, rng))
            signals, target = ~view.cover(layers[-1]), ~target
        return [*layers, _View(signals, target, seen.planes).fit_one()]


class _View:
    """What one layer learns from: the signals it reads, and the rows for its conjunctions to cover or to avoid."""

    def __init__(self, signals: bits.Words, target: bits.Words, planes: bits.Words) -> None:
        self.signals = signals
        self.positive = planes & target
        self.negative = planes & ~target

    def learn(self, n_units: int, m: float, rng: RandomState) -> Units:
        """The signals of at most ``n_units`` conjunctions, (units, signals).

        Where there is nothing to tell apart this is one that always holds; where no signal helps, the first signals
        are passed on.
        """
        if not self.positive.any() or not self.negative.any():
            return np.zeros((1, len(self.signals)), dtype=np.bool_)
        examples = _rows_in(np.bitwise_or.reduce(self.positive))
        if len(examples) > MAX_EXAMPLES:
            examples = np.sort(rng.choice(examples, MAX_EXAMPLES, replace=False))
        rules = layers_kernels.grow_rules(self.signals, self.positive, self.negative, examples, m)
        rules = rules[rules.any(axis=1)]
        if len(rules) == 0:
            return np.eye(min(n_units, len(self.signals)), len(self.signals), dtype=np.bool_)
        _, first = np.unique(self.cover(rules), axis=0, return_index=True)
        return self._choose(rules[np.sort(first)], n_units)

    def cover(self, rules: Units) -> bits.Words:
        """Where each of the conjunctions holds, packed."""
        return np.array([np.bitwise_and.reduce(self.signals[rule]) for rule in rules])

    def fit_one(self) -> Units:
        """The conjunction that errs least, found by adding and then by dropping signals one by one: (1, signals)."""
        rule = np.zeros(len(self.signals), dtype=np.bool_)
        errors = self._errors(rule)
        for wanted, worth in ((True, 1), (False, 0)):
            while True:
                trials = [_with(rule, j, wanted) for j in np.flatnonzero(rule != wanted)]
                counts = [self._errors(trial) for trial in trials]
                if not counts or errors - min(counts) < worth:
                    break
                errors, rule = min(counts), trials[int(np.argmin(counts))]
        return rule[np.newaxis]

    def _errors(self, rule: Units) -> int:
        cover = self.cover(rule[np.newaxis])[0]
        return _weight(self.positive & ~cover) + _weight(self.negative & cover)

    def _choose(self, rules: Units, n_units: int) -> Units:
        """The conjunctions that cover best together, by weighted covering.

        Each time the one of the highest weighted relative accuracy is taken, and the weight of the rows to be covered
        that it covers is halved.
        """
        size = self.signals.shape[1] * bits.WORD_BITS
        covers = bits.unpack(self.cover(rules), size).astype(np.float64)
        wanted, unwanted = _weights(self.positive, size), _weights(self.negative, size)
        lost = np.einsum("ij,j->i", covers, unwanted) / unwanted.sum()
        chosen: list[int] = []
        while len(chosen) < min(n_units, len(rules)):
            # Sums of integers times powers of two: exact in any order. (A product by BLAS would wait for its threads.)
            score = np.einsum("ij,j->i", covers, wanted) / wanted.sum() - lost
            score[chosen] = -np.inf
            chosen.append(int(score.argmax()))
            wanted *= 1 - covers[chosen[-1]] / 2
        return rules[chosen]


def _with(rule: Units, place: np.intp, value: bool) -> Units:
    new = rule.copy()
    new[place] = value
    return new


def _rows_in(words: bits.Words) -> NDArray[np.int64]:
    return np.flatnonzero(bits.unpack(words, words.size * bits.WORD_BITS))


def _weight(planes: bits.Words) -> int:
    return sum(int(np.bitwise_count(plane).sum()) << b for b, plane in enumerate(planes))


def _weights(planes: bits.Words, n_rows: int) -> NDArray[np.float64]:
    """The weight of every row."""
    powers = 2.0 ** np.arange(len(planes))
    return np.asarray(powers @ bits.unpack(planes, n_rows).astype(np.float64))
