"""Rows made up of training rows, to hear on them what networks say."""

from itertools import pairwise

import numpy as np
from numpy.random import RandomState

from rulenet import bits
from rulenet.relations import Relations
from rulenet.search.problem import Problem


def generate_rows(problem: Problem, n_rows: int, rng: RandomState, exchanged: float) -> bits.Words:
    """Packed literals of ``n_rows`` mixtures of two training rows each; the second gives a share of the attributes.

    Literals that a problem derives from those of a table are derived from the mixture.
    """
    source = problem.source
    if source is None:
        return _mix(problem.literals, problem.relations, problem.n_rows, n_rows, rng, exchanged)
    return source.derive(_mix(source.literals, source.relations, problem.n_rows, n_rows, rng, exchanged))


def _mix(
    literals: bits.Words, relations: Relations, n_known: int, n_rows: int, rng: RandomState, exchanged: float
) -> bits.Words:
    first, second = rng.randint(n_known, size=(2, n_rows))
    words = np.empty((len(literals), bits.n_words(n_rows)), np.uint64)
    for begin, end in pairwise(relations.starts.tolist()):
        taken = np.where(rng.random_sample(n_rows) < exchanged, second, first)
        for j in relations.members[begin:end]:
            words[j] = bits.pack(bits.unpack(literals[j], n_known)[taken])
    return words
