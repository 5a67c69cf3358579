r"""LaTeX: the margin of every class as a sum of Iverson brackets."""

from rulenet.formulas.decision import Decision, Score
from rulenet.formulas.export.latex import MATHS, text


def to_latex(decision: Decision) -> str:
    r"""An ``align*`` environment (amsmath): the decision, a margin a class, and the concepts.

    >>> from rulenet.conditions import Attribute
    >>> a, b = (Attribute(n, (False, True)).equal(True) for n in "ab")
    >>> scores = (Score("x", 2, ((2, a), (1, b))), Score("y", 0))
    >>> print(to_latex(Decision(scores, {}, (a.attribute, b.attribute))))
    \begin{align*}
    \text{class} &= \arg\max_k m_k \quad \text{(of equals the first)} \\
    m_{\text{x}} &= 2[\text{a}] + [\text{b}] - 2 \\
    m_{\text{y}} &= 0
    \end{align*}
    """
    lines = [rf"{text(decision.target)} &= \arg\max_k m_k \quad \text{{(of equals the first)}}"]
    lines += [rf"m_{{{text(str(score.label))}}} &= {_margin(score)}" for score in decision.outputs]
    lines += [rf"{text(name)} &= {MATHS.text(meaning)}" for name, meaning in decision.concepts.items()]
    return "\\begin{align*}\n" + " \\\\\n".join(lines) + "\n\\end{align*}"


def _margin(score: Score) -> str:
    summed = " + ".join(f"{n if n > 1 else ''}[{MATHS.text(part)}]" for n, part in score.parts)
    if not summed:
        return str(-score.need)
    return summed if not score.need else f"{summed} {'-' if score.need > 0 else '+'} {abs(score.need)}"
