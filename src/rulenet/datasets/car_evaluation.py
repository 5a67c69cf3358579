"""Car evaluation, generated from its hierarchy of decision tables.

M. Bohanec, V. Rajkovic: Knowledge acquisition and explanation for multi-attribute decision making.
8th Intl Workshop on Expert Systems and their Applications, 59-78, 1988.
"""

import pandas as pd

from rulenet.datasets.hierarchical import Concept, Hierarchy

CAR_EVALUATION = Hierarchy(
    attributes={
        "buying": ("vhigh", "high", "med", "low"),
        "maint": ("vhigh", "high", "med", "low"),
        "doors": ("2", "3", "4", "5more"),
        "persons": ("2", "4", "more"),
        "lug_boot": ("small", "med", "big"),
        "safety": ("low", "med", "high"),
    },
    concepts=(
        Concept("price", ("vhigh", "high", "med", "low"), ("buying", "maint"), "0011 0111 1123 1233"),
        Concept(
            "comfort",
            ("poor", "fair", "good"),
            ("persons", "doors", "lug_boot"),
            "000 000 000 000  112 112 122 122  012 122 122 122",
        ),
        Concept("tech", ("bad", "fair", "good", "excellent"), ("comfort", "safety"), "000 012 023"),
        Concept("car", ("unacc", "acc", "good", "vgood"), ("price", "tech"), "0000 0011 0113 0123"),
    ),
)


def make_car_evaluation() -> tuple[pd.DataFrame, pd.Series]:
    """The 1728 rows of UCI's car evaluation, in its order.

    The hidden concepts, price, comfort and tech, are columns of ``CAR_EVALUATION.grade(X)``.

    Returns
    -------
    X, y : DataFrame of six nominal columns, Series named "class" (unacc, acc, good, vgood)

    Examples
    --------
    >>> X, y = make_car_evaluation()
    >>> y.value_counts().to_dict()
    {'unacc': 1210, 'acc': 384, 'good': 69, 'vgood': 65}
    """
    return CAR_EVALUATION.generate()
