"""Steepest ascent by several flips at once, where no single one wins: a way on from the plain search that F. Beck and
J. Fürnkranz name in "An Empirical Investigation into Deep and Shallow Rule Learning", Frontiers in Artificial
Intelligence 4, 2021, section 6.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rulenet import kernels
from rulenet.greedy import ascent
from rulenet.search.problem import Problem

Gains = NDArray[np.int64]
Sweep = Callable[[kernels.Flat, Problem], Gains]


@dataclass(frozen=True, slots=True)
class Tactic:
    """Which flips an ascent tries.

    A ``guided`` one tries those of the direction that the errors ask for before all others. Where no flip wins, up to
    ``flips_at_once`` are tried together, of those that start with one of the ``n_candidates`` best. ``max_flips``
    counts every flip.
    """

    max_flips: int | None = None
    guided: bool = False
    flips_at_once: int = 1
    n_candidates: int = 8


def ascend(flat: kernels.Flat, problem: Problem, tactic: Tactic, n_jobs: int | None = None) -> int:
    """Take flips that win until there are none, or ``max_flips``; changes ``flat.weights``, returns the flips taken."""
    n_flips, limit = 0, ascent.flip_limit(tactic.max_flips)
    while True:
        n_flips += ascent.climb(flat, problem, limit - n_flips, n_jobs, tactic.guided)
        flips = find_together(flat, problem, tactic, limit - n_flips, n_jobs)
        for weight in flips:
            kernels.flip(flat, problem.relations.exclusive, weight)
        n_flips += len(flips)
        if not flips:
            return n_flips


def find_together(
    flat: kernels.Flat, problem: Problem, tactic: Tactic, n_most: int, n_jobs: int | None = None
) -> list[int]:
    """The fewest flips, two to ``n_most``, that win together where none wins alone; none if there are no such."""
    most = min(tactic.flips_at_once, n_most)
    if most < 2:
        return []
    n_parts = ascent.n_threads(n_jobs, problem.target.size)
    with ThreadPoolExecutor(n_parts) if n_parts > 1 else nullcontext() as pool:
        trial = _Trial(
            flat._replace(weights=flat.weights.copy()),
            problem,
            tactic.n_candidates,
            lambda network, rows: ascent.gains_of_flips(network, rows, pool, n_parts),
        )
        gains = trial.gains()
        for n_flips in range(2, most + 1):
            flips, gain = trial.best(n_flips, gains)
            if gain > 0:
                return flips
    return []


@dataclass(frozen=True, slots=True)
class _Trial:
    """A network to try flips on; ``sweep`` finds the gains of all single ones."""

    flat: kernels.Flat
    problem: Problem
    n_candidates: int
    sweep: Sweep

    def gains(self) -> Gains:
        return self.sweep(self.flat, self.problem)

    def best(self, n_flips: int, gains: Gains) -> tuple[list[int], int]:
        """The best ``n_flips`` flips one after the other, and what they win; the first found where they tie."""
        if n_flips == 1:
            weight, gain = kernels.best_flip(self.flat, gains)
            return [weight], gain
        found = []
        before = self.flat.weights.copy()
        for first in self.candidates(gains):
            kernels.flip(self.flat, self.problem.relations.exclusive, first)
            rest, gain = self.best(n_flips - 1, self.gains())
            found.append(([first, *rest], int(gains[first]) + gain))
            self.flat.weights[:] = before
        return max(found, key=lambda flips_gain: flips_gain[1], default=([], 0))

    def candidates(self, gains: Gains) -> list[int]:
        """The best flips that change the output of any row; in scan order where they tie."""
        order = scan_order(self.flat)
        seen = order[self.changes()[order] > 0]
        ranked: list[int] = seen[np.argsort(-gains[seen], kind="stable")].tolist()
        return ranked[: self.n_candidates]

    def changes(self) -> Gains:
        """The weight of the rows whose output each flip changes: its gain if all of them were wrong."""
        opposite = ~kernels.evaluate(self.flat, self.problem.literals)
        return self.sweep(self.flat, replace(self.problem, target=opposite))


def scan_order(flat: kernels.Flat) -> NDArray[np.int64]:
    """All weights in the order in which ties are resolved: layer 0 unit by unit, every later one source by source."""
    n_inputs, n_units = flat.sizes[:-1], flat.sizes[1:]
    starts = np.cumsum(n_inputs * n_units) - n_inputs * n_units
    first, *later = (a + np.arange(n * m).reshape(n, m) for a, m, n in zip(starts, n_inputs, n_units, strict=True))
    return np.concatenate([first.ravel(), *(layer.T.ravel() for layer in later)])
