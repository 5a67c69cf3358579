"""Every format is well formed, and what can be run agrees with the formula on every row."""

import json
import math
import re
import shutil
import sqlite3
import subprocess
from contextlib import closing
from datetime import date, timedelta
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from formula_strategies import formulas
from promise_formats import SQLITE, json_value, kind_in, number, onnx_inputs, output_of, sql_name, sqlite_value
from promise_formats import program as program_called
from promise_models import moment, natural, random_condition
from rulenet.conditions import Attribute, Condition
from rulenet.exceptions import FormulaError
from rulenet.formulas import FALSE, TRUE, And, AtLeast, Concept, Constant, Formula, Not, Or, equivalent, to_dnf
from rulenet.formulas.export import FORMATS, export
from rulenet.formulas.export.json import from_data, from_json, to_json
from rulenet.formulas.export.onnx_graph import NO_TIME, missing_text
from rulenet.formulas.export.prolog import atom, facts
from rulenet.formulas.export.reading import gate_words, readings
from rulenet.formulas.export.sql import column_names
from rulenet.formulas.export.sympy import symbol_of, to_sympy
from rulenet.formulas.export.text import summarise, to_text
from rulenet.kinds import DAY

HOSTILE_VALUES = ("", " ", "it's", 'say "x"', "; DROP TABLE data; --", "a\nb\r\tc", "naïve ☃ 𝄞", "null", "\\", "%s {0}")
HOSTILE_NAMES = (
    'quo"te',
    "apo'strophe",
    "select",
    "semi;colon -- /*",
    "line\nbreak\ttab",
    "unicode ☃ é",
    "back\\slash`]",
    "class",
    " ",
    "Row",
    "</script><script>alert(1)//",
    "\u202egnp.exe",
    "__proto__",
)


MARCH = moment("2024-03-01")
ATTRIBUTES = (
    Attribute("colour", ("blue", "red", "green", "black")),
    Attribute("lit", (False, True)),
    Attribute("code", (1, 2, 2**60 + 1)),
    Attribute("ratio", (0.5, 1e-9, 2.25)),
    Attribute("mixed", ("1", 2, False)),
    Attribute("size", ("S", "M", "L", "XL"), kind="ordinal"),
    Attribute("age", kind="numeric", cuts=(-1e300, -2.5e-9, 0.1, 0.1 + 0.2, 37.5, 123456789.12345679, 1e16, 1e300)),
    Attribute("visits", kind="numeric", cuts=(0, 1, 2, 3, 10), whole=True),
    Attribute("signed", kind="date", cuts=(-DAY, MARCH, MARCH + DAY, MARCH + 9 * DAY), whole=True),
    Attribute("seen", kind="date", cuts=(moment("1950-01-01"), moment("2024-03-01 12:30:00.000001"), 10**16)),
    Attribute("at", kind="instant", cuts=(0, moment("2024-03-31 01:30:00.5"))),
    Attribute("took", kind="duration", cuts=(-1, 0, 300_000, 90_500_000, 40 * DAY)),
    Attribute("alone", kind="numeric"),
)
BY_NAME = {a.name: a for a in ATTRIBUTES}
GROUPS = {
    "nominal": ("colour", "lit", "ratio", "mixed"),
    "ordinal": ("size", "colour"),
    "numeric": ("age", "visits", "alone"),
    "date": ("signed", "seen"),
    "instant": ("at", "lit"),
    "duration": ("took", "age"),
    "all": tuple(a.name for a in ATTRIBUTES if a.name != "code"),
}


def candidates(attribute):
    """Every cell's values: at, just below and just above every cut; missing, unseen, infinite ones."""
    if attribute.kind == "numeric":
        at = [float(c) for c in attribute.cuts]
        near = [float(np.nextafter(c, side)) for c in at for side in (-np.inf, np.inf)]
        return [*at, *near, *map(int, at[1:4]), 2, math.inf, -math.inf, None]
    if attribute.measured:
        return [natural(attribute, c + step) for c in attribute.cuts for step in (-1, 0, 1)] + [None]
    unseen = {str: ["never seen ' \" ;"], bool: [], int: [99], float: [77.5]}
    kinds = {type(v) for v in attribute.values}
    return [*attribute.values, None, *(unseen[kinds.pop()] if len(kinds) == 1 else [])]


def rows_of(formula, n=250, seed=0):
    """Rows in which every candidate of every attribute occurs, besides random ones."""
    rng = np.random.default_rng(seed)
    choices = {a.name: candidates(a) for a in formula.attributes}

    def random_row():
        return {name: found[rng.integers(len(found))] for name, found in choices.items()}

    swept = [random_row() | {name: value} for name, found in choices.items() for value in found]
    return swept + [random_row() for _ in range(n)]


