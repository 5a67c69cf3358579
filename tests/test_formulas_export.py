"""Every format is well formed, and what can be run agrees with the formula on every row."""

import json
import shutil
import sqlite3
import subprocess
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from formula_strategies import formulas
from rulenet.exceptions import FormulaError
from rulenet.formulas import FALSE, TRUE, And, Concept, Formula, Not, Or, equivalent, from_network, to_dnf
from rulenet.formulas.export import FORMATS, export
from rulenet.formulas.export.json import from_json, to_json
from rulenet.formulas.export.prolog import atom, facts
from rulenet.formulas.export.sympy import symbol_of, to_sympy
from rulenet.formulas.truth import all_rows, encode, holds
from rulenet.literals import Attribute, Literal, literals_of
from rulenet.network import Network

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
)


def hostile_attributes():
    texts = [Attribute(name, HOSTILE_VALUES[i % 8 : i % 8 + 3]) for i, name in enumerate(HOSTILE_NAMES)]
    return (*texts, Attribute("flag", (False, True)), Attribute("n", (-3, 0, 7)), Attribute("x", (0.5, 1e-9, 2.25)))


def hostile_formula(seed):
    rng = np.random.default_rng(seed)
    literals = literals_of(hostile_attributes(), not_equal=True)
    n = len(literals)
    weights = [rng.random((16, n)) < 3 / n, rng.random((8, 16)) < 0.2, rng.random((6, 8)) < 0.2, np.ones((1, 6))]
    formula = from_network(Network([w.astype(bool) for w in weights], "or" if seed % 2 else "and"), literals)
    names = {name: f'it\'s "{name}";\n ☃ write' for name in formula.concepts}
    return formula.rename({**names, "positive": "select"})


def hostile_rows(formula, n=400, seed=0):
    """Random rows; one value in six is missing, one in six unseen."""
    rng = np.random.default_rng(seed)
    unseen = {str: "never seen ' \" ;", bool: None, int: 99, float: 77.5}

    def value(attribute):
        dice = rng.random()
        if dice < 1 / 6:
            return None
        return (
            unseen[type(attribute.values[0])] if dice < 1 / 3 else attribute.values[rng.integers(len(attribute.values))]
        )

    return [{a.name: value(a) for a in formula.attributes} for _ in range(n)]


def expected(formula, rows):
    return holds(formula, encode(formula.attributes, rows)).tolist()


def run_python(formula, rows, **options):
    scope = {}
    exec(export(formula, "python", **options), scope)
    return [scope["predict"](row) for row in rows]


def sql_name(name):
    return '"' + name.replace('"', '""') + '"'


def run_sql(connection, kinds, formula, rows, style):
    columns = [a.name for a in formula.attributes]
    declared = ", ".join(f"{sql_name(a.name)} {kinds[type(a.values[0])]}" for a in formula.attributes)
    connection.execute(f'CREATE TABLE "da""ta" ("row id" INTEGER, {declared})')
    marks = ", ".join("?" * (len(columns) + 1))
    data = [(i, *(row[c] for c in columns)) for i, row in enumerate(rows)]
    connection.executemany(f'INSERT INTO "da""ta" VALUES ({marks})', data)
    if style == "where":
        query = f'SELECT "row id" FROM "da""ta" WHERE {export(formula, "sql", style="where")}'
        found = {i for (i,) in connection.execute(query).fetchall()}
        return [i in found for i in range(len(rows))]
    if style == "case":
        query = f'SELECT "row id", {export(formula, "sql")} FROM "da""ta"'
        answers = connection.execute(query).fetchall()
    else:
        query = export(formula, "sql", style="select", table='da"ta')
        answers = [(row[0], row[-1]) for row in connection.execute(query).fetchall()]
    return [bool(answer) for _, answer in sorted(answers)]


SQLITE = {str: "TEXT", bool: "BOOLEAN", int: "INTEGER", float: "REAL"}
DUCKDB = {str: "VARCHAR", bool: "BOOLEAN", int: "BIGINT", float: "DOUBLE"}


def run_sqlite(formula, rows, style="case"):
    with sqlite3.connect(":memory:") as connection:
        return run_sql(connection, SQLITE, formula, rows, style)


def run_duckdb(formula, rows, style="case"):
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed: pip install duckdb")
    with duckdb.connect() as connection:
        return run_sql(connection, DUCKDB, formula, rows, style)


def run_prolog(formula, rows, directory):
    if shutil.which("swipl") is None:
        pytest.skip("SWI-Prolog is not installed: apt-get install swi-prolog-nox")
    program = directory / "rules.pl"
    source = export(formula, "prolog", executable=True)
    query = f"between(0, {len(rows) - 1}, Row), once(holds({atom(formula.target)}, Row))"
    program.write_text(f"{source}\n{facts(rows)}\n:- forall(({query}), (write(Row), nl)).\n", encoding="utf-8")
    done = subprocess.run(["swipl", "-q", "-g", "halt", program], capture_output=True, text=True, timeout=60)
    assert done.stderr == ""
    found = {int(line) for line in done.stdout.split()}
    return [i in found for i in range(len(rows))]


@pytest.mark.parametrize("seed", range(6))
def test_python_agrees_on_hostile_rows(seed):
    formula = hostile_formula(seed)
    rows = hostile_rows(formula)
    assert run_python(formula, rows) == expected(formula, rows)


