"""Experiments: declare a study, run it, read the results, compare the learners.

Data sets and learners of your own take ten lines: a data set is a function that gives ``(X, y)``, a learner one that
takes a seed and gives a scikit-learn classifier.

>>> import tempfile
>>> import pandas as pd
>>> from sklearn.datasets import load_iris
>>> from sklearn.naive_bayes import GaussianNB
>>> from sklearn.tree import DecisionTreeClassifier
>>> study = Study(
...     datasets={"iris": lambda: load_iris(return_X_y=True, as_frame=True)},
...     learners={"CART": lambda seed: DecisionTreeClassifier(random_state=seed), "Bayes": lambda seed: GaussianNB()},
...     n_splits=5,
... )
>>> with tempfile.TemporaryDirectory() as folder:
...     results = run_study(study, f"{folder}/results.csv")
>>> print(to_markdown(average_scores(results), digits=2))
| dataset | CART | Bayes |
|---|---:|---:|
| iris | .93 | .96 |
>>> results.groupby("learner")[["balanced_accuracy", "auc", "log_loss", "size"]].mean().shape, failures(results)
((2, 4), [])
"""

from rulenet.experiments.markdown import to_latex, to_markdown
from rulenet.experiments.results import forget_results, read_results, read_sessions
from rulenet.experiments.run import run_fits, run_study
from rulenet.experiments.scores import judge
from rulenet.experiments.statistics import average_scores, compare, compare_all, failures
from rulenet.experiments.study import Fit, Study

__all__ = [
    "Fit",
    "Study",
    "average_scores",
    "compare",
    "compare_all",
    "failures",
    "forget_results",
    "judge",
    "read_results",
    "read_sessions",
    "run_fits",
    "run_study",
    "to_latex",
    "to_markdown",
]
