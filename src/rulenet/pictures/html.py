"""A formula for notebooks: its rules and its picture in one piece of HTML."""

from html import escape
from io import StringIO

from rulenet.formulas.export.text import to_text
from rulenet.formulas.expressions import Formula
from rulenet.pictures.layout import lay_out
from rulenet.pictures.network import draw_network

MAX_NODES = 300


def as_html(formula: Formula) -> str:
    """The rules as text and, unless there are very many nodes, the picture as SVG.

    >>> from rulenet.literals import Attribute, Literal
    >>> a = Attribute("a", ("<b>", "c"))
    >>> as_html(Formula(Literal(a, "<b>"), {}, (a,))).splitlines()[0]
    '<pre>positive if a = &lt;b&gt;</pre>'
    """
    rules = f"<pre>{escape(to_text(formula))}</pre>"
    return f"{rules}\n{as_svg(formula)}" if len(lay_out(formula).nodes) <= MAX_NODES else rules


def as_svg(formula: Formula) -> str:
    """The picture as an SVG element."""
    buffer = StringIO()
    draw_network(formula).savefig(buffer, format="svg", metadata={"Date": None})
    text = buffer.getvalue()
    return text[text.index("<svg") :]
