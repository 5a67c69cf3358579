"""Data: ``make_*`` generates it, ``load_*`` reads it; every function returns ``(X, y)``.

X is a DataFrame, nominal columns categorical with the values of the whole table, Boolean ones plain; y is a
Series named "class".
"""

from rulenet.datasets.artificial import ARTIFICIAL_SEEDS, make_artificial
from rulenet.datasets.boolean import make_multiplexer, make_parity
from rulenet.datasets.car_evaluation import CAR_EVALUATION, make_car_evaluation
from rulenet.datasets.monks import make_monk
from rulenet.datasets.nursery import NURSERY, make_nursery
from rulenet.datasets.tic_tac_toe import make_tic_tac_toe
from rulenet.datasets.uci import load_uci

__all__ = [
    "ARTIFICIAL_SEEDS",
    "CAR_EVALUATION",
    "NURSERY",
    "load_uci",
    "make_artificial",
    "make_car_evaluation",
    "make_monk",
    "make_multiplexer",
    "make_nursery",
    "make_parity",
    "make_tic_tac_toe",
]
