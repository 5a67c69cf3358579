"""What the documentation shows is what happens: every code block runs, every output is compared."""

import doctest
import re
import shlex
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from rulenet.cli import app

DOCS = Path(__file__).parent.parent / "docs"
PAGES = [DOCS / f"{name}.md" for name in ("tutorial", "deep-rules", "reading", "model-file", "commands")]
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def blocks(page):
    """The fenced blocks of a page with their languages, in order."""
    return re.findall(r"^```(\w+)\n(.*?)^```$", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def run_console(text):
    """Run ``$ rulenet ...`` lines and compare what they print."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, wanted = part.partition("\n")
        name, *arguments = shlex.split(command)
        assert name == "rulenet", command
        done = CliRunner().invoke(app, arguments)
        check = doctest.OutputChecker()
        example = doctest.Example(command, wanted)
        assert check.check_output(wanted, done.output, OPTIONS), check.output_difference(example, done.output, OPTIONS)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_code_on_the_page_does_what_the_page_shows(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(DOCS))
    names = {}
    for language, text in blocks(page):
        if language == "console":
            run_console(text)
        elif language == "python":
            test = doctest.DocTestParser().get_doctest(text, names, page.name, str(page), 0)
            runner = doctest.DocTestRunner(optionflags=OPTIONS)
            runner.run(test, clear_globs=False)
            names |= test.globs
            assert runner.summarize(verbose=False).failed == 0
    sys.modules.pop("figures", None)
