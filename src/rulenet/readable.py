"""What people do with a fitted classifier: read, explain, edit, save, see."""

from __future__ import annotations

import copy
import os
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rulenet import model_file
from rulenet.calibration import calibrate
from rulenet.encoding import Encoding
from rulenet.exceptions import ParameterError, RuleNetError
from rulenet.fitted import Fitted
from rulenet.fitted_targets import FittedTargets
from rulenet.formulas.decision import Decision
from rulenet.formulas.decisions import Decisions
from rulenet.formulas.explain import DecisionExplanation, Explanation, explain, explain_decision
from rulenet.formulas.export import FORMATS, export
from rulenet.formulas.export.decisions import DECISION_FORMATS, export_decision
from rulenet.formulas.export.format import Format
from rulenet.formulas.export.targets import TARGET_FORMATS, export_decisions
from rulenet.formulas.expressions import AtLeast, Concept, Formula, Or
from rulenet.formulas.parse import parse
from rulenet.formulas.statistics import (
    class_statistics,
    concept_matrix,
    condition_counts,
    decision_path,
    rule_statistics,
)
from rulenet.later import Later
from rulenet.network import Network

if TYPE_CHECKING:
    import pandas as pd
    from sklearn.utils import validation

    from rulenet import labels as labelling
else:
    pd = Later("pandas")
    validation = Later("sklearn.utils.validation")
    labelling = Later("rulenet.labels")

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from rulenet.page import Page


#: Whether scikit-learn draws a classifier as a part of something else.
_INSIDE = ContextVar("_INSIDE", default=True)


class TargetExplanations(dict[str, Any]):
    """An explanation for every target, by its name; as text, one below the other."""

    def __str__(self) -> str:
        return "\n".join(map(str, self.values()))


