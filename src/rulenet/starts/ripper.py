"""A start from the rules of RIPPER (W. W. Cohen, "Fast Effective Rule Induction", ICML 1995)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from rulenet.conditions import Condition
from rulenet.exceptions import ParameterError
from rulenet.formulas.dnf import conjunction
from rulenet.formulas.expressions import FALSE, Formula, Or
from rulenet.formulas.to_network import to_network
from rulenet.network import Network
from rulenet.parameters import Constraint, integer
from rulenet.search.problem import Problem
from rulenet.starts.learned import LearnedInit, Sample, attributes_of, find_deniable


class RipperInit(LearnedInit):
    """The rules of RIPPER, as implemented in the package wittgenstein.

    Parameters
    ----------
    max_rows : int, default=2048
        The most rows to learn the rules from.
    """

    constraints: ClassVar[Mapping[str, tuple[Constraint, ...]]] = {"max_rows": (integer(1),)}

    def __init__(self, max_rows: int = 2048) -> None:
        self.max_rows = max_rows

    def learn(self, problem: Problem, conditions: Sequence[Condition], seed: int) -> Network:
        """The network of the rules for the rows of ``problem``."""
        return to_network(self.formula(problem, conditions, seed), conditions)

    def formula(self, problem: Problem, conditions: Sequence[Condition], seed: int) -> Formula:
        """The rules as a formula."""
        self.check()
        sample, asked = Sample.of(problem, self.max_rows, seed), find_deniable(conditions)
        if not len(asked):
            return Formula(FALSE, {}, attributes_of(conditions))
        model = _ripper()(random_state=seed % 2**32)
        names = [str(j) for j in range(len(asked))]
        model.fit(sample.literals[:, asked], y=sample.target, pos_class=True, feature_names=names)

        def meaning(wanted: Any) -> Condition:
            condition: Condition = conditions[asked[int(wanted.feature)]]
            return condition if str(wanted.val) in ("True", "1") else ~condition

        parts = tuple(conjunction(tuple(map(meaning, rule.conds))) for rule in model.ruleset_.rules)
        return Formula(Or(parts) if parts else FALSE, {}, attributes_of(conditions))


def _ripper() -> Callable[..., Any]:
    try:
        from wittgenstein import RIPPER
    except ImportError:
        raise ParameterError(
            "init is 'ripper', which needs the package wittgenstein: pip install rulenet[peers]"
        ) from None
    return RIPPER  # type: ignore[no-any-return]
