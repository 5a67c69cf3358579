"""Run every code block of the pages and put what it prints below it: ``python docs/refresh.py``.

Blocks are ``console`` (lines ``$ rulenet ...``) and ``python`` (lines ``>>> ...``). The tests run the same and compare.
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
TESTED = ("tutorial", "deep-rules", "reading", "model-file", "commands", "hidden-concepts", "votes")
PAGES = [HERE / f"{name}.md" for name in TESTED]
BLOCK = re.compile(r"^```(console|python)\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)
TIMES = [(re.compile(r"\b\d+\.\d s$", re.MULTILINE), "... s"), (re.compile(r"\t\d+\.\d\d$", re.MULTILINE), "\t...")]


def rerun(page: str) -> str:
    """The text of a page with the output that its blocks give now; times are masked."""
    names: dict[str, object] = {}

    def block(match: re.Match[str]) -> str:
        language, text = match.groups()
        return f"```{language}\n{_console(text) if language == 'console' else _python(text, names)}```"

    return BLOCK.sub(block, page)


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
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for path in PAGES:
            path.write_text(rerun(path.read_text(encoding="utf-8")), encoding="utf-8")