def truth(expression, codes, known):
    """True, False or None (unknown) in one row, by the definition."""
    match expression:
        case Condition(attribute, _):
            code = codes[attribute.name]
            return True if expression.holds_in(code) else None if code < 0 else False
        case Constant(value):
            return value
        case Concept(name):
            return known[name]
        case Not(part):
            inner = truth(part, codes, known)
            return None if inner is None else not inner
        case And(parts):
            need = len(parts)
        case Or(parts):
            need = 1
        case AtLeast(need, parts):
            pass
    inner = [truth(p, codes, known) for p in parts]
    certain, possible = inner.count(True), len(inner) - inner.count(False)
    return True if certain >= need else False if possible < need else None


def expected(formula, rows):
    answers = []
    for row in rows:
        codes = {a.name: a.cell_of(number(row.get(a.name))) for a in formula.attributes}
        known = {}
        for name, meaning in formula.definitions:
            known[name] = truth(meaning, codes, known)
        answers.append(known[formula.target] is True)
    return answers


def random_expression(attributes, rng, names, depth):
    if depth == 0 or rng.random() < 0.15:
        if names and rng.random() < 0.3:
            return Concept(names[rng.integers(len(names))])
        return random_condition(attributes[rng.integers(len(attributes))], rng)
    parts = [random_expression(attributes, rng, names, depth - 1) for _ in range(rng.integers(2, 5))]
    match rng.integers(5):
        case 0 | 1:
            return And(tuple(parts[:3]))
        case 2:
            return Or(tuple(parts))
        case 3:
            parts.append(parts[0])
            return AtLeast(int(rng.integers(1, len(parts) + 1)), tuple(parts))
        case _:
            return Not(parts[0])


def random_formula(attributes, seed):
    """A formula that holds in some rows, and not in others."""
    for attempt in range(100):
        rng = np.random.default_rng([seed, attempt])
        concepts = {}
        for name in ("first", "second", "third")[: rng.integers(0, 4)]:
            concepts[name] = random_expression(attributes, rng, list(concepts), 2)
        formula = Formula(random_expression(attributes, rng, list(concepts), 3), concepts, attributes)
        share = np.mean(expected(formula, rows_of(formula, 60)))
        if 0.15 < share < 0.85:
            return formula
    raise AssertionError("no formula found")


def model(group, seed):
    return random_formula(tuple(BY_NAME[name] for name in GROUPS[group]), seed)


def hostile_formula(seed):
    texts = [Attribute(name, HOSTILE_VALUES[i % 8 : i % 8 + 3]) for i, name in enumerate(HOSTILE_NAMES)]
    numbers = [Attribute(f"{name} #", kind="numeric", cuts=(1.5, 2.5)) for name in HOSTILE_NAMES[::3]]
    formula = random_formula((*texts, *numbers), seed)
    names = {name: f'it\'s "{name}";\n ☃ write' for name in formula.concepts}
    return formula.rename({**names, "positive": "select"})


def run_python(formula, rows, **options):
    scope = {}
    exec(export(formula, "python", **options), scope)
    return [scope["predict"](row) for row in rows]


def run_sqlite(formula, rows):
    """What a query with a column for every concept says."""
    with closing(sqlite3.connect(":memory:")) as connection:
        columns = ", ".join(f"{sql_name(a.name)} {kind_in(SQLITE, a)}" for a in formula.attributes)
        connection.execute(f'CREATE TABLE "da`ta" ({columns})')
        data = [[sqlite_value(row[a.name]) for a in formula.attributes] for row in rows]
        connection.executemany(f'INSERT INTO "da`ta" VALUES ({", ".join("?" * len(formula.attributes))})', data)
        query = export(formula, "sql", style="select", table="da`ta", dialect="sqlite")
        return [bool(row[-1]) for row in connection.execute(query)]


def run_node(formula, rows, prepare="row"):
    if shutil.which("node") is None:
        pytest.skip("Node is not installed: apt-get install nodejs")
    data = json.dumps([{name: json_value(value) for name, value in row.items()} for row in rows])
    source = f"""'use strict';
        {export(formula, "javascript")}
        const rows = JSON.parse(require("fs").readFileSync(0, "utf8"));
        const prepare = (row) => {prepare};
        console.log(JSON.stringify(rows.map((row) => {{
          try {{ return predict(prepare(row)); }} catch (error) {{ return `${{error.name}}: ${{error.message}}`; }}
        }})));"""
    command = ["node", "-e", source]
    done = subprocess.run(command, input=data, capture_output=True, text=True, timeout=60, encoding="utf-8")
    assert done.stderr == ""
    return json.loads(done.stdout)


