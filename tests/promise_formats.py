"""What runs exports: the upper side of the table in test_promise. Each starts its program once for all models."""

import json
import math
import os
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rulenet import RuleNetworkClassifier
from rulenet.conditions import Attribute
from rulenet.formulas.export.onnx_graph import NO_TIME, missing_name, missing_text, tensor_kind
from rulenet.formulas.export.prolog import atom, facts, term
from rulenet.kinds import EPOCH
from spreadsheet import Given, calculated


@dataclass(frozen=True)
class Job:
    """A model as it is written in one way, and the rows that it is asked about."""

    model: RuleNetworkClassifier
    source: Any
    rows: list[dict[str, Any]]
    style: str = ""

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        return self.model.encoding_.attributes

    @property
    def targets(self) -> list[str] | None:
        """The names of the columns to predict, where there are several."""
        return getattr(self.model.fitted_, "columns", None)


@dataclass(frozen=True)
class Way:
    """A way to write a model: the format, its options, and whether it takes several targets and several classes."""

    format: str
    options: dict[str, Any] = field(default_factory=dict)
    several_targets: bool = False
    several_classes: bool = True

    def write(self, model: RuleNetworkClassifier) -> Any:
        return model.export(self.format, **self.options)


@dataclass(frozen=True)
class Program:
    """What runs exports, written in some ways; its cells may not hold all that others hold."""

    run: Callable[[list[Job], Path], list[list[Any]]]
    ways: dict[str, Way]
    coarse: bool = False
    holds: Callable[[Any], bool] = lambda _: True


def program(name: str, package: str) -> str:
    """Where a program is; where there is none the test is skipped, but not in CI."""
    if found := shutil.which(name):
        return found
    reason = f"{name} is not installed: apt-get install {package}"
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


def output_of(command: list[Any], text: str | None = None) -> str:
    """What a program prints; it must not complain."""
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=300, encoding="utf-8")
    assert done.stderr == "", done.stderr[:4000]
    assert done.returncode == 0
    return done.stdout


def run_python(jobs: list[Job], _: Path) -> list[list[Any]]:
    found = []
    for job in jobs:
        scope: dict[str, Any] = {}
        exec(job.source, scope)
        answers = [scope["predict"](row) for row in job.rows]
        found.append([[x[c] for c in job.targets] for x in answers] if job.targets else answers)
    return found


def json_value(value: Any) -> Any:
    """A cell as people hand it to JavaScript: dates as ISO text, durations as seconds."""
    if isinstance(value, float) and math.isinf(value):
        return "inf" if value > 0 else "-Infinity"
    if isinstance(value, datetime):
        return value.isoformat() if value.microsecond % 3 else value.isoformat(" ", timespec="microseconds")
    return value.total_seconds() if isinstance(value, timedelta) else value


NODE = """'use strict';
const jobs = JSON.parse(require("fs").readFileSync(0, "utf8"));
console.log(JSON.stringify(jobs.map(({ source, rows, targets }) => {
  const predict = new Function(`'use strict'; ${source}; return predict;`)();
  const one = (row) => (targets ? targets.map((column) => predict(row)[column]) : predict(row));
  return rows.map(one);
})));
"""


def run_node(jobs: list[Job], _: Path) -> list[list[Any]]:
    given = [
        {
            "source": job.source,
            "rows": [{name: json_value(value) for name, value in row.items()} for row in job.rows],
            "targets": job.targets,
        }
        for job in jobs
    ]
    return json.loads(output_of([program("node", "nodejs"), "-e", NODE], json.dumps(given)))


PROLOG = """
show(Label) :- string(Label), !, string_codes(Label, Codes), print(Codes), nl.
show(Label) :- print(Label), nl.
answer(Module, Row, Label) :- current_predicate(Module:decides/2), !, Module:decides(Row, Label).
answer(Module, Row, Label) :- Module:names(Target, Yes, No), (Module:holds(Target, Row) -> Label = Yes ; Label = No).
answers(Module, Last) :- forall(between(0, Last, Row), (once(answer(Module, Row, Label)) -> show(Label) ; show(none))).
"""


