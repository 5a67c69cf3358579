"""Labels from random deep networks, after F. Beck and J. Fürnkranz, "An Empirical Investigation into Deep and Shallow
Rule Learning", Frontiers in Artificial Intelligence 4, 2021, section 4.1; equal to the authors' files bit for bit.
"""

import numpy as np
import pandas as pd

from rulenet.datasets.climbing import climb
from rulenet.later import Later
from rulenet.relations import Relations

starts = Later("rulenet.starts.random")

N_ATTRIBUTES = 10
GENERATOR_SIZES = (32, 16, 8, 4, 2)

#: The seeds of the paper's data sets: those from 1 to 120 with 20% to 80% of the labels true.
ARTIFICIAL_SEEDS = (5, 16, 19, 24, 36, 44, 53, 57, 60, 65, 68, 69, 70, 81, 82, 85, 89, 107, 112, 118)


def make_artificial(
    seed: int,
    *,
    hidden_layer_sizes: tuple[int, ...] = GENERATOR_SIZES,
    avg_rule_length: float = 2,
    init_prob: float = 0.2,
) -> tuple[pd.DataFrame, pd.Series]:
    """The truth table of ten Boolean attributes under a random deep rule network.

    Parameters
    ----------
    seed : int
        Names the data set; `ARTIFICIAL_SEEDS` are those of the paper.
    hidden_layer_sizes : tuple of int
        The shape of the network that gives the labels; the default is the paper's.
    avg_rule_length, init_prob : float
        How the network is drawn, as in `RandomInit`; the defaults are the paper's.

    Returns
    -------
    X : DataFrame of shape (1024, 10)
        Boolean columns ``a`` to ``j``, in counting order, the last column fastest.
    y : Series of bool, named ``class``

    Examples
    --------
    >>> X, y = make_artificial(5)
    >>> X.shape, int(y.sum())
    ((1024, 10), 456)
    """
    counting = np.arange(2**N_ATTRIBUTES)[:, np.newaxis] >> np.arange(N_ATTRIBUTES - 1, -1, -1) & 1
    values = counting.astype(np.bool_)
    literals = np.stack([~values, values], axis=2).reshape(len(values), -1)
    owner = np.repeat(np.arange(N_ATTRIBUTES), 2)
    relations = Relations.of(owner.tolist(), exclusive=owner.tolist())
    start = starts.RandomInit(avg_rule_length, init_prob).start(relations, hidden_layer_sizes, "and", seed % 2**32)
    # Two rows of different labels keep the network from being constant.
    network = climb(start, owner, literals[:2], np.array([False, True]))
    y = pd.Series(network.predict(literals), name="class")
    return pd.DataFrame(values, columns=list("abcdefghij")), y