def run_onnx(source, attributes, rows):
    """The outputs by name."""
    runtime = pytest.importorskip("onnxruntime", reason="ONNX Runtime is not installed: pip install onnxruntime")
    session = runtime.InferenceSession(source)
    outputs = session.run(None, onnx_inputs(session, attributes, rows))
    return {x.name.rstrip("_"): found.tolist() for x, found in zip(session.get_outputs(), outputs, strict=True)}


@settings(max_examples=25)
@given(formulas(max_attributes=3))
def test_what_runs_agrees_on_any_formula(formula):
    rows = rows_of(formula, 20)
    wanted = expected(formula, rows)
    assert run_python(formula, rows) == wanted
    assert run_sqlite(formula, rows) == wanted


def test_whole_days_are_compared_with_columns_of_dates_and_of_times():
    duckdb = pytest.importorskip("duckdb")
    signed = BY_NAME["signed"]
    condition = export(Formula(signed.at_most(MARCH), {}, (signed,)), "sql", style="where")
    assert condition == "\"signed\" <= DATE '2024-03-01'"
    rows_of_kind = {"DATE": "('2024-03-01'), ('2024-03-02')", "TIMESTAMP": "('2024-03-01'), ('2024-03-01 00:01')"}
    for kind, rows in rows_of_kind.items():
        with duckdb.connect() as connection:
            connection.execute(f"CREATE TABLE t (signed {kind})")
            connection.execute(f"INSERT INTO t VALUES {rows}")
            assert len(connection.execute(f"SELECT * FROM t WHERE {condition}").fetchall()) == 1


FORMS = {
    "text": str,
    "repr": repr,
    "Decimal": Decimal,
    "NumPy": np.float64,
    "spaces": lambda x: f" {x!r}\n",
}


@pytest.mark.parametrize("form", FORMS)
def test_python_takes_numbers_in_any_form(form):
    formula = model("numeric", 1)
    rows = rows_of(formula)
    given = [{k: v if v is None else FORMS[form](v) for k, v in row.items()} for row in rows]
    assert run_python(formula, given) == expected(formula, rows)


DATE_FORMS = {
    "text": lambda x: x.isoformat(" "),
    "NumPy": lambda x: np.datetime64(x, "us"),
    "pandas": pd.Timestamp,
    "nanoseconds": lambda x: np.datetime64(x, "ns"),
}


@pytest.mark.parametrize("form", DATE_FORMS)
def test_python_takes_dates_in_any_form(form):
    formula = model("date", 0)
    rows = rows_of(formula)
    given = [{k: v if v is None else DATE_FORMS[form](v) for k, v in row.items()} for row in rows]
    if form == "nanoseconds":  # which end in 2262
        rows, given = zip(*((r, g) for r, g in zip(rows, given, strict=True) if _within_262(r)), strict=True)
    assert run_python(formula, given) == expected(formula, rows)


def _within_262(row):
    return all(value is None or value.year < 2200 for value in row.values())


def test_python_takes_durations_instants_days_and_missing_values_of_pandas():
    took, at, signed, code = (BY_NAME[n] for n in ("took", "at", "signed", "code"))
    parts = (took.above(300_000), at.above(0), signed.at_most(MARCH), code.equal(2**60 + 1))
    formula = Formula(And(parts), {}, (took, at, signed, code))
    row = {
        "took": np.timedelta64(1, "s"),
        "at": "2024-03-01T12:00:00Z",
        "signed": date(2024, 3, 1),
        "code": str(2**60 + 1),
    }
    others = [{"took": pd.Timedelta(seconds=1)}, {"at": pd.Timestamp("2024-01-01", tz="Asia/Kolkata")}]
    assert run_python(formula, [row, *(row | other for other in others)]) == [True] * 3
    missing = [pd.NA, pd.NaT, None, float("nan"), np.float64("nan"), np.datetime64("NaT")]
    assert run_python(formula, [row | {name: value} for name in row for value in missing]) == [False] * 24
    assert not any(run_python(formula, [row | {"code": 2**60}, row | {"code": float(2**60)}]))


def test_numbers_that_are_text_are_numbers_where_the_column_is_one():
    code = Attribute("code", (36, 37))
    assert run_python(Formula(code.equal(37), {}, (code,)), [{"code": "37"}, {"code": 37.0}, {"code": "36"}]) == [
        1,
        1,
        0,
    ]
    assert run_node(Formula(code.equal(37), {}, (code,)), [{"code": "37"}, {"code": 37.0}, {"code": "36"}]) == [1, 1, 0]


