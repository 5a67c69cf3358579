"""What decisions are exported as is run, and gives every row the class and the margins of the network."""

import json
import shutil
import sqlite3
import subprocess
from contextlib import closing

import numpy as np
import pytest
from hypothesis import given, settings

from promise_formats import DUCKDB, SQLITE, json_value, kind_in, number, sql_name, sqlite_value
from promise_models import random_condition
from rulenet import Network, bits
from rulenet.conditions import Attribute
from rulenet.exceptions import FormulaError
from rulenet.formulas import And, Concept, Decision, Not, Score, decision_from_network
from rulenet.formulas.export.decisions import DECISION_FORMATS, export_decision
from rulenet.formulas.export.decisions.json import as_data, from_data, from_json
from rulenet.formulas.export.prolog import facts
from rulenet.formulas.truth import Codes
from test_decision import several_outputs
from test_formulas_export import BY_NAME, candidates, run_onnx


def random_case(attributes, seed, labels=("red", "green", "blue", "none")):
    """A decision with shared concepts, points, and needs of all signs; with its network."""
    rng = np.random.default_rng(seed)
    conditions = list(dict.fromkeys(random_condition(a, rng) for a in attributes for _ in range(3)))
    first = np.array([rng.permutation(len(conditions)) < rng.integers(1, 4) for _ in range(7)])
    second = np.array([rng.permutation(7) < rng.integers(1, 4) for _ in range(6)])
    second = np.vstack([second, second[:2], np.zeros((1, 7), bool)])  # two units twice, one without inputs
    third = np.eye(9, dtype=bool)
    third[8, 8] = False  # an AND that always holds
    last = rng.random((len(labels), 9)) < 0.5
    needs = [rng.integers(1, 3, 7), rng.integers(1, 3, 9), np.ones(9, int), rng.integers(1, 4, len(labels))]
    needs[1][6:8] = needs[1][:2]
    network = Network([first, second, third, last], "and", needs)
    shuffled = [labels[k] for k in rng.permutation(len(labels))]
    return decision_from_network(network, conditions, shuffled, attributes=attributes), network, conditions


def rows_for(attributes, n=150, seed=0):
    rng = np.random.default_rng(seed)
    choices = {a.name: candidates(a) for a in attributes}

    def random_row():
        return {name: found[rng.integers(len(found))] for name, found in choices.items()}

    swept = [random_row() | {name: value} for name, found in choices.items() for value in found]
    return swept + [random_row() for _ in range(n)]


def answers(case, rows):
    """The labels and margins, by the decision and by the network."""
    decision, network, conditions = case
    codes = [[a.cell_of(number(row.get(a.name))) for a in decision.attributes] for row in rows]
    coded = Codes(decision.attributes, np.array(codes, dtype=np.int64))
    margins = network.margins(bits.pack(np.array([coded.truth(x).true for x in conditions])), len(rows))
    assert np.array_equal(decision.margins(coded), margins)
    labels = decision.decide(coded).tolist()
    assert labels == [decision.labels[k] for k in margins.argmax(axis=1)]
    return labels, margins.tolist()


def run_python(decision, rows, _):
    scope = {}
    exec(export_decision(decision, "python"), scope)
    found = [list(scope["predict_margins"](row).values()) for row in rows]
    return [scope["predict"](row) for row in rows], found


def run_node(decision, rows, _):
    if shutil.which("node") is None:
        pytest.skip("Node is not installed: apt-get install nodejs")
    data = json.dumps([{name: json_value(value) for name, value in row.items()} for row in rows])
    source = f"""'use strict';
        {export_decision(decision, "javascript")}
        const rows = JSON.parse(require("fs").readFileSync(0, "utf8"));
        const margins = rows.map((row) => predictMargins(row).map((pair) => pair[1]));
        console.log(JSON.stringify([rows.map((row) => predict(row)), margins]));"""
    command = ["node", "-e", source]
    done = subprocess.run(command, input=data, capture_output=True, text=True, timeout=60, encoding="utf-8")
    assert done.stderr == ""
    return tuple(json.loads(done.stdout))