class Readable:
    """Methods and attributes of a classifier whose ``fitted_`` is a `Fitted`; nothing else is asked of it."""

    fitted_: Fitted | FittedTargets

    @property
    def network_(self) -> Network:
        """What was learned."""
        return self.fitted_.network

    @property
    def encoding_(self) -> Encoding:
        """How a table becomes the literals that the network reads."""
        return self.fitted_.encoding

    @property
    def classes_(self) -> Any:
        """The class labels, in order; for several targets, a list with those of each."""
        return self.fitted_.classes

    @property
    def positive_class_(self) -> Any:
        """The class that a true output stands for."""
        fitted = self.one_target("positive_class_")
        return fitted.classes[fitted.positive]

    @property
    def history_(self) -> NDArray[np.float64]:
        """The accuracy on the training rows before, during and after the search."""
        return self.fitted_.history

    @property
    def target_name_(self) -> str:
        """The name of what the rules describe."""
        return self.fitted_.target

    @property
    def size_(self) -> int:
        """The size of the network, as ``network_.size`` defines it."""
        return self.fitted_.network.size

    @property
    def n_features_in_(self) -> int:
        """The number of columns of the table."""
        return len(self.fitted_.encoding.attributes)

    @property
    def feature_names_in_(self) -> NDArray[np.object_]:
        """The names of the columns, where all of them are text."""
        if not self.fitted_.encoding.named:
            raise AttributeError("the table that was fitted had no column names, so there is no feature_names_in_")
        return np.array([attribute.name for attribute in self.fitted_.encoding.attributes], dtype=object)

    @property
    def formula_(self) -> Formula | Decision:
        """What the network says, with named concepts: when a class is met, or points for each of several classes.

        For several targets it is a `Decisions`, which holds both for each of them.
        """
        if isinstance(self.fitted_, FittedTargets):
            return self.fitted_.decisions
        return self.fitted_.decision if self.fitted_.several else self.fitted_.formula

    @property
    def pareto_(self) -> pd.DataFrame:
        """The networks found that no other one beats in size and accuracy, and the one chosen; see ``choose``.

        The smallest stands first. ``size`` is that of the network, ``accuracy`` that on the training rows,
        ``validation`` that of the networks of the same price on rows left out, and ``chosen`` marks the network that
        predicts.
        """
        found = self.fitted_.alternatives
        columns = {
            "size": [a.network.size for a in found],
            "accuracy": [a.accuracy for a in found],
            "validation": [np.nan if a.validation is None else a.validation for a in found],
            "price": [a.price for a in found],
            "chosen": [a.network == self.network_ for a in found],
            "network": [a.network for a in found],
        }
        return pd.DataFrame(columns)

    def choose(self, row: int) -> Self:
        """Make the network in ``row`` of ``pareto_`` the one that predicts.

        Returns
        -------
        self
        """
        _check_is_fitted(self)
        self.fitted_ = self.fitted_.choose(row)
        return self

    def export(self, format: str = "text", *, formula: Formula | Decision | None = None, **options: Any) -> Any:
        """The rules in another language, such as "text", "sql", "python" or "latex"; `rulenet.formulas` lists all.

        It is text, but "onnx" gives bytes: a model with the class, the margins and the probabilities of every row.

        Languages that give an answer for a row give the class labels unless ``positive`` and ``negative`` say
        otherwise. Another form of the rules, such as a minimal one, may be passed as ``formula``. JavaScript with
        ``network=True`` is the network itself as data, evaluated by the code with which pages evaluate it.
        """
        _check_is_fitted(self)
        if format == "javascript" and formula is None and options.pop("network", False):
            self.never_abstaining("JavaScript of a network")
            from rulenet.page import network_to_javascript

            return network_to_javascript(self.one_target("JavaScript of a network"), **options)
        if format == "onnx" and formula is None:
            self.never_abstaining("onnx")
            return export_decision(self.one_target("onnx").decision, format, **self._in_order(), **options)
        said = self.formula_ if formula is None else formula
        if isinstance(said, Decisions):
            return export_decisions(said, format, **self._abstaining(TARGET_FORMATS, format), **options)
        if isinstance(said, Decision):
            return export_decision(said, format, **self._abstaining(DECISION_FORMATS, format), **options)
        if FORMATS.get(format) and "positive" in FORMATS[format].options:
            labels = dict(zip(("negative", "positive"), self.one_target("export").labels, strict=True))
            options = labels | options
        return export(said, format, **options)

    def _in_order(self) -> dict[str, Any]:
        """The classes in the order of ``predict_proba``, and the calibration of all of them."""
        fitted = self.one_target("onnx")
        calibration = fitted.calibration
        if not fitted.several:
            calibration = replace(calibration, offsets=(*calibration.offsets, 0.0))
        return {"classes": self.classes_.tolist(), "calibration": calibration}

    @property
    def _abstains(self) -> bool:
        """Whether rows may stay without an answer: they can where more than two classes each have an output."""
        fitted = self.fitted_
        several = any(one.several for one in (fitted.parts if isinstance(fitted, FittedTargets) else (fitted,)))
        return several and getattr(self, "on_conflict", "largest") == "abstain"

    def _abstaining(self, formats: Mapping[str, Format], format: str) -> dict[str, bool]:
        """What a language is told of rows without an answer; refused where it runs and cannot leave any."""
        if not self._abstains or format not in formats:
            return {}
        if "abstain" in formats[format].options:
            return {"abstain": True}
        if formats[format].runs:
            self.never_abstaining(format)
        return {}

    def never_abstaining(self, what: str) -> None:
        """Refuse what answers in every row, where the classifier may not."""
        if self._abstains:
            raise ParameterError(
                f"on_conflict is 'abstain', but {what} gives every row the class of the largest margin: "
                "take sql, python or javascript, or set_params(on_conflict='largest')"
            )

    def target(self, column: str | int) -> Self:
        """The classifier of one of several targets, by name or number: it reads, explains and draws that one."""
        _check_is_fitted(self)
        if not isinstance(self.fitted_, FittedTargets):
            raise ParameterError(f"target is {column!r}, but y had one column only")
        new = copy.copy(self)
        new.fitted_ = self.fitted_.one(column)
        return new

    def explain(
        self, X: Any, row: int = 0, *, towards: Any = None
    ) -> Explanation | DecisionExplanation | TargetExplanations:
        """Why row ``row`` of ``X`` is predicted as it is, with the smallest reason and the smallest change.

        With several classes the change is one ``towards`` a class, by default the runner-up. For several targets there
        is an explanation for each, by name. Of equally small reasons that of the first columns is taken; of changes
        that of the fewest steps from range to range, then of the first columns, then of the lower values, or the last
        ones where they have no order.
        """
        _check_is_fitted(self)
        if isinstance(self.fitted_, FittedTargets):
            if towards is not None:
                raise ParameterError("towards is a class of one target; use model.target(column).explain")
            columns = self.fitted_.columns
            return TargetExplanations({column: self.target(column).explain(X, row) for column in columns})
        codes = self.fitted_.codes(X)
        if not -len(codes) <= row < len(codes):
            raise ParameterError(f"row is {row}, but the table has rows 0 to {len(codes) - 1}")
        if self.fitted_.several:
            return explain_decision(self.fitted_.decision, codes, row % len(codes), towards)
        if towards is not None and towards not in self.classes_:
            raise ParameterError(f"towards is {towards!r}, but the classes are {self.classes_.tolist()}")
        found = explain(self.fitted_.formula, codes, row % len(codes))
        if towards is not None and towards == (label := self.fitted_.labels[found.holds]):
            raise ParameterError(f"row {row} has the class {label!r} already; name the other one, or none")
        return found

    def rule_statistics(self, X: Any, y: ArrayLike) -> pd.DataFrame:
        """How rules do on a data set.

        For two classes, coverage, support, precision with its 95% interval, recall and lift of every rule and concept;
        for several, the same of every class, and F1. For several targets, all of these one below the other.
        """
        _check_is_fitted(self)
        if isinstance(self.fitted_, FittedTargets):
            columns = labelling.targets_of(X, y, self.fitted_.classes_of)
            return pd.concat({name: self.target(name).rule_statistics(X, labels) for name, labels in columns.items()})
        codes, labels = self.fitted_.codes(X), labelling.labels_of(X, y, self.classes_)
        if self.fitted_.several:
            return class_statistics(self.fitted_.decision, codes, labels.tolist()).classes
        return rule_statistics(self.fitted_.formula, codes, labels == self.positive_class_)

    def rows(self, X: Any, rule: int | str) -> NDArray[np.bool_]:
        """Which rows of ``X`` a rule covers, as a mask.

        ``rule`` is a number as in ``rule_statistics``, the name of a concept or of the target, or a rule typed as text,
        such as ``"age <= 30 and sex = f"``. With several classes, the target is one of them, such as ``"fruit = pea"``,
        and is covered where it fires; there are no numbers.
        """
        _check_is_fitted(self)
        said = self.formula_
        if isinstance(said, Decision):
            if rule in (names := {said.name(label): label for label in said.labels}):
                return self.fitted_.holds(X, said.formula(names[str(rule)]))
            said = said.as_formula()
        elif isinstance(rule, int) and not isinstance(rule, bool):
            parts = [*dict.fromkeys(said.output.parts if isinstance(said.output, Or | AtLeast) else (said.output,))]
            if not 1 <= rule <= len(parts):
                raise ParameterError(f"there is no rule {rule}; the model has rules 1 to {len(parts)}")
            return self.fitted_.holds(X, replace(said, output=parts[rule - 1]))
        elif rule == said.target:
            return self.fitted_.holds(X, said)
        if not isinstance(rule, str):
            raise ParameterError(f"rule is {rule!r}, but must be the name of a concept or a rule as text")
        said, expression = (said, Concept(rule)) if rule in said.concepts else parse(said, rule)
        return self.fitted_.holds(X, replace(said, output=expression))

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """The share of conditions that ask about each column; 0 means that no prediction depends on it.

        It says what the rules read, not what a column is worth: for that, scikit-learn's ``permutation_importance``
        takes this classifier as it is.
        """
        counts = np.array([*condition_counts(self.formula_).values()], dtype=np.float64)
        return np.asarray(counts / max(counts.sum(), 1))

    def decision_path(self, X: Any) -> pd.DataFrame:
        """The margin of every class in every row of ``X``, which of them fire, and whether none or several do."""
        _check_is_fitted(self)
        fitted = self.fitted_
        if isinstance(fitted, FittedTargets):
            return pd.concat({name: self.target(name).decision_path(X) for name in fitted.columns}, axis=1)
        decision = fitted.decision if fitted.several else Decision.of_formula(fitted.formula, *reversed(fitted.labels))
        return decision_path(decision, fitted.codes(X), one_fires=not fitted.several)

    def with_formula(self, formula: Formula | Decision, X: Any = None, y: ArrayLike | None = None) -> Self:
        """A fitted classifier that predicts as ``formula`` says, which for several classes is a `Decision`.

        With ``X`` and ``y`` its probabilities come from these rows; without, nothing is known of them.
        """
        _check_is_fitted(self)
        new = copy.copy(self)
        fitted = self.one_target("with_formula").with_formula(formula)
        if X is not None and y is not None:
            labels = labelling.check_labels(X, y)
            labelling.check_known(labels, fitted.classes)
            found = calibrate(fitted.margins(X), fitted.output_codes(labels))
            fitted = fitted.calibrated(replace(found, follows=fitted.evidence.follows))
        new.fitted_ = fitted
        return new

    def concept_matrix(self) -> pd.DataFrame:
        """The points of every concept and condition, down, for every class, across; 0 where it does not count."""
        _check_is_fitted(self)
        if isinstance(self.fitted_, FittedTargets):
            said: Decision = self.fitted_.decisions
        else:
            fitted = self.fitted_
            said = fitted.decision if fitted.several else Decision.of_formula(fitted.formula, *reversed(fitted.labels))
        return concept_matrix(said)

    def rename_concepts(self, names: Mapping[str, str]) -> Self:
        """The same classifier with other names for its concepts, or for its target."""
        _check_is_fitted(self)
        new = copy.copy(self)
        new.fitted_ = self.fitted_.renamed(names)
        return new

    def picture(self, kind: str = "network", X: Any = None, y: ArrayLike | None = None, **options: Any) -> Figure:
        """A matplotlib figure: the "network", the training "history", or the "coverage" of rules on ``X`` and ``y``.

        With ``X`` and ``y``, all conditions and units of the network say how many rows they cover and how pure these
        are.
        ``colours="safe"`` suits colour-blind readers.
        """
        from rulenet.pictures import draw_coverage, draw_history, draw_network, notes_on  # matplotlib loads slowly

        _check_is_fitted(self)
        match kind:
            case "network" if X is not None and y is not None:
                codes = self.one_target("a picture with rows").codes(X)
                return draw_network(
                    self.formula_, notes=notes_on(self.formula_, codes, np.asarray(y).tolist()), **options
                )
            case "network":
                return draw_network(self.formula_, **options)
            case "history":
                return draw_history(self.history_, **options)
            case "coverage" if self.one_target("picture").several:
                raise ParameterError("kind is 'coverage', which is drawn for two classes only")
            case "coverage" if X is not None and y is not None:
                return draw_coverage(self.rule_statistics(X, y), **options)
        raise ParameterError(f"kind is {kind!r}, but must be 'network', 'history', or 'coverage' with X and y")

    def page(
        self,
        X: Any,
        y: ArrayLike,
        *,
        held_out: tuple[Any, ArrayLike] | None = None,
        max_rows: int = 10_000,
        title: str | None = None,
    ) -> Page:
        """A page to see, question and change the network in the browser: one file that needs nothing else.

        ``X`` and ``y`` are what it counts, shows and scores; of more than ``max_rows`` rows it takes a sample. With
        ``held_out``, a pair of table and labels, scores on these stand beside the others. Notebooks show the page;
        ``page.save("page.html")`` writes it.
        """
        from rulenet.page import make_page

        _check_is_fitted(self)
        self.never_abstaining("the page")
        parameters = self.get_params(deep=False)  # type: ignore[attr-defined]
        return make_page(self.one_target("page"), X, y, held_out, max_rows, title, parameters)

    def _repr_html_(self) -> str:
        """The parameters and, once fitted, the rules and their picture: what notebooks show."""
        show = getattr(super(), "_repr_html_", None)  # absent where scikit-learn is set to display text
        inside = _INSIDE.set(False)
        try:
            parameters = str(show()) if show else ""
        finally:
            _INSIDE.reset(inside)
        return parameters + self._rules_html()

    def _repr_mimebundle_(self, **options: Any) -> dict[str, str]:
        """What Jupyter asks for first."""
        shown: dict[str, str] = super()._repr_mimebundle_(**options)  # type: ignore[misc]
        return shown | {"text/html": self._repr_html_()} if "text/html" in shown else shown

    def _get_params_html(self, *args: Any, **options: Any) -> Any:
        """The parameters as scikit-learn shows them; in the diagram of a pipeline, the rules stand below them."""
        shown = super()._get_params_html(*args, **options)  # type: ignore[misc]
        if _INSIDE.get():
            parameters = shown._repr_html_inner
            shown._repr_html_inner = lambda: f'{parameters()}<div style="padding: 0 0.6em">{self._rules_html()}</div>'
        return shown

    def _rules_html(self) -> str:
        if not hasattr(self, "fitted_"):
            return ""
        from rulenet.pictures.html import as_html

        frame = self._frame_html()
        return as_html(self.formula_, folded=bool(frame)) + frame

    def _frame_html(self) -> str:
        """A small page in a frame; nothing where a page cannot be made, since rules and picture stand there anyway."""
        from rulenet.page import compact_page

        if isinstance(self.fitted_, FittedTargets):
            return ""
        try:
            frame = compact_page(self.fitted_)._repr_html_()
        except RuleNetError:
            return ""
        return f"<details open><summary>to explore</summary>{frame}</details>"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a JSON model file; an older file stays whole until the new one is."""
        _check_is_fitted(self)
        model_file.write(path, self._state())

    def one_target(self, what: str) -> Fitted:
        """What was fitted to one column of labels; refused where there are several."""
        if isinstance(self.fitted_, FittedTargets):
            raise ParameterError(
                f"{what} is about one target, but there are {len(self.fitted_.targets)}: "
                f"use model.target({self.fitted_.columns[0]!r})"
            )
        return self.fitted_

    def _state(self) -> model_file.State:
        parameters = self.get_params(deep=False)  # type: ignore[attr-defined]
        return model_file.State(parameters, self.fitted_)


def _check_is_fitted(model: Readable) -> None:
    """Refuse to go on before something was fitted, as scikit-learn does."""
    if not hasattr(model, "fitted_"):
        validation.check_is_fitted(model)


def target_name(y: Any, classes: NDArray[Any], outputs: Sequence[int]) -> str:
    """What the rules describe: a class and, where ``y`` is a column with a name, of what; or that column."""
    column = y if isinstance(y, str) else getattr(y, "name", None)
    named = isinstance(column, str) and bool(column.strip())
    if len(outputs) > 1:
        return str(column) if named else "class"
    label = classes[outputs[0]]
    return f"{column} = {label}" if named else str(label).strip() or repr(label)