WRONG = [
    ("age", "old"),
    ("age", "1_000"),
    ("age", "0x10"),
    ("age", True),
    ("age", [1]),
    ("code", "one"),
    ("colour", 5),
    ("lit", 1),
    ("lit", "True"),
    ("seen", "yesterday"),
    ("seen", "2024-02-30"),
    ("seen", 17),
    ("seen", "2024-03-01T12:00:00+01:00"),
    ("at", "2024-03-01T12:00:00"),
    ("took", "an hour"),
]


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_a_value_of_another_kind_is_an_error_that_names_the_column(name, value):
    attribute = BY_NAME[name] if name != "code" else Attribute("code", (1, 2))
    formula = Formula(attribute.is_known, {}, (attribute,))
    with pytest.raises(ValueError, match=f"column '{name}' is .*, but expected"):
        run_python(formula, [{name: value}])
    (found,) = run_node(formula, [{name: value}])
    assert found.startswith(f'TypeError: column "{name}" is ')


def test_javascript_takes_dates_and_does_not_inherit_values():
    at, proto = BY_NAME["at"], Attribute("constructor", ("x", "y"))
    formula = Formula(at.above(0), {}, (at, proto))
    rows = [{"at": "2024-03-01T00:00:00Z"}, {"at": "1969-12-31T23:00:00Z"}, {"at": ""}, {"at": None}]
    assert run_node(formula, rows[:2], "({at: new Date(row.at)})") == [True, False]
    assert run_node(formula, rows) == [True, False, False, False]
    assert run_node(Formula(proto.is_missing, {}, (proto,)), [{}]) == [True]


def test_sources_hold_no_character_that_could_end_a_script_or_turn_the_text():
    formula = hostile_formula(0)
    source = export(formula, "javascript", positive="</script>\u202e")
    assert source.isascii()
    assert "<script" not in source
    assert "</" not in source
    for format in ("python", "prolog", "dot", "latex"):
        assert "\u202e" not in export(formula, format)
    a = Attribute("a\0", ("x", "y"))
    with pytest.raises(FormulaError, match="NUL"):
        export(Formula(a.equal("x"), {}, (a,)), "sql")


@given(formulas(max_attributes=3, negation=False))
def test_sympy_agrees_on_complete_rows(formula):
    check_sympy(formula, [r for r in rows_of(formula, 20) if None not in r.values()])


@pytest.mark.parametrize("group", ["nominal", "ordinal", "numeric", "date", "duration"])
def test_sympy_agrees_at_every_cut(group):
    formula = model(group, 2)
    rows = [r for r in rows_of(formula, 40) if not any(v is None or v in (math.inf, -math.inf) for v in r.values())]
    check_sympy(formula, rows)


def check_sympy(formula, rows):
    sympy = pytest.importorskip("sympy")
    expression = to_sympy(formula)
    for row, wanted in zip(rows, expected(formula, rows), strict=True):
        values = {}
        for attribute in formula.attributes:
            value = number(row[attribute.name])
            if attribute.measured:
                values[sympy.Symbol(attribute.name, real=True)] = value
            elif attribute.cell_of(value) < 0:
                break
            for known in attribute.values:
                name, positive = symbol_of(attribute, known)
                values[sympy.Symbol(name)] = (attribute.cell_of(known) == attribute.cell_of(value)) == positive
        else:
            assert bool(expression.subs(values)) == wanted


@given(formulas())
def test_json_gives_the_same_formula_back(formula):
    assert from_json(to_json(formula)) == formula


@pytest.mark.parametrize("group", GROUPS)
def test_json_keeps_every_kind(group):
    formula = model(group, 0)
    again = from_json(to_json(formula))
    assert again == formula
    assert [a.whole for a in again.attributes] == [a.whole for a in formula.attributes]


def test_json_keeps_hostile_names_and_values():
    formula = hostile_formula(0)
    assert from_json(to_json(formula)) == formula


