"""The parts of the report: which learners meet on which sets."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.accuracy.concepts import concept_sets
from benchmarks.accuracy.learners import (
    BY_LOSS,
    ENSEMBLES,
    KINDS_OF_NETWORKS,
    LEARNERS,
    MEASURES,
    ON_TABLES,
    ON_TABLES_PER_CLASS,
    ours,
)
from benchmarks.accuracy.names import (
    BOOSTING,
    CART,
    DEEP,
    FLAT,
    FOREST,
    HERE,
    HISTOGRAMS,
    LARGER,
    OURS,
    PEERS,
    PER_CLASS,
    RIPPER_PEER,
    UNDISTILLED,
    in_time_of,
)
from benchmarks.accuracy.sets import Sets, artificial_sets, class_sets, large_sets, main_sets, vote_sets, whole_sets
from benchmarks.accuracy.tables import several_class_sets, small_two_class_sets, table_sets
from rulenet.experiments import Study

# Seconds that a fit in a process of its own may take: on generated tables, and on those of UCI, where RIPPER is slower.
PATIENCE, SHORT_PATIENCE = 900.0, 300.0


@dataclass(frozen=True)
class Scale:
    """How much is run."""

    n_seeds: int = 3
    quick: bool = False
    peers: bool = False


@dataclass(frozen=True)
class Part:
    """Studies that share a file; with ``patience`` every fit has its own process, stopped after so many seconds."""

    studies: Callable[[Scale], Sequence[Study]]
    peers: frozenset[str] = frozenset(PEERS)
    patience: float | None = None


def _with_seeds(sets: Sets, names: Iterable[str], n_seeds: int) -> Study:
    return sets.study({name: LEARNERS[name] for name in names}, n_seeds, MEASURES)


def _main(scale: Scale) -> list[Study]:
    sets = main_sets(scale.quick)
    return [_with_seeds(sets, [OURS], scale.n_seeds), _with_seeds(sets, PEERS, 1)]


def _time(scale: Scale) -> list[Study]:
    sets, rivals = main_sets(scale.quick), (RIPPER_PEER, BOOSTING)
    return [_with_seeds(sets, rivals, 1), _with_seeds(sets, map(in_time_of, rivals), scale.n_seeds)]


def _depth(scale: Scale) -> list[Study]:
    return [_with_seeds(artificial_sets(scale.quick), (DEEP, FLAT), scale.n_seeds)]


def _vote(scale: Scale) -> list[Study]:
    sets = vote_sets(scale.quick)
    networks = (OURS, UNDISTILLED, *ENSEMBLES)
    return [_with_seeds(sets, networks, scale.n_seeds), _with_seeds(sets, (BOOSTING, HISTOGRAMS), 1)]


def _large(scale: Scale) -> list[Study]:
    """The peers learn from one of the tables."""
    sets = large_sets(scale.quick)
    compared = sets.only("10,000 rows" if scale.quick else "100,000 rows")
    peers = (CART, RIPPER_PEER, BOOSTING, HISTOGRAMS)
    return [_with_seeds(sets, [OURS], scale.n_seeds), _with_seeds(compared, peers, 1)]


def _classes(scale: Scale) -> list[Study]:
    """All classes of UCI sets beside peers, and one network for all classes against one for each."""
    sets, names = class_sets(scale.quick), (OURS, PER_CLASS, CART, FOREST, HISTOGRAMS)
    return [_with_seeds(sets, names, 1)]


def _classes_tables(scale: Scale) -> list[Study]:
    """The same two of ours on real tables of several classes, with numbers as numbers."""
    return [several_class_sets(scale.quick).study(ON_TABLES_PER_CLASS, 1, MEASURES)]


def _whole(scale: Scale) -> list[Study]:
    """Without RIPPER, which takes longer than our patience lasts."""
    sets = whole_sets(scale.quick)
    peers = (CART, FOREST, HISTOGRAMS, BOOSTING)
    return [_with_seeds(sets, [OURS, LARGER], scale.n_seeds), _with_seeds(sets, peers, 1)]


def _pay(scale: Scale) -> list[Study]:
    """One run on each of twice as many tables instead of many on one: intervals are about concepts."""
    return [concept_sets(2 * scale.n_seeds, scale.quick).study(KINDS_OF_NETWORKS, 1, MEASURES)]


def _pay_tables(scale: Scale) -> list[Study]:
    return [small_two_class_sets(scale.quick).study(KINDS_OF_NETWORKS, 1, MEASURES)]


def _losses(scale: Scale) -> list[Study]:
    return [small_two_class_sets(scale.quick).study(BY_LOSS, 1, MEASURES)]


def _tables(scale: Scale) -> list[Study]:
    sets = table_sets(scale.quick)
    own = sets.study({OURS: ours}, scale.n_seeds, MEASURES)
    return [own, sets.study(ON_TABLES, 1, MEASURES)] if scale.peers else [own]


PARTS: Mapping[str, Part] = {
    "tables": Part(_tables, peers=frozenset(HERE.values())),
    "main": Part(_main),
    "time": Part(_time),
    "classes": Part(_classes, patience=PATIENCE),
    "classes-tables": Part(_classes_tables),
    "depth": Part(_depth),
    "vote": Part(_vote),
    "pay": Part(_pay),
    "pay-tables": Part(_pay_tables),
    "losses": Part(_losses),
    "large": Part(_large, patience=PATIENCE),
    "all-rows": Part(_whole, patience=SHORT_PATIENCE),
}
