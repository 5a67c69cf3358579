"""Why a formula holds in a row or does not, and what would change that.

The reasons are prime implicants of the formula or of its negation that the row satisfies; see J. Marques-Silva and
A. Ignatiev, "Delivering Trustworthy AI through Formal XAI", AAAI 2022. For negative answers the implicit hitting set
duality is used: a set of values suffices if it meets every change that would flip the answer.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass

from rulenet.formulas.dnf import used_attributes
from rulenet.formulas.export.text import words
from rulenet.formulas.expressions import Expression, Formula, Or
from rulenet.formulas.program import Circuit, Program
from rulenet.formulas.truth import Codes, Truth, truth_of, truths
from rulenet.literals import Attribute

Values = dict[str, Hashable]


@dataclass(frozen=True, slots=True)
class Explanation:
    """One answer, explained.

    Attributes
    ----------
    target : str
        What was asked.
    holds : bool
        The answer.
    fires : dict from name to list of str
        The concepts that hold, and the target if it does, each with the parts that make it hold.
    reason : dict from column to value
        A smallest set of the row's values that alone forces the answer, whatever the other columns hold; None stands
        for a missing or unseen value.
    change : dict from column to value, or None
        A smallest set of new values that flips the answer; None if nothing does.
    """

    target: str
    holds: bool
    fires: dict[str, list[str]]
    reason: Values
    change: Values | None

    def __str__(self) -> str:
        lines = [f"{self.target}: {'yes' if self.holds else 'no'}, because {_listed(self.reason)}"]
        lines += [f"    {name} holds by {' and by '.join(parts)}" for name, parts in self.fires.items()]
        if self.change is None:
            lines.append("no other values would change that")
        else:
            lines.append(f"it would be {'no' if self.holds else 'yes'} with {_listed(self.change)}")
        return "\n".join(lines)


def explain(formula: Formula, rows: Codes, i: int = 0) -> Explanation:
    """Why the formula holds in row ``i`` or does not.

    >>> from rulenet.formulas.expressions import And
    >>> from rulenet.formulas.truth import encode
    >>> from rulenet.literals import Literal
    >>> sky, warm = Attribute("sky", ("rain", "sun")), Attribute("warm", ("no", "yes"))
    >>> formula = Formula(And((Literal(sky, "sun"), Literal(warm, "yes"))), {}, (sky, warm), "go")
    >>> print(explain(formula, encode(formula.attributes, [{"sky": "rain", "warm": "yes"}])))
    go: no, because sky = rain
    it would be yes with sky = sun
    """
    one = Codes(rows.attributes, rows.codes[i : i + 1])
    known = truths(formula, one)
    answer = bool(known[formula.target].true[0])
    task = _Task(formula, _values(one))
    return Explanation(
        formula.target,
        answer,
        {name: _witnesses(e, one, known) for name, e in formula.definitions if known[name].true[0]},
        task.named(task.reason_for_yes() if answer else task.reason_for_no()),
        task.change(to=not answer),
    )


class _Task:
    """One row of one formula; only attributes that the formula mentions matter."""

    def __init__(self, formula: Formula, row: Mapping[Attribute, Hashable]) -> None:
        self.attributes = used_attributes(formula)
        self.circuit = Circuit(formula, self.attributes)
        self.row = row

    def named(self, attributes: set[Attribute]) -> Values:
        return {a.name: self.row[a] for a in self.attributes if a in attributes}

    def reason_for_yes(self) -> set[Attribute]:
        """The fewest values that make the formula hold with all others missing, the worst they can be."""
        program = Program()
        known = [a for a in self.attributes if self.row[a] is not None]
        kept = {a: program.variable(cost=1.0) for a in known}
        self.circuit.require(program, {(a, self.row[a]): x for a, x in kept.items()}, True)
        solution = program.solve()
        assert solution is not None
        return {a for a, x in kept.items() if solution[x]}

    def reason_for_no(self) -> set[Attribute]:
        """The fewest values that meet every change to yes: asked for again until no change avoids them."""
        changes: list[set[Attribute]] = []
        while True:
            kept = self._hitting(changes)
            change = self._changed(True, fixed=kept)
            if change is None:
                return kept
            changes.append(set(change))

    def change(self, *, to: bool) -> Values | None:
        """The fewest new values that give the other answer."""
        changed = self._changed(to, fixed=set())
        return None if changed is None else {a.name: changed[a] for a in self.attributes if a in changed}

    def _hitting(self, sets: list[set[Attribute]]) -> set[Attribute]:
        program = Program()
        chosen = {a: program.variable(cost=1.0) for a in self.attributes}
        for each in sets:
            program.require({chosen[a]: 1.0 for a in each}, low=1.0)
        solution = program.solve() if chosen else []
        assert solution is not None
        return {a for a, x in chosen.items() if solution[x]}

    def _changed(self, to: bool, fixed: set[Attribute]) -> dict[Attribute, Hashable] | None:
        """The fewest new values outside ``fixed`` that give the answer ``to``."""
        program, values = Program(), dict[tuple[Attribute, object], int]()
        for a in self.attributes:
            old = self.row[a]
            options = [old] if a in fixed else [*([None] if old is None else []), *a.values]
            for v in options:
                values[a, v] = program.variable(cost=float(v != old))
            program.require({values[a, v]: 1.0 for v in options}, 1.0, 1.0)
        self.circuit.require(program, values, to)
        solution = program.solve()
        if solution is None:
            return None
        return {a: v for (a, v), x in values.items() if solution[x] and v != self.row[a]}  # type: ignore[misc]


def _values(row: Codes) -> dict[Attribute, Hashable]:
    pairs = zip(row.attributes, row.codes[0].tolist(), strict=True)
    return {a: a.values[c] if c >= 0 else None for a, c in pairs}


def _witnesses(expression: Expression, row: Codes, known: Mapping[str, Truth]) -> list[str]:
    parts = expression.parts if isinstance(expression, Or) else (expression,)
    return [words(p) for p in parts if truth_of(p, row, known).true[0]]


def _listed(values: Values) -> str:
    found = [f"{name} is missing" if value is None else f"{name} = {value}" for name, value in values.items()]
    return " and ".join(found) or "nothing else is possible"
