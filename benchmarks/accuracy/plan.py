"""The parts of the report: which learners meet on which sets."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from benchmarks.accuracy.learners import ENSEMBLES
from benchmarks.accuracy.names import (
    BOOSTING,
    CART,
    DEEP,
    FLAT,
    FOREST,
    HISTOGRAMS,
    OURS,
    PEERS,
    RIPPER_PEER,
    UNDISTILLED,
)
from benchmarks.accuracy.tasks import Task, artificial_tasks, large_tasks, main_tasks, vote_tasks, whole_tasks

# Seconds that a fit in a process of its own may take: on generated tables, and on those of UCI, where RIPPER is slower.
PATIENCE, SHORT_PATIENCE = 900.0, 300.0


@dataclass(frozen=True)
class Part:
    """Learners ``ours`` run with every seed, ``peers`` once; ``rivals`` are timed, and we get as long as each took.

    With ``patience`` every fit has a process of its own, which is stopped after so many seconds.
    """

    tasks: Callable[[bool], Iterable[Task]]
    ours: tuple[str, ...] = ()
    peers: tuple[str, ...] = ()
    rivals: tuple[str, ...] = ()
    patience: float | None = None


PARTS: Mapping[str, Part] = {
    "main": Part(main_tasks, ours=(OURS,), peers=PEERS),
    "time": Part(main_tasks, rivals=(RIPPER_PEER, BOOSTING)),
    "depth": Part(artificial_tasks, ours=(DEEP, FLAT)),
    "vote": Part(vote_tasks, ours=(OURS, UNDISTILLED, *ENSEMBLES), peers=(BOOSTING, HISTOGRAMS)),
    "large": Part(large_tasks, ours=(OURS,), peers=(CART, RIPPER_PEER, BOOSTING, HISTOGRAMS), patience=PATIENCE),
    "all-rows": Part(
        whole_tasks, ours=(OURS,), peers=(CART, FOREST, HISTOGRAMS, BOOSTING, RIPPER_PEER), patience=SHORT_PATIENCE
    ),
}
