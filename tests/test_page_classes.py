"""Pages of several classes, driven as people do."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from page_driver import Opened
from page_models import CASES, Case, fitted_of, labels_for
from rulenet.conditions import Attribute
from rulenet.formulas.decision import Decision, Score
from rulenet.pictures.html import as_html


def many(n_classes: int, n: int = 300) -> Case:
    random = np.random.default_rng(n_classes)
    X = pd.DataFrame(
        {f"x{i}": random.normal(size=n).round(2) for i in range(8)} | {"kind": random.choice(["u", "v"], n)}
    )
    labels = [f"class {chr(65 + i)}" for i in range(n_classes)]
    return Case(fitted_of(X, labels, (20, 12), 5, True), X, labels_for(X, labels, 5))


def test_scores_are_means_over_classes(browser, folder):
    case = CASES["classes"]()
    page = Opened(browser, folder, case)
    margins, labels = case.fitted.margins(case.X), case.fitted.classes
    areas = [roc_auc_score(case.y == labels[k], margins[:, i]) for i, k in enumerate(case.fitted.outputs)]
    assert page.run("return app.now.scores.auc") == pytest.approx(np.mean(areas))
    assert "means over classes" in page.find("#scores").text


def test_a_row_is_explained_for_several_classes(browser, folder):
    case = CASES["classes"]()
    page = Opened(browser, folder, case)
    predicted, margins = case.fitted.predict(case.X), case.fitted.margins(case.X)
    for row in (0, 7, 33):
        change = page.ask(row)["change"]
        assert page.find("#answer").text == predicted[row]
        first = page.find("#margins tbody tr")
        assert first.text.split()[:2] == [predicted[row], str(margins[row].max())]
        if change["said"] is None:
            continue
        became = page.run("return app.classes[app.asked.why.change.becomes]")
        assert became != predicted[row]
        assert page.find("#change").text.startswith(f"{became} with ")


def test_what_is_said_to_change_the_class_does_so_in_python(browser, folder):
    case = many(3)
    page = Opened(browser, folder, case)
    numbers = [name for name in case.X if name != "kind"]
    tried = 0
    for row in range(0, 30, 6):
        change = page.ask(row)["change"]
        said = change["said"] or []
        if not said or any(case.X.columns[x["column"]] not in numbers for x in said):
            continue
        changed = case.X.iloc[[row]].copy()
        for x in said:
            name = case.X.columns[x["column"]]
            low, high = re.match(r"(?:(\S+) < )?\S+ ?(?:<= (\S+)|> (\S+))?$", x["text"]), None
            if low and low[3]:
                changed[name] = float(low[3]) + 1e-6
            elif low and low[2]:
                high = float(low[2])
                changed[name] = high if low[1] is None or float(low[1]) < high else np.nan
        became = page.run("return app.classes[app.asked.why.change.becomes]")
        assert case.fitted.predict(changed)[0] == became
        tried += 1
    assert tried >= 2


def test_many_classes_are_drawn_and_coloured_one_at_a_time(browser, folder):
    page = Opened(browser, folder, many(10))
    assert len(page.all(".canvas .output")) == 1
    other = page.run("return app.state.outputs[3]")
    page.run("app.select(~arguments[0])", other)
    assert page.find(".canvas .output").get_attribute("data-ref") == str(~other)
    page.type("#shown-class", "")
    assert len(page.all(".canvas .output")) == 10
    styles = set(
        page.run("return [...document.querySelectorAll('.coverage rect')].map((r) => r.getAttribute('class'))")
    )
    assert styles <= {"track", "class-0", "class-rest"}
    page.type("#focus", "4")
    notes = "return [...document.querySelectorAll('#rules .rule-block .note')].map((x) => x.textContent.trim())"
    spoken = [text for text in page.run(notes) if text != "no rows"]
    assert spoken
    assert all(text.endswith("class E") for text in spoken)
    page.run("app.ask('rows', 5)")
    assert page.run("return app.shown") is None


def test_the_most_frequent_errors_lead_to_their_rows(browser, folder):
    case = many(10)
    page = Opened(browser, folder, case)
    assert not page.all("[data-cell]")
    cell = page.find("[data-error]").get_attribute("data-error")
    n = page.run("const [, a, g] = arguments[0].split('-'); return app.now.scores.matrix[a][g]", cell)
    page.press("[data-error]")
    assert f"{n} row" in page.find("#rows-said").text
    page.click("[data-matrix]")
    assert len(page.all("[data-cell]")) == 100
    page.run("app.drop(app.state.outputs[0], app.state.units[app.state.outputs[0]].inputs[0][0])")
    assert len(page.all("[data-cell]")) == 100
    page.same_as_python()


def test_every_edit_of_several_classes_is_what_python_loads(browser, folder):
    case = many(3)
    page = Opened(browser, folder, case)
    page.run("app.select(~app.state.outputs[1])")
    page.press("#panel [data-drop]")
    page.type("#need", "2")
    page.press("#add-rule")
    page.same_as_python()
    page.run("app.lock(~app.state.units[app.state.outputs[0]].inputs.map(([r]) => r).find((r) => r < 0))")
    page.type("#alternatives", "0")
    page.same_as_python()
    page.click("#undo-top")
    page.same_as_python()
    page.click("#tab-history")
    said = page.find("#refit").get_attribute("value")
    assert "several classes" in said
    assert "refit(" not in said


def test_rows_are_filtered_by_comparisons_and_by_error(browser, folder):
    case = CASES["classes"]()
    page = Opened(browser, folder, case)
    page.type("#filter", "v0 > 0.5; kind = u")
    wanted = ((case.X["v0"] > 0.5) & (case.X["kind"] == "u")).sum()
    assert f"all rows: {wanted} row" in page.find("#rows-said").text
    page.type("#filter", "")
    page.press("#only-wrong")
    wrong = (case.fitted.predict(case.X) != case.y).sum()
    assert f"all rows: {wrong} row" in page.find("#rows-said").text
    page.press("#only-wrong")
    page.press("[data-sort='margin']")
    leads = [int(td.text) for td in page.all("table.rows tbody td:nth-child(4)")]
    assert leads == sorted(leads)


def test_notebooks_fold_the_rules_of_many_classes():
    columns = [Attribute(f"x{i}", (0, 1)) for i in range(9)]
    parts = tuple((1, x.equal(1)) for x in columns)
    few, lots = (
        as_html(Decision(tuple(Score(label, 3, parts) for label in range(n)), {}, tuple(columns))) for n in (3, 10)
    )
    assert few.count("3 more</summary>") == 3
    assert lots.count("<summary><b>") == 10
