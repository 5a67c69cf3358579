"""What `rulenet.native` makes of a function is what Python makes of it."""

import inspect
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rulenet
from rulenet.compiled import lean, part, seldom
from rulenet.holding import hold
from rulenet.kernels import popcount
from rulenet.native import body_of
from rulenet.native.values import UntranslatableError

SOURCES = Path(rulenet.__file__).parents[1]
STEP, MASK = 3, np.uint64(0xFF)
SMALL = st.integers(-1000, 1000)


class Pair(NamedTuple):
    flag: bool
    words: np.ndarray
    share: float


@part
def weigh(pair, i):
    if not pair.flag:
        return 0.5
    return pair.share * pair.words[i]


@part
def both_of(a, b):
    return (a, b) if a < b else (b, a)


@part
def first_above(values, bound):
    for i in range(values.size):
        if values[i] > bound:
            return i
    return -1


@lean
def count(x, y, found):
    found[0], found[1] = x + STEP * y, x - y
    found[2], found[3] = x // STEP, x % STEP
    found[4], found[5] = abs(x), min(x, y) + max(x, y)
    found[6], found[7] = (x << 2) ^ (y >> 1), ~x & -y
    low, high = both_of(x, y)
    found[8], found[9] = low, high
    found[10] = 1 if x < y <= 100 or (x == y and not y > 5) else 2
    found[11] = np.int64(np.int32(x)) + (x > y)
    total, i = 0, x
    while True:
        i += 1
        if i % 2 == 0:
            continue
        if i > x + 9:
            break
        total += i
    for i in range(7, 0, -2):
        total -= i
    found[12] = total


@lean
def measure(x, y, found):
    found[0], found[1], found[2] = x / y, -x * y, x - 2
    found[3], found[4] = np.log(abs(x)), abs(x) ** (1 / y)
    found[5], found[6] = np.floor(x), 1.0 if x <= y else 0.0
    found[7], found[8] = np.float64(np.int64(x)), 1.0 if x != x else 0.0


@seldom
def go_through(table, row, pair, found):
    pair = hold(pair)
    part_of_row = table[row, 1 : table.shape[1] - 1]
    for i in range(part_of_row.size):
        found[0] += np.float64(part_of_row[i])
    line = table[row]
    found[1], found[2] = np.float64(line[-1]), np.float64(table[row, line.size - 1])
    found[3] = weigh(pair, row)
    for i in range(pair.words.size):
        pair.words[i] |= row == i


@lean
def search(values, bound):
    return first_above(values, bound)


@lean
def shift(words, flags, small):
    for i in range(words.size):
        flags[i] = popcount(words[i] & MASK) > np.uint64(2)
        words[i] = (words[i] >> np.uint64(9)) * np.uint64(5)
        small[i] = i - 3


def same(kernel, *args):
    """Call the kernel and the function that it is made of with copies of the arguments; the results of both."""
    mine = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
    kernel(*mine)
    kernel.py_func(*args)
    for a, b in zip(mine, args, strict=True):
        np.testing.assert_array_equal(a, b)


@given(SMALL, SMALL)
def test_whole_numbers_are_computed_as_in_python(x, y):
    same(count, x, y, np.zeros(13, np.int64))


@given(st.floats(-1e6, 1e6).filter(lambda x: abs(x) > 1e-6), st.floats(0.5, 1e6))
def test_real_numbers_are_computed_as_in_python(x, y):
    same(measure, x, y, np.zeros(9))


def test_words_flags_and_short_numbers():
    words = np.random.default_rng(0).integers(0, 2**64, 40, dtype=np.uint64)
    flags, small = np.zeros(40, np.bool_), np.zeros(40, np.int8)
    expected = [bin(int(w) & 0xFF).count("1") > 2 for w in words], [(int(w) >> 9) * 5 % 2**64 for w in words]
    shift(words, flags, small)
    assert (flags.tolist(), words.tolist(), small.tolist()) == (*expected, list(range(-3, 37)))


@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.uint8, np.bool_, np.float64])
@pytest.mark.parametrize(
    "arrange", [np.ascontiguousarray, np.asfortranarray, lambda t: np.repeat(t, 2, axis=1)[:, ::2]]
)
def test_tables_of_any_type_and_layout_are_read(dtype, arrange):
    table = arrange(np.random.default_rng(0).integers(0, 100, (4, 6)).astype(dtype))
    for row in range(4):
        for flag in (True, False):
            pair, found = Pair(flag, np.arange(4), 0.25), np.zeros(4)
            go_through(table, row, pair, found)
            line = table[row].astype(float)
            assert found.tolist() == [line[1:-1].sum(), line[-1], line[-1], 0.25 * row if flag else 0.5]
            assert pair.words.tolist() == [i | (i == row) for i in range(4)]


def test_arrays_that_are_read_only_can_be_read_and_a_number_comes_back():
    values = np.arange(5.0)
    values.flags.writeable = False
    assert [search(values, bound) for bound in (-1.0, 2.5, 9.0)] == [0, 3, -1]


def test_what_is_not_known_is_named_with_its_place():
    @lean
    def listed(values):
        values[0] = sum([1, 2])

    with pytest.raises(UntranslatableError, match="expression of type List") as caught:
        listed(np.zeros(2))
    assert any(f"{Path(__file__).name}:" in note and "sum([1, 2])" in note for note in caught.value.__notes__)


def test_a_variable_does_not_change_its_kind():
    @lean
    def mixed(values):
        total = 0
        total += values[0]
        values[1] = total

    with pytest.raises(UntranslatableError, match="a variable of type int64 becomes one of type float64"):
        mixed(np.ones(2))


@pytest.mark.parametrize("decorator", ["lean", "seldom"])
def test_translated_kernels_are_kept_and_notice_edits_in_other_files(tmp_path, decorator):
    folder = tmp_path / "loops"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "parts.py").write_text("from rulenet.compiled import part\n\n@part\ndef more(x):\n    return x + 1\n")
    (folder / "caller.py").write_text(
        f"from rulenet.compiled import {decorator}\nfrom loops.parts import more\n\n"
        f"@{decorator}\ndef total(x):\n    return more(x)\n"
    )
    code = "from loops.caller import total; print(total(1), sum(total.stats.cache_misses.values()))"
    kept = {k: v for k, v in os.environ.items() if k != "NUMBA_CACHE_DIR"}
    environment = {**kept, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(SOURCES)]), "PYTHONDONTWRITEBYTECODE": "1"}

    def run():
        return subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)

    assert run().stdout.split() == ["2", "1"]
    assert run().stdout.split() == ["2", "0"]
    (folder / "parts.py").write_text((folder / "parts.py").read_text().replace("x + 1", "x + 5"))
    assert run().stdout.split() == ["6", "1"]


def plain_sum(a, b):
    """The sum."""
    return a + b


def test_the_lines_of_a_shell_are_those_of_its_kernel():
    assert inspect.getsource(body_of(plain_sum)) == inspect.getsource(plain_sum)
