"""What a search sees: packed rows with integer weights, and how their literals are related."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from rulenet import bits, kernels
from rulenet.network import Network
from rulenet.relations import Relations
from rulenet.search.weights import quantise_weights, slice_weights


@dataclass(frozen=True)
class Source:
    """The literals of the table, where those of a problem are derived from them.

    The problem has the literals that are ``kept``, and then one for the output of each of the ``networks``. What is
    derived holds for a made-up row as well only if it is derived anew from all literals of that row. What is ``below``
    is derived first: the problem then derives from the literals of another problem.
    """

    literals: bits.Words
    relations: Relations
    kept: NDArray[np.int64]
    networks: tuple[Network, ...]
    below: "Source | None" = None

    def derive(self, literals: bits.Words) -> bits.Words:
        """The literals of the problem for rows with these ``literals`` of the table."""
        if self.below is not None:
            literals = self.below.derive(literals)
        outputs = [network.evaluate(literals)[np.newaxis] for network in self.networks]
        return np.vstack([literals[self.kept], *outputs])


@dataclass(frozen=True)
class Problem:
    """Rows to learn from: ``literals`` (n_literals, n_words), the ``target``, and bit-sliced integer row weights.

    The target of two classes is where the one that is described is met, (n_words,); that of several classes has a line
    for each, (n_classes, n_words), in the order of the outputs that are looked for. ``relations`` says what is known of
    the literals besides their bits, and ``source`` what they are derived from, if they are not those of a table.
    """

    literals: bits.Words
    target: bits.Words
    planes: bits.Words
    relations: Relations
    n_rows: int
    source: Source | None = None
    numbers: NDArray[np.int64] | None = None

    @classmethod
    def of(
        cls,
        literals: bits.Words,
        positive: NDArray[np.bool_],
        relations: Relations,
        sample_weight: NDArray[np.float64] | None = None,
    ) -> Self:
        """A problem from packed literals, a Boolean label per row and, if any, real row weights."""
        n_rows = len(positive)
        if sample_weight is None:
            planes = bits.mask(n_rows)[np.newaxis]
        else:
            planes = slice_weights(quantise_weights(sample_weight))
        # Writable copies: read-only arrays are another type to the compiler, and would be compiled for anew.
        own = Relations(*(np.array(array, dtype=np.int64) for array in relations))
        return cls(literals, bits.pack(positive), planes, own, n_rows)

    @classmethod
    def of_classes(
        cls,
        literals: bits.Words,
        codes: NDArray[np.int64],
        n_classes: int,
        relations: Relations,
        sample_weight: NDArray[np.float64] | None = None,
    ) -> Self:
        """A problem of ``n_classes``, the classes of rows given as numbers from 0; of two, class 1 is described."""
        problem = cls.of(literals, codes == 1, relations, sample_weight)
        if n_classes == 2:
            return problem
        return replace(problem, target=bits.pack(codes == np.arange(n_classes)[:, np.newaxis]))

    @property
    def n_classes(self) -> int:
        """How many classes there are."""
        return 2 if self.target.ndim == 1 else len(self.target)

    @cached_property
    def codes(self) -> NDArray[np.int64]:
        """The class of every row, as a number from 0; of two classes, 1 is the one that is described."""
        held = bits.unpack(self.target, self.n_rows)
        return held.astype(np.int64) if held.ndim == 1 else held.argmax(axis=0)

    @cached_property
    def rows(self) -> kernels.Rows:
        """The rows as the compiled loops take them."""
        return kernels.Rows(self.literals, self.target, self.planes)

    @cached_property
    def total_weight(self) -> int:
        """The sum of all row weights."""
        return int(sum(int(np.bitwise_count(plane).sum()) << b for b, plane in enumerate(self.planes)))

    @property
    def positive_weight(self) -> int:
        """The weight of the rows of the class that is described, of two."""
        return sum(int(np.bitwise_count(plane & self.target).sum()) << b for b, plane in enumerate(self.planes))

    @property
    def shares(self) -> NDArray[np.float64]:
        """The share of every class of the total weight."""
        return np.bincount(self.codes, self.weights, self.n_classes) / self.total_weight

    @property
    def row_weight(self) -> float:
        """The weight of the row that a unit of weight belongs to, on average: what prices are multiples of.

        Where few rows weigh much more than others, as those of a rare class may, these are what would be learned by
        heart: of 100 rows that weigh 50 and 5,000 that weigh 1 it is 25.5, as if there were 392 rows.
        """
        if len(self.planes) == 1:
            return 1.0
        weights = self.weights.astype(np.float64)
        return float(weights @ weights / self.total_weight)

    @property
    def heaviest(self) -> int:
        """The weight of the heaviest row, of which some weigh something."""
        return 1 if len(self.planes) == 1 else int(self.weights.max())

    @property
    def weights(self) -> NDArray[np.int64]:
        """The weight of every row."""
        planes = bits.unpack(self.planes, self.n_rows).astype(np.int64)
        return np.asarray((planes << np.arange(len(planes))[:, np.newaxis]).sum(axis=0))

    def errors(self, network: Network | kernels.Flat) -> int:
        """The total weight of the rows that ``network`` gets wrong."""
        if self.n_classes > 2:
            whole = network if isinstance(network, Network) else Network.from_flat(network)
            return self.errors_at(whole.margins(self.literals, self.n_rows))
        flat = network.flat() if isinstance(network, Network) else network
        return int(kernels.count_errors(kernels.evaluate(flat, self.literals), self.target, self.planes))

    def errors_at(self, margins: NDArray[np.int64]) -> int:
        """The total weight of the rows for which ``margins`` (n_rows, n_outputs) decide another class."""
        wrong = bits.pack(decide(margins) != self.codes)
        return sum(int(np.bitwise_count(wrong & plane).sum()) << b for b, plane in enumerate(self.planes))

    def accuracy(self, network: Network | kernels.Flat) -> float:
        """The share of the total weight that ``network`` gets right."""
        return 1 - self.errors(network) / self.total_weight

    def predicts_one_class(self, network: Network | kernels.Flat) -> bool:
        """Whether ``network`` gives the same output for all rows."""
        flat = network.flat() if isinstance(network, Network) else network
        output = kernels.evaluate(flat, self.literals) & bits.mask(self.n_rows)
        return int(np.bitwise_count(output).sum()) in (0, self.n_rows)

    def against_the_rest(self) -> list[Self]:
        """For every class the problem to tell it from the others; of two classes, just this one."""
        return [self] if self.n_classes == 2 else [replace(self, target=target) for target in self.target]

    def take(self, rows: NDArray[np.int64]) -> Self:
        """The problem of the given ``rows``, in their order."""
        taken, source = (
            [kernels.gather(words, rows) for words in (self.literals, self._targets, self.planes)],
            self.source,
        )
        if source is not None:
            source = replace(source, literals=kernels.gather(source.literals, rows))
        literals, targets, planes = taken
        target = targets[0] if self.n_classes == 2 else targets
        numbers = rows if self.numbers is None else self.numbers[rows]
        return type(self)(literals, target, planes, self.relations, len(rows), source, numbers)

    def repeated(self, n_most: int) -> Self:
        """The problem with a row of weight three as three rows, in an order that only what rows say decides.

        So weights are repetitions, and the order of a table does not matter. It is as it was if there would be more
        than ``n_most`` rows.
        """
        if self.total_weight > n_most:
            return self
        said = bits.unpack(np.vstack([self._targets, self.literals]), self.n_rows)
        ranked = np.lexsort(said)
        order = np.repeat(ranked, self.weights[ranked])
        return replace(self.take(order), planes=bits.mask(len(order))[np.newaxis])

    @property
    def _targets(self) -> bits.Words:
        return self.target[np.newaxis] if self.n_classes == 2 else self.target


def decide(margins: NDArray[np.int64]) -> NDArray[np.int64]:
    """The class of rows with these margins (n_rows, n_outputs): the largest wins, in a tie the first.

    One output decides between class 1, where it holds, and class 0.

    >>> decide(np.array([[-1, 2, 2], [0, -1, -3]])), decide(np.array([[-1], [0]]))
    (array([1, 0]), array([0, 1]))
    """
    return (margins[:, 0] >= 0).astype(np.int64) if margins.shape[1] == 1 else margins.argmax(axis=1)
