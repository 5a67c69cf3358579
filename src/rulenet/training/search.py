"""What every search takes and gives back."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Protocol

from rulenet.network import Gate, Network
from rulenet.training.problem import Problem


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a search stands: what it is at, how much is done (0 to 1), the accuracy on the training rows, the edges."""

    stage: str
    done: float
    accuracy: float
    n_edges: int | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """The best network found for one price of an edge, with its accuracy on the training rows and by inner folds."""

    price: float
    network: Network
    accuracy: float
    validation: float | None


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found: the network, the accuracy on the training rows at every stage, and other good networks."""

    network: Network
    history: tuple[float, ...]
    choices: tuple[Choice, ...] = ()


@dataclass(frozen=True, slots=True)
class Defaults:
    """What a search works best with, where the user leaves it open.

    Starts cycle through ``shapes`` and ``first_gates``. Where ``both_classes``, the estimator searches a network for
    each class and keeps the better; a search that tries both gates needs it not, since by De Morgan a network for one
    class is a network of the other gate for the other class. Where ``mixed``, some starts are learned from the rows.
    """

    shapes: tuple[tuple[int, ...], ...] = ((32, 16, 8, 4, 2),)
    first_gates: tuple[Gate, ...] = ("and",)
    not_equal: bool = False
    both_classes: bool = True
    mixed: bool = False


Start = Callable[[int], Network]
Report = Callable[[Progress], None]


def be_silent(progress: Progress) -> None:
    """Report nothing."""


class Search(Protocol):
    """A search for a network; ``start`` gives a first network for any seed."""

    defaults: ClassVar[Defaults]

    def search(
        self, problem: Problem, start: Start, seed: int, n_jobs: int | None = None, report: Report = be_silent
    ) -> Found:
        """The best network found; the same for the same ``seed``, whatever ``n_jobs``."""
        ...
