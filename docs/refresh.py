"""Run every code block of the pages and put what it prints below it: ``python docs/refresh.py [PAGE ...]``.

Blocks are ``console`` (lines ``$ rulenet ...``) and ``python`` (lines ``>>> ...``). Between the marks
``<!-- options -->`` and ``<!-- end -->`` the options of all commands are written. The tests run the same and compare.
"""

import contextlib
import doctest
import io
import os
import re
import shlex
import sys
import tempfile
from pathlib import Path

from typer.testing import CliRunner

from rulenet.cli import app

HERE = Path(__file__).parent
BLOCK = re.compile(r"^```(console|python)\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)
OPTIONS = re.compile(r"(<!-- options -->\n).*?(<!-- end -->)", flags=re.DOTALL)
TIMES = [(re.compile(r"\b\d+\.\d s$", re.MULTILINE), "... s"), (re.compile(r"\t\d+\.\d\d$", re.MULTILINE), "\t...")]
#: Pages whose blocks are not for running.
SKIPPED = {"experiments"}


def has_code(page: str) -> bool:
    """Whether a page has a block that can be run, or a list of options."""
    blocks = (text for _, text in BLOCK.findall(page))
    return bool(OPTIONS.search(page)) or any(re.search(r"^(>>>|\$ rulenet) ", text, re.MULTILINE) for text in blocks)


PAGES = [
    path
    for path in sorted(HERE.glob("*.md"))
    if path.stem not in SKIPPED and has_code(path.read_text(encoding="utf-8"))
]


def rerun(page: str, names: dict[str, object] | None = None) -> str:
    """The text of a page with the output that its blocks give now, and the ``names`` that it made; times are masked."""
    names = {} if names is None else names

    def block(match: re.Match[str]) -> str:
        language, text = match.groups()
        if not re.search(r"^(>>>|\$ rulenet) ", text, re.MULTILINE):
            return match[0]
        return f"```{language}\n{_console(text) if language == 'console' else _python(text, names)}```"

    return _with_options(BLOCK.sub(block, page))


def _with_options(page: str) -> str:
    if not OPTIONS.search(page):
        return page
    from commands import describe

    return OPTIONS.sub(lambda match: f"{match[1]}\n{describe()}\n\n{match[2]}", page)


def _console(text: str) -> str:
    commands = re.findall(r"^\$ (rulenet .*)$", text, flags=re.MULTILINE)
    return "".join(f"$ {c}\n{_masked(CliRunner().invoke(app, shlex.split(c)[1:]).output)}" for c in commands)


def _python(text: str, names: dict[str, object]) -> str:
    written = []
    for example in doctest.DocTestParser().get_examples(text):
        first, *more = example.source.splitlines()
        written += [f">>> {first}", *(f"... {line}" for line in more), *_output(example.source, names).splitlines()]
    return "\n".join([*written, "", ""])


def _output(source: str, names: dict[str, object]) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        try:
            exec(compile(source, "<page>", "single"), names)
        except Exception as error:
            kind = type(error)
            return f"Traceback (most recent call last):\n{kind.__module__}.{kind.__qualname__}: {error}"
    return _masked(printed.getvalue())


def _masked(text: str) -> str:
    for pattern, mask in TIMES:
        text = pattern.sub(mask, text)
    return text


if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    wanted = set(sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for path in PAGES:
            if not wanted or path.stem in wanted:
                path.write_text(rerun(path.read_text(encoding="utf-8")), encoding="utf-8")