def run_prolog(jobs: list[Job], folder: Path) -> list[list[Any]]:
    lines = [PROLOG]
    for k, job in enumerate(jobs):
        names = ""
        if len(job.model.classes_) == 2:
            no, yes = job.model.fitted_.labels
            names = f"names({atom(job.model.formula_.target)}, {term(yes)}, {term(no)})."
        (folder / f"p{k}.pl").write_text("\n".join([job.source, facts(job.rows), names, ""]), encoding="utf-8")
        lines.append(
            f":- load_files(p{k}:'{folder / f'p{k}.pl'}', [silent(true)]), answers(p{k}, {len(job.rows) - 1})."
        )
    (folder / "all.pl").write_text("\n".join([*lines, ""]), encoding="utf-8")
    said = iter(output_of([program("swipl", "swi-prolog-nox"), "-q", "-g", "halt", folder / "all.pl"]).splitlines())
    return [[_prolog_label(next(said)) for _ in job.rows] for job in jobs]


def _prolog_label(text: str) -> Any:
    found = json.loads(text)
    return "".join(map(chr, found)) if isinstance(found, list) else found


def number(value: Any) -> Any:
    """A value as attributes count it: numbers, microseconds."""
    if isinstance(value, datetime):
        plain = value.astimezone(UTC).replace(tzinfo=None) if value.tzinfo else value
        return (plain - EPOCH) // timedelta(microseconds=1)
    return value // timedelta(microseconds=1) if isinstance(value, timedelta) else value


def onnx_column(attribute: Attribute, values: list[Any]) -> np.ndarray:
    """A column as a model is fed with it, by the description of its input."""
    kind = tensor_kind(attribute)
    if kind == "text":
        return np.array([missing_text(attribute) if v is None else v for v in values], dtype=object)
    if kind == "number":
        return np.array([math.nan if v is None else v for v in values], dtype=np.float64)
    return np.array([NO_TIME if v is None else number(v) for v in values], dtype=np.int64)


def onnx_inputs(session: Any, attributes: tuple[Attribute, ...], rows: list[dict[str, Any]]) -> dict[str, np.ndarray]:
    """What a model is fed with: columns, and where it asks for it whether text is missing."""
    by_name = {a.name: a for a in attributes}
    asked = {missing_name(a, by_name): a for a in attributes}
    found = {}
    for x in session.get_inputs():
        if x.type == "tensor(bool)":
            found[x.name] = np.array([row[asked[x.name].name] is None for row in rows])
        else:
            found[x.name] = onnx_column(by_name[x.name], [row[x.name] for row in rows])
    return found


def run_onnx(jobs: list[Job], _: Path) -> list[list[Any]]:
    runtime = pytest.importorskip("onnxruntime", reason="ONNX Runtime is not installed: pip install onnxruntime")
    found = []
    for job in jobs:
        session = runtime.InferenceSession(job.source)
        label = session.run(None, onnx_inputs(session, job.attributes, job.rows))[0]
        found.append(label.tolist())
    return found


def run_excel(jobs: list[Job], folder: Path) -> list[list[Any]]:
    sheets = [Given([a.name for a in job.attributes], job.rows, job.source) for job in jobs]
    return calculated(sheets, folder)


SQLITE = {str: "TEXT", bool: "BOOLEAN", int: "INTEGER", float: "REAL", "numeric": "REAL", "duration": "REAL"}
SQLITE |= {"date": "TEXT", "instant": "TEXT"}
DUCKDB = {str: "VARCHAR", bool: "BOOLEAN", int: "DOUBLE", float: "DOUBLE", "numeric": "DOUBLE"}
DUCKDB |= {"date": "TIMESTAMP", "instant": "TIMESTAMP WITH TIME ZONE", "duration": "INTERVAL"}
POSTGRESQL = DUCKDB | {str: "TEXT", int: "FLOAT8", float: "FLOAT8", "numeric": "FLOAT8"}