def test_json_of_version_1_is_read():
    attributes = [{"name": "a", "values": ["x", "y", "z"]}, {"name": "b", "values": [False, True]}]
    means = {"and": [["a", "!=", "x"], {"not": ["b", "==", True]}, {"concept": "c"}]}
    data = {
        "target": "t",
        "attributes": attributes,
        "concepts": [{"name": "c", "means": ["a", "==", "z"]}],
        "means": means,
    }
    a, b = Attribute("a", ("x", "y", "z")), Attribute("b", (False, True))
    output = And((~a.equal("x"), Not(b.equal(True)), Concept("c")))
    assert from_data(data) == Formula(output, {"c": a.equal("z")}, (a, b), "t")


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=3) | st.sampled_from(["and", "a", "=="]),
        lambda x: (
            st.lists(x, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    ["and", "or", "not", "concept", "name", "means", "attributes", "at least", "of", "column", "cells"]
                ),
                x,
            )
        ),
    )
)
def test_bad_json_is_refused_with_a_formula_error(data):
    with pytest.raises(FormulaError):
        from_json(json.dumps({"target": "t", "attributes": [{"name": "a", "values": [0, 1]}], "concepts": [data]}))


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "odd"},
        {"kind": []},
        {"cuts": [3, 1]},
        {"cuts": [True]},
        {"cuts": ["1"]},
        {"cuts": None},
        {"cuts": [1.5], "kind": "date"},
        {"whole": 1},
        {"values": 3, "kind": "nominal"},
    ],
)
def test_bad_attributes_are_refused_with_a_formula_error(change):
    attribute = {"name": "a", "kind": "numeric", "cuts": [1, 2.5]} | change
    with pytest.raises(FormulaError):
        from_data({"version": 2, "target": "t", "attributes": [attribute], "concepts": [], "means": True})


@pytest.mark.parametrize("cells", [[3], [-1], [True], ["0"], 1, [0.0]])
def test_bad_cells_are_refused_with_a_formula_error(cells):
    attribute = {"name": "a", "kind": "numeric", "cuts": [1, 2.5]}
    means = {"column": "a", "cells": cells}
    with pytest.raises(FormulaError):
        from_data({"version": 2, "target": "t", "attributes": [attribute], "concepts": [], "means": means})


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_takes_every_kind_of_formula(format):
    a = Attribute("a", (0, 1))
    for output in (TRUE, FALSE, a.equal(1), Not(a.equal(1)), a.is_missing):
        assert export(Formula(output, {}, (a,)), format)
    if format != "dnf":  # which may be large
        cannot = {"javascript": ["code"], "excel": ["code"], "onnx": ["mixed"], "sql": ["mixed"]}.get(format, [])
        attributes = [a for a in ATTRIBUTES if a.name not in cannot]
        assert export(random_formula(tuple(attributes), 0), format)
        assert export(hostile_formula(0), format)


def test_the_flat_format_says_the_same_as_the_formula():
    formula = model("ordinal", 1)
    assert equivalent(to_dnf(formula).formula(), formula)


@pytest.mark.parametrize("group", GROUPS)
def test_signs_say_the_same_as_words(group):
    for attribute in (BY_NAME[name] for name in GROUPS[group]):
        for seed in range(40):
            condition = random_condition(attribute, np.random.default_rng(seed))
            words = str(condition)
            for reading in readings(condition):
                assert reading.sign in words or reading.sign in ("within", "never") or words.endswith("is anything")


def test_text_names_the_concepts():
    a, b = (Attribute(n, ("no", "yes")).equal("yes") for n in "ab")
    formula = Formula(Or((Concept("c1"), Not(Concept("c1")))), {"c1": And((a, b))}, (a.attribute, b.attribute))
    assert export(formula, "text").splitlines() == [
        "positive if any of",
        "    c1",
        "    not c1",
        "where c1 means a = yes and b = yes",
    ]


def test_counts_and_compound_conditions_read_well():
    age, visits, lit = BY_NAME["age"], BY_NAME["visits"], BY_NAME["lit"]
    old, often, on = age.above(37.5) | age.is_missing, visits.equal(3), lit.equal(True)
    two = AtLeast(2, (old, often, on))
    formula = Formula(
        And((old, Concept("c"))), {"c": AtLeast(3, (old, often, often, And((on, two))))}, (age, visits, lit)
    )
    assert export(formula, "text").splitlines() == [
        "positive if (age > 37.5 or age is missing) and c",
        "where c means at least 3 points of",
        "    2 if visits = 3",
        "    1 if age > 37.5 or age is missing",
        "    1 if lit = True and at least 2 of (age > 37.5 or age is missing, visits = 3, lit = True)",
    ]
    assert export(formula, "tree").splitlines()[5:8] == [
        "└─ at least 3 points of",
        "   ├─ 2 if visits = 3",
        "   ├─ 1 if age > 37.5 or age is missing",
    ]
    assert "2[\\text{visits} = 3] + [\\text{lit} \\land (" in export(formula, "latex")
    assert "at_least(3, [(age > 37.5 ; missing(age)), visits = 3, visits = 3, (lit, at_least(2, [" in export(
        formula, "prolog"
    )
    assert "THEN 2 ELSE 0 END" in export(formula, "sql", style="where")
    assert gate_words(AtLeast(5, tuple(map(Concept, "abcdef")))) == "all but at most 1 of"


