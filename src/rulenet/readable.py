"""What people do with a fitted classifier: read, explain, edit, save, see."""

import copy
import os
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import _num_samples, check_is_fitted

from rulenet import bits, frequencies, model_file
from rulenet.encoding import Encoding
from rulenet.exceptions import ModelFileError, ParameterError
from rulenet.formulas.explain import Explanation, explain
from rulenet.formulas.export import export
from rulenet.formulas.expressions import TRUE, Formula
from rulenet.formulas.from_network import from_network
from rulenet.formulas.statistics import rule_statistics
from rulenet.formulas.to_network import to_network
from rulenet.formulas.truth import MISSING, Codes
from rulenet.network import Network
from rulenet.pictures import draw_coverage, draw_history, draw_network
from rulenet.pictures.html import as_html
from rulenet.training.search import Choice, Found


class Readable:
    """Methods of a fitted classifier that has one network over one encoding."""

    network_: Network
    encoding_: Encoding
    classes_: NDArray[Any]
    positive_class_: Any
    rule_counts_: frequencies.Counts
    history_: NDArray[np.float64]
    _choices: tuple[Choice, ...]
    _choice_counts: tuple[frequencies.Counts, ...]
    target_name_: str
    named_: Formula | None

    @property
    def formula_(self) -> Formula:
        """What the network says, with named concepts."""
        check_is_fitted(self)
        return from_network(
            self.network_,
            self.encoding_.literals,
            target=self.target_name_,
            attributes=self.encoding_.attributes,
            named=self.named_,
        )

    @property
    def pareto_(self) -> pd.DataFrame:
        """The networks found that no other one beats in size and accuracy, and the one chosen; see ``choose``.

        The smallest stands first. ``accuracy`` is that on the training rows, ``validation`` that of the networks of the
        same price on rows left out, and ``chosen`` marks the network that predicts.
        """
        check_is_fitted(self)
        columns = {
            "n_edges": [c.network.n_edges for c in self._choices],
            "accuracy": [c.accuracy for c in self._choices],
            "validation": [np.nan if c.validation is None else c.validation for c in self._choices],
            "price": [c.price for c in self._choices],
            "chosen": [c.network == self.network_ for c in self._choices],
            "network": [c.network for c in self._choices],
        }
        return pd.DataFrame(columns)

    def export(self, format: str = "text", *, formula: Formula | None = None, **options: Any) -> str:
        """The rules in another language: text, prolog, tree, dnf, latex, sympy, sql, python, dot or json.

        SQL and Python give the class labels unless ``positive`` and ``negative`` say otherwise. Another form of the
        rules, such as a minimal one, may be passed as ``formula``.
        """
        if format in ("sql", "python"):
            labels = dict(zip(("negative", "positive"), self._labels(), strict=True))
            options = labels | options
        return export(self.formula_ if formula is None else formula, format, **options)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The probability of each class, from the frequencies of the rules that fire."""
        check_is_fitted(self)
        literals, n_rows = self.encoding_.encode(X, only=self.network_.reads), _num_samples(X)
        positive = frequencies.positive_probability(self.network_, literals, self.rule_counts_, n_rows)
        columns = np.stack([1 - positive, positive], axis=1)
        return columns if self.classes_[1] == self.positive_class_ else columns[:, ::-1]

    def explain(self, X: Any, row: int = 0) -> Explanation:
        """Why row ``row`` of ``X`` is predicted as it is, with the smallest reason and the smallest change."""
        codes = codes_of(self.encoding_, X)
        if not -len(codes) <= row < len(codes):
            raise ParameterError(f"row is {row}, but the table has rows 0 to {len(codes) - 1}")
        return explain(self.formula_, codes, row % len(codes))

    def rule_statistics(self, X: Any, y: ArrayLike) -> pd.DataFrame:
        """Coverage, support and precision of every rule and concept on a data set."""
        return rule_statistics(self.formula_, codes_of(self.encoding_, X), np.asarray(y) == self.positive_class_)

    def with_formula(self, formula: Formula, X: Any = None, y: ArrayLike | None = None) -> Self:
        """A fitted classifier that predicts as ``formula`` says.

        With ``X`` and ``y`` its probabilities come from these rows; without, no frequencies are known.
        """
        new = copy.copy(self)
        new.network_ = to_network(formula, self.encoding_.literals)
        new.named_ = Formula(TRUE, formula.concepts, self.encoding_.attributes)
        new.target_name_ = formula.target
        new._choices, new._choice_counts = (), ()
        by_rule = len(new.network_.weights) > 1 and new.network_.gates[-1] == "or"
        new.rule_counts_ = np.zeros(((int(new.network_.weights[-1].sum()) if by_rule else 1) + 1, 2))
        if X is not None and y is not None:
            positive = np.asarray(y) == self.positive_class_
            new.rule_counts_ = frequencies.count_classes(new.network_, self.encoding_.encode(X), positive)
        return new

    def rename_concepts(self, names: Mapping[str, str]) -> Self:
        """The same classifier with other names for its concepts, or for its target."""
        new, formula = copy.copy(self), self.formula_.rename(names)
        new.named_ = Formula(TRUE, formula.concepts, self.encoding_.attributes)
        new.target_name_ = formula.target
        return new

    def picture(self, kind: str = "network", X: Any = None, y: ArrayLike | None = None, **options: Any) -> Figure:
        """A matplotlib figure: the "network", the training "history", or the "coverage" of rules on ``X`` and ``y``.

        ``colours="safe"`` suits colour-blind readers.
        """
        match kind:
            case "network":
                return draw_network(self.formula_, **options)
            case "history":
                return draw_history(self.history_, **options)
            case "coverage" if X is not None and y is not None:
                return draw_coverage(self.rule_statistics(X, y), **options)
        raise ParameterError(f"kind is {kind!r}, but must be 'network', 'history', or 'coverage' with X and y")

    def _repr_html_(self) -> str:
        """The parameters and, once fitted, the rules and their picture: what notebooks show."""
        show = getattr(super(), "_repr_html_", None)  # absent where scikit-learn is set to display text
        parameters = str(show()) if show else ""
        return parameters + as_html(self.formula_) if hasattr(self, "network_") else parameters

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a JSON model file; an older file stays whole until the new one is."""
        check_is_fitted(self)
        model_file.write(path, self._state())

    def _state(self) -> model_file.State:
        return model_file.State(
            self.get_params(deep=False),  # type: ignore[attr-defined]
            self.classes_,
            int(np.flatnonzero(self.classes_ == self.positive_class_)[0]),
            self.encoding_,
            self.network_,
            self.history_,
            self.rule_counts_,
            self.target_name_,
            self.named_,
            self._choices,
            self._choice_counts,
        )

    @classmethod
    def _restored(cls, state: model_file.State) -> Self:
        known = cls._get_param_names()  # type: ignore[attr-defined]
        unknown = sorted(set(state.parameters) - set(known))
        if unknown:
            raise ModelFileError(f"parameters has {unknown}, which {cls.__name__} does not take")
        new = cls(**state.parameters)
        found = Found(state.network, tuple(state.history.tolist()), state.choices)
        new._keep(state.encoding, state.classes, state.positive, found)  # type: ignore[attr-defined]
        if new._choices != state.choices:
            raise ModelFileError("choices must get more accurate as they get larger")
        new._choice_counts = state.choice_counts
        new.rule_counts_, new.target_name_, new.named_ = state.counts, state.target, state.named
        return new

    def _labels(self) -> list[Any]:
        """The negative label, then the positive one, as plain Python values."""
        return sorted(self.classes_.tolist(), key=lambda label: label == self.positive_class_)


def target_name(y: Any, label: Any) -> str:
    """What the rules describe: a class and, where ``y`` is a column with a name, of what."""
    column = getattr(y, "name", None)
    return f"{column} = {label}" if isinstance(column, str) and column else str(label).strip() or repr(label)


def codes_of(encoding: Encoding, X: Any) -> Codes:
    """The value of every attribute in every row of ``X``, as positions."""
    literals = bits.unpack(encoding.encode(X), _num_samples(X))
    codes = np.full((literals.shape[1], len(encoding.attributes)), MISSING, dtype=np.int64)
    place = {(x.attribute, x.value): i for i, x in enumerate(encoding.literals) if x.operator == "=="}
    for j, attribute in enumerate(encoding.attributes):
        for code, value in enumerate(attribute.values):
            codes[literals[place[attribute, value]], j] = code
    return Codes(encoding.attributes, codes)