def run_prolog(decision, rows, directory):
    if shutil.which("swipl") is None:
        pytest.skip("SWI-Prolog is not installed: apt-get install swi-prolog-nox")
    program = directory / "rules.pl"
    source = export_decision(decision, "prolog", executable=True)
    query = (
        f"forall(between(0, {len(rows) - 1}, Row), (decides(Row, Label), print(Label), nl,"
        "findall(M, margin(Row, _, M), Ms), print(Ms), nl))"
    )
    program.write_text(f"{source}\n{facts(rows)}\n:- {query}.\n", encoding="utf-8")
    done = subprocess.run(["swipl", "-q", "-g", "halt", program], capture_output=True, text=True, timeout=60)
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    return [json.loads(line) for line in lines[::2]], [json.loads(line) for line in lines[1::2]]


def fetch(connection, decision, dialect):
    """Labels and margins of a query that adds columns for both; the expression is run in test_promise."""
    query = export_decision(decision, "sql", style="select", dialect=dialect)
    columns = [name for name, *_ in connection.execute(f"SELECT * FROM ({query}) AS answers LIMIT 0").description]
    added = ", ".join(map(sql_name, columns[-1 - len(decision.outputs) :]))
    found = connection.execute(f'SELECT {added} FROM ({query}) AS answers ORDER BY "row id"').fetchall()
    return [row[-1] for row in found], [list(row[:-1]) for row in found]


def fill(connection, decision, kinds, data):
    columns = ", ".join(f"{sql_name(a.name)} {kind_in(kinds, a)}" for a in decision.attributes)
    connection.execute(f'CREATE TABLE data ("row id" INTEGER, {columns})')
    marks = ", ".join("?" * (len(decision.attributes) + 1))
    connection.executemany(f"INSERT INTO data VALUES ({marks})", [(i, *row) for i, row in enumerate(data)])


def run_sqlite(decision, rows, _):
    with closing(sqlite3.connect(":memory:")) as connection:
        fill(connection, decision, SQLITE, [[sqlite_value(row[a.name]) for a in decision.attributes] for row in rows])
        return fetch(connection, decision, "sqlite")


def run_duckdb(decision, rows, _):
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed: pip install duckdb")
    with duckdb.connect() as connection:
        fill(connection, decision, DUCKDB, [[row[a.name] for a in decision.attributes] for row in rows])
        return fetch(connection, decision, "ansi")


def run_onnx_decision(decision, rows, _):
    found = run_onnx(export_decision(decision, "onnx"), decision.attributes, rows)
    return found["label"], found["margins"]


EXECUTABLE = {
    "onnx": run_onnx_decision,
    "python": run_python,
    "javascript": run_node,
    "prolog": run_prolog,
    "sqlite": run_sqlite,
    "duckdb": run_duckdb,
}


@pytest.mark.parametrize("language", EXECUTABLE)
def test_what_runs_counts_the_margins_of_the_network(language, tmp_path):
    attributes = tuple(BY_NAME[name] for name in ("colour", "lit", "age", "at", "took"))
    rows = rows_for(attributes, 60)
    case = random_case(attributes, 2)
    labels, margins = EXECUTABLE[language](case[0], rows, tmp_path)
    expected, sums = answers(case, rows)
    assert labels == expected
    assert margins == sums
    assert len(set(expected)) > 1


@given(several_outputs())
@settings(max_examples=25)
def test_json_gives_the_same_decision_back_and_people_can_read_the_rest(case):
    decision = decision_from_network(*case)
    assert from_json(export_decision(decision, "json")) == decision
    for name, format in DECISION_FORMATS.items():
        text = export_decision(decision, name)
        assert format.about
        if not format.runs and name not in ("json", "latex"):
            assert all(decision.name(label) in text for label in decision.labels)