def sql_name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def kind_in(names: dict[Any, str], attribute: Attribute) -> str:
    """The type of a column in a database."""
    kind = attribute.kind if attribute.measured else type(attribute.values[0])
    return "BIGINT" if kind is int and max(map(abs, attribute.values)) > 2**53 else names[kind]


def declared(job: Job, names: dict[Any, str]) -> str:
    columns = [f"{sql_name(a.name)} {kind_in(names, a)}" for a in job.attributes]
    return ", ".join(['"row id" INTEGER', *columns])


def sql_query(job: Job) -> str:
    """A query that gives all that the export says of every row last."""
    if job.style == "case":
        return f'SELECT {job.source} FROM data ORDER BY "row id"'
    if job.style == "where":
        return f'SELECT CASE WHEN {job.source} THEN 1 ELSE 0 END FROM data ORDER BY "row id"'
    return f'SELECT * FROM ({job.source}) AS answers ORDER BY "row id"'


def sql_answers(job: Job, rows: list[Any]) -> list[Any]:
    assert len(rows) == len(job.rows)
    if job.style == "where":
        no, yes = job.model.fitted_.labels
        return [yes if row[-1] else no for row in rows]
    return [[*row[-len(job.targets) :]] if job.targets else row[-1] for row in rows]


def fetched(connection: Any, job: Job) -> list[Any]:
    """What a database that was opened here answers; only the columns that are added are fetched."""
    query = sql_query(job)
    if job.style == "select":
        names = [name for name, *_ in connection.execute(f"{query} LIMIT 0").description]
        added = ", ".join(map(sql_name, names[len(job.attributes) + 1 :]))
        query = f'SELECT {added} FROM ({job.source}) AS answers ORDER BY "row id"'
    return sql_answers(job, connection.execute(query).fetchall())


def sqlite_value(value: Any) -> Any:
    """Dates as text in the forms that people have, durations in seconds."""
    if isinstance(value, timedelta):
        return value.total_seconds()
    if not isinstance(value, datetime):
        return value
    zone = ("", "Z", "+00:00")[value.microsecond % 3] if value.tzinfo else ""
    plain = value.astimezone(UTC).replace(tzinfo=None) if value.tzinfo else value
    if plain.time() == datetime.min.time() and not zone:
        return plain.date().isoformat()
    return plain.isoformat(" T"[value.second % 2]) + zone


def run_sqlite(jobs: list[Job], _: Path) -> list[list[Any]]:
    found = []
    for job in jobs:
        with closing(sqlite3.connect(":memory:")) as connection:
            connection.execute(f"CREATE TABLE data ({declared(job, SQLITE)})")
            marks = ", ".join("?" * (len(job.attributes) + 1))
            data = [(i, *(sqlite_value(row[a.name]) for a in job.attributes)) for i, row in enumerate(job.rows)]
            connection.executemany(f"INSERT INTO data VALUES ({marks})", data)
            found.append(fetched(connection, job))
    return found


def run_duckdb(jobs: list[Job], _: Path) -> list[list[Any]]:
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed: pip install duckdb")
    found = []
    with duckdb.connect() as connection:
        for job in jobs:
            connection.execute(f"CREATE OR REPLACE TABLE data ({declared(job, DUCKDB)})")
            row = f"({', '.join('?' * (len(job.attributes) + 1))})"
            data = [x for i, r in enumerate(job.rows) for x in (i, *(r[a.name] for a in job.attributes))]
            connection.execute(f"INSERT INTO data VALUES {', '.join([row] * len(job.rows))}", data)
            found.append(fetched(connection, job))
    return found


