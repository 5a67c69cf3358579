"""Prolog: scores as facts for reading, and a program that SWI-Prolog runs."""

from collections.abc import Iterable

from rulenet.formulas.decision import Decision, simplify_decision
from rulenet.formulas.export.infix import Infix
from rulenet.formulas.export.prolog import NOTATION, PREAMBLE, PROGRAM, atom, clauses, term
from rulenet.formulas.expressions import Expression

RULES = """\
% decides(Row, Label) says which class a row has: the largest margin, of equal ones the first.
decides(Row, Label) :-
    findall(Margin - Class, margin(Row, Class, Margin), [First | Others]),
    foldl(better, Others, First, _ - Label).
better(Margin - Class, Most - Best, Found) :- (Margin > Most -> Found = Margin - Class ; Found = Most - Best).
margin(Row, Class, Margin) :- score(Row, Class, Need, Parts), foldl(count, Parts, 0, Count), Margin is Count - Need.
count(Points - Goal, Before, After) :- (call(Goal) -> After is Before + Points ; After = Before).
"""


def to_prolog(decision: Decision, *, executable: bool = False) -> str:
    """The scores as facts ``score(Class, Need, Parts)``, the concepts as clauses.

    ``executable=True`` gives a program that defines ``decides(Row, Label)``, ``margin(Row, Label, Margin)`` and, for
    every concept, ``holds(Name, Row)``; rows are facts, such as `rulenet.formulas.export.prolog.facts` writes.

    >>> from rulenet.conditions import Attribute
    >>> from rulenet.formulas.decision import Score
    >>> a, b = (Attribute(n, (False, True)).equal(True) for n in "ab")
    >>> print(to_prolog(Decision((Score("x", 2, ((2, a), (1, b))), Score("y", 0)), {}, (a.attribute, b.attribute))))
    score('class = x', 2, [2 - (a), 1 - (b)]).
    score('class = y', 0, []).
    """
    if not executable:
        named = [(atom(decision.name(score.label)), score.need, score.parts) for score in decision.outputs]
        facts = [f"score({name}, {need}, [{_parts(parts, NOTATION)}])." for name, need, parts in named]
        return "\n".join([*facts, *clauses(decision.concepts.items(), NOTATION)])
    decision = simplify_decision(decision)  # without "not", which in Prolog would be true of missing values
    labelled = [(term(score.label), score.need, score.parts) for score in decision.outputs]
    facts = [f"score(Row, {label}, {need}, [{_parts(parts, PROGRAM)}])." for label, need, parts in labelled]
    return PREAMBLE + RULES + "\n".join([*facts, *clauses(decision.concepts.items(), PROGRAM)])


def _parts(parts: Iterable[tuple[int, Expression]], language: Infix) -> str:
    return ", ".join(f"{points} - ({language.text(part)})" for points, part in parts)
