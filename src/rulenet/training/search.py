"""What every search takes and gives back."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from rulenet.network import Network
from rulenet.training.problem import Problem


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a search stands: what it is at, how much is done (0 to 1) and the accuracy on the training rows."""

    stage: str
    done: float
    accuracy: float


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found: the network, and the accuracy on the training rows at every stage."""

    network: Network
    history: tuple[float, ...]


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
