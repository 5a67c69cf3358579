import itertools
import json
import re
import shutil
import subprocess
import time
from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import accuracy_score, confusion_matrix, precision_score, recall_score, roc_auc_score

from page_driver import Opened
from page_models import CASES, HOSTILE, Case, large
from rulenet import RuleNetworkClassifier
from rulenet.exceptions import ParameterError, TableError
from rulenet.fitted import Edit
from rulenet.formulas.explain import explain
from rulenet.model_file.write import write_calibration
from rulenet.page import compact_page, make_page
from rulenet.page.data import sampled
from rulenet.page.templates import template
from rulenet.page.write import SCRIPTS, page_script, page_style
from rulenet.scene.labels import visible

MOST_BYTES = 150_000


@pytest.fixture(scope="module", params=CASES)
def case(request):
    return CASES[request.param]()


def test_a_page_evaluates_every_row_as_predict_does(browser, folder, case):
    page = Opened(browser, folder, case, held_out=(case.X[:50], case.y[:50]))
    assert (page.predicted() == case.fitted.predict(case.X)).all()
    found = page.run("return app.now.result.margins.map((m) => Array.from(m))")
    assert (case.fitted.margins(case.X) == np.array(found).T).all()
    assert page.run("return Array.from(app.now.heldResult.predicted)") == page.run(
        "return Array.from(app.now.result.predicted).slice(0, 50)"
    )


def test_conditions_read_as_they_do_in_python(browser, folder, case):
    page = Opened(browser, folder, case)
    n = len(case.fitted.encoding.conditions)
    texts = page.run("return app.start.conditions.map((_, j) => app.textOf(j))")[:n]
    assert [" ".join(x.split()) for x in texts] == [visible(str(x)) for x in case.fitted.encoding.conditions]


def test_scores_are_those_of_scikit_learn(browser, folder, case):
    page = Opened(browser, folder, case)
    scores, fitted = page.run("return app.now.scores"), case.fitted
    predicted, labels = fitted.predict(case.X), fitted.classes
    assert scores["matrix"] == confusion_matrix(case.y, predicted, labels=labels).tolist()
    assert scores["accuracy"] == pytest.approx(accuracy_score(case.y, predicted))
    one = labels[fitted.outputs[0]]
    if len(fitted.outputs) == 1:
        margins = fitted.margins(case.X)[:, 0]
        assert scores["auc"] == pytest.approx(roc_auc_score(case.y == one, margins))
        found = [f(case.y, predicted, pos_label=one, zero_division=0) for f in (precision_score, recall_score)]
        assert [scores["precision"] or 0, scores["recall"]] == pytest.approx(found)
    else:
        assert scores["recall"] == pytest.approx(recall_score(case.y, predicted, average="macro"))


def test_an_unchanged_model_is_given_back(browser, folder, case):
    page = Opened(browser, folder, case)
    model = page.same_as_python()
    assert model.fitted_.network == case.fitted.network
    assert model.fitted_.encoding == case.fitted.encoding
    assert model.fitted_.edits == ()


def test_every_edit_is_what_python_loads(browser, folder, case):
    page = Opened(browser, folder, case)
    edits = (
        "const k = ~[...app.now.result.bits.keys()].find((r) => r < 0 && app.state.units[~r].inputs.length);"
        "app.drop(k, app.state.units[k].inputs[0][0])",
        "const k = app.state.outputs[0]; app.setWanted(k, Math.max(1, fanInOf(app, k) - 1))",
        "app.forbid({condition: [...app.now.result.bits.keys()].find((r) => r >= 0)})",
        "const j = [...app.now.result.bits.keys()].find((r) => r >= 0 && app.state.conditions[r].ranges);"
        "if (j !== undefined) { const c = app.state.conditions[j], at = c.ranges[0][0] === null ? 1 : 0;"
        "const v = app.rows.columns[c.attribute].values;"
        "app.moveCut(j, {i: 0, side: at}, v[Math.floor(v.length / 3)]) }",
        "app.select(~app.state.outputs[0]); document.querySelector('#add-here').click()",
        "app.select(~app.state.outputs[0]); document.querySelector('#add-rule').click()",
        "app.rename(app.state.outputs[0], 'another name')",
        "if (app.usedColumns().size) app.forbid({column: [...app.usedColumns()][0]})",
    )
    helper = "const fanInOf = (app, k) => app.state.units[k].inputs.reduce((n, [, t]) => n + t, 0);"
    for edit in edits:
        page.run(helper + edit)
        page.same_as_python()
    assert len(page.loaded().fitted_.edits) >= 5
    page.run("app.goTo(0)")
    assert (page.predicted() == case.fitted.predict(case.X)).all()


