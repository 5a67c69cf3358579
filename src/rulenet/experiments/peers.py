"""Other learners for the same tables: numbers as numbers, nominal columns as they need them.

A learner here takes a seed and gives a scikit-learn classifier of tables as `typed` makes them.
"""

from collections.abc import Callable, Collection, Mapping
from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import ClassifierMixin
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import LabelEncoder, OneHotEncoder, OrdinalEncoder
from sklearn.tree import DecisionTreeClassifier

from rulenet.exceptions import ParameterError

MOST_CATEGORIES = 254  # that boosting with histograms takes
IS_NOMINAL = make_column_selector(dtype_include="category")


def typed(X: pd.DataFrame, nominal: Collection[str] = ()) -> pd.DataFrame:
    """The table with every column a float column or a categorical one.

    A column is nominal where it is named so, and where it is neither numbers nor dates.

    >>> X = pd.DataFrame({"age": ["37", None], "zip": ["10115", "20095"], "town": ["Ulm", "Bonn"]})
    >>> [str(dtype) for dtype in typed(X, nominal=["zip"]).dtypes]
    ['float64', 'category', 'category']
    """
    columns = {name: _typed(column, name in nominal) for name, column in X.items()}
    return pd.DataFrame(columns, index=X.index)


def _typed(column: "pd.Series[Any]", nominal: bool) -> "pd.Series[Any]":
    if not nominal and not isinstance(column.dtype, pd.CategoricalDtype):
        for parse in (pd.to_numeric, _as_time):
            try:
                return parse(column).astype(np.float64)
            except (ValueError, TypeError):
                pass
    return column.astype("category")


def _as_time(column: "pd.Series[Any]") -> "pd.Series[Any]":
    if pd.api.types.is_bool_dtype(column):
        return column.astype(np.float64)
    moments = pd.to_datetime(column, format="ISO8601")
    return (moments - pd.Timestamp(0, tz=moments.dt.tz)).dt.total_seconds()


def one_hot(model: Any) -> Pipeline:
    """The model on numbers, with a Boolean column for every nominal value."""
    encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False, dtype=np.float32)
    return make_pipeline(make_column_transformer((encoder, IS_NOMINAL), remainder="passthrough"), model)


def cart(seed: int) -> Pipeline:
    """scikit-learn's CART."""
    return one_hot(DecisionTreeClassifier(random_state=seed))


def forest(seed: int, n_jobs: int | None = None) -> Pipeline:
    """A random forest of 200 trees."""
    return one_hot(RandomForestClassifier(200, random_state=seed, n_jobs=n_jobs))


def boosting(seed: int) -> Pipeline:
    """scikit-learn's boosting with histograms, which knows nominal columns."""
    codes = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan, max_categories=MOST_CATEGORIES)
    columns = make_column_transformer((codes.set_output(transform="pandas"), IS_NOMINAL), remainder="passthrough")
    model = HistGradientBoostingClassifier(random_state=seed)
    return NominalFirst([("codes", columns), ("model", model)])


class NominalFirst(Pipeline):  # type: ignore[misc]
    """Boosting that is told how many of the first columns are nominal."""

    def fit(self, X: pd.DataFrame, y: Any = None, **more: Any) -> "NominalFirst":
        """Learn from a table as `typed` makes them."""
        n_nominal = len(IS_NOMINAL(X))
        self.steps[-1][1].set_params(categorical_features=list(range(n_nominal)) or None)
        return super().fit(X, y, **more)  # type: ignore[no-any-return]


class Numbered(ClassifierMixin):  # type: ignore[misc]
    """A classifier that wants classes 0, 1, ..., for any labels."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def fit(self, X: pd.DataFrame, y: Any) -> "Numbered":
        """Learn from a table as `typed` makes them."""
        self._labels = LabelEncoder().fit(y)
        self.classes_ = self._labels.classes_
        self.model.fit(X, self._labels.transform(y))
        return self

    def predict(self, X: pd.DataFrame) -> Any:
        """The class of every row."""
        return self.classes_[np.asarray(self.model.predict(X)).astype(int).ravel()]

    def predict_proba(self, X: pd.DataFrame) -> Any:
        """The probability of every class."""
        return self.model.predict_proba(X)


def xgboost(seed: int) -> Numbered:
    """XGBoost with its defaults."""
    from xgboost import XGBClassifier

    return Numbered(XGBClassifier(random_state=seed, enable_categorical=True))


def lightgbm(seed: int) -> Numbered:
    """LightGBM with its defaults."""
    from lightgbm import LGBMClassifier

    return Numbered(LGBMClassifier(random_state=seed, verbose=-1))


def ebm(seed: int) -> Any:
    """interpret's additive model, with interactions."""
    from interpret.glassbox import ExplainableBoostingClassifier

    return ExplainableBoostingClassifier(random_state=seed)


PEERS: Mapping[str, Callable[[int], Any]] = {
    "CART": cart,
    "forest": forest,
    "boosting": boosting,
    "xgboost": xgboost,
    "lightgbm": lightgbm,
    "ebm": ebm,
}
_PACKAGES = {"xgboost": "xgboost", "lightgbm": "lightgbm", "ebm": "interpret"}


def installed() -> list[str]:
    """The names of the peers that can run here.

    >>> installed()[:3]
    ['CART', 'forest', 'boosting']
    """
    return [name for name in PEERS if name not in _PACKAGES or find_spec(_PACKAGES[name])]


def peer(name: str) -> Callable[[int], Any]:
    """The learner of that name."""
    known = {key.lower(): key for key in PEERS}
    if name.lower() not in known:
        raise ParameterError(f"no peer is called {name!r}; there are {', '.join(PEERS)}")
    found = known[name.lower()]
    if found not in installed():
        raise ParameterError(f"{found} is not installed; install it with: pip install {_PACKAGES[found]}")
    return PEERS[found]
