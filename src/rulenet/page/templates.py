"""The files of which pages are made."""

import re
from functools import cache
from importlib.resources import files


@cache
def template(name: str) -> str:
    """The text of a file."""
    return files("rulenet.page").joinpath("template", name).read_text(encoding="utf-8")


def without_comments(source: str) -> str:
    """JavaScript without lines that are comments, and without indentation; no text of ours spans lines.

    >>> print(without_comments("// one\\nif (x) {\\n  y();\\n}"))
    if (x) {
    y();
    }
    """
    lines = map(str.strip, source.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


def without_spaces(style: str) -> str:
    """A style sheet without the spaces around braces, commas and semicolons; no text of ours has these.

    >>> without_spaces("a, b { margin: 0 1px; }")
    'a,b{margin: 0 1px;}'
    """
    return re.sub(r"\s*([{};,])\s*", r"\1", style)
