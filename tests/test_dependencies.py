"""Nothing is imported that is not declared."""

import ast
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
# The names of packages that are imported by another name than the one they are installed by.
MODULES = {"scikit-learn": "sklearn", "python-sat": "pysat", "scikit-posthocs": "scikit_posthocs"}


def declared(requirements):
    names = [re.match(r"[A-Za-z0-9_.-]+", requirement)[0] for requirement in requirements]
    return {MODULES.get(name, name.replace("-", "_")) for name in names}


def imported(path, *, at_once):
    """The packages that a file imports; ``at_once`` leaves out imports within functions and for type checkers only."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = _nodes_at_once(tree.body) if at_once else ast.walk(tree)
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module.split(".")[0]


def _nodes_at_once(body):
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        yield node
        for inner in ("body", "orelse", "handlers", "finalbody"):
            yield from _nodes_at_once(getattr(node, inner, []))


def foreign(*, at_once):
    own = {*sys.stdlib_module_names, "rulenet"}
    return {
        name: path.relative_to(ROOT)
        for path in sorted((ROOT / "src").rglob("*.py"))
        for name in imported(path, at_once=at_once)
        if name not in own
    }


def test_what_is_imported_at_once_is_a_dependency():
    required = declared(PROJECT["dependencies"])
    assert {name: path for name, path in foreign(at_once=True).items() if name not in required} == {}


def test_what_is_imported_when_needed_is_declared_somewhere():
    extras = [r for requirements in PROJECT["optional-dependencies"].values() for r in requirements]
    known = declared(PROJECT["dependencies"]) | declared(extras)
    assert {name: path for name, path in foreign(at_once=False).items() if name not in known} == {}


def test_the_oldest_versions_that_are_tried_are_the_oldest_that_are_allowed():
    lines = (ROOT / ".github" / "oldest.txt").read_text().splitlines()
    tried = dict(line.split("==") for line in lines if not line.startswith("#"))
    extras = PROJECT["optional-dependencies"]
    asked = [r for name, rs in extras.items() if name not in ("dev", "docs") for r in rs] + PROJECT["dependencies"]
    allowed = {m[1]: m[2] for r in [*asked, *extras["dev"]] if (m := re.match(r"([\w.-]+)(?:\[.*\])?>=(.+)", r))}
    required = {m[1] for r in asked if (m := re.match(r"([\w.-]+)(?:\[.*\])?>=", r))}
    assert required <= set(tried)
    for name, version in tried.items():
        assert re.fullmatch(re.escape(allowed[name]) + r"(\.0)*", version), f"{name}=={version}, but >={allowed[name]}"
