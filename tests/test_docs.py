"""What the documentation shows is what happens."""

import importlib.util
from pathlib import Path

import pytest

DOCS = Path(__file__).parent.parent / "docs"
spec = importlib.util.spec_from_file_location("refresh", DOCS / "refresh.py")
refresh = importlib.util.module_from_spec(spec)
spec.loader.exec_module(refresh)


@pytest.mark.parametrize("page", refresh.PAGES, ids=lambda page: page.stem)
def test_code_on_the_page_prints_what_the_page_shows(page, tmp_path, monkeypatch):
    """If the change is right, ``python docs/refresh.py`` writes the new output."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(DOCS))
    text = page.read_text(encoding="utf-8")
    assert refresh.BLOCK.search(text)
    assert refresh.rerun(text) == text
