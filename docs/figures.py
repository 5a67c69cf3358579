"""The pictures of the documentation, drawn by the library itself."""

from itertools import product
from pathlib import Path

from rulenet import RuleNetworkClassifier
from rulenet.datasets import make_monk
from rulenet.formulas import And, Formula, Or, factor, minimise
from rulenet.literals import Attribute, Literal
from rulenet.pictures import draw_network


def equation_1() -> Formula:
    """The flat example of section 4.1 of the paper."""
    columns = {n: Attribute(n, (False, True)) for n in "bcdfhij"}
    text = "b ~d i, b h i, b d f h, ~b c i, ~b i j, c h, c ~d, ~d j, h j"
    rules = [And(tuple(Literal(columns[x[-1]], x[0] != "~") for x in rule.split())) for rule in text.split(",")]
    return Formula(Or(tuple(rules)), {}, tuple(columns.values()))


def parity(n: int) -> Formula:
    """Whether an odd number of ``n`` columns is true, as flat rules."""
    columns = tuple(Attribute(f"x{i}", (False, True)) for i in range(1, n + 1))
    odd = [values for values in product((True, False), repeat=n) if sum(values) % 2]
    rules = [And(tuple(Literal(a, v) for a, v in zip(columns, values, strict=True))) for values in odd]
    return Formula(Or(tuple(rules)), {}, columns, "parity")


def robots() -> Formula:
    """What the tutorial learns."""
    return RuleNetworkClassifier(positive_class="1", random_state=0).fit(*make_monk(1)).formula_


def draw_all(folder: Path) -> None:
    """Write every picture into ``folder``."""
    folder.mkdir(exist_ok=True)
    for name, formula in {"equation-1": equation_1(), "parity": parity(5)}.items():
        draw_network(formula).savefig(folder / f"{name}-flat.svg")
        draw_network(factor(minimise(formula))).savefig(folder / f"{name}-deep.svg")
    draw_network(robots()).savefig(folder / "robots.svg")
    draw_network(factor(minimise(parity(5))), colours="safe").savefig(folder / "parity-safe.svg")
