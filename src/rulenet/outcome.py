"""From what a search found to what is kept: cuts at their best place, and only those that are in use."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulenet.bits import Words
from rulenet.calibration import Evidence, lazily
from rulenet.conditions import Attribute, Condition, merge
from rulenet.encoding import Encoding
from rulenet.fitted import Alternative, Fitted
from rulenet.formulas.decision import Decision
from rulenet.formulas.expressions import Formula
from rulenet.network import Network
from rulenet.placing import place_cuts
from rulenet.search.around import Around
from rulenet.search.problem import Problem
from rulenet.search.protocol import Choice, Found, HeldOut

Mass = NDArray[np.float64] | None


def keep(
    encoding: Encoding,
    found: Found,
    table: Any,
    problem: Problem,
    mass: Mass,
    fixed: Collection[str] = (),
    searched: Mass = None,
    barred: Collection[Condition] = (),
) -> tuple[Encoding, Alternative, tuple[Alternative, ...]]:
    """The encoding to keep, the network that predicts, and the networks to choose from, the smallest first.

    All cuts in use are placed anew, but for those of the ``fixed`` columns, and never as one of the ``barred``
    conditions. An attribute with cuts keeps only those that some network reads; other attributes keep all their
    conditions. Where the search saw more rows than those of ``table``, ``searched`` is the mass of each.
    """
    mass, searched = _in_rows(mass), _in_rows(searched)
    chosen = Choice(0.0, found.network, found.history[-1], None, found.held_out)
    choices = [chosen, *worth_keeping(found)]
    places = {n: _place(n, encoding, table, problem, fixed, barred) for n in dict.fromkeys(c.network for c in choices)}
    placed = [places[choice.network] for choice in choices]
    kept, networks = _combine(encoding, [choice.network for choice in choices], placed)
    words = _encoded(kept, encoding, table, problem)
    judged = replace(problem, literals=words, relations=kept.relations)
    seen = mass if searched is None else searched
    best, *others = [
        _alternative(choice, network, judged, mass, seen) for choice, network in zip(choices, networks, strict=True)
    ]
    return (
        kept,
        best,
        tuple(replace(a, evidence=best.evidence) if a.network == best.network else a for a in others),
    )


def _encoded(kept: Encoding, encoding: Encoding, table: Any, problem: Problem) -> Words:
    """``kept.encode(table)``; what the search has of it is not packed again."""
    if kept is encoding:
        return problem.literals
    known = {condition: j for j, condition in enumerate(encoding.conditions)}
    places = np.array([known.get(condition, -1) for condition in kept.conditions], np.int64)
    words = kept.encode(table, only=places < 0)
    words[places >= 0] = problem.literals[places[places >= 0]]
    return words


def refitted(
    base: Fitted,
    around: Around,
    formula: Formula | Decision,
    history: Sequence[float],
    table: Any,
    problem: Problem,
    mass: Mass,
) -> Fitted:
    """What is fitted once ``formula`` takes the place of what it was; cuts stay where they are."""
    fitted = base.with_formula(formula, around.forbidden)
    literals = fitted.encoding.encode(table)
    judged = replace(problem, literals=literals, relations=fitted.encoding.relations)
    mass = _in_rows(mass)
    best = _alternative(Choice(0.0, fitted.network, 0.0, None), fitted.network, judged, mass, mass)
    return replace(fitted, evidence=best.evidence, history=np.array(history))


def worth_keeping(found: Found) -> list[Choice]:
    """The networks that no other one beats in size and accuracy, and the one that predicts; the smallest first."""
    kept: list[Choice] = []
    for choice in sorted(found.choices, key=lambda c: (c.network.size, -c.accuracy, -c.price)):
        beaten = any(c.network.size <= choice.network.size and c.accuracy >= choice.accuracy for c in kept)
        known = any(c.network == choice.network for c in kept)
        if not beaten or (choice.network == found.network and not known):
            kept.append(choice)
    return kept


def _in_rows(mass: Mass) -> Mass:
    """The mass of rows; where an average one has less than a row, as shares of a whole do, in such average ones."""
    return mass if mass is None else mass / min(1.0, mass[mass > 0].mean())


def _alternative(choice: Choice, network: Network, problem: Problem, mass: Mass, searched: Mass) -> Alternative:
    """A network to choose, calibrated by rows that networks like it were not fitted to, if there are such."""
    margins = network.margins(problem.literals, problem.n_rows)
    if choice.held_out is None:
        evidence = Evidence.of(margins, problem.codes, mass)
    else:
        evidence = _outside(choice.held_out, searched).of_others(margins, problem.codes, mass)
    accuracy = 1 - problem.errors_at(margins) / problem.total_weight
    return Alternative(network, lazily(evidence), choice.price, accuracy, choice.validation)


def _outside(held_out: HeldOut, mass: Mass) -> Evidence:
    """What rows tell that networks were not fitted to; one that a search took for several counts once."""
    rows = held_out.numbers
    times = np.bincount(rows)[rows]
    return Evidence.of(held_out.margins, held_out.codes, (1.0 if mass is None else mass[rows]) / times)


def _place(
    network: Network,
    encoding: Encoding,
    table: Any,
    problem: Problem,
    fixed: Collection[str],
    barred: Collection[Condition],
) -> Encoding:
    """The encoding with the cuts in use at their best places; as it was, where a unit that counts would lose count.

    Conditions that come to the same place are one. All of, and any of, do not mind.
    """
    placed = place_cuts(network, encoding, table, problem, fixed=fixed, barred=barred)
    if placed is encoding:
        return encoding
    counted = [np.flatnonzero(unit) for unit in network.weights[0][network.needs[0] > 1]]
    merged = any(len({placed.conditions[j] for j in unit}) < len(unit) for unit in counted)
    return encoding if merged else placed


def _combine(
    encoding: Encoding, networks: Sequence[Network], placed: Sequence[Encoding]
) -> tuple[Encoding, list[Network]]:
    """One encoding for networks that each have conditions of their own, and the networks over its conditions."""
    reads = [np.flatnonzero(network.reads).tolist() for network in networks]
    finest = _attributes_in_use(encoding, [p.conditions[j] for p, js in zip(placed, reads, strict=True) for j in js])
    places: dict[Condition, int] = {}
    for condition in encoding.conditions:
        if not condition.attribute.measured:
            places.setdefault(condition, len(places))
    weights = list[NDArray[np.int64]]()
    for p, js in zip(placed, reads, strict=True):
        mine = [p.conditions[j].on(finest[p.conditions[j].attribute.name]) for j in js]
        weights.append(np.array([places.setdefault(x, len(places)) for x in mine], dtype=np.int64))
    if not places:  # nothing is read, and every column is one of numbers: one condition must be there
        places[encoding.conditions[0]] = 0
        finest[encoding.conditions[0].attribute.name] = encoding.conditions[0].attribute
    attributes = tuple(finest.get(a.name, a) for a in encoding.attributes)
    kept = Encoding(attributes, tuple(places), encoding.named)
    kept = encoding if kept == encoding else kept  # which knows its relations already
    moved = [_moved(n, js, to, len(places)) for n, js, to in zip(networks, reads, weights, strict=True)]
    return kept, moved


def _attributes_in_use(encoding: Encoding, conditions: Iterable[Condition]) -> dict[str, Attribute]:
    """Every attribute, those with cuts cut only where one of the ``conditions`` is."""
    found = {a.name: replace(a, cuts=()) if a.measured else a for a in encoding.attributes}
    for condition in conditions:
        attribute = condition.attribute
        if attribute.measured:
            ends = {end for run in condition.ranges for end in run if end is not None}
            mine = replace(attribute, cuts=tuple(sorted(ends)))
            found[attribute.name] = merge(found[attribute.name], mine)
    return found


def _moved(network: Network, old: list[int], new: NDArray[np.int64], n_literals: int) -> Network:
    """The network that reads its literals ``old`` at the places ``new``.

    Two old literals may have come to the same place: a unit reads it once.
    """
    first = np.zeros((len(network.weights[0]), n_literals), dtype=np.bool_)
    if len(set(new.tolist())) == len(new):
        first[:, new] = network.weights[0][:, old]
    else:
        np.logical_or.at(first.T, new, network.weights[0].T[old])
    return Network([first, *network.weights[1:]], network.first_gate, network.needs)
