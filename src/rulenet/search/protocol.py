"""What every search takes and gives back."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from rulenet.conditions import Condition
from rulenet.network import Gate, Network
from rulenet.search.problem import Problem, decide

Shapes = Sequence[tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a search stands: what it is at, how much is done (0 to 1), the accuracy on the training rows, the size."""

    stage: str
    done: float
    accuracy: float
    size: int | None = None


@dataclass(frozen=True)
class HeldOut:
    """What networks of the kind that was found say of rows that they were not fitted to.

    ``margins`` is (n_rows, n_outputs); ``codes`` are the classes of the rows, ``weights`` what they weigh, and
    ``numbers`` which rows of the problem they are.
    """

    margins: NDArray[np.int64]
    codes: NDArray[np.int64]
    weights: NDArray[np.int64]
    numbers: NDArray[np.int64]

    @classmethod
    def of(cls, pairs: Sequence[tuple[Network, Problem]]) -> "HeldOut":
        """What networks say of the rows that each of them did not see."""
        return cls(
            np.concatenate([network.margins(rows.literals, rows.n_rows) for network, rows in pairs]),
            np.concatenate([rows.codes for _, rows in pairs]),
            np.concatenate([rows.weights for _, rows in pairs]),
            np.concatenate([np.arange(rows.n_rows) if rows.numbers is None else rows.numbers for _, rows in pairs]),
        )

    @property
    def accuracy(self) -> float:
        """The share of the weight that they get right."""
        return float(np.average(decide(self.margins) == self.codes, weights=self.weights))


@dataclass(frozen=True, slots=True)
class Choice:
    """The best network found for one price of an edge, with its accuracy on the training rows and by inner folds.

    ``held_out`` tells of rows left out, where the search had such.
    """

    price: float
    network: Network
    accuracy: float
    validation: float | None
    held_out: HeldOut | None = field(default=None, compare=False, repr=False)

    @property
    def size(self) -> int:
        """The size of the network, as the search priced it."""
        return self.network.size


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found: the network, the accuracy on the training rows at every stage, and other good networks.

    ``held_out`` tells of rows left out, where the search had such.
    """

    network: Network
    history: tuple[float, ...]
    choices: tuple[Choice, ...] = ()
    held_out: HeldOut | None = None


@dataclass(frozen=True, slots=True)
class Defaults:
    """What a search works best with, where the user leaves it open.

    Starts cycle through ``shapes`` and ``first_gates``. Where ``both_classes``, the estimator searches a network for
    each class and keeps the better; a search that tries both gates needs it not, since by De Morgan a network for one
    class is a network of the other gate for the other class. Where ``mixed``, some starts are learned from the rows.
    Where ``several_classes``, it can search a network with an output for every one of them.
    ``missing`` says whether "is missing" is asked of columns with gaps; "auto" asks where the gaps are many enough.
    """

    shapes: tuple[tuple[int, ...], ...] = ((32, 16, 8, 4, 2),)
    first_gates: tuple[Gate, ...] = ("and",)
    not_equal: bool = False
    both_classes: bool = True
    mixed: bool = False
    missing: bool | Literal["auto"] = False
    several_classes: bool = False


class Start(Protocol):
    """Where a search begins: a first network for any seed.

    A class that derives from this one need only say which network that is. Where ``may_widen``, the shape was left
    open, so a search may add units to it.
    """

    @abstractmethod
    def __call__(self, seed: int) -> Network:
        """The network to start from."""

    @property
    def may_widen(self) -> bool:
        """Whether a search may add units to the network."""
        return False

    def on(self, problem: Problem) -> "Start":
        """The start for some of the rows: one that is learned must not know the others."""
        return self

    def counting(self, seed: int) -> Network | None:
        """Where a search for networks that count begins, None for the empty network; its units join conditions."""
        return None

    def another(self, seed: int) -> Network | None:
        """Another network to start from where the first one led nowhere, None if there is none."""
        return None


class Init(Protocol):
    """A strategy of starting."""

    def start_for(
        self, problem: Problem, conditions: Sequence[Condition], shapes: Shapes, gates: Sequence[Gate]
    ) -> Start:
        """The start for a problem whose literals stand for ``conditions``.

        Where a start is free to choose, its networks have one of the ``shapes`` and one of the first ``gates``.
        """
        ...


@dataclass(frozen=True)
class FunctionStart(Start):
    """A start that a function gives."""

    make: Callable[[int], Network]

    def __call__(self, seed: int) -> Network:
        """The network to start from."""
        return self.make(seed)


Report = Callable[[Progress], None]


def be_silent(progress: Progress) -> None:
    """Report nothing."""


def between(report: Report, low: float, high: float) -> Report:
    """A report that only moves between two shares of the whole."""
    return lambda progress: report(replace(progress, done=low + (high - low) * progress.done))


class Search(Protocol):
    """A search for a network, from a ``start``."""

    defaults: ClassVar[Defaults]

    def search(
        self, problem: Problem, start: Start, seed: int, n_jobs: int | None = None, report: Report = be_silent
    ) -> Found:
        """The best network found; the same for the same ``seed``, whatever ``n_jobs``."""
        ...


def defaults_of(search: Search) -> Defaults:
    """What a search works best with; one of the user's own need not say."""
    return getattr(search, "defaults", Defaults())
