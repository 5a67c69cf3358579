"""The data and the template as one file, which may load nothing and run nothing but its own script."""

import base64
import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from html import escape
from typing import Any

from numpy.typing import ArrayLike

from rulenet.exceptions import ParameterError
from rulenet.fitted import Fitted
from rulenet.formulas.export.javascript_readers import source_of
from rulenet.page.data import compact_data, page_data
from rulenet.page.templates import template, without_comments, without_spaces
from rulenet.replacing import replacing
from rulenet.scene.labels import visible

SCRIPTS = (
    "evaluate", "bits", "rows", "conditions", "network", "scores", "reasons", "edits", "model_file", "dom", "paint",
    "histogram", "layout", "drawing", "steps", "rules", "scoreboard", "table", "inspector", "question", "history",
    "view", "app",
)  # fmt: skip
#: How tall a compact page is, in pixels.
COMPACT = 460
POLICY = (
    "default-src 'none'; script-src '{script}'; style-src '{style}'; base-uri 'none'; form-action 'none'; img-src data:"
)


@dataclass(frozen=True)
class Page:
    """A page; ``str(page)`` is its HTML, and notebooks show it in a frame."""

    html: str
    height: int = 900

    def __str__(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return f"<Page of {len(self.html) // 1000:,} kB; save it with page.save('page.html')>"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file, which a browser opens from disk; an older file stays whole until the new one is."""
        with replacing(path) as file:
            file.write_text(self.html, encoding="utf-8")

    def _repr_html_(self) -> str:
        return (
            '<iframe title="rulenet page" sandbox="allow-scripts allow-downloads allow-modals" '
            f'loading="lazy" width="100%" height="{self.height}" style="border: 1px solid #8888" '
            f'srcdoc="{escape(self.html, quote=True)}"></iframe>'
        )


def make_page(
    fitted: Fitted,
    X: Any,
    y: ArrayLike,
    held_out: tuple[Any, ArrayLike] | None = None,
    max_rows: int = 10_000,
    title: str | None = None,
    parameters: Mapping[str, Any] | None = None,
) -> Page:
    """A page about what was fitted, with the rows of a table.

    Parameters
    ----------
    fitted : Fitted
        What to see, question and change.
    X, y
        Rows and their labels: what the page counts, shows and scores.
    held_out : pair of table and labels, optional
        Rows that the fit did not see; scores on them stand beside the others.
    max_rows : int
        Of more rows a sample is taken, in which classes are as frequent as in all; the page says so.
    title : str, optional
        The title, by default what the network describes.
    parameters : mapping, optional
        Those of the estimator, for the model file that the page offers.
    """
    if max_rows < 1:
        raise ParameterError(f"max_rows is {max_rows}, but a page has at least one row")
    data = page_data(fitted, X, y, held_out, max_rows, parameters or {})
    return Page(_filled(data, title or f"{fitted.target}: rules to read, question and change"))


def compact_page(fitted: Fitted) -> Page:
    """A small page without rows, for notebooks: the network, its rules, and what they say of typed values."""
    return Page(_filled(compact_data(fitted), fitted.target), COMPACT)


def _filled(data: Mapping[str, Any], title: str) -> str:
    script, style = page_script(), page_style()
    policy = POLICY.format(script=_hash(script), style=_hash(style))
    parts = {
        "policy": policy,
        "title": escape(visible(title)),
        "style": style,
        "data": inert(dict(data) | {"title": title}),
        "script": script,
    }
    html = template("page.html")
    pieces = html.split("{{")
    return pieces[0] + "".join(parts[name] + rest for name, _, rest in (p.partition("}}") for p in pieces[1:]))


@cache
def page_script() -> str:
    """The code of the page, in one function; it reads typed values as exported functions do."""
    readers = source_of(("number", "date", "instant", "seconds"))
    sources = "\n".join([readers, *(template(f"{name}.js") for name in SCRIPTS)])
    return f'(() => {{\n"use strict";\n{without_comments(sources)}\n}})();\n'


@cache
def page_style() -> str:
    """The style of the page."""
    return without_spaces(template("style.css"))


def inert(data: Any) -> str:
    r"""JSON that is plain ASCII and has no character that HTML takes for its own.

    >>> print(inert({"</script>": "\u202e&'"}))
    {"\u003c/script\u003e":"\u202e\u0026\u0027"}
    """
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return text.translate({ord(c): f"\\u{ord(c):04x}" for c in "<>&'\x7f"})


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
