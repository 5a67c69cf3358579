import gc
import os
import subprocess
import sys
from pathlib import Path

import pytest

import rulenet
from rulenet import compiled

SOURCES = Path(rulenet.__file__).parents[1]
CALLER = """
from rulenet.compiled import jit
from loops.parts import deep, shift

@jit
def total(x):
    return shift(x) + deep(x)
"""
PARTS = """
from rulenet.compiled import part
from .constants import STEP
from . import further as more

further = more.further

@part
def shift(x):
    return x + STEP

@part
def deep(x):
    return further(x)
"""
FURTHER = """
from rulenet.compiled import part

@part
def further(x):
    return 100 * x
"""


@pytest.fixture
def package(tmp_path):
    """A package whose kernel calls others in two more files, one of which reads a constant of a third."""
    folder = tmp_path / "loops"
    folder.mkdir()
    files = {"__init__": "", "caller": CALLER, "parts": PARTS, "further": FURTHER, "constants": "STEP = 1\n"}
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    return folder


def run(folder, code="", **environment):
    """What the kernel gives for 1 in a process of its own, how often it was compiled there, and the warnings."""
    code = f"from loops.caller import total; print(total(1), sum(total.stats.cache_misses.values())); {code}"
    kept = {k: v for k, v in os.environ.items() if k != "NUMBA_CACHE_DIR"}
    paths = os.pathsep.join([str(folder.parent), str(SOURCES)])
    environment = {**kept, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1", **environment}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    value, misses = map(int, done.stdout.split()[:2])
    return value, misses, done.stderr


def edit(folder, name, old, new):
    path = folder / f"{name}.py"
    path.write_text(path.read_text().replace(old, new))


def test_what_was_compiled_is_kept(package):
    assert run(package) == (102, 1, "")
    assert run(package) == (102, 0, "")


@pytest.mark.parametrize(
    ("name", "old", "new", "value"),
    [
        ("parts", "x + STEP", "x - STEP", 100),
        ("further", "100 * x", "200 * x", 202),
        ("constants", "STEP = 1", "STEP = 9", 110),
    ],
)
def test_an_edit_in_another_file_is_seen_by_its_callers(package, name, old, new, value):
    assert run(package)[0] == 102
    edit(package, name, old, new)
    assert run(package) == (value, 1, "")
    assert run(package) == (value, 0, "")
    assert len(list((package / "__pycache__").glob("caller.total*"))) == 1, "what is out of date was removed"


def test_an_edit_that_concerns_no_kernel_compiles_nothing(package):
    run(package)
    (package / "__init__.py").write_text("'Another text.'")
    (package / "other.py").write_text("x = 1")
    assert run(package)[1] == 0


def test_without_any_folder_to_write_to_kernels_are_compiled_with_one_warning(package):
    (package / "__pycache__").write_text("not a folder")
    nowhere = str(package / "__pycache__")
    value, _, warnings = run(package, HOME=nowhere, XDG_CACHE_HOME=nowhere)
    assert value == 102
    assert warnings.count("RuntimeWarning") == 1
    assert "NUMBA_CACHE_DIR" in warnings


@pytest.mark.parametrize("damage", [lambda b: b[:-100], lambda b: b"", lambda b: b[:999] + b"?" + b[999:]])
def test_a_damaged_file_is_compiled_again_with_one_line(package, damage):
    run(package)
    (kept,) = (package / "__pycache__").glob("caller.total*")
    kept.write_bytes(damage(kept.read_bytes()))
    value, misses, warnings = run(package)
    assert (value, misses) == (102, 1)
    assert warnings.count("loops.caller.total") == 1
    assert "compiled again" in warnings
    assert run(package) == (102, 0, "")


def test_a_full_disk_is_no_reason_to_fail(package):
    code = """
import warnings
from rulenet.compiled import CacheFiles
def save(self, key, data):
    raise OSError(28, "No space left on device")
CacheFiles.save = save
from loops.caller import total
print(total(2.5))
"""
    paths = os.pathsep.join([str(package.parent), str(SOURCES)])
    environment = {**os.environ, "PYTHONPATH": paths}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "253.5\n"
    assert "could not be kept ([Errno 28] No space left on device)" in done.stderr


def test_processes_that_start_at_once_on_an_empty_cache_agree(package):
    code = "from loops.caller import total; print(total(1), total(1.5))"
    paths = os.pathsep.join([str(package.parent), str(SOURCES)])
    environment = {**os.environ, "PYTHONPATH": paths}
    crowd = [subprocess.Popen([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE) for _ in range(4)]
    assert {process.communicate()[0] for process in crowd} == {b"102 152.5\n"}


def test_sources_are_a_file_and_all_of_its_package_that_it_imports(package):
    found = compiled.find_sources("loops.caller", package / "caller.py")
    assert [path.stem for path in found] == ["caller", "constants", "further", "parts"]
    kernels = Path(rulenet.__file__).with_name("kernels.py")
    assert [path.stem for path in compiled.find_sources("rulenet.kernels", kernels)] == [
        "compiled", "holding", "kernels", "__init__", "bodies", "operations", "translate", "values", "vectors"
    ]  # fmt: skip


def test_compiling_is_told_once_and_loading_is_not(package):
    told = "from rulenet.progress import told_of_compiling as tell; from loops.caller import total"
    code = f"{told}\nwith tell(print): total(1)\n"
    paths = os.pathsep.join([str(package.parent), str(SOURCES)])
    environment = {**{k: v for k, v in os.environ.items() if k != "NUMBA_CACHE_DIR"}, "PYTHONPATH": paths}
    first, second = (
        subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    )
    assert first.split() == ["1", "2", "3", "4", "0"]  # the kernel and its three parts, and the end
    assert second == ""


@pytest.mark.parametrize("collecting", [True, False])
def test_compiling_leaves_the_search_for_garbage_as_it_was(collecting):
    was_collecting = gc.isenabled()
    try:
        (gc.enable if collecting else gc.disable)()
        with compiled.no_collecting():
            assert not gc.isenabled()
        assert gc.isenabled() == collecting
    finally:
        (gc.enable if was_collecting else gc.disable)()
