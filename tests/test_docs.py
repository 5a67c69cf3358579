"""What the documentation shows is what happens."""

import importlib.util
import re
import tomllib
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


def test_contributing_lists_the_rooms_in_the_order_of_imports():
    root = DOCS.parent
    contract = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    layers = next(c["layers"] for c in contract if c["containers"] == ["rulenet"])
    floors = {room: floor for floor, layer in enumerate(layers) for room in layer.split(" | ")}
    text = (root / "CONTRIBUTING.md").read_text(encoding="utf-8")
    lines = re.findall(r"^\| (`.*?) \|", text, flags=re.MULTILINE)
    listed = [[re.sub(r"/|\.py", "", name) for name in re.findall(r"`(.*?)`", line)] for line in lines]
    order = [floors[room] for rooms in listed for room in rooms]
    assert order == sorted(order)
    packages = {path.parent.name for path in (root / "src" / "rulenet").glob("*/__init__.py")}
    assert packages <= {room for rooms in listed for room in rooms}