def test_prolog_is_written_as_in_the_paper():
    x4, x5 = Attribute("x4", (False, True)), Attribute("x5", (False, True))
    same = Or(tuple(And((x4.equal(v), x5.equal(v))) for v in (True, False)))
    assert export(Formula(same, {}, (x4, x5), "parity45"), "prolog") == (
        "parity45 :- x4, x5.\nparity45 :- not x4, not x5."
    )


@pytest.mark.parametrize(
    ("dialect", "wanted"),
    [
        ("mysql", "CASE WHEN `a``b` = 'it''s \\\\' THEN 1 ELSE 0 END"),
        ("bigquery", "CASE WHEN `a``b` = 'it''s \\\\' THEN 1 ELSE 0 END"),
        ("mssql", "CASE WHEN [a`b] = 'it''s \\' THEN 1 ELSE 0 END"),
        ("ansi", "CASE WHEN \"a`b\" = 'it''s \\' THEN 1 ELSE 0 END"),
        ("postgresql", "CASE WHEN \"a`b\" = 'it''s \\' THEN 1 ELSE 0 END"),
        ("sqlite", "CASE WHEN `a``b` = 'it''s \\' THEN 1 ELSE 0 END"),
    ],
)
def test_sql_quotes_as_the_dialect_wants(dialect, wanted):
    a = Attribute("a`b", ("it's \\", "z"))
    assert export(Formula(a.equal("it's \\"), {}, (a,)), "sql", dialect=dialect) == wanted


@pytest.mark.parametrize(
    ("name", "dialect", "wanted"),
    [
        ("age", "ansi", '"age" > 0.1e0 AND "age" <= 0.30000000000000004e0'),
        ("age", "postgresql", '"age" > 0.1 AND "age" <= 0.30000000000000004e0'),
        ("visits", "ansi", '"visits" > 0 AND "visits" <= 1'),
        ("signed", "ansi", "\"signed\" > DATE '1969-12-31' AND \"signed\" <= DATE '2024-03-01'"),
        ("signed", "mssql", "[signed] > CAST('1969-12-31' AS date) AND [signed] <= CAST('2024-03-01' AS date)"),
        (
            "at",
            "bigquery",
            "`at` > TIMESTAMP '1970-01-01 00:00:00+00:00' AND `at` <= TIMESTAMP '2024-03-31 01:30:00.500000+00:00'",
        ),
        ("took", "ansi", "\"took\" > INTERVAL '0' SECOND AND \"took\" <= INTERVAL '0.3' SECOND"),
        ("took", "bigquery", "`took` > INTERVAL 0 MICROSECOND AND `took` <= INTERVAL 300000 MICROSECOND"),
        ("took", "mysql", "`took` > 0 AND `took` <= 0.3"),
    ],
)
def test_sql_writes_cuts_as_the_dialect_wants(name, dialect, wanted):
    attribute = BY_NAME[name]
    low = {"age": 2, "visits": 0, "signed": 0, "at": 0, "took": 1}[name]
    condition = Condition(attribute, 1 << low + 1)
    assert export(Formula(condition, {}, (attribute,)), "sql", style="where", dialect=dialect) == wanted


def test_sqlite_names_a_column_that_is_not_there():
    age = Attribute("age", kind="numeric", cuts=(18,))
    condition = export(Formula(age.above(18), {}, (age,)), "sql", style="where", dialect="sqlite")
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE data (years REAL)")
        with pytest.raises(sqlite3.OperationalError, match="no such column: age"):
            connection.execute(f"SELECT * FROM data WHERE {condition}")


@pytest.mark.parametrize("kind", ["FLOAT", "DOUBLE", "DECIMAL(20, 18)"])
def test_numbers_of_any_width_are_compared_as_predict_compares_them(kind):
    duckdb = pytest.importorskip("duckdb")
    age, ratio = Attribute("age", kind="numeric", cuts=(0.1, 0.35)), Attribute("ratio", (0.1, 0.5))
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE data (age {kind}, ratio {kind})")
        connection.execute("INSERT INTO data VALUES (0.1, 0.1), (0.35, 0.5), (0.100000000000000001, 0.2)")
        rows = connection.execute("SELECT age::DOUBLE, ratio::DOUBLE FROM data").fetchall()
        for condition in (age.at_most(0.1), age.above(0.35), ratio.equal(0.1)):
            where = export(Formula(condition, {}, (age, ratio)), "sql", style="where")
            found = [held is True for (held,) in connection.execute(f"SELECT {where} FROM data").fetchall()]
            assert found == [condition.holds(row[condition.attribute is ratio]) for row in rows]


