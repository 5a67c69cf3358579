"""What every search takes and gives back."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from rulenet.network import Network
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


Start = Callable[[int], Network]
Report = Callable[[Progress], None]


def be_silent(progress: Progress) -> None:
    """Report nothing."""


class Search(Protocol):
    """A search for a network; ``start`` gives a first network for any seed."""

    def search(
        self, problem: Problem, start: Start, seed: int, n_jobs: int | None = None, report: Report = be_silent
    ) -> Found:
        """The best network found; the same for the same ``seed``, whatever ``n_jobs``."""
        ...
