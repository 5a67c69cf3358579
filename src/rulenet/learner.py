"""From rows to what is fitted: the table encoded, a network searched, cuts placed."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rulenet import outcome, progress
from rulenet.anneal.anneal import Anneal
from rulenet.chain import learn_targets, without_missing
from rulenet.conditions import Condition
from rulenet.count.count import Count
from rulenet.count.deep import DeepCount
from rulenet.encoding import Encoding
from rulenet.encoding.tables import Table, read_table
from rulenet.encoding.wishes import Directions, Wished, Wishes, directions_of, ruled_out, with_lent
from rulenet.exceptions import ParameterError
from rulenet.fitted import Fitted, moved
from rulenet.fitted_targets import FittedTargets
from rulenet.going_on import better, carry, known_kinds, widen, with_names, within
from rulenet.greedy.greedy import Greedy
from rulenet.labels import (
    Rows,
    check_known,
    check_labels,
    class_weights_of,
    is_indicator,
    one_class_weight,
    weigh,
    weigh_alike,
)
from rulenet.network import Gate, Network
from rulenet.outputs import Outputs, outputs_to_try, what_is_described
from rulenet.search import interrupts
from rulenet.search.around import Around, Limits, search_around
from rulenet.search.locks import Lock, restored
from rulenet.search.problem import Problem
from rulenet.search.protocol import Defaults, Found, Init, Report, Search, Shapes, defaults_of
from rulenet.shards.batches import Batches
from rulenet.shards.data import Data, Divided, Parts, Prepared, Whole, Widen
from rulenet.shards.memory import give_back
from rulenet.shards.partitions import Partitions, is_partitioned
from rulenet.shards.polish import polish_all, polish_found
from rulenet.shards.shards import LocalShards
from rulenet.shards.sources import is_source, open_source
from rulenet.starts.names import has_counting_start, init_of

# What says which of several columns of labels is told most easily.
QUICK = Count(n_walks=1, n_folds=0, n_proposals=5_000)

ClassWeights = dict[Any, float] | Literal["balanced"] | Sequence[dict[Any, float]] | None


@dataclass(frozen=True)
class Learner:
    """A search with all that a fit goes by; the parameters are those of `RuleNetworkClassifier`."""

    search: Search
    seed: int
    init: str | Init | Network
    hidden_layer_sizes: Sequence[int] | Literal["auto"]
    first_gate: Gate | Literal["auto"]
    positive_class: Hashable
    class_weight: ClassWeights
    nominal: Literal["auto", "all"] | Sequence[str | int]
    ordinal: Mapping[str | int, Sequence[Hashable]] | None
    cuts: Mapping[str | int, Sequence[Any]] | None
    monotonic_cst: Directions | None
    forbid: Sequence[str | int | Condition]
    missing: bool | Literal["auto"]
    not_equal: bool | Literal["auto"]
    max_values: int
    max_search_rows: int
    chain: bool
    n_jobs: int | None
    verbose: int

    @property
    def defaults(self) -> Defaults:
        """What the search works best with."""
        return defaults_of(self.search)

    def rows(self, X: Any, y: Any, sample_weight: Any, base: Fitted | None = None) -> Data:
        """The rows to learn from, wherever they are; they may have the classes of a ``base`` only."""
        class_weight, known = one_class_weight(self.class_weight), None if base is None else base.classes
        if is_partitioned(X) or is_source(X):
            parts: Parts = (
                Partitions(X, y, sample_weight) if is_partitioned(X) else Batches(open_source(X), y, sample_weight)
            )
            wishes: Wished = {"nominal": self.nominal, "ordinal": self.ordinal}
            if base is not None:
                wishes = known_kinds(base.encoding, wishes)
            return Divided(parts, class_weight, self.max_search_rows, known, **wishes)
        table = X if base is None else with_names(X, base.encoding)
        return Whole(Rows.of(table, y, sample_weight, class_weight, known), self.max_search_rows)

    def fit(self, rows: Data, interrupted: interrupts.Interrupts) -> Fitted:
        """What is found for the classes to describe, the best where several are tried."""
        outputs = outputs_to_try(rows, self.search, self.positive_class, self.max_values)
        return self._fit_best(rows, outputs, interrupted)

    def fit_targets(
        self,
        X: Any,
        columns: Mapping[str, NDArray[Any]],
        sample_weight: ArrayLike | None,
        interrupted: interrupts.Interrupts,
    ) -> FittedTargets:
        """One network for several columns of labels, learned one after the other, those easily told first."""
        weights = class_weights_of(self.class_weight, list(columns))

        def fit(column: str, table: Table, quick: bool) -> tuple[Fitted, float]:
            directions = with_lent(self.monotonic_cst, table.lent)
            learner = replace(self, monotonic_cst=directions, search=QUICK if quick else self.search)
            rows = Whole(Rows.of(table, columns[column], sample_weight, weights[column]), self.max_search_rows)
            usual = float(rows.class_mass.max() / rows.class_mass.sum())
            if is_indicator(rows.classes) and self.positive_class == "auto":
                return learner._fit_best(rows, [(1,)], interrupted), usual
            return learner.fit(rows, interrupted), usual

        return learn_targets(read_table(X), columns, fit, self.chain)

    def learn_on(self, rows: Data, base: Fitted, locked: Sequence[Lock] = (), searches: bool = True) -> Fitted:
        """What becomes of a ``base`` with these rows; what is ``locked`` stays. Without ``searches`` it is polished."""
        if not locked:
            return replace(self._fit_outputs(rows, base.outputs, base, searches), target=base.target)
        if not isinstance(rows, Whole):
            raise ParameterError(f"{locked[0]} is locked, but around locked parts only tables in memory are learned")
        table, labels = rows.rows.table, rows.classes[rows.rows.codes]
        return self.refit(table, labels, rows.rows.mass, base, Limits(), locked)[0]

    def refit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None,
        fitted: Fitted,
        limits: Limits,
        locked: Sequence[Lock] = (),
    ) -> tuple[Fitted, tuple[Lock, ...]]:
        """What is learned around what ``limits`` say and what was ``locked`` before, and what is locked in it."""
        labels = check_labels(X, y)
        check_known(labels, fitted.classes)
        class_weight = one_class_weight(self.class_weight)
        weights, alike = weigh(labels, sample_weight, class_weight), weigh_alike(class_weight, Counter(labels.tolist()))
        wishes = known_kinds(fitted.encoding, self._wishes(fitted.outputs))
        learned = Encoding.learn(X, fitted.output_codes(labels), n_jobs=self.n_jobs, **wishes)
        base = fitted.on(widen(fitted.encoding, learned), [lock.meaning for lock in locked])
        literals, n_classes = base.encoding.encode(X), max(2, len(fitted.outputs))
        problem = Problem.of_classes(literals, base.output_codes(labels), n_classes, base.encoding.relations, weights)
        attributes = base.encoding.attributes
        said = base.said if fitted.several else fitted.said_about(attributes)  # rules as they were numbered
        finer = (replace(lock, meaning=moved(lock.meaning, attributes)) for lock in locked)
        said, concepts, staying = restored(said, finer)
        out = np.flatnonzero(ruled_out(base.encoding.conditions, Wishes(**wishes), base.encoding.heading))
        forbidden = (*limits.forbidden, *(base.encoding.conditions[j] for j in out))
        limits = replace(limits, concepts=(*limits.concepts, *concepts), forbidden=forbidden)
        around = Around(said, base.encoding.conditions, limits, staying)
        with interrupts.heeded():
            with self._progress(fitted.classes, fitted.outputs) as report:
                formula, history = search_around(
                    self.search, self._init(), problem, around, *self._variants(),
                    seed=self.seed, n_jobs=self.n_jobs, report=report,
                )  # fmt: skip
            mass = weigh(labels, sample_weight, None)
            found = outcome.refitted(base, around, formula, history, X, problem, mass)
        return found if alike else found.by_class_weights(), around.locks

    def _fit_best(self, rows: Data, candidates: Sequence[Outputs], interrupted: interrupts.Interrupts) -> Fitted:
        tries = list[Fitted]()
        for outputs in candidates:
            if not (tries and interrupted.came):
                tries.append(self._fit_outputs(rows, outputs))
        return max(tries, key=lambda fitted: float(fitted.history[-1]))

    def _fit_outputs(self, rows: Data, outputs: Outputs, base: Fitted | None = None, searches: bool = True) -> Fitted:
        """What a search finds for one of two classes, or for all of several; or what becomes of a ``base``."""
        self._check_start(len(outputs))
        wishes, wider = self._wishes(outputs), _wider(rows)
        if base is not None:
            base, wishes = within(base, wishes), known_kinds(base.encoding, wishes)
            wider = partial(widen, base.encoding)
        with self._progress(rows.classes, outputs) as report:
            ready = rows.prepare(outputs, self.n_jobs, wider, **wishes)
            if ready.shards is not None:
                give_back()
            found = self._find(ready, base, searches, report)
            if ready.shards is not None:
                give_back()
            fixed, barred = self._fixed(ready.encoding), self._barred(ready.encoding)
            kept, best, others = outcome.keep(
                ready.encoding, found, ready.table, *ready.placed, fixed, ready.mass, barred
            )
        history = np.array([*found.history[:-1], best.accuracy])
        fitted = Fitted(kept, best.network, rows.classes, outputs, best.evidence, "the target", history, others)
        return fitted if rows.alike else fitted.by_class_weights()

    def _find(self, ready: Prepared, base: Fitted | None, searches: bool, report: Report) -> Found:
        """What polishing makes of a ``base``, what a search finds, or the better of the two."""
        problem, conditions, polished = ready.problem, ready.encoding.conditions, None
        if base is not None:
            shards = ready.shards or LocalShards(problem, self.n_jobs)
            polished = polish_found(carry(base.network, len(conditions)), shards, problem)
            if not searches:
                return polished
        init = self._init(None if polished is None else polished.network)
        start = init.start_for(problem, conditions, *self._variants())
        found = self.search.search(problem, start, self.seed, self.n_jobs, report)
        if ready.shards is not None:
            found = polish_all(found, ready.shards, problem)
        return found if polished is None else better(polished, found, problem)

    def _check_start(self, n_outputs: int) -> None:
        """Refuse a shape, or random networks to start from, where networks that count are searched."""
        if self.search is QUICK or not (isinstance(self.search, Count | DeepCount) or n_outputs > 1):
            return
        given: dict[str, Any] = {"hidden_layer_sizes": self.hidden_layer_sizes, "first_gate": self.first_gate}
        if not has_counting_start(self.init):
            given["init"] = self.init
        for name, value in given.items():
            if not (isinstance(value, str) and value == "auto"):
                why = f"y holds {n_outputs} classes" if n_outputs > 1 else f"search is a {type(self.search).__name__}"
                raise ParameterError(
                    f"{name} is {str(value)[:80]!r}, but {why}, and networks that count have one hidden layer that "
                    "grows from the empty network, or from init='tree', a OneVsRestInit or a Network: leave "
                    f"{name}='auto', or describe one of two classes with search='anneal'"
                )

    def _progress(self, classes: NDArray[Any], outputs: Outputs) -> AbstractContextManager[Report]:
        return progress.shown(self.verbose, what_is_described(classes, outputs))

    def _init(self, current: Network | None = None) -> Init:
        if current is not None and isinstance(self.search, Anneal | Greedy):
            return init_of(current)
        return init_of("auto" if self.init == "current" else self.init, mixed=self.defaults.mixed)

    def _variants(self) -> tuple[Shapes, tuple[Gate, ...]]:
        """The shapes and the first gates that starts take turns in."""
        defaults, sizes, gate = self.defaults, self.hidden_layer_sizes, self.first_gate
        shapes = defaults.shapes if isinstance(sizes, str) else (tuple(int(size) for size in sizes),)
        return shapes, defaults.first_gates if gate == "auto" else (gate,)

    def _wishes(self, outputs: Outputs) -> Wished:
        """What is asked of the table."""
        return {
            "nominal": self.nominal,
            "ordinal": self.ordinal,
            "cuts": self.cuts,
            "monotonic": directions_of(self.monotonic_cst, outputs),
            "forbid": self.forbid,
            "missing": self.defaults.missing if self.missing == "auto" else bool(self.missing),
            "not_equal": self.defaults.not_equal if self.not_equal == "auto" else bool(self.not_equal),
            "max_values": self.max_values,
        }

    def _fixed(self, encoding: Encoding) -> set[str]:
        """The columns whose cuts the user gave."""
        heading = encoding.heading
        return {heading.names[heading.position(column, "cuts")] for column in self.cuts or ()}

    def _barred(self, encoding: Encoding) -> tuple[Condition, ...]:
        """The bounds that the user forbids, where cuts must not be placed."""
        measured = [a for a in encoding.attributes if a.measured] if self.forbid else []
        bounds = [x for a in measured for cut in a.cuts for x in (a.at_most(cut), a.above(cut))]
        out = ruled_out(bounds, Wishes(forbid=self.forbid), encoding.heading)
        return tuple(x for x, is_out in zip(bounds, out, strict=True) if is_out)


def _wider(rows: Data) -> Widen | None:
    """What takes away the conditions that columns lent by other targets cannot have."""
    if isinstance(rows, Whole) and isinstance(rows.rows.table, Table) and rows.rows.table.lent:
        return partial(without_missing, rows.rows.table.lent)
    return None
