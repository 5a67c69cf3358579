"""How a fitted classifier is judged: on rows it has not seen, and by its size."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.metrics import accuracy_score, balanced_accuracy_score, roc_auc_score

#: What `judge` gives; NaN where a classifier has no probabilities or no size.
SCORES = ("accuracy", "balanced_accuracy", "auc", "log_loss", "size")


def judge(model: Any, X: pd.DataFrame, y: "pd.Series[Any]") -> dict[str, float]:
    """The scores of a classifier on some rows.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = pd.DataFrame({"x": [0, 1, 2, 3]}), pd.Series(["a", "a", "b", "b"])
    >>> judge(DecisionTreeClassifier().fit(X, y), X, y)
    {'accuracy': 1.0, 'balanced_accuracy': 1.0, 'auc': 1.0, 'log_loss': 0.0, 'size': 2.0}
    """
    predicted = model.predict(X)
    found = {
        "accuracy": float(accuracy_score(y, predicted)),
        "balanced_accuracy": float(balanced_accuracy_score(y, predicted)),
        "auc": np.nan,
        "log_loss": np.nan,
        "size": size_of(model),
    }
    if hasattr(model, "predict_proba"):
        probabilities = np.asarray(model.predict_proba(X), dtype=np.float64)
        found["auc"] = auc(np.asarray(y), probabilities, model.classes_)
        found["log_loss"] = log_loss(np.asarray(y), probabilities, model.classes_)
    return found


def auc(labels: NDArray[Any], probabilities: NDArray[np.float64], classes: NDArray[Any]) -> float:
    """The area under the ROC curve; of several classes the mean over each against the rest, those absent left out.

    >>> auc(np.array([0, 1, 1]), np.array([[0.9, 0.1], [0.4, 0.6], [0.95, 0.05]]), np.array([0, 1]))
    0.5
    """
    described = range(len(classes)) if len(classes) > 2 else range(1, len(classes))
    found = [(labels == classes[i], probabilities[:, i]) for i in described]
    areas = [roc_auc_score(is_class, p) for is_class, p in found if 0 < is_class.sum() < len(labels)]
    return float(np.mean(areas)) if areas else np.nan


def log_loss(labels: NDArray[Any], probabilities: NDArray[np.float64], classes: NDArray[Any]) -> float:
    """The mean of minus the logarithm of the probability of the right class, as scikit-learn bounds it.

    A class that was not there in training has probability 0.

    >>> round(log_loss(np.array([0, 1]), np.array([[0.5, 0.5], [0.5, 0.5]]), np.array([0, 1])), 4)
    0.6931
    """
    right = probabilities * (labels[:, np.newaxis] == classes)
    return float(-np.log(right.sum(axis=1).clip(np.finfo(np.float64).eps, 1)).mean()) + 0.0


def size_of(model: Any) -> float:
    """The size of a network, the conditions of rules, the leaves of all trees; NaN for models of another kind."""
    if hasattr(model, "steps"):
        return size_of(model[-1])
    if hasattr(model, "size_"):
        return float(model.size_)
    if hasattr(model, "get_n_leaves"):
        return float(model.get_n_leaves())
    if hasattr(model, "_predictors"):  # scikit-learn's boosting with histograms
        return float(sum(tree.get_n_leaf_nodes() for trees in model._predictors for tree in trees))
    if hasattr(model, "estimators_"):
        return float(sum(size_of(one) for one in np.ravel(np.asarray(model.estimators_, dtype=object))))
    return np.nan