def test_databases_that_ignore_case_accents_and_blanks_get_no_twins():
    for values in (("A", "a"), ("a", "a "), ("e", "é")):
        attribute = Attribute("a", values)
        formula = Formula(attribute.equal(values[0]), {}, (attribute,))
        for dialect in ("mysql", "mssql"):
            with pytest.raises(FormulaError, match="take them for equal; replace one"):
                export(formula, "sql", dialect=dialect)
        assert export(formula, "sql", dialect="bigquery")


def test_added_columns_have_short_names_that_differ():
    columns = column_names([Attribute("Size")], ["size", "SIZE", "x" * 80, "x" * 81, "☃" * 40])
    assert [*columns.values()] == ["size_", "SIZE_3", "x" * 50, "x" * 50 + "_", "☃" * 16]


def run_prolog(formula, given, directory):
    """What one row is, or the error."""
    program = directory / "rules.pl"
    query = f"catch((holds({atom(formula.target)}, 0) -> print(yes) ; print(no)), error(E, _), print(E))"
    source = "\n".join([export(formula, "prolog", executable=True), facts([given]), f":- {query}.", ""])
    program.write_text(source, encoding="utf-8")
    return output_of([program_called("swipl", "swi-prolog-nox"), "-q", "-g", "halt", program])


def test_prolog_takes_values_of_numpy_and_pandas_and_names_what_is_no_number(tmp_path):
    age, seen, took = BY_NAME["age"], BY_NAME["seen"], BY_NAME["took"]
    formula = Formula(And((age.above(37.5), seen.above(seen.cuts[1]), took.above(90_500_000))), {}, (age, seen, took))
    row = {"age": " 38 ", "seen": np.datetime64("2024-03-02", "ns"), "took": np.timedelta64(91, "s")}
    assert run_prolog(formula, row, tmp_path) == "yes"
    assert run_prolog(formula, row | {"took": np.timedelta64(90, "s")}, tmp_path) == "no"
    for missing in (pd.NA, pd.NaT, np.float64("nan"), None):
        assert run_prolog(formula, row | {"age": missing}, tmp_path) == "no"
    assert run_prolog(formula, row | {"age": "old"}, tmp_path) == 'type_error(number,"old")'


def test_python_compares_durations_of_centuries_to_the_microsecond():
    long = Attribute("long", kind="duration", cuts=(10**16 + 1,))
    rows = [{"long": timedelta(microseconds=10**16 + step)} for step in (0, 1, 2)]
    assert run_python(Formula(long.above(10**16 + 1), {}, (long,)), rows) == [False, False, True]


def test_sql_server_gets_unicode_text():
    a = Attribute("a", ("☃", "z"))
    assert export(Formula(a.equal("☃"), {}, (a,)), "sql", dialect="mssql", style="where") == "[a] = N'☃'"


def test_onnx_refuses_what_a_tensor_cannot_hold():
    for name, values, wrong in (
        ("a", ("1", 2), "values of several kinds"),
        ("a", (1, 2**70), "whole numbers that an ONNX tensor rounds"),
        ("a", ("x\0", "y"), "NUL"),
        ("a\0", ("x", "y"), "cannot say; rename it"),
        ("", ("x", "y"), "cannot say; rename it"),
        ("a", ("\ud800", "y"), "no valid Unicode"),
    ):
        a = Attribute(name, values)
        with pytest.raises(FormulaError, match=wrong):
            export(Formula(a.equal(values[0]), {}, (a,)), "onnx")
    with pytest.raises(FormulaError, match="several kinds"):
        export(Formula(BY_NAME["lit"].is_known, {}, (BY_NAME["lit"],)), "onnx", positive="yes", negative=0)
    with pytest.raises(FormulaError, match="no columns"):
        export(Formula(TRUE, {}, ()), "onnx")


