"""A search for networks of at most some size: what ``max_size`` of the classifier asks for.

Searches weigh size against errors by a price and know no bound. So of all networks that a search offers those within
the bound are kept; where it counts, it searches once more at a high price; and the smallest networks beyond the bound
are cut back, edge by edge, wherever that costs the fewest rows. The best on the training rows of all these is taken:
networks this small hardly overfit.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from rulenet.auto import Auto
from rulenet.count.count import Count
from rulenet.count.schedule import Schedule
from rulenet.network import Network
from rulenet.search.folds import sample_rows
from rulenet.search.problem import Problem
from rulenet.search.protocol import Choice, Defaults, Found, Report, Search, Start, be_silent, defaults_of
from rulenet.search.structure import trim

# How much dearer size is in the second search.
DEARER = 6.0
# Networks beyond the bound that are cut back, and the rows that say what an edge is worth.
N_CUT, MAX_ROWS = 3, 4096
# Of the edges that are too many, one in so many goes at once: those that cost the fewest rows.
AT_ONCE = 8


class Capped(Search):
    """What another search finds, in a network of at most ``max_size``."""

    def __init__(self, inner: Search, max_size: int) -> None:
        self.inner = inner
        self.max_size = max_size
        self.defaults: Defaults = defaults_of(inner)  # type: ignore[misc]

    def search(
        self, problem: Problem, start: Start, seed: int, n_jobs: int | None = None, report: Report = be_silent
    ) -> Found:
        """The most accurate network of at most that size, with others of at most that size to choose from."""
        found = self.inner.search(problem, start, seed, n_jobs, report)
        offered = list(found.choices)
        if found.network.size > self.max_size and (dearer := _dearer(self.inner)):
            offered += dearer.search(problem, start, seed, n_jobs).choices
        within = [choice for choice in offered if choice.size <= self.max_size]
        if found.network.size <= self.max_size:
            return replace(found, choices=tuple(within))
        beyond = [choice for choice in offered if choice.size > self.max_size]
        within += cut_back(beyond or [Choice(0.0, found.network, 0.0, None)], problem, self.max_size, seed)
        best = max(within, key=lambda choice: (choice.accuracy, -choice.size))
        return Found(best.network, (*found.history, best.accuracy), tuple(within))


def cut_back(choices: Sequence[Choice], problem: Problem, max_size: int, seed: int) -> Iterator[Choice]:
    """The smallest of the networks, each without the edges that it misses least."""
    rows = problem.take(sample_rows(np.arange(problem.n_rows), MAX_ROWS, seed))
    for choice in sorted(choices, key=lambda c: c.size)[:N_CUT]:
        network = shrink(choice.network, rows, max_size)
        yield Choice(choice.price, network, problem.accuracy(network), None)


def shrink(network: Network, problem: Problem, max_size: int) -> Network:
    """The network with edges removed, those first that cost the fewest errors, until it is no larger than asked.

    Where a unit that counts loses an input, its need may fall by one with it.
    """
    network = trim(network)
    while (excess := network.size - max_size) > 0:
        judged = sorted(_smaller(network), key=lambda change: (problem.errors(change[0]), change[0].size))
        removed = list(dict.fromkeys(edge for _, edge, _ in judged))[: max(1, excess // AT_ONCE)]
        network = trim(judged[0][0] if len(removed) == 1 else _without(network, judged, removed))
    return network


Edge = tuple[int, int, int]


def _smaller(network: Network) -> Iterator[tuple[Network, Edge, int]]:
    """The network without each of its edges, whose unit needs as many inputs as before, or one less."""
    for layer, weights in enumerate(network.weights):
        for unit, source in np.argwhere(weights):
            edge = (layer, int(unit), int(source))
            for step in (0, 1)[: int(network.needs[layer][unit])]:
                yield _changed(network, [(edge, step)]), edge, step


def _without(network: Network, judged: Sequence[tuple[Network, Edge, int]], removed: Sequence[Edge]) -> Network:
    steps = {edge: step for _, edge, step in reversed(judged)}  # the better of both ways
    return _changed(network, [(edge, steps[edge]) for edge in removed])


def _changed(network: Network, changes: Sequence[tuple[Edge, int]]) -> Network:
    weights, needs = [w.copy() for w in network.weights], [n.copy() for n in network.needs]
    for (layer, unit, source), step in changes:
        weights[layer][unit, source] = False
        needs[layer][unit] = max(1, needs[layer][unit] - step)
    return Network(weights, network.first_gate, needs)


def _dearer(search: Search) -> Search | None:
    """The search to ask for smaller networks; None where it offers such anyway, or its time is limited."""
    if not isinstance(search, Auto | Count) or search.max_time is not None:
        return None
    base = search if isinstance(search, Count) else Count()
    price = Schedule().usual_price if base.price is None else base.price
    return Count(price * DEARER, base.n_walks, 0, base.n_proposals, base.max_inputs)