@pytest.mark.parametrize("style", ["case", "where", "select"])
@pytest.mark.parametrize("run", [run_sqlite, run_duckdb])
@pytest.mark.parametrize("seed", range(3))
def test_sql_agrees_on_hostile_rows(run, style, seed):
    formula = hostile_formula(seed)
    rows = hostile_rows(formula)
    assert run(formula, rows, style) == expected(formula, rows)


@pytest.mark.parametrize("seed", range(3))
def test_prolog_agrees_on_hostile_rows(seed, tmp_path):
    formula = hostile_formula(seed)
    rows = hostile_rows(formula)
    assert run_prolog(formula, rows, tmp_path) == expected(formula, rows)


def possible_rows(formula):
    columns = [[*a.values, None, "unseen"] for a in formula.attributes]
    return [dict(zip((a.name for a in formula.attributes), row, strict=True)) for row in product(*columns)]


@given(formulas(max_attributes=3))
def test_python_and_sql_agree_on_all_rows_of_any_formula(formula):
    rows = possible_rows(formula)
    wanted = expected(formula, rows)
    assert run_python(formula, rows) == wanted
    for style in ("case", "where", "select"):
        assert run_sqlite(formula, rows, style) == wanted


@settings(max_examples=10)
@given(formulas(max_attributes=3))
def test_prolog_agrees_on_all_rows_of_any_formula(tmp_path_factory, formula):
    rows = possible_rows(formula)
    assert run_prolog(formula, rows, tmp_path_factory.mktemp("prolog")) == expected(formula, rows)


@given(formulas(max_attributes=3, negation=False))
def test_sympy_agrees_on_complete_rows(formula):
    sympy = pytest.importorskip("sympy")
    expression = to_sympy(formula)
    rows = all_rows(formula.attributes, missing=False)
    for codes, wanted in zip(rows.codes, holds(formula, rows), strict=True):
        row = dict(zip(formula.attributes, codes, strict=True))
        values = {}
        for literal in formula.literals:
            name, positive = symbol_of(literal)
            held = literal.attribute.values[row[literal.attribute]] in literal.satisfying
            values[sympy.Symbol(name)] = held == positive
        assert bool(expression.subs(values)) == wanted


@given(formulas())
def test_json_gives_the_same_formula_back(formula):
    assert from_json(to_json(formula)) == formula


@pytest.mark.parametrize("seed", range(3))
def test_json_keeps_hostile_names_and_values(seed):
    formula = hostile_formula(seed)
    assert from_json(to_json(formula)) == formula


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=3) | st.sampled_from(["and", "a", "=="]),
        lambda x: (
            st.lists(x, max_size=3)
            | st.dictionaries(
                st.sampled_from(["and", "or", "not", "concept", "name", "means", "attributes", "concepts"]), x
            )
        ),
    )
)
def test_bad_json_is_refused_with_a_formula_error(data):
    with pytest.raises(FormulaError):
        from_json(json.dumps({"target": "t", "attributes": [{"name": "a", "values": [0, 1]}], "concepts": [data]}))


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_takes_constants_literals_and_hostile_names(format):
    a = Attribute("a", (0, 1))
    for output in (TRUE, FALSE, Literal(a, 1), Not(Literal(a, 1))):
        assert export(Formula(output, {}, (a,)), format)
    if format != "dnf":
        assert export(hostile_formula(0), format)


def test_the_flat_format_says_the_same_as_the_formula():
    formula = hostile_formula(2)
    assert equivalent(to_dnf(formula).formula(), formula)


def test_text_names_the_concepts():
    a, b = (Literal(Attribute(n, ("no", "yes")), "yes") for n in "ab")
    formula = Formula(Or((Concept("c1"), Not(Concept("c1")))), {"c1": And((a, b))}, (a.attribute, b.attribute))
    assert export(formula, "text").splitlines() == [
        "positive if any of",
        "    c1",
        "    not c1",
        "where c1 means a = yes and b = yes",
    ]


def test_prolog_is_written_as_in_the_paper():
    x4, x5 = Attribute("x4", (False, True)), Attribute("x5", (False, True))
    same = Or(tuple(And((Literal(x4, v), Literal(x5, v))) for v in (True, False)))
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
    ],
)
def test_sql_quotes_as_the_dialect_wants(dialect, wanted):
    a = Attribute("a`b", ("it's \\", "z"))
    assert export(Formula(Literal(a, "it's \\"), {}, (a,)), "sql", dialect=dialect) == wanted


def test_sql_server_gets_unicode_text():
    a = Attribute("a", ("☃", "z"))
    assert export(Formula(Literal(a, "☃"), {}, (a,)), "sql", dialect="mssql", style="where") == "[a] = N'☃'"


@pytest.mark.parametrize("format", ["sql", "python", "json"])
def test_values_that_a_language_cannot_say_are_named(format):
    a = Attribute("a", ((1, 2), (3, 4)))
    with pytest.raises(FormulaError, match="is a tuple"):
        export(Formula(Literal(a, (1, 2)), {}, (a,)), format)


def test_an_unknown_format_is_answered_with_the_known_ones():
    a = Attribute("a", (0, 1))
    with pytest.raises(FormulaError, match="must be one of text, prolog"):
        export(Formula(Literal(a, 1), {}, (a,)), "fortran")


def test_dot_is_read_by_graphviz(tmp_path):
    if shutil.which("dot") is None:
        pytest.skip("Graphviz is not installed: apt-get install graphviz")
    text = export(hostile_formula(0), "dot")
    done = subprocess.run(["dot", "-Tsvg"], input=text.encode(), capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
