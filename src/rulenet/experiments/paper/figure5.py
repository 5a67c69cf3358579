"""Figure 5: the accuracy on the training rows, mini-batch by mini-batch."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rulenet.experiments.markdown import to_markdown
from rulenet.experiments.paper import table2
from rulenet.experiments.paper.learners import NETWORKS
from rulenet.experiments.paper.report import Report
from rulenet.experiments.plots import plot_curves
from rulenet.experiments.study import Study

N_BATCHES, N_EPOCHS = 10, 5


def declare() -> Study:
    """The networks of Table 2, with the accuracy after every mini-batch."""
    study = table2.declare(with_ripper=False)
    return replace(study, learners=dict(NETWORKS), measures={"history": write_history})


def write_history(model: Any) -> str:
    """The accuracy before training, after every mini-batch and at the end, as a text."""
    return " ".join(f"{accuracy:.6f}" for accuracy in model.history_)


def read_history(text: str) -> NDArray[np.float64]:
    """The accuracy after every mini-batch; a network that was perfect early stays so.

    >>> read_history("0.5 0.7 1.0 1.0")[[0, 1, -1]].tolist()
    [0.7, 1.0, 1.0]
    """
    curve = np.array(text.split(), dtype=float)[1:-1]
    return np.pad(curve, (0, N_BATCHES * N_EPOCHS - len(curve)), mode="edge")


def average_curves(results: pd.DataFrame) -> pd.DataFrame:
    """A column a network, a row a mini-batch."""
    curves = {
        name: np.mean([read_history(t) for t in rows["history"]], axis=0) for name, rows in results.groupby("learner")
    }
    return pd.DataFrame(curves, index=pd.RangeIndex(1, N_BATCHES * N_EPOCHS + 1, name="mini-batch"))[list(NETWORKS)]


def report(results: pd.DataFrame) -> Report:
    """The curves, and their values at the end of every epoch."""
    curves = average_curves(results)
    text = f"""# Figure 5: accuracy on the training rows

Average over {results["dataset"].nunique()} artificial data sets and two folds, at the end of every
epoch of ten mini-batches:

{to_markdown(curves.iloc[N_BATCHES - 1 :: N_BATCHES])}

![Accuracy over mini-batches](figure5.svg)
"""
    return Report(text, {"figure5": plot_curves(curves, "mini-batches", N_BATCHES)})
