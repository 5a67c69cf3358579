"""The command, run as a process."""

import gzip
import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from rulenet import Anneal, Auto, Count, OneVsRestInit, ParameterError, RuleNetworkClassifier
from rulenet.cli import app
from rulenet.cli.options import Learning

RULENET = [sys.executable, "-m", "rulenet"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "NO_COLOR": "1"}


def run(*arguments, given=None, ok=True):
    """Standard output of the command; with ``ok=False`` its standard error, which must be one line."""
    done = CliRunner().invoke(app, [*map(str, arguments)], input=given)
    if ok:
        assert done.exit_code == 0, (done.stderr, done.exception)
        return done.stdout
    assert done.exit_code == 1
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1, done.stderr
    return done.stderr


def start(*arguments, **options):
    """The command as a process of its own."""
    return subprocess.run(
        [*RULENET, *map(str, arguments)], capture_output=True, text=True, env=ENVIRONMENT, timeout=300, **options
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a table and the model learned from it."""
    path = tmp_path_factory.mktemp("cli")
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {"the sky": rng.choice(["sun", "rain", "snow", "?"], 200), "wind": rng.choice(["no", "yes"], 200)}
    )
    go = (table["the sky"] == "sun") | (table["the sky"] == "snow") & (table["wind"] == "no")
    table["walk"] = np.where(go, "go", "stay")
    table.to_csv(path / "walks.csv", index=False)
    run("fit", path / "walks.csv", "--target", "walk", "-o", path / "walks.json", "--layers", "8,2", "--positive", "go")
    return path


def test_fit_writes_a_model_that_the_library_loads(folder):
    model = RuleNetworkClassifier.load(folder / "walks.json")
    assert model.formula_.target == "walk = go"
    assert model.hidden_layer_sizes == (8, 2)


def test_predict_adds_a_column(folder):
    rows = pd.read_csv(folder / "walks.csv", dtype=str, keep_default_na=False)
    run("predict", folder / "walks.json", folder / "walks.csv", "--proba", "-o", folder / "out.csv")
    out = pd.read_csv(folder / "out.csv", dtype=str, keep_default_na=False)
    assert (out["prediction"] == rows["walk"]).mean() > 0.85
    shares = out[["probability_go", "probability_stay"]].astype(float)
    assert np.allclose(shares.sum(axis=1), 1)
    assert (shares.idxmax(axis=1) == "probability_" + out["prediction"]).all()
    assert "name the predictions with --name" in run("predict", folder / "walks.json", folder / "out.csv", ok=False)


def test_columns_that_the_model_does_not_read_need_not_be_there(tmp_path):
    table = pd.DataFrame({"a": ["x", "y"] * 30, "b": ["p", "q", "r"] * 20, "c": ["yes", "no"] * 30})
    table.to_csv(tmp_path / "t.csv", index=False)
    run("fit", tmp_path / "t.csv", "-t", "c", "-o", tmp_path / "m.json", "--seconds", 1, "--forbid", "b")
    table[["a"]].to_csv(tmp_path / "a.csv", index=False)
    out = run("predict", tmp_path / "m.json", tmp_path / "a.csv").splitlines()
    assert out[:3] == ["a,prediction", "x,yes", "y,no"]


def test_pipes_carry_tables_and_models(folder):
    text = (folder / "walks.csv").read_text()
    model = run("fit", "-", "--target", "walk", "-o", "-", "--quiet", "--layers", "4", given=text)
    (folder / "piped.json").write_text(model)
    out = run("predict", folder / "piped.json", "-", given=text).splitlines()
    assert out[0] == "the sky,wind,walk,prediction"
    assert len(out) == 201


def test_gzip_and_parquet_are_read(folder):
    table = pd.read_csv(folder / "walks.csv", dtype=str, keep_default_na=False)
    with gzip.open(folder / "walks.csv.gz", "wt") as file:
        file.write((folder / "walks.csv").read_text())
    wanted = run("predict", folder / "walks.json", folder / "walks.csv")
    assert run("predict", folder / "walks.json", folder / "walks.csv.gz") == wanted
    pytest.importorskip("pyarrow")
    table.to_parquet(folder / "walks.parquet")
    assert run("predict", folder / "walks.json", folder / "walks.parquet", "--na", "?") == wanted


def test_show_writes_sql_that_predicts_the_same(folder):
    condition = run("show", folder / "walks.json", "--as", "sql", "--form", "factored")
    table = pd.read_csv(folder / "walks.csv", dtype=str, keep_default_na=False, na_values=["", "?"])
    predicted = RuleNetworkClassifier.load(folder / "walks.json").predict(table[["the sky", "wind"]])
    with sqlite3.connect(":memory:") as connection:
        table.to_sql("walks", connection, index=False)
        found = [label for (label,) in connection.execute(f"SELECT {condition} FROM walks")]
    assert found == predicted.tolist()


def test_show_writes_onnx_and_spreadsheet_formulas(folder):
    pytest.importorskip("onnx")
    run("show", folder / "walks.json", "--as", "onnx", "-o", folder / "walks.onnx")
    assert (folder / "walks.onnx").read_bytes() == RuleNetworkClassifier.load(folder / "walks.json").export("onnx")
    assert run("show", folder / "walks.json", "--format", "excel", "--start", "C5").startswith("=IF(")
    assert run("show", folder / "walks.json", "--as", "python", "--style", "where", ok=False) == (
        "rulenet: --style is given, but --as python has no such option\n"
    )


@pytest.mark.parametrize("form", ["learned", "minimal"])
def test_show_prints_rules_in_words(folder, form):
    assert run("show", folder / "walks.json", "--form", form).startswith("walk = go if ")


def test_another_network_of_those_found_is_chosen(folder):
    listed = run("show", folder / "walks.json", "--all").splitlines()
    assert listed[0].split() == ["row", "size", "accuracy", "validation", "chosen"]
    assert sum(line.endswith("*") for line in listed) == 1
    model = RuleNetworkClassifier.load(folder / "walks.json").choose(0)
    assert run("show", folder / "walks.json", "--choose", 0) == model.export("text") + "\n"
    assert "--choose is 99, but the rows are 0 to" in run("show", folder / "walks.json", "--choose", 99, ok=False)


def test_rules_are_as_short_as_asked(folder, tmp_path):
    asked = ("--target", "walk", "--max-size", 2, "--seconds", 1, "-o", tmp_path / "m.json")
    run("fit", folder / "walks.csv", *asked)
    assert RuleNetworkClassifier.load(tmp_path / "m.json").size_ <= 2


def test_explain_gives_the_reason_of_a_row(folder):
    assert "because" in run("explain", folder / "walks.json", folder / "walks.csv", "--row", "0")
    message = run("explain", folder / "walks.json", folder / "walks.csv", "--row", "200", ok=False)
    assert message == "rulenet: row is 200, but the table has rows 0 to 199\n"


def test_pictures_are_written(folder):
    run("picture", folder / "walks.json", "-o", folder / "net.svg", "--colours", "safe")
    assert "<svg" in (folder / "net.svg").read_text()
    assert " rows, " not in (folder / "net.svg").read_text()
    run("picture", folder / "walks.json", "-o", folder / "net.svg", "--data", folder / "walks.csv", "--target", "walk")
    assert " rows, " in (folder / "net.svg").read_text()
    message = run("picture", folder / "walks.json", "-o", folder / "net.txt", ok=False)
    assert "pictures end in .svg, .png, .pdf" in message


def test_evaluate_compares_with_cart(folder):
    out = run("evaluate", folder / "walks.csv", "--target", "walk", "--folds", "3", "--layers", "4")
    learners = out.split("\n\n")[0].splitlines()
    assert [line.split("\t")[0] for line in learners] == [
        "learner",
        "rulenet",
        "CART",
        "forest",
        "boosting",
    ]


def test_evaluate_tells_what_failed_and_speaks_json(folder):
    arguments = ("evaluate", folder / "walks.csv", "-t", "walk", "--folds", "2", "--seconds", "0.5", "--json")
    ours, tree = json.loads(run(*arguments, "--peers", "cart"))
    assert (ours["learner"], tree["learner"]) == ("rulenet", "cart")
    assert ours["errors"] == tree["errors"] == []
    assert {"accuracy", "balanced_accuracy", "auc", "log_loss", "size", "seconds"} <= set(ours)
    assert "no peer is called 'luck'" in run(*arguments, "--peers", "luck", ok=False)


def test_trees_get_numbers_as_numbers(tmp_path):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.random(300).round(6), "n": rng.choice(list("abc"), 300)})
    X.assign(y=np.where(X["x"] > 0.4, "high", "low")).to_csv(tmp_path / "t.csv", index=False)
    out = run(
        "evaluate", tmp_path / "t.csv", "-t", "y", "--folds", "2", "--seconds", "0.5", "--peers", "CART", "--json"
    )
    ours, tree = json.loads(out)
    assert min(ours["accuracy"], tree["accuracy"]) > 0.98
    assert max(ours["size"], tree["size"]) < 5


def test_several_classes_are_all_described_unless_one_is_named(tmp_path):
    table = pd.DataFrame({"n": range(60), "kind": ["a", "b", "b", "c"] * 15})
    table.to_csv(tmp_path / "t.csv", index=False)
    arguments = [str(a) for a in ("fit", tmp_path / "t.csv", "-t", "kind", "-o", tmp_path / "m.json", "--seconds", 0.5)]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.stderr
    assert "kind of 3 classes" in done.stderr
    assert set(RuleNetworkClassifier.load(tmp_path / "m.json").classes_) == {"a", "b", "c"}
    run(*arguments, "--positive", "b")
    assert set(RuleNetworkClassifier.load(tmp_path / "m.json").classes_) == {"b", "not b"}


@pytest.mark.parametrize(("search", "kind"), [("auto", Auto), ("anneal", Anneal), ("count", Count)])
def test_every_search_but_the_greedy_one_takes_a_limit_of_time(search, kind):
    found = Learning(search=search, seconds=0.5)._search()
    assert isinstance(found, kind)
    assert found.max_time == 0.5
    with pytest.raises(ParameterError, match="--search is greedy, which ends by itself"):
        Learning(search="greedy", seconds=0.5)._search()


def test_look_shows_types_gaps_cuts_and_warnings(tmp_path):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"age": rng.integers(18, 90, 100), "size": rng.choice(["S", "M", "?"], 100)})
    table["note"] = [f"text {i}" for i in range(100)]
    table["zip"] = rng.choice([10115, 20095], 100)
    table.assign(y=rng.choice(["no", "yes"], 100)).to_csv(tmp_path / "t.csv", index=False)
    out = run("look", tmp_path / "t.csv", "-t", "y", "--nominal", "zip", "--ordinal", "size=S,M", "--cuts", "age=30,65")
    lines = {line.split()[0]: line for line in out.splitlines()[1:]}
    assert "numeric" in lines["age"]
    assert "cuts 30, 65" in lines["age"]
    assert "ordinal" in lines["size"]
    assert "%)" in lines["size"]
    assert "nominal" in lines["zip"]
    assert "left out" in lines["note"]
    assert "class" in lines["y"]
    assert "warning: " in out


def test_look_and_fit_take_a_table_with_everything_odd(tmp_path):
    text = "größe;preis;;klasse;\n1,5;ja;x;a;\n2,25;nein;y;b;\n" + "3,5;ja;;a;\n1;nein;x;b;\n" * 10
    (tmp_path / "t.csv").write_bytes(text.encode("cp1252"))
    out = run("look", tmp_path / "t.csv", "-t", "klasse")
    assert "größe     numeric" in out
    run("fit", tmp_path / "t.csv", "-t", "klasse", "-o", tmp_path / "m.json", "--seconds", 0.5, "--quiet")


HEAVY = {"numpy", "pandas", "sklearn", "scipy", "numba", "matplotlib", "joblib", "narwhals", "rich", "pygments"}


def start_and_count(asked, folder=None):
    """What the command prints, its errors, and the heavy packages that it loads; it loads few modules."""
    code = f"""
import sys
from rulenet.cli import app
try:
    app({asked})
finally:
    print(len(sys.modules), *({HEAVY} & set(sys.modules)), file=sys.stderr)
"""
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, cwd=folder, check=False)
    *errors, counted = done.stderr.splitlines()
    n_modules, *loaded = counted.split()
    assert int(n_modules) < 300
    return done.stdout, errors, loaded


@pytest.mark.parametrize("asked", [["--help"], ["-h"], ["--version"], ["fit", "--help"], ["reproduce", "-h"]])
def test_help_and_version_do_not_wait_for_heavy_packages(asked):
    out, errors, loaded = start_and_count(asked)
    assert "rulenet" in out or "Usage" in out
    assert errors == loaded == []


@pytest.mark.parametrize(
    "asked",
    [
        ["look", "nowhere"],
        ["fit", "nowhere", "-t", "walk"],
        ["evaluate", "nowhere", "-t", "walk"],
        ["show", "nowhere"],
        ["predict", "nowhere", "walks.csv"],
        ["predict", "walks.json", "nowhere"],
        ["explain", "walks.json", "nowhere"],
        ["page", "walks.json", "nowhere", "-t", "walk"],
        ["page", "walks.json", "walks.csv", "-t", "walk", "--held-out", "nowhere"],
        ["picture", "walks.json", "--data", "nowhere", "-t", "walk"],
    ],
    ids=" ".join,
)
def test_a_missing_file_is_told_before_heavy_packages_are_loaded(folder, asked):
    assert start_and_count(asked, folder) == ("", ["rulenet: nowhere: No such file or directory"], [])


def test_help_shows_options_in_sections_and_examples_that_can_be_copied():
    lines = run("fit", "--help").splitlines()
    titles = [line for line in lines if line.endswith(":") and not line.startswith(" ")]
    assert titles == ["Arguments:", "Options:", "Types of columns:", "Learning:", "Reading the file:", "Examples:"]
    assert lines[-1] == "  zcat log.csv.gz | rulenet fit - --target fraud --positive yes -o fraud.json"


def test_help_names_every_command_in_a_whole_sentence():
    said = " ".join(run("--help").split())
    assert "look Show what a fit would make of a table: types as inferred, missing values, distinct ones, cuts" in said
    assert "..." not in said.partition("ARGS]...")[2]


def test_showing_a_model_does_not_wait_for_what_fits_one(folder):
    model = folder / "walks.json"
    heavy = {"pandas", "sklearn", "scipy", "numba", "matplotlib"}
    code = f"""
import sys
from rulenet.cli import app
try:
    app(["show", {str(model)!r}])
finally:
    print(*({heavy} & set(sys.modules)), file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=ENVIRONMENT, check=True)
    assert done.stdout == f"{RuleNetworkClassifier.load(model).export('text')}\n"
    assert done.stderr.split() == []


def test_a_model_that_is_only_read_may_name_every_strategy():
    from rulenet.estimator import INITS, SEARCHES
    from rulenet.loaded import STRATEGIES

    named = {strategy.__name__ for strategy in (*SEARCHES.values(), *INITS.values(), OneVsRestInit)}
    assert named == set(STRATEGIES)


def test_every_generator_has_a_name():
    from rulenet import datasets
    from rulenet.cli.data import NAMES

    assert tuple(sorted(n[5:].replace("_", "-") for n in datasets.__all__ if n.startswith("make_"))) == NAMES


def test_data_writes_a_generated_table(folder):
    out = run("data", "artificial-5").splitlines()
    assert (out[0], len(out)) == ("a,b,c,d,e,f,g,h,i,j,class", 1025)
    assert "artificial needs a number" in run("data", "artificial", ok=False)
    assert "no data set is called 'iris'" in run("data", "iris", ok=False)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fit", "nowhere.csv", "--target", "x"], "nowhere.csv: No such file or directory"),
        (["fit", "walks.csv", "--target", "x"], "no column is called 'x'; the columns are 'the sky', 'wind', 'walk'"),
        (["fit", "walks.csv", "--target", "the sky"], "is missing in row"),
        (["fit", "walks.csv", "--target", "walk", "--positive", "run"], "has no class 'run'; it has go, stay"),
        (["fit", "walks.csv", "--target", "walk", "--layers", "a,b"], "--layers is 'a,b'"),
        (["fit", "walks.csv", "--target", "wlak"], "no column is called 'wlak'; did you mean 'walk'?"),
        (["fit", "walks.csv", "--target", "Sky"], "no column is called 'Sky'; did you mean 'the sky'?"),
        (["fit", "walks.csv", "--target", "walked"], "no column is called 'walked'; did you mean 'walk'?"),
        (["fit", "walks.csv", "--target", "outcome"], "no column is called 'outcome'; the columns are 'the sky', "),
        (["fit", "walks.csv", "--target", "walk", "--drop", "Wind,sky"], "called 'Wind'; did you mean 'wind'?"),
        (["fit", "walks.csv", "--target", "walk", "--drop", "walk"], "--drop names 'walk', the column to predict"),
        (["fit", "walks.csv", "--target", "walk", "--ordinal", "wind"], "must be a column and its values"),
        (["fit", "walks.csv", "--target", "walk", "--class-weight", "run=2"], "the classes are go, stay"),
        (
            ["fit", "walks.csv", "--target", "walk", "--search", "luck"],
            "--search is 'luck', but must be one of auto, anneal, count, deep-count, greedy",
        ),
        (["fit", "walks.csv", "--target", "walk", "--decimal", "x"], "--decimal is 'x'"),
        (["fit", "empty.csv", "--target", "walk"], "empty.csv: is empty, but a line with the names"),
        (["fit", "header.csv", "--target", "b"], "header.csv: has the names of 2 columns, but no rows below them"),
        (["predict", "walks.json", "wrong.csv"], "no column is called 'the sky', but the model reads it"),
        (["show", "wrong.csv"], "wrong.csv: this is not a model file"),
    ],
)
def test_errors_are_one_line_with_file_column_and_remedy(folder, arguments, message):
    (folder / "empty.csv").write_text("")
    (folder / "wrong.csv").write_text("a,b\n1,2\n")
    (folder / "header.csv").write_text("a,b\n")
    paths = [folder / a if Path(a).suffix in (".csv", ".json") else a for a in arguments]
    found = run(*paths, ok=False)
    assert found.startswith("rulenet: ")
    assert message in found