def test_every_alternative_predicts_as_in_python(browser, folder, case):
    page = Opened(browser, folder, case)
    for row in range(len(case.fitted.alternatives)):
        page.run("app.takeAlternative(arguments[0])", row)
        assert (page.predicted() == case.fitted.choose(row).predict(case.X)).all()
        page.same_as_python()


@pytest.mark.parametrize("name", ["numbers", "missing", "counting"])
def test_reasons_and_changes_are_as_small_as_those_of_python(browser, folder, name):
    case = CASES[name]()
    page = Opened(browser, folder, case)
    codes = case.fitted.codes(case.X)
    for row in range(0, len(case.X), len(case.X) // 8):
        expected = explain(case.fitted.formula, codes, row)
        why = page.ask(row)
        assert why["reason"]["smallest"]
        assert why["change"]["smallest"]
        assert len(why["reason"]["said"]) == len(expected.reason)
        assert (why["change"]["said"] is None) == (expected.change is None)
        assert len(why["change"]["said"] or ()) == len(expected.change or ())


def test_nothing_leaves_the_page_and_nothing_hostile_runs(browser, folder):
    page = Opened(browser, folder, CASES["hostile"](), title=HOSTILE[0])
    page.run("app.select([...app.now.result.bits.keys()][0]); app.ask('rows', 0); app.show('history')")
    page.run("app.rename(app.state.outputs[0], arguments[0])", HOSTILE[1])
    page.run("fetch('https://example.org/').catch(() => 0); new Image().src = 'https://example.org/x.png'")
    page.run(
        "const s = document.createElement('script'); s.textContent = 'globalThis.pwned = 2'; document.body.append(s)"
    )
    page.run("document.body.insertAdjacentHTML('beforeend', '<b onclick=\"globalThis.pwned = 3\" id=\"trap\">x</b>')")
    page.run("document.getElementById('trap').click()")
    time.sleep(0.2)
    assert page.run("return globalThis.pwned === undefined && ({}).pwned === undefined")
    assert (
        page.run("return document.querySelectorAll('#page script, #page img, #page iframe, #page object').length") == 0
    )
    events = [json.loads(x["message"])["message"] for x in browser.get_log("performance")]
    asked = [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"]
    sent = [e for e in events if e["method"] == "Network.responseReceived"]
    assert all(url.startswith("file:") for url in asked if "example.org" not in url)
    assert not any("example.org" in json.dumps(e) for e in sent)
    assert "\u202e" not in page.run("return document.getElementById('page').textContent")


def test_it_can_be_driven_by_hand(browser, folder):
    """See: link, search, fold, zoom. Question: cells, rows, values. Change: edits, undo, redo, reasons, take home."""
    case = CASES["numbers"]()
    page = Opened(browser, folder, case, held_out=(case.X[:90], case.y[:90]))
    assert "300 rows" in page.find("#scores").text
    assert "held-out rows" in page.find("#scores").text

    page.press(".canvas .node.row")
    chosen = page.run("return app.selected")
    assert page.all(f"#rules .selected[data-ref='{chosen}']")
    page.press("#rules .chip.condition")
    assert page.all(f".canvas .selected[data-ref='{page.run('return app.selected')}']")
    page.run("document.querySelector('#rules .chip').dispatchEvent(new PointerEvent('pointerover', {bubbles: true}))")
    assert page.all(".canvas .hot")

    n = len(page.all(".canvas .node"))
    page.click("#close-all")
    assert len(page.all(".canvas .node")) < n
    page.run("document.querySelector('.canvas .shut .fold').dispatchEvent(new MouseEvent('click', {bubbles: true}))")
    page.click("#open-all")
    assert len(page.all(".canvas .node")) == n
    page.click("#fit")
    page.type("#search", "x1")
    assert page.all(".canvas .match")
    assert page.all(".canvas .faded")
    page.type("#search", "")

    page.click("[data-cell='rows-0-1']")
    n_wrong = page.run("return app.now.scores.matrix[0][1]")
    assert f"{n_wrong} row" in page.find("#rows-said").text
    page.press("[data-sort='0']")
    assert page.all("th[aria-sort='ascending']")
    page.press("[data-sort='0']")
    values = [float(row.text) for row in page.all("table.rows tbody tr td:nth-child(5)") if row.text]
    assert values == sorted(values, reverse=True)
    page.type("#filter", "whole=3")
    assert page.run("return app.listed.filter") == "whole=3"
    page.type("#filter", "")
    page.press("#all-rows")
    page.press("[data-sort='row']")
    page.press("table.rows [data-row='5']")
    assert page.find("#answer").text == case.fitted.predict(case.X)[5]
    assert page.all(".canvas .lit")
    page.why()
    assert page.find("#reason").text not in ("", "…")
    changed = page.find("#change").text
    assert changed.startswith(("yes with", "no with", "no other"))
    field = page.find("[data-field]").get_attribute("data-field")
    page.type(f"[data-field='{field}']", "-3.5")
    assert "changed" in page.find("#panel").text
    page.type(f"[data-field='{field}']", "not a number")
    assert "expected a number" in page.find("#status").text
    page.click("#let-go")

    page.press(".canvas .node.unit.output")
    page.type("#why", "to try it")
    page.press("#panel [data-drop]")
    assert page.run("return app.at") == 1
    page.type("#need", "1")
    page.type("#rename", "verdict")
    page.press(".canvas .node.unit:not(.output)")
    page.press("#lock")
    assert page.all(".canvas .locked")
    page.click("#tab-history")
    assert "lock" in page.find("#refit").get_attribute("value")
    locked = re.search(r'lock=\["(.*?)"\]', page.find("#refit").get_attribute("value"))
    page.type("[data-reason='2']", "fewer is enough")
    page.click("#undo")
    page.click("#redo")
    model = page.same_as_python()
    assert model.fitted_.edits[:2] == (
        Edit(model.fitted_.edits[0].what, "to try it"),
        Edit(model.fitted_.edits[1].what, "fewer is enough"),
    )
    assert model.target_name_ == "verdict"
    assert locked is not None
    assert locked[1] in {"part 1", *model.formula_.concepts}

    page.run(
        "const cut = (r) => r >= 0 && app.state.conditions[r].ranges?.length && !app.isLocked(r);"
        "app.select([...app.now.result.bits.keys()].find(cut))"
    )
    before = page.run("return app.textOf(app.selected)")
    from selenium.webdriver import ActionChains, Keys

    handle = page.find(".handle")
    page.run("document.querySelector('.handle').scrollIntoView({block: 'center'})")
    ActionChains(browser).move_to_element(handle).click_and_hold().move_by_offset(35, 0).release().perform()
    assert page.run("return app.textOf(app.selected)") != before
    page.find(".handle").send_keys(Keys.ARROW_RIGHT)
    page.same_as_python()
    page.press("#forbid-condition")
    assert "forbade" in page.find("#status").text
    assert "forbid=[" in page.run("app.show('history'); return document.getElementById('refit').value")
    page.type("#alternatives", "0")
    page.same_as_python()
    page.click("#download-top")
    for _ in range(50):
        if (folder / "edited.json").exists():
            break
        time.sleep(0.1)
    assert (RuleNetworkClassifier.load(folder / "edited.json").predict(case.X) == page.predicted()).all()
    page.click("#theme")
    assert page.run("return document.documentElement.dataset.theme") == "dark"
    assert not [
        x
        for x in browser.get_log("browser")
        if x["level"] == "SEVERE" and "example.org" not in x["message"] and "Content Security" not in x["message"]
    ]


def test_keys_select_fold_and_undo(browser, folder):
    from selenium.webdriver import ActionChains, Keys

    page = Opened(browser, folder, CASES["counting"]())
    unit = "document.querySelector('.canvas .unit:not(.output)')"
    page.run(f"{unit}.focus()")
    ActionChains(browser).send_keys(Keys.ENTER).perform()
    assert page.run("return app.selected") < 0
    ActionChains(browser).send_keys(Keys.ARROW_LEFT).perform()
    assert page.all(".canvas .shut")
    unnamed = page.run(
        "return [...document.querySelectorAll('button, input, select, textarea, [role=button], [role=slider]')]"
        ".filter((e) => !e.textContent.trim() && !e.getAttribute('aria-label'))"
        ".filter((e) => !e.labels?.length && !e.closest('label')).length"
    )
    assert unnamed == 0


@pytest.mark.parametrize(("n_rules", "n_conditions"), [(6, 20), (16, 60), (80, 300)])
def test_it_is_legible_at_any_size(browser, folder, n_rules, n_conditions):
    page = Opened(browser, folder, large(500, n_rules, n_conditions, 40))
    assert browser.save_screenshot(str(folder / f"{n_conditions}.png"))
    lefts = page.run("return [...document.querySelectorAll('.canvas .row text')].map((t) => t.getBBox().x)")
    assert min(lefts) >= 0
    zoom = page.run("return app.zoom")
    assert zoom >= 0.7
    box = "(t) => [t.getBoundingClientRect().top, t.getBoundingClientRect().bottom]"
    rows = sorted(page.run(f"return [...document.querySelectorAll('.canvas .row > text:first-of-type')].map({box})"))
    assert len(rows) > 10
    assert all(bottom <= top + 1 for (_, bottom), (top, _) in itertools.pairwise(rows))
    assert page.run("return document.documentElement.scrollWidth <= innerWidth")


def test_what_is_edited_in_the_page_is_kept_by_files_and_pages(browser, folder):
    case = CASES["counting"]()
    edited = replace(case.fitted, edits=(Edit("dropped a", "no use"),))
    page = Opened(browser, folder, replace(case, fitted=edited))
    page.run("app.lock(~app.state.units[app.state.outputs[0]].inputs[0][0] || 0); app.show('history')")
    assert "dropped a" in page.find("#panel").text
    assert page.loaded().fitted_.edits[0] == Edit("dropped a", "no use")


def test_many_rows_are_sampled_and_the_page_says_so(browser, folder):
    case = CASES["numbers"]()
    page = Opened(browser, folder, case, max_rows=100)
    assert "a sample of 100 of 300 rows" in page.find("#scores").text
    rows = page.run("return Array.from(app.rows.numbers)")
    assert (page.predicted() == case.fitted.predict(case.X.iloc[rows])).all()
    shares = [np.mean(y == "yes") for y in (case.y, case.y[rows])]
    assert shares[0] == pytest.approx(shares[1], abs=0.02)
    assert (sampled(np.arange(300) % 2, 100) == sampled(np.arange(300) % 2, 100)).all()


def test_its_own_code_and_style_are_small():
    parts = (page_script(), page_style(), template("page.html"))
    assert sum(len(part.encode()) for part in parts) <= MOST_BYTES
    case = CASES["counting"]()
    html = str(make_page(case.fitted, case.X, case.y))
    assert all(part in html for part in parts[:2])


def test_no_name_in_its_code_is_given_twice():
    sources = "\n".join(template(f"{name}.js") for name in SCRIPTS)
    names = re.findall(r"^(?:async function|function|const|let|class) (\w+)", sources, re.MULTILINE)
    assert [name for name, times in Counter(names).items() if times > 1] == []
    assert "stepsOf" in names


@pytest.mark.parametrize("follows", [False, True])
@pytest.mark.parametrize("name", ["missing", "counting", "weighted", "classes", "hostile"])
def test_its_probabilities_are_those_of_predict_proba(name, follows):
    if shutil.which("node") is None:
        pytest.skip("the code of pages runs in Node.js, which is not installed")
    case = CASES[name]()
    fitted = case.fitted.calibrated(replace(case.fitted.calibration, follows=follows, scale=3.0))
    margins, predicted = fitted.margins(case.X), fitted.decide(fitted.margins(case.X))
    app = {
        "classes": fitted.classes.tolist(),
        "state": {"alternative": None, "classes": fitted.outputs},
        "data": {"model": {"calibration": json.dumps(write_calibration(fitted.calibration))}},
    }
    pairs = zip(margins.tolist(), predicted.tolist(), strict=True)
    given = json.dumps([app, [{"margins": row, "predicted": k} for row, k in pairs]])
    say = "const [app, rows] = JSON.parse(require('fs').readFileSync(0)); process.stdout.write(JSON.stringify("
    say += "rows.map((found) => probabilitiesOf(app, found))))"
    source = "\n".join([template("scores.js"), template("question.js"), say])
    done = subprocess.run(["node", "-e", source], input=given, capture_output=True, text=True, check=True, timeout=60)
    np.testing.assert_allclose(json.loads(done.stdout), fitted.probabilities_of(margins), rtol=0, atol=2e-6)


def test_names_cannot_leave_the_data():
    case = CASES["hostile"]()
    html = str(make_page(case.fitted, case.X, case.y, title=HOSTILE[0]))
    assert html.count("</script>") == 2
    assert "<img" not in html
    policy = re.search('Content-Security-Policy" content="(.*?)"', html)[1]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy


def test_what_is_no_page_is_said():
    case = CASES["counting"]()
    with pytest.raises(TableError, match="y has the label 'x', but the classes are 'n', 'p'"):
        make_page(case.fitted, case.X, ["x"] * len(case.X))
    with pytest.raises(TableError, match="250 rows, but y has 1 labels"):
        make_page(case.fitted, case.X, ["n"])
    with pytest.raises(ParameterError, match="max_rows is 0"):
        make_page(case.fitted, case.X, case.y, max_rows=0)


def test_notebooks_show_a_page_in_a_frame_that_is_safe(tmp_path):
    case = CASES["hostile"]()
    frame = make_page(case.fitted, case.X, case.y)._repr_html_()
    assert frame.startswith("<iframe")
    assert 'sandbox="allow-scripts allow-downloads allow-modals"' in frame
    assert "<script" not in frame


@pytest.mark.parametrize("name", ["hostile", "counting"])
def test_a_compact_page_answers_as_predict_does_without_rows(browser, folder, name):
    case = CASES[name]()
    path = folder / "compact.html"
    compact_page(case.fitted).save(path)
    browser.get_log("browser")  # what pages before this one were refused
    browser.get(path.as_uri())
    assert browser.execute_script("return [rulenetPage.rows.n, globalThis.pwned ?? null]") == [0, None]
    shown = "return [...document.querySelectorAll(arguments[0])].some((x) => x.getClientRects().length)"
    assert browser.execute_script(shown, "#network .row")
    assert browser.execute_script(shown, "#rules .chip")
    assert not browser.execute_script(shown, "#scores, #rows, #download-top, #tab-history, #why, .coverage rect")
    click = "document.querySelector(arguments[0]).dispatchEvent(new MouseEvent('click', {bubbles: true}))"
    browser.execute_script(click, "#network .row")
    browser.execute_script(click, "#ask-empty")
    attributes, answers = case.fitted.encoding.attributes, []
    for row in case.X.head(10).itertuples(index=False):
        cells = [a.values.index(value) for a, value in zip(attributes, row, strict=True)]
        browser.execute_script("rulenetPage.asked.values = arguments[0]; rulenetPage.answerAnew()", cells)
        answers.append(browser.execute_script("return rulenetPage.classes[rulenetPage.asked.found.predicted]"))
    assert answers == [str(label) for label in case.fitted.predict(case.X.head(10))]
    assert not [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]


def test_notebooks_show_a_compact_page_below_the_rules():
    from rulenet import Greedy, RuleNetworkClassifier

    X = pd.DataFrame({"a": ["u", "v", "w", "u"], "b": ["x", "y", "y", "y"]})
    model = RuleNetworkClassifier([2], search=Greedy(n_epochs=1), random_state=0).fit(X, ["p", "n", "n", "p"])
    html = model._repr_html_()
    assert html.index("as a picture") < html.index("<iframe")
    assert 'sandbox="allow-scripts' in html
    assert "<details><summary>as a picture" in html
    assert len(html[html.index("<iframe") :]) < 250_000


def test_the_command_writes_what_the_method_makes(tmp_path):
    from typer.testing import CliRunner

    from rulenet import Greedy
    from rulenet.cli import app
    from rulenet.datasets import make_monk

    X, y = make_monk(1)
    model = RuleNetworkClassifier([4], search=Greedy(n_epochs=1), random_state=0).fit(X, y)
    model.save(tmp_path / "model.json")
    X.assign(**{str(y.name): y}).to_csv(tmp_path / "rows.csv", index=False)
    arguments = ["page", str(tmp_path / "model.json"), str(tmp_path / "rows.csv"), "--target", str(y.name)]
    done = CliRunner().invoke(app, [*arguments, "-o", str(tmp_path / "page.html"), "--title", "robots"])
    assert done.exit_code == 0, done.output
    html = (tmp_path / "page.html").read_text()
    assert html == str(RuleNetworkClassifier.load(tmp_path / "model.json").page(X, y, title="robots"))
    assert "kB" in repr(model.page(X, y))


def test_a_locked_concept_stays_in_what_is_refitted(browser, folder):
    from rulenet import Greedy
    from rulenet.datasets import make_monk

    X, y = make_monk(1)
    model = RuleNetworkClassifier([6, 3], search=Greedy(n_epochs=2), random_state=0, positive_class="1").fit(X, y)
    page = Opened(browser, folder, Case(model.fitted_, X, np.asarray(y)))
    units = "below = [...app.now.result.bits.keys()].filter((r) => r < 0 && !app.state.outputs.includes(~r))"
    name = page.run(f"const {units}; app.rename(~below[0], 'kept'); app.lock(~below[0]); return app.nameOf(~below[0])")
    call = page.run("app.show('history'); return document.getElementById('refit').value")
    assert f'lock=["{name}"]' in call
    loaded = page.loaded()
    assert name in loaded.formula_.concepts
    loaded.set_params(search=Greedy(n_epochs=1))
    assert name in loaded.refit(X, y, lock=[name]).formula_.concepts or name in str(
        loaded.refit(X, y, lock=[name]).formula_
    )


def test_long_rules_wrap_in_notebooks():
    from rulenet.pictures.html import as_html

    html = as_html(large(60, 30, 90).fitted.formula)
    assert "<li>" in html
    assert "18 more" in html
    assert "overflow-wrap: anywhere" in html
