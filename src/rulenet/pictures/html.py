"""A formula or a decision for notebooks: its rules, wrapped, and its picture in one piece of HTML."""

from collections.abc import Iterable
from html import escape
from io import StringIO

from rulenet.conditions import Condition
from rulenet.formulas.decision import Decision
from rulenet.formulas.export.reading import score_words
from rulenet.formulas.export.text import counted, list_words, listed, words
from rulenet.formulas.expressions import And, AtLeast, Constant, Expression, Formula, Or
from rulenet.pictures.network import draw_network
from rulenet.scene import scene_of
from rulenet.scene.labels import visible

MAX_NODES = 400
#: Beyond, the picture is folded away.
MAX_SHOWN = 60
#: Beyond, rules are folded away.
MAX_RULES = 12
#: Beyond, so are the rules of every class.
MAX_CLASSES = 4
BLOCK = "max-width: 60em; overflow-wrap: anywhere; line-height: 1.5"
LIST = "margin: 0.2em 0 0.6em 1.5em; padding: 0"


def as_html(formula: Formula | Decision, *, folded: bool = False) -> str:
    """The rules as lists that wrap, long ones folded, and the picture as SVG, folded where it is large or so asked.

    >>> from rulenet.conditions import Attribute
    >>> a = Attribute("a", ("<b>", "c"))
    >>> as_html(Formula(a.equal("<b>"), {}, (a,))).splitlines()[1]
    '<div><b>positive</b> if a = &lt;b&gt;</div>'
    """
    rules = "\n".join([f'<div style="{BLOCK}">', *as_lists(formula), "</div>"])
    n_nodes = len(scene_of(formula).nodes)
    if n_nodes > MAX_NODES:
        return rules
    shown = " open" if n_nodes <= MAX_SHOWN and not folded else ""
    picture = f'<div style="overflow-x: auto; background: white">{as_svg(formula)}</div>'
    return f"{rules}\n<details{shown}><summary>as a picture</summary>{picture}</details>"


def as_lists(formula: Formula | Decision) -> Iterable[str]:
    """A block for the target, or for every class, then one for every concept."""
    if isinstance(formula, Decision):
        yield f"<div>{_text(str(formula).partition(chr(10))[0])}</div>"
        for score in formula.outputs:
            head = f"<b>{_text(formula.name(score.label))}</b> {score_words(score)}"
            if len(formula.outputs) <= MAX_CLASSES:
                yield _list(head, counted(score.parts), MAX_RULES // 2)
            else:
                yield f"<details><summary>{head}</summary>{_list('', counted(score.parts))}</details>"
    else:
        yield _block("", formula.target, "if", formula.output)
    for name, meaning in reversed([*formula.concepts.items()]):
        yield _block("where ", name, "means", meaning)


def _block(before: str, name: str, verb: str, expression: Expression) -> str:
    head = f"{before}<b>{_text(name)}</b> {verb}"
    if not isinstance(expression, And | Or | AtLeast):
        return f"<div>{head} {_text(_plain(expression))}</div>"
    return _list(f"{head} {list_words(expression)}", listed(expression))


def _list(head: str, texts: Iterable[str], most: int = MAX_RULES) -> str:
    """A list, of which the first parts are shown and the rest on demand."""
    parts = [f"<li>{_text(part)}</li>" for part in texts]
    if len(parts) <= most:
        return f'<div>{head}<ul style="{LIST}">{"".join(parts)}</ul></div>'
    first, rest = "".join(parts[:most]), "".join(parts[most:])
    more = f'<details><summary>{len(parts) - most} more</summary><ul style="{LIST}">{rest}</ul></details>'
    return f'<div>{head}<ul style="{LIST}">{first}</ul>{more}</div>'


def _plain(expression: Expression) -> str:
    if isinstance(expression, Constant):
        return "always" if expression.value else "never"
    return str(expression) if isinstance(expression, Condition) else words(expression)


def _text(text: str) -> str:
    return escape(visible(text))


def as_svg(formula: Formula | Decision) -> str:
    """The picture as an SVG element."""
    buffer = StringIO()
    draw_network(formula).savefig(buffer, format="svg", metadata={"Date": None})
    text = buffer.getvalue()
    return text[text.index("<svg") :].replace("<svg", '<svg style="max-width: 100%; height: auto"', 1)
