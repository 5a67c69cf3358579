"""Why a formula holds in a row or does not, and what would change that.

The reasons are prime implicants of the formula or of its negation that the row satisfies; see J. Marques-Silva and
A. Ignatiev, "Delivering Trustworthy AI through Formal XAI", AAAI 2022. For negative answers the implicit hitting set
duality is used: a set of values suffices if it meets every change that would flip the answer.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass

from rulenet.conditions import MISSING, UNKNOWN, Attribute, Condition
from rulenet.exceptions import FormulaError
from rulenet.formulas.cells import Blocks, blocks_of
from rulenet.formulas.decision import Decision, Score
from rulenet.formulas.dnf import used_attributes
from rulenet.formulas.export.text import words
from rulenet.formulas.expressions import AtLeast, Expression, Formula, Or
from rulenet.formulas.program import Circuit, Contest, Program
from rulenet.formulas.truth import Codes, Truth, truth_of, truths

Said = dict[str, Condition | None]
Sets = dict[Attribute, tuple[int, ...]]


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
    reason : dict from column to Condition or None
        A smallest set of columns whose values alone force the answer, whatever the other columns hold. For an ordered
        column the condition is the whole range that does; None stands for a value that was not known in fit.
    change : dict from column to Condition, or None
        A smallest set of columns whose new values flip the answer, with the range of values that do; None if nothing
        does.
    """

    target: str
    holds: bool
    fires: dict[str, list[str]]
    reason: Said
    change: Said | None

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

    Of equally small reasons that of the first columns is taken; of changes that of the fewest steps, then of the first
    columns, then of the lower values, or the last ones where they have no order.

    >>> from rulenet.formulas.expressions import And
    >>> from rulenet.formulas.truth import encode
    >>> sky, age = Attribute("sky", ("rain", "sun")), Attribute("age", kind="numeric", cuts=(18, 37.5, 65))
    >>> formula = Formula(And((sky.equal("sun"), age.at_most(37.5))), {}, (sky, age), "go")
    >>> print(explain(formula, encode(formula.attributes, [{"sky": "sun", "age": 41}])))
    go: no, because age > 37.5
    it would be yes with age <= 37.5
    """
    one = Codes(rows.attributes, rows.codes[i : i + 1])
    known = truths(formula, one)
    answer = bool(known[formula.target].true[0])
    task = _Task(formula, Circuit(formula), _row(one), answer)
    return Explanation(
        formula.target,
        answer,
        {name: _witnesses(e, one, known) for name, e in formula.definitions if known[name].true[0]},
        task.reason(),
        task.change(),
    )


def _row(one: Codes) -> dict[Attribute, int]:
    return dict(zip(one.attributes, one.codes[0].tolist(), strict=True))


class _Task:
    """One row and one question that is answered yes or no.

    Only attributes that the ``formula`` mentions matter, and cells that it tells apart; the ``circuit`` says what is
    asked of these. More conditions that hold never turn the yes of a circuit that is monotone into a no.
    """

    def __init__(
        self, formula: Formula, circuit: Circuit | Contest, row: Mapping[Attribute, int], answer: bool
    ) -> None:
        blocks = blocks_of(used_attributes(formula), formula.conditions)
        self.blocks: dict[Attribute, Blocks] = {b.attribute: b for b in blocks}
        self.circuit, self.monotone = circuit, isinstance(circuit, Circuit)
        self.row, self.answer = row, answer
        self.codes = {b.attribute: b.codes[int(b.place[row[b.attribute]])] for b in blocks}
        self.all: Sets = {b.attribute: b.codes for b in blocks}

    def reason(self) -> Said:
        """The fewest columns that force the answer, those with an order widened as far as they still do."""
        known = self.answer and self.monotone and self._worst_is_nothing()
        kept = self._values_for_yes() if known else self._values_that_force()
        sets = self._widened({a: (self.codes[a],) for a in kept}, lambda s: self._forces(self.all | s))
        return {a.name: self._said(a, sets[a]) for a in self.blocks if a in kept}

    def change(self) -> Said | None:
        """The fewest new values that give the other answer, those with an order widened as far as they still do."""
        fixed: Sets = {a: (code,) for a, code in self.codes.items()}
        options = {a: (*b.codes[: len(b.cells)], *fixed[a]) for a, b in self.blocks.items()}
        found = self._nearest(options)
        if found is None:
            return None
        changed: Sets = {a: (code,) for a, code in found.items() if code != self.codes[a]}
        sets = self._widened(changed, lambda s: self._flips(fixed | s))
        return {a.name: self._new_value(a, sets[a]) for a in self.blocks if a in changed}

    def _worst_is_nothing(self) -> bool:
        """Whether no condition holds in the worst that a value can be."""
        return not any(b.asks and b.attribute.measured for b in self.blocks.values())

    def _values_for_yes(self) -> set[Attribute]:
        """The fewest values that make the formula hold where no condition on the others does."""
        program = Program()
        kept = {a: program.variable(cost=1) for a in self.blocks}
        self.circuit.require(program, {(a, self.codes[a]): x for a, x in kept.items()}, True)
        solution = program.solve([*kept.values()]) if kept else []
        assert solution is not None
        return {a for a, x in kept.items() if solution[x]}

    def _values_that_force(self) -> set[Attribute]:
        """The fewest values that meet every change to the other answer: asked for again until none avoids them.

        Only when some do, the first of as few are asked for, which takes longer.
        """
        changes, ordered = list[set[Attribute]](), False
        while True:
            kept = self._hitting(changes, ordered)
            change = self._differing(self.all | {a: (self.codes[a],) for a in kept})
            if change is not None:
                changes.append({a for a, code in change.items() if code != self.codes[a]})
            elif ordered:
                return kept
            ordered = ordered or change is None

    def _hitting(self, sets: list[set[Attribute]], ordered: bool) -> set[Attribute]:
        program = Program()
        chosen = {a: program.variable(cost=1) for a in self.blocks}
        for each in sets:
            program.require({chosen[a]: 1.0 for a in each}, low=1.0)
        solution = program.solve(*([[*chosen.values()]] if ordered else [])) if chosen else []
        assert solution is not None
        return {a for a, x in chosen.items() if solution[x]}

    def _forces(self, options: Sets) -> bool:
        return self._program(options, not self.answer)[0].solve() is None

    def _flips(self, options: Sets) -> bool:
        return self._program(options, self.answer)[0].solve() is None

    def _differing(self, options: Sets) -> dict[Attribute, int] | None:
        """A choice of codes that gives the other answer with the fewest new ones."""
        program, variables = self._program(options, not self.answer, self._differs)
        return _taken(variables, program.solve())

    def _nearest(self, options: Sets) -> dict[Attribute, int] | None:
        """The first of the choices that give the other answer with the fewest new codes, in the fewest steps."""
        steps = {(a, code): self._steps(a, code) for a, codes in options.items() for code in codes}
        many = 1 + sum(max(steps[a, code] for code in codes) for a, codes in options.items())
        program, variables = self._program(
            options, not self.answer, lambda a, code: many * self._differs(a, code) + steps[a, code]
        )
        new = [[variables[a, code] for code in self._others(a, codes)] for a, codes in options.items()]
        changed = [program.variable() for _ in new]
        for x, own in zip(changed, new, strict=True):
            program.require({x: -1.0} | dict.fromkeys(own, 1.0), 0.0, 0.0)
        return _taken(variables, program.solve(changed, *new))

    def _program(
        self, options: Sets, truth: bool, cost: Callable[[Attribute, int], int] = lambda a, code: 0
    ) -> tuple[Program, dict[tuple[Attribute, int], int]]:
        """The choices of codes that give the answer ``truth``, and the variables of the codes."""
        program, variables = Program(), dict[tuple[Attribute, int], int]()
        for a, codes in options.items():
            for code in dict.fromkeys(codes):
                variables[a, code] = program.variable(cost(a, code))
            program.require({variables[a, code]: 1.0 for code in codes}, 1.0, 1.0)
        self.circuit.require(program, variables, truth)
        return program, variables

    def _differs(self, attribute: Attribute, code: int) -> int:
        return int(code != self.codes[attribute])

    def _steps(self, attribute: Attribute, code: int) -> int:
        """The blocks from the old value to another one, 1 where values have no order or the old one is none."""
        old, place = self.codes[attribute], self.blocks[attribute].place
        if not attribute.ordered or old < 0:
            return self._differs(attribute, code)
        return abs(int(place[code]) - int(place[old]))

    def _others(self, attribute: Attribute, codes: Iterable[int]) -> list[int]:
        """The codes of other blocks: nearest first, of equally near ones the lower; without an order the last first."""
        blocks = self.blocks[attribute]

        def rank(code: int) -> tuple[int, int]:
            near = attribute.ordered and self.codes[attribute] >= 0
            last = blocks.cells[int(blocks.place[code])].bit_length()
            return self._steps(attribute, code), last if near else -last

        return sorted({*codes} - {self.codes[attribute]}, key=rank)

    def _widened(self, sets: Sets, fits: Callable[[Sets], bool]) -> Sets:
        """``sets`` with the neighbours of ordered attributes, as long as it ``fits``."""
        for a in sets:
            codes = self.blocks[a].codes[: len(self.blocks[a].cells)]
            if not a.ordered or sets[a][0] not in codes:
                continue
            at = codes.index(sets[a][0])
            for neighbours in (codes[at + 1 :], codes[:at][::-1]):
                for code in neighbours:
                    wider = sets | {a: (*sets[a], code)}
                    if not fits(wider):
                        break
                    sets = wider
        return sets

    def _said(self, attribute: Attribute, codes: Iterable[int]) -> Condition | None:
        code = self.row[attribute]
        if code in (MISSING, UNKNOWN):
            return attribute.is_missing if code == MISSING else None
        return self._range(attribute, codes) if attribute.ordered else Condition(attribute, 1 << code)

    def _new_value(self, attribute: Attribute, codes: Iterable[int]) -> Condition:
        whole = self._range(attribute, codes)
        return whole if attribute.ordered else Condition(attribute, 1 << whole.cells.bit_length() - 1)

    def _range(self, attribute: Attribute, codes: Iterable[int]) -> Condition:
        blocks = self.blocks[attribute]
        return blocks.condition(sum(1 << int(blocks.place[code]) for code in codes))


def _taken(variables: Mapping[tuple[Attribute, int], int], solution: list[bool] | None) -> dict[Attribute, int] | None:
    return None if solution is None else {a: code for (a, code), x in variables.items() if solution[x]}


@dataclass(frozen=True, slots=True)
class DecisionExplanation:
    """One decision, explained: why this class and not another one.

    Attributes
    ----------
    target : str
        What was decided.
    label, rival : hashable
        The class of the row, and the one that it is compared with.
    margins : dict from label to int
        By how much every class exceeds its need.
    points : dict from label to int
        The points that the class and its rival have.
    needs : dict from label to int
        The points that they need.
    differences : dict from text to int
        What holds in the row and counts for one of the two more than for the other: the points that the class has more.
    fires : dict from name to list of str
        The concepts of the two that hold, each with the parts that make it hold.
    reason : dict from column to Condition or None
        A smallest set of columns whose values alone force the class, whatever the other columns hold; see
        `Explanation`.
    change : dict from column to Condition, or None
        A smallest set of columns whose new values give the rival; None if nothing does.
    """

    target: str
    label: Hashable
    rival: Hashable
    margins: dict[Hashable, int]
    points: dict[Hashable, int]
    needs: dict[Hashable, int]
    differences: dict[str, int]
    fires: dict[str, list[str]]
    reason: Said
    change: Said | None

    @property
    def fired(self) -> tuple[Hashable, ...]:
        """The classes that reach their need."""
        return tuple(label for label, margin in self.margins.items() if margin >= 0)

    def __str__(self) -> str:
        lines = [f"{self.target} = {self.label}, because {_listed(self.reason)}"]
        has = [f"{x} has {_counted(self.points[x])} and needs {self.needs[x]}" for x in (self.label, self.rival)]
        lines.append(f"    {', '.join(has)}")
        for text, more in self.differences.items():
            lines.append(f"    {_counted(abs(more))} for {self.label if more > 0 else self.rival}: {text}")
        lines += [f"    {name} holds by {' and by '.join(parts)}" for name, parts in self.fires.items()]
        if self.change is None:
            lines.append(f"no other values would make it {self.rival}")
        else:
            lines.append(f"it would be {self.rival} with {_listed(self.change)}")
        return "\n".join(lines)


def explain_decision(
    decision: Decision, rows: Codes, i: int = 0, towards: Hashable | None = None
) -> DecisionExplanation:
    """Why row ``i`` has its class, and what would give it the class ``towards``, by default the runner-up.

    Of equally small reasons and changes the one is taken that `explain` takes.

    >>> size, colour = Attribute("size", kind="numeric", cuts=(2, 5)), Attribute("colour", ("green", "red"))
    >>> apple = Score("apple", 2, ((2, colour.equal("red")), (1, size.at_most(5))))
    >>> melon = Score("melon", 1, ((1, colour.equal("green")), (1, size.above(5))))
    >>> fruit = Decision((apple, melon), {}, (size, colour), "fruit")
    >>> from rulenet.formulas.truth import encode
    >>> print(explain_decision(fruit, encode(fruit.attributes, [{"size": 3, "colour": "red"}])))
    fruit = apple, because colour = red
        apple has 3 points and needs 2, melon has 0 points and needs 1
        2 points for apple: colour = red
        1 point for apple: size <= 5
    it would be melon with colour = green
    """
    one = Codes(rows.attributes, rows.codes[i : i + 1])
    margins = dict(zip(decision.labels, decision.margins(one)[0].tolist(), strict=True))
    ranked = sorted(decision.labels, key=lambda label: (-margins[label], decision.place(label)))
    label, rival = ranked[0], ranked[min(1, len(ranked) - 1)] if towards is None else towards
    if decision.place(rival) == decision.place(label):
        raise FormulaError(f"row {i} has the class {label!r} already; name another one, of {list(decision.labels)}")
    formula, known = decision.as_formula(), decision.known(one)
    pair, used = (decision.score(label), decision.score(rival)), decision.concepts_of(label, rival)
    return DecisionExplanation(
        decision.target,
        label,
        rival,
        margins,
        {score.label: margins[score.label] + score.need for score in pair},
        {score.label: score.need for score in pair},
        _differences(*pair, one, known),
        {name: _witnesses(e, one, known) for name, e in used.items() if known[name].true[0]},
        _Task(formula, Contest(decision, label), _row(one), True).reason(),
        _Task(formula, Contest(decision, rival), _row(one), False).change(),
    )


def _differences(score: Score, rival: Score, row: Codes, known: Mapping[str, Truth]) -> dict[str, int]:
    """What holds and counts differently for two classes, the largest differences first."""
    more = Counter({part: points for points, part in score.parts})
    more.subtract({part: points for points, part in rival.parts})
    held = {words(part): n for part, n in more.items() if n and truth_of(part, row, known).true[0]}
    return dict(sorted(held.items(), key=lambda x: -abs(x[1])))


def _counted(n: int) -> str:
    return f"{n} point" if n == 1 else f"{n} points"


def _witnesses(expression: Expression, row: Codes, known: Mapping[str, Truth]) -> list[str]:
    parts = expression.parts if isinstance(expression, Or | AtLeast) else (expression,)
    return [words(p) for p in dict.fromkeys(parts) if truth_of(p, row, known).true[0]]


def _listed(said: Said) -> str:
    found = [f"{name} has a value that was not known" if x is None else str(x) for name, x in said.items()]
    return " and ".join(found) or "nothing else is possible"