def test_onnx_is_exact_for_large_whole_numbers_and_says_how_columns_are_fed():
    code, label = BY_NAME["code"], Attribute("label", ("", "x"))
    formula = Formula(And((code.equal(2**60 + 1), Or((label.equal(""), label.is_missing)))), {}, (code, label))
    rows = [{"code": c, "label": v} for c in (1, 2**60, 2**60 + 1, None) for v in ("", "x", None)]
    source = export(formula, "onnx", positive="it's", negative="")
    found = run_onnx(source, formula.attributes, rows)
    assert [x == "it's" for x in found["label"]] == expected(formula, rows)
    about = {x.name: x.doc_string for x in pytest.importorskip("onnx").load_from_string(source).graph.input}
    assert about == {
        "code": f"whole numbers; a missing value is {NO_TIME}",
        "label": "text; where a value is missing, the input 'label is missing' is true and the text does not matter",
        "label is missing": "true where 'label' is missing",
    }
    assert missing_text(label) == "NA"


@pytest.mark.parametrize("format", ["sql", "python", "javascript", "json", "onnx"])
def test_values_that_a_language_cannot_say_are_named(format):
    a = Attribute("a", ((1, 2), (3, 4)))
    with pytest.raises(FormulaError, match="is a tuple"):
        export(Formula(a.equal((1, 2)), {}, (a,)), format)


def test_infinite_cuts_are_said_or_refused():
    a = Attribute("a", kind="numeric", cuts=(-math.inf, 3.5))
    formula, rows = Formula(a.at_most(-math.inf), {}, (a,)), [{"a": -math.inf}, {"a": -1e308}, {"a": None}]
    assert run_python(formula, rows) == run_node(formula, rows) == [True, False, False]
    with pytest.raises(FormulaError, match="cut at -inf, which SQL cannot say"):
        export(formula, "sql")


def test_an_unknown_format_or_option_is_answered_with_the_known_ones():
    a = Attribute("a", (0, 1))
    formula = Formula(a.equal(1), {}, (a,))
    with pytest.raises(FormulaError, match="must be one of text, prolog"):
        export(formula, "fortran")
    with pytest.raises(FormulaError, match="sql has no option 'stile'; its options are style, dialect, table"):
        export(formula, "sql", stile="where")
    with pytest.raises(FormulaError, match="text has no option 'style'; it has no options"):
        export(formula, "text", style="where")
    with pytest.raises(FormulaError, match="dialect is 'odd', but must be one of ansi, postgresql, sqlite"):
        export(formula, "sql", dialect="odd")
    for format in ("python", "javascript"):
        with pytest.raises(FormulaError, match="must be a name"):
            export(formula, format, name="x(); import os #")


def test_what_a_format_says_that_it_supports_is_so():
    runs = {name for name, format in FORMATS.items() if format.runs}
    assert runs == {"prolog", "sql", "python", "javascript", "onnx", "excel"}
    age = BY_NAME["age"]
    formula = Formula(
        Concept("young"), {"young": And((age.above(0.1), Or((age.is_missing, age.at_most(37.5)))))}, (age,)
    )
    for name, format in FORMATS.items():
        text = export(formula, name, **({"style": "select"} if name == "sql" else {}))
        assert format.about
        if format.concepts and not format.runs:
            assert "young" in text
        if not format.missing:
            assert "missing" not in text


def test_dot_is_read_by_graphviz(tmp_path):
    if shutil.which("dot") is None:
        pytest.skip("Graphviz is not installed: apt-get install graphviz")
    for formula in (hostile_formula(0), random_formula(ATTRIBUTES, 0)):
        text = export(formula, "dot")
        done = subprocess.run(["dot", "-Tsvg"], input=text.encode(), capture_output=True, timeout=60)
        assert done.returncode == 0, done.stderr


A, B, C, D = (Attribute(name, (0, 1)).equal(1) for name in "abcd")


@pytest.mark.parametrize(
    ("output", "concepts", "n_rules", "n_concepts"),
    [
        (And((Or((A, B)), Or((C, D)))), {}, 1, 0),  # one line, though Prolog needs five clauses
        (Or((A, And((B, C)), And((A, Not(D))))), {}, 3, 0),
        (Or((Concept("k"), And((A, Concept("k"))))), {"k": Or((B, And((C, D))))}, 4, 1),
        (AtLeast(2, (A, B, B, C)), {}, 2, 0),  # a count has no rules: its need
        (A, {}, 1, 0),
        (TRUE, {}, 1, 0),
    ],
)
def test_the_summary_counts_what_the_text_shows(output, concepts, n_rules, n_concepts):
    formula = Formula(output, concepts, tuple(x.attribute for x in (A, B, C, D)))
    text = to_text(formula)
    n_conditions = text.count("= 1") + text.count("= 0")
    rules, conditions, *named = re.findall(r"\d+", summarise(formula))
    assert (int(rules), int(conditions)) == (n_rules, n_conditions)
    assert [int(n) for n in named] == ([n_concepts] if n_concepts else [])
