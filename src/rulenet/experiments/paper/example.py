"""Section 4.1: the example of one concept in a flat and in a deep representation.

Equations 1 and 2 are the data set of seed 128, which the paper does not say.
"""

from collections.abc import Mapping

import pandas as pd

from rulenet.conditions import Attribute
from rulenet.datasets import make_artificial
from rulenet.experiments.markdown import to_markdown
from rulenet.experiments.paper.report import Report
from rulenet.formulas import And, Expression, Formula, Or, equivalent, factor, measure, minimise
from rulenet.formulas.export import export
from rulenet.formulas.expressions import walk
from rulenet.formulas.truth import holds_in
from rulenet.pictures import draw_network

SEED = 128
ATTRIBUTES = {name: Attribute(name, (False, True)) for name in "bcdfhij"}


def _all(literals: str) -> Expression:
    """The conjunction of letters, a negated one after ~; a single letter is itself."""
    parts = tuple(ATTRIBUTES[x[-1]].equal(x[0] != "~") for x in literals.split())
    return And(parts) if len(parts) > 1 else parts[0]


def _any(*parts: str) -> Or:
    return Or(tuple(_all(part) for part in parts))


def _formula(output: Expression) -> Formula:
    return Formula(output, {}, tuple(ATTRIBUTES.values()))


EQUATION_1 = _formula(_any("b ~d i", "b h i", "b d f h", "~b c i", "~b i j", "c h", "c ~d", "~d j", "h j"))
EQUATION_2 = _formula(Or((And((_any("b i", "c", "j"), _any("~b i", "~d", "h"))), _all("b d f h"))))


def forms() -> dict[str, Formula]:
    """The printed equations, and what the tools make of the first: the smallest flat form, and a deep one."""
    flat = minimise(EQUATION_1, assume_complete=True)
    return {
        "equation 1": EQUATION_1,
        "equation 2": EQUATION_2,
        "minimised": flat.formula(),
        "factored": factor(flat),
    }


def sizes(formulas: Mapping[str, Formula]) -> pd.DataFrame:
    """Aggregations, edges and rules of every form."""
    rows = {name: _size(formula) for name, formula in formulas.items()}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis(index="form")


def _size(formula: Formula) -> dict[str, int]:
    nodes = [node for _, expression in formula.definitions for node in walk(expression)]
    size = measure(formula)
    return {
        "aggregations": size.aggregations,
        "AND": sum(len(node.parts) - 1 for node in nodes if isinstance(node, And)),
        "OR": sum(len(node.parts) - 1 for node in nodes if isinstance(node, Or)),
        "edges": size.edges,
        "conditions": size.conditions,
        "depth": size.depth,
    }


def agrees_with_data(formula: Formula) -> bool:
    """Whether ``formula`` gives every label of the data set of seed 128."""
    X, y = make_artificial(SEED)
    rows = [dict(zip("abcdefghij", row, strict=True)) for row in X.to_numpy().tolist()]
    return all(holds_in(formula, row) == label for row, label in zip(rows, y, strict=True))


def report() -> Report:
    """The four forms, proven equal, with their sizes and networks."""
    formulas = forms()
    equal = all(equivalent(EQUATION_1, formula, assume_complete=True) for formula in formulas.values())
    data = all(agrees_with_data(formula) for formula in formulas.values())
    texts = "\n\n".join(f"### {name}\n\n```\n{formula}\n```" for name, formula in formulas.items())
    text = f"""# Section 4.1: one concept, flat and deep

The printed equations are the data set of seed {SEED}. Proven equal: {"yes" if equal else "no"}.
Equal to all 1024 labels of the data set: {"yes" if data else "no"}.

{to_markdown(sizes(formulas))}

{texts}

![Equation 1 as a network](figure2a.svg)
![Equation 2 as a network](figure2b.svg)
"""
    figures = {"figure2a": draw_network(EQUATION_1), "figure2b": draw_network(EQUATION_2)}
    return Report(text, figures, {f"{name}.tex": export(formula, "latex") for name, formula in formulas.items()})