def test_help_has_examples():
    for command in ("look", "fit", "predict", "show", "explain", "picture", "evaluate", "data"):
        assert "Example" in run(command, "--help")


def test_wrong_usage_ends_with_status_2():
    assert CliRunner().invoke(app, ["fit"]).exit_code == 2


def test_the_process_learns_and_predicts_from_pipes_in_silence(folder):
    text = (folder / "walks.csv").read_text()
    fitted = start("fit", "-", "--target", "walk", "-o", folder / "own.json", "--layers", "4", input=text)
    assert (fitted.returncode, fitted.stdout) == (0, "")
    assert len(fitted.stderr.splitlines()) == 1  # the summary; no bars where nobody watches
    predicted = start("predict", folder / "own.json", "-", input=text)
    assert (predicted.returncode, predicted.stderr) == (0, "")
    assert predicted.stdout == run("predict", folder / "own.json", folder / "walks.csv")


def test_the_process_ends_with_status_1_and_one_line():
    done = start("show", "nowhere.json")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "rulenet: nowhere.json: No such file or directory\n"


def test_a_closed_pipe_is_no_error():
    command = [*RULENET, "data", "artificial-5"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT) as process:
        process.stdout.close()
        assert b"Traceback" not in process.stderr.read()


def test_models_of_other_values_than_text_read_tables_too(tmp_path):
    X = pd.DataFrame({"flag": [True, False] * 20, "n": pd.Categorical([1, 2, 3, 4] * 10)})
    model = RuleNetworkClassifier([2], search="greedy", random_state=0).fit(X, X["flag"] & (X["n"] != 1))
    model.save(tmp_path / "m.json")
    X.to_csv(tmp_path / "x.csv", index=False)
    out = run("predict", tmp_path / "m.json", tmp_path / "x.csv").splitlines()[1:]
    assert [line.split(",")[-1] for line in out] == [str(v) for v in model.predict(X)]