def run_postgresql(jobs: list[Job], _: Path) -> list[list[Any]]:
    lines = []
    for job in jobs:
        rows = ", ".join(
            f"({', '.join([str(i), *(_literal(row[a.name]) for a in job.attributes)])})"
            for i, row in enumerate(job.rows)
        )
        lines += [f"CREATE TEMPORARY TABLE data ({declared(job, POSTGRESQL)});", f"INSERT INTO data VALUES {rows};"]
        lines += [f"SELECT json_agg(row_to_json(x)) FROM ({sql_query(job)}) AS x;", "DROP TABLE data;"]
    with postgresql() as ask:
        said = ask("\n".join(lines)).strip("\n").split("\n")
    return [sql_answers(job, _values(text)) for job, text in zip(jobs, said, strict=True)]


def _values(text: str) -> list[list[Any]]:
    """The values of JSON objects, in order; names may be there twice."""
    return json.loads(text, object_pairs_hook=lambda pairs: [value for _, value in pairs])


def _literal(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return "NULL" if value is None else str(value).upper()
    if isinstance(value, timedelta):
        return f"INTERVAL '{value.days} days {value.seconds} seconds {value.microseconds} microseconds'"
    text = value.isoformat() if isinstance(value, datetime) else str(value)
    return "'" + text.replace("'", "''") + "'"


@contextmanager
def postgresql() -> Iterator[Callable[[str], str]]:
    """A server of its own in a folder of its own, which takes no connection from elsewhere; it never runs as root."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb")) or [Path(program("initdb", "postgresql"))]
    tools, owner = found[-1].parent, {"user": "postgres", "group": "postgres"} if os.getuid() == 0 else {}
    with tempfile.TemporaryDirectory(prefix="rulenet-") as name:
        folder = Path(name)
        if owner:
            shutil.chown(folder, **owner)

        def call(tool: str, *arguments: str, text: str | None = None) -> str:
            command = [tools / tool, *arguments]
            done = subprocess.run(
                command,
                input=text,
                capture_output=True,
                encoding="utf-8",
                cwd=folder,
                timeout=120,
                check=False,
                **owner,
            )
            assert done.returncode == 0, done.stderr[:4000]
            return done.stdout

        call("initdb", "-D", "data", "-U", "rules", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        settings = f"-c listen_addresses= -c fsync=off -c unix_socket_directories={folder}"
        call("pg_ctl", "-D", "data", "-w", "-l", "log", "-o", settings, "start")
        try:
            connect = ("-h", name, "-U", "rules", "-d", "postgres", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1")
            yield lambda script: call("psql", *connect, "-f", "-", text=script)
        finally:
            call("pg_ctl", "-D", "data", "-m", "immediate", "-w", "stop")


def without(*characters: str) -> Callable[[Any], bool]:
    """Whether a value is none that has one of some characters, which a format's cells cannot hold."""
    return lambda value: not (isinstance(value, str) and any(c in value for c in characters))


def sql(dialect: str) -> dict[str, Way]:
    """The three styles of SQL; only one of two classes is said by a bare condition."""
    return {
        style: Way("sql", {"dialect": dialect, "style": style}, style != "where", style != "where")
        for style in ("case", "where", "select")
    }


PROGRAMS = {
    "python": Program(run_python, {"": Way("python", several_targets=True)}),
    "javascript": Program(
        run_node,
        {
            "rules": Way("javascript", several_targets=True),
            "network": Way("javascript", {"network": True}),  # with the code of pages
        },
    ),
    "prolog": Program(run_prolog, {"": Way("prolog", {"executable": True})}),
    "onnx": Program(run_onnx, {"": Way("onnx")}),
    "excel": Program(
        run_excel,
        {style: Way("excel", {"style": style}) for style in ("formula", "cells")},
        coarse=True,
        holds=without("\r"),
    ),
    "sqlite": Program(run_sqlite, sql("sqlite")),
    "duckdb": Program(run_duckdb, sql("ansi")),
    "postgresql": Program(run_postgresql, sql("postgresql")),
}
