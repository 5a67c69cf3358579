"""The command for several classes and for several columns to predict."""

import json

import numpy as np
import pandas as pd
import pytest

from rulenet import RuleNetworkClassifier
from rulenet.cli.confusion import shown
from rulenet.experiments.confusion import Confusion, count_pairs
from test_cli import run

QUICK = ("--search", "count", "--seconds", "0.2")
BOTH = ("--target", "colour", "--target", "heavy")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("classes")
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"shape": rng.choice(["disc", "ring", "star"], 150), "weight": rng.integers(0, 9, 150)})
    X["colour"] = np.where(X["shape"] == "disc", "red", np.where(X["weight"] > 4, "grey", "white"))
    X["heavy"] = (X["weight"] > 5).astype(int)
    X.to_csv(path / "things.csv", index=False)
    run("fit", path / "things.csv", *BOTH, "-o", path / "both.json", *QUICK)
    return path


def test_evaluate_tells_of_every_class_and_what_is_taken_for_what(folder):
    arguments = ("evaluate", folder / "things.csv", "-t", "colour", "--folds", 2, "--peers", "CART", *QUICK)
    learners, classes, matrix = (block.splitlines() for block in run(*arguments).split("\n\n"))
    assert [line.split("\t")[0] for line in learners] == ["learner", "rulenet", "CART"]
    assert classes[0].split("\t") == ["class", "rows", "predicted", "precision", "recall", "f1"]
    assert [line.split("\t")[0] for line in matrix] == ["actual \\ predicted", "grey", "red", "white"]
    for record in json.loads(run(*arguments, "--json")):
        counts = np.array(record["confusion"]["counts"])
        assert record["confusion"]["labels"] == [one["class"] for one in record["classes"]] == ["grey", "red", "white"]
        assert counts.sum() == 150
        assert np.trace(counts) / 150 == pytest.approx(record["accuracy"], abs=0.01)
        assert [one["rows"] for one in record["classes"]] == counts.sum(axis=1).tolist()
        assert [one["recall"] for one in record["classes"]] == pytest.approx(np.diagonal(counts) / counts.sum(axis=1))


def test_classes_of_a_few_rows_are_evaluated_beside_others_but_not_alone(tmp_path):
    table = pd.DataFrame({"x": range(40), "three": ["a"] * 20 + ["b"] * 19 + ["c"], "two": ["a"] * 38 + ["b"] * 2})
    table.to_csv(tmp_path / "few.csv", index=False)
    arguments = ("evaluate", tmp_path / "few.csv", "--folds", 3, "--peers", "CART", "--json", *QUICK)
    ours, tree = json.loads(run(*arguments, "-t", "three", "--drop", "two"))
    assert [one["rows"] for one in ours["classes"]] == [one["rows"] for one in tree["classes"]] == [20, 19, 1]
    told = run(*arguments, "-t", "two", "--drop", "three", ok=False)
    assert "a class has 2 rows only, too few for 3 folds; use --folds 2" in told


@pytest.mark.parametrize(
    ("n_classes", "width", "fits"), [(3, 80, True), (10, 80, True), (26, 140, True), (26, 80, False)]
)
def test_every_line_fits_the_terminal(n_classes, width, fits):
    rng = np.random.default_rng(0)
    names = [f"class-{chr(97 + k)}" for k in range(n_classes)]
    actual = rng.choice(names, 2000)
    found = Confusion.of(count_pairs(actual, np.where(rng.random(2000) < 0.7, actual, rng.choice(names, 2000))))
    text = shown(found, width)
    assert max(map(len, text.splitlines())) <= width
    assert ("actual \\ predicted" in text) == fits
    assert ("--json has the whole matrix" in text) != fits
    cells = [line.split()[-n_classes:] for line in text.splitlines()[-n_classes:]]
    if fits:
        assert [[0 if x == "." else int(x) for x in row] for row in cells] == found.counts.tolist()


def test_numbers_stand_in_their_order_and_a_class_never_given_has_no_precision():
    found = Confusion.of([("10", "9", 2), ("9", "9", 1)])
    assert found.labels == ("9", "10")
    assert np.isnan(found.classes()["precision"]["10"])
    assert found.classes()["f1"].tolist() == [pytest.approx(0.5), 0.0]


def test_several_columns_are_learned_predicted_shown_and_evaluated(folder):
    data, model = folder / "things.csv", folder / "both.json"
    loaded = RuleNetworkClassifier.load(model)
    assert loaded.fitted_.columns == ["colour", "heavy"]
    X = pd.read_csv(data)
    run("predict", model, data, "-o", folder / "out.csv", "--proba")
    out = pd.read_csv(folder / "out.csv")
    assert (out[["prediction_colour", "prediction_heavy"]].to_numpy() == loaded.predict(X[["shape", "weight"]])).all()
    assert (out["prediction_heavy"] == X["heavy"]).mean() > 0.9
    header = run("predict", model, data, "--target", "heavy").splitlines()[0]
    assert header.endswith(",prediction_heavy")
    assert "prediction_colour" not in header
    assert run("show", model) == f"{loaded.formula_}\n"
    assert run("show", model, "--target", "heavy", "--as", "sql") == loaded.target("heavy").export("sql") + "\n"
    assert run("show", model, "--target", "heavy").startswith("heavy if")
    found = json.loads(run("evaluate", data, *BOTH, "--folds", 2, "--peers", "CART", "--json", *QUICK))
    assert [one["learner"] for one in found] == ["rulenet", "CART"]
    for one in found:
        assert one["all_right"] <= min(told["accuracy"] for told in one["targets"].values())
        assert one["targets"]["heavy"]["confusion"]["labels"] == ["0", "1"]
    text = run("evaluate", data, *BOTH, "--folds", 2, "--peers", "none", *QUICK)
    assert text.splitlines()[0].split("\t") == ["learner", "all right", "colour", "heavy", "size", "seconds"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fit", "things.csv", "-t", "colour", "-t", "colour"], "'colour' is to be predicted twice"),
        (["fit", "things.csv", "-t", "colour", "-t", "hevy"], "no column is called 'hevy'; did you mean 'heavy'?"),
        (["fit", "things.csv", "-t", "colour", "-t", "heavy", "--positive", "red"], "but --target names several"),
        (["fit", "things.csv", "-t", "colour", "-t", "heavy", "--class-weight", "red=2"], "it is balanced"),
        (["fit", "things.csv", "-t", "colour", "-t", "heavy", "--drop", "heavy"], "--drop names 'heavy'"),
        (["show", "both.json", "-t", "size"], "target is 'size', but the targets are"),
    ],
)
def test_errors_are_one_line_with_the_remedy(folder, arguments, message):
    assert message in run(*[folder / a if a.endswith((".csv", ".json")) else a for a in arguments], ok=False)
