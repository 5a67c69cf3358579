"""Nursery: the ranking of applications for nursery schools, generated from its hierarchy of decision tables.

M. Olave, V. Rajkovic, M. Bohanec: An application for admission in public school systems. In: Expert Systems
in Public Administration, 145-160, Elsevier, 1989. The published hierarchy joins structure, housing and
finance in one table; here housing and finance meet first, in ``standing``.
"""

import pandas as pd

from rulenet.datasets.hierarchical import Concept, Hierarchy

NURSERY = Hierarchy(
    attributes={
        "parents": ("usual", "pretentious", "great_pret"),
        "has_nurs": ("proper", "less_proper", "improper", "critical", "very_crit"),
        "form": ("complete", "completed", "incomplete", "foster"),
        "children": ("1", "2", "3", "more"),
        "housing": ("convenient", "less_conv", "critical"),
        "finance": ("convenient", "inconv"),
        "social": ("nonprob", "slightly_prob", "problematic"),
        "health": ("recommended", "priority", "not_recom"),
    },
    concepts=(
        Concept("employ", ("none", "some", "much", "severe"), ("parents", "has_nurs"), "01123 11233 22333"),
        Concept("structure", ("easy", "normal", "hard"), ("form", "children"), "0122 1122 1222 2222"),
        Concept("standing", ("good", "fair", "critical"), ("housing", "finance"), "01 11 22"),
        Concept("struct_finan", ("easy", "normal", "hard"), ("structure", "standing"), "011 112 122"),
        Concept("soc_health", ("fit", "urgent", "unfit"), ("social", "health"), "012 012 112"),
        Concept(
            "nursery",
            ("recommend", "very_recom", "priority", "spec_prior", "not_recom"),
            ("soc_health", "employ", "struct_finan"),
            "012 112 222 223  222 222 223 233  444 444 444 444",
        ),
    ),
)


def make_nursery() -> tuple[pd.DataFrame, pd.Series]:
    """The 12960 rows of UCI's nursery, in its order.

    The hidden concepts are columns of ``NURSERY.grade(X)``.

    Returns
    -------
    X, y : DataFrame of eight nominal columns, Series named "class"
        One of recommend, very_recom, priority, spec_prior, not_recom.

    Examples
    --------
    >>> X, y = make_nursery()
    >>> y.value_counts().to_dict()
    {'not_recom': 4320, 'priority': 4266, 'spec_prior': 4044, 'very_recom': 328, 'recommend': 2}
    """
    return NURSERY.generate()
