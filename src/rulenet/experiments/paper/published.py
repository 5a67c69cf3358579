"""The figures that the paper printed."""

from functools import cache
from importlib.resources import files
from io import StringIO

import pandas as pd

#: Section 4.2: the best accuracy of the deep and of the shallow settings.
BEST_DEEP, BEST_SHALLOW = 0.9073, 0.8984


@cache
def published_table(table: str) -> pd.DataFrame:
    """The accuracies of ``"table2"`` or ``"table3"``: a row a data set, a column a learner.

    >>> float(published_table("table3").loc["vote", "DRNC(5)"])
    0.9655
    """
    text = (files("rulenet.experiments.paper") / "published.csv").read_text(encoding="utf-8")
    rows = pd.read_csv(StringIO(text), dtype={"dataset": str})
    rows = rows[rows["table"] == table]
    return rows.pivot_table(index="dataset", columns="learner", values="accuracy", sort=False)