def test_every_command_runs_as_a_process(folder, tmp_path):
    table, model = tmp_path / "robots.csv", tmp_path / "robots.json"
    fitting = ("--target", "class", "--seconds", "1")
    for arguments, shown in [
        (("data", "monk-1", "-o", table), ""),
        (("fit", table, *fitting, "-o", model), ""),
        (("predict", model, table), "a1,a2,a3,a4,a5,a6,class,prediction"),
        (("show", model), "class = 1 if"),
        (("explain", model, table, "--row", "3"), "class = 1: "),
        (("picture", model, "-o", tmp_path / "robots.svg"), ""),
        (("evaluate", table, *fitting, "--folds", "2"), "CART"),
    ]:
        done = start(*arguments)
        assert done.returncode == 0, done.stderr
        assert shown in done.stdout
    assert "<svg" in (tmp_path / "robots.svg").read_text()


def test_a_time_limit_is_for_annealing_only(folder):
    data = folder / "walks.csv"
    assert "--search is greedy" in run("fit", data, "--target", "walk", "--search", "greedy", "--seconds", 1, ok=False)


def test_a_terminal_shows_progress(folder):
    pty = pytest.importorskip("pty")
    screen, terminal = pty.openpty()
    command = [*RULENET, "fit", folder / "walks.csv", "--target", "walk", "-o", folder / "seen.json", "--layers", "4"]
    subprocess.run([*map(str, command)], stderr=terminal, env=ENVIRONMENT | {"TERM": "xterm"}, timeout=300, check=True)
    os.close(terminal)
    assert b"accuracy" in os.read(screen, 100_000)


def test_a_model_file_is_readable_json(folder):
    assert json.loads((folder / "walks.json").read_text())["format"] == "rulenet-model"