A, B, C = (Attribute(n, ("no", "yes")).equal("yes") for n in "abc")
ATTRIBUTES = tuple(x.attribute for x in (A, B, C))
MIXED = Decision(
    (
        Score("x", 2, ((2, Concept("c1")), (1, Not(C)))),
        Score("y", -1, ((1, Concept("c1")), (1, And((B, C))))),
        Score("z", 3),
    ),
    {"c1": And((A, B))},
    ATTRIBUTES,
    "kind",
)


def test_text_reads_a_block_a_class_and_names_shared_concepts_once():
    assert str(MIXED) == "\n".join(
        [
            "kind is what exceeds its need by most, or else lacks least; of equals the first",
            "kind = x needs 2 points of",
            "    2 if c1",
            "    1 if not c = yes",
            "kind = y is 1 ahead, and more by",
            "    c1",
            "    b = yes and c = yes",
            "kind = z is always 3 behind",
            "where c1 means a = yes and b = yes",
        ]
    )


def test_onnx_gives_classes_in_any_order_and_refuses_others():
    rows = [{"a": "yes", "b": "yes", "c": "no"}, {"a": None, "b": "no", "c": "yes"}]
    found = run_onnx(export_decision(MIXED, "onnx"), ATTRIBUTES, rows)
    turned = run_onnx(export_decision(MIXED, "onnx", classes=["z", "y", "x"]), ATTRIBUTES, rows)
    assert turned["label"] == found["label"]
    assert turned["margins"] == [row[::-1] for row in found["margins"]]
    with pytest.raises(FormulaError, match="but the classes of the decision are"):
        export_decision(MIXED, "onnx", classes=["x", "y"])


def test_negated_parts_run_as_they_are_decided(tmp_path):
    rows = [{"a": a, "b": b, "c": c} for a in ("no", "yes", None) for b in ("no", "yes") for c in ("no", "yes", None)]
    coded = Codes(ATTRIBUTES, np.array([[x.cell_of(row[x.name]) for x in ATTRIBUTES] for row in rows]))
    for run in EXECUTABLE.values():
        assert run(MIXED, rows, tmp_path)[0] == MIXED.decide(coded).tolist()


def test_dot_is_read_by_graphviz():
    if shutil.which("dot") is None:
        pytest.skip("Graphviz is not installed: apt-get install graphviz")
    done = subprocess.run(
        ["dot", "-Tsvg"], input=export_decision(MIXED, "dot").encode(), capture_output=True, timeout=60
    )
    assert done.returncode == 0, done.stderr


def test_data_that_are_no_decision_are_refused():
    data = as_data(MIXED)
    assert from_data(data) == MIXED
    for broken in (
        None,
        data | {"kind": "formula"},
        data | {"version": 1},
        data | {"outputs": {}},
        data | {"outputs": [{"label": "x", "need": 1.5, "parts": []}]},
        data | {"outputs": [{"label": "x", "need": 1, "parts": [{"points": True, "means": True}]}]},
        data | {"outputs": [{"label": ["x"], "need": 1, "parts": []}]},
        data | {"outputs": []},
        data | {"concepts": []},
    ):
        with pytest.raises(FormulaError):
            from_data(broken)
    with pytest.raises(FormulaError, match="not JSON"):
        from_json("{")


def test_formats_and_options_that_are_not_there_are_named():
    with pytest.raises(FormulaError, match="must be one of text, prolog"):
        export_decision(MIXED, "fortran")
    with pytest.raises(FormulaError, match=r"export decision.formula\(label\) instead"):
        export_decision(MIXED, "dnf")
    with pytest.raises(FormulaError, match="sql has no option 'stile'; its options are style, dialect, table"):
        export_decision(MIXED, "sql", stile="where")
    with pytest.raises(FormulaError, match="style is 'where', but must be one of case, select"):
        export_decision(MIXED, "sql", style="where")
