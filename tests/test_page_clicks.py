"""What people notice while they click: what stays in place, what comes into view, what is refused and said."""

import itertools
import re

import numpy as np
import pandas as pd
import pytest

from page_driver import Opened
from page_models import CASES, Case, fitted_of, labels_for, large
from rulenet.calibration import Calibration
from rulenet.encoding import Encoding
from rulenet.fitted import Fitted
from rulenet.network import Network
from test_page_classes import many

UNITS = "[...app.now.result.bits.keys()].filter((r) => r < 0 && !app.state.outputs.includes(~r))"


def long_names() -> Case:
    random = np.random.default_rng(8)
    cities = ["Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch", "Rome", "Taumatawhakatangihangakoauauot"]
    X = pd.DataFrame(
        {
            "the city where the contract was signed by both of the parties": random.choice(cities, 200),
            "outstanding balance of the previous year (in thousands, rounded)": random.gamma(2, 300, 200).round(1),
        }
    )
    labels = ["will default within twelve months of signing", "will repay everything in due time"]
    return Case(fitted_of(X, labels, (6, 3), 3, False), X, labels_for(X, labels, 3))


def weighted() -> Case:
    """An output that counts many of its inputs more than once."""
    random = np.random.default_rng(9)
    X = pd.DataFrame(random.choice(["a", "b"], (120, 20)), columns=[f"q{i}" for i in range(20)])
    encoding = Encoding.learn(X)
    first = np.zeros((40, len(encoding.conditions)), bool)
    first[np.arange(40), np.repeat(np.arange(0, 40, 2), 2) % len(encoding.conditions)] = True
    network = Network([first, np.ones((1, 40), bool)], "and", [[1] * 40, [20]])
    fitted = Fitted(encoding, network, np.array(["n", "p"]), (1,), Calibration(1.0, (0.0,)), "p")
    return Case(fitted, X, labels_for(X, ["n", "p"], 9))


def test_an_edit_leaves_in_place_what_it_does_not_change(browser, folder):
    page = Opened(browser, folder, large(300, 16, 60, 20))
    page.run(
        "for (const s of ['.canvas svg', '.canvas .row', '#rules li', 'table.rows tbody tr'])"
        " document.querySelector(s).marked = true"
    )
    page.run(f"const [k] = {UNITS}.slice(-1); app.drop(~k, app.state.units[~k].inputs[0][0]); app.showRows()")
    kept = "return [...document.querySelectorAll('.canvas svg, .canvas .row, #rules li, tr')].filter((e) => e.marked)"
    assert len(page.run(kept)) == 4
    board = "return document.getElementById('scores').getBoundingClientRect().height"
    before = page.run(board)
    page.run("app.setWanted(app.state.outputs[0], 5)")
    assert page.all("[data-cell] .delta:not(:empty)")
    assert page.run(board) == before


def test_a_need_that_is_said_in_other_words_keeps_the_lines_below_it(browser, folder):
    page = Opened(browser, folder, large(300, 16, 60, 20))
    lines = "document.querySelectorAll('#rules .rule-block:first-child > ul > li')"
    said = "return document.querySelector('#rules .rule-head b').textContent"
    page.run("app.setWanted(app.state.outputs[0], 1)")
    assert page.run(said) == "any of"
    page.run(f"{lines}.forEach((line) => (line.marked = true)); app.setWanted(app.state.outputs[0], 2)")
    assert page.run(said) == "at least 2 of"
    assert page.run(f"return [...{lines}].length > 1 && [...{lines}].every((line) => line.marked)")


def test_an_edge_into_many_inputs_ends_at_the_line_they_share_unless_it_is_near_what_is_selected(browser, folder):
    page = Opened(browser, folder, weighted())
    edges = "[...document.querySelectorAll('path[data-to]')].map((e) => e.getAttribute('d'))"
    stubs = f"return {edges}.filter((d) => !d.includes('V') && !d.includes('C')).length"
    before = page.run(stubs)
    assert before > 14
    page.run("app.select([...app.now.result.bits.keys()].filter((r) => r >= 0)[9])")
    assert page.run(stubs) == before - 1


def test_the_keyboard_stays_where_it_was_after_an_edit(browser, folder):
    from selenium.webdriver import ActionChains, Keys

    page = Opened(browser, folder, CASES["counting"]())
    page.run("app.select(~app.state.outputs[0]); document.getElementById('need').focus()")
    for _ in range(2):
        ActionChains(browser).send_keys(Keys.ARROW_DOWN, Keys.ENTER).perform()
    assert page.run("return [app.at, document.activeElement.id]") == [2, "need"]
    page.run("document.getElementById('alternatives').focus()")
    ActionChains(browser).send_keys(Keys.ARROW_LEFT).perform()
    ActionChains(browser).send_keys(Keys.ARROW_RIGHT).perform()
    assert page.run("return [app.at, document.activeElement.id]") == [4, "alternatives"]


def test_a_row_that_is_picked_comes_into_view_and_leads_to_the_next(browser, folder):
    case = CASES["numbers"]()
    page = Opened(browser, folder, case)
    page.click("[data-cell='rows-0-1']")
    listed = page.run("return app.listed.rows")
    page.click(f"table.rows [data-row='{listed[0]}']")
    assert page.find("table.rows tr.asked").get_attribute("aria-current") == "true"
    top = page.run("return document.getElementById('network').getBoundingClientRect().top")
    assert page.run("return document.querySelector('.top').getBoundingClientRect().bottom") <= top < 200
    page.click("#row-next")
    assert page.run("return app.asked.row") == listed[1]
    assert page.run("return document.activeElement.id") == "row-next"
    page.click("#row-before")
    page.click("#row-before")
    assert page.run("return app.asked.row") == listed[0]
    assert "no row before" in page.find("#status").text


def test_rows_of_a_concept_are_listed_sorted_and_filtered(browser, folder):
    case = CASES["classes"]()
    page = Opened(browser, folder, case, held_out=(case.X[:60], case.y[:60]))
    ref = page.run(f"const ref = {UNITS}.find((r) => app.coverage(r).n > 40); app.select(ref); return ref")
    page.click("#list-rows")
    n = page.run("return app.coverage(arguments[0]).n", ref)
    assert f"holds: {n} row" in page.find("#rows-said").text
    listed = page.run("return app.listed.rows")
    page.press("[data-sort='0']")
    page.press("[data-sort='0']")
    found = page.run("return app.listed.kept")
    assert case.X["v0"].iloc[found].is_monotonic_decreasing
    page.type("#filter", "kind = u")
    assert page.run("return app.listed.kept.length") == (case.X["kind"].iloc[listed] == "u").sum()
    page.type("#filter", "")
    page.click("#list-held")
    held = page.run("return app.listed.rows")
    assert held == [row for row in listed if row < 60]


def test_what_stands_in_panels_does_what_it_says(browser, folder):
    case = CASES["counting"]()
    page = Opened(browser, folder, case)
    j = page.run("const j = [...app.now.result.bits.keys()].find((r) => r >= 0); app.select(j); return j")
    before = page.run("return app.textOf(arguments[0])", j)
    page.press("[data-cell-value='0']")
    assert page.run("return app.textOf(arguments[0])", j) != before
    page.same_as_python()
    page.click("#find-column")
    assert page.find("#search").get_attribute("value") == before.split()[0]
    page.type("#search", "")
    page.run("document.querySelector('.forbidden').open = true; document.getElementById('forbid-which').value = '3'")
    page.click("#forbid-any")
    assert "q3" not in page.find("#rules").text
    page.same_as_python()
    page.click("#tab-row")
    page.click("#ask-empty")
    assert "a new row" in page.find("#panel").text
    empty = pd.DataFrame({name: [None] for name in case.X}, dtype=object)
    assert page.find("#answer").text == page.loaded().predict(empty)[0]
    page.click("#tab-history")
    page.click("#copy-refit")
    said = "clipboard|select it there"
    assert re.search(
        said,
        page.browser.execute_async_script(
            "setTimeout(() => arguments[0](document.getElementById('status').textContent), 200)"
        ),
    )


def test_what_is_searched_is_uncovered(browser, folder):
    page = Opened(browser, folder, CASES["counting"]())
    page.click("#close-all")
    deepest = page.run("return app.textOf([...app.now.result.bits.keys()][0])")
    page.type("#search", deepest)
    assert page.all(".canvas .match")
    assert page.all(".canvas .edge.faded")
    page = Opened(browser, folder, many(10))
    other = page.run(
        "const used = (k) => new Set([...below(k)]);"
        "function below(k) { const s = new Set(), v = (r) => { if (s.has(r)) return; s.add(r);"
        " if (r < 0) app.state.units[~r].inputs.forEach(([x]) => v(x)); }; v(~k); return s; }"
        "const mine = used(app.state.outputs[app.shown]);"
        "const other = [...app.now.result.bits.keys()].find((r) => r >= 0 && !mine.has(r)); return other ?? null"
    )
    assert other is not None
    page.type("#search", page.run("return app.textOf(arguments[0])", other))
    assert page.all(f".canvas .match[data-ref='{other}']")


def test_what_is_no_edit_is_refused_and_said(browser, folder):
    page = Opened(browser, folder, CASES["classes"]())
    page.run("app.select(~app.state.outputs[0])")
    assert page.find("#rename").get_attribute("disabled")
    page.run("app.rename(app.state.outputs[0], 'another')")
    assert "called as it is in the data" in page.find("#status").text
    page.type("#need", "1.5")
    assert "a whole number of inputs" in page.find("#status").text
    assert page.run("return app.at") == 0


def test_a_cut_that_is_refused_leaves_no_trace(browser, folder):
    case = CASES["numbers"]()
    page = Opened(browser, folder, case)
    j = page.run(
        "const c = {attribute: 0, ranges: [[-0.5, 0.5]], missing: false}; app.add(app.state.outputs[0], c, false);"
        "const j = app.state.conditions.findIndex((x) => x.ranges && x.ranges[0][0] === -0.5); app.select(j); return j"
    )
    scores, at = page.find("#scores").text, page.run("return app.at")
    page.run(
        "const j = arguments[0], moved = (x, i) => (i === j ? {...x, ranges: [[0.4, 0.5]]} : x);"
        "app.preview({...app.state, conditions: app.state.conditions.map(moved)}, 'a try')",
        j,
    )
    assert page.find("#scores").text != scores
    page.type("[data-cut='0-0']", "0.7")
    assert "must be below" in page.find("#status").text
    assert (page.find("#scores").text, page.run("return app.at")) == (scores, at)


def test_sliding_back_leaves_concepts_open(browser, folder):
    page = Opened(browser, folder, CASES["counting"]())
    n = len(page.all(".canvas .unit"))
    page.type("#alternatives", "2")
    drawn, room = page.run("return [app.drawn.width * app.zoom, app.parts.canvas.clientWidth]")
    assert drawn <= room or page.run("return app.zoom") == 0.75
    page.click("#undo-top")
    assert len(page.all(".canvas .unit")) == n


def test_zooming_keeps_what_is_under_the_pointer(browser, folder):
    page = Opened(browser, folder, large(200, 16, 60, 20))
    place = (
        "const b = document.querySelectorAll('.canvas .unit')[3].getBoundingClientRect(); return b.top + b.height / 2"
    )
    before = page.run(place)
    page.run(
        "const canvas = document.querySelector('.canvas'), box = canvas.getBoundingClientRect();"
        "canvas.dispatchEvent(new WheelEvent('wheel', {deltaY: -1, ctrlKey: true, bubbles: true, cancelable: true,"
        "clientX: box.left + 99, clientY: arguments[0]}))",
        before,
    )
    assert page.run("return app.zoom") > 1
    assert page.run(place) == pytest.approx(before, abs=3)


def test_how_often_inputs_count_is_written_apart(browser, folder):
    page = Opened(browser, folder, weighted())
    boxes = page.run(
        "return [...document.querySelectorAll('.canvas .times')].map((t) => t.getBoundingClientRect())"
        ".map((b) => [b.top, b.bottom])"
    )
    assert len(boxes) > 14
    assert all(bottom <= top for (_, bottom), (top, _) in itertools.pairwise(sorted(boxes)))


def test_long_names_stay_within_their_cards(browser, folder):
    page = Opened(browser, folder, long_names(), held_out=(long_names().X[:40], long_names().y[:40]))
    for ref in page.run(f"return [{UNITS}[0], [...app.now.result.bits.keys()][0]]"):
        page.run("app.select(arguments[0])", ref)
        wide = "return [document.getElementById('panel'), document.querySelector('.rules')]"
        assert all(page.run("return arguments[0].scrollWidth <= arguments[0].clientWidth", e) for e in page.run(wide))
    browser.set_window_size(420, 900)
    try:
        assert page.run("return document.documentElement.scrollWidth <= innerWidth")
    finally:
        browser.set_window_size(1600, 1000)


def test_classes_called_by_numbers_are_told_from_counts(browser, folder):
    page = Opened(browser, folder, CASES["missing"]())
    assert re.search(r"\d+ rows?, \d+% class [01]$", page.find("#rules .rule-head .note").text)


@pytest.mark.parametrize(("rules", "drawn"), [(5, True), (80, False)])
def test_a_drawing_is_printed_where_a_page_has_room(browser, folder, rules, drawn):
    page = Opened(browser, folder, large(100, rules, 4 * rules, 20))
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        assert page.find(".canvas svg").is_displayed() == drawn
        assert page.find("#rules").is_displayed()
        assert not page.find("#details").is_displayed()
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_has_contrast(browser, folder, theme):
    page = Opened(browser, folder, CASES["counting"]())
    page.run("document.documentElement.dataset.theme = arguments[0]", theme)
    style = "return getComputedStyle(document.documentElement).getPropertyValue('--' + arguments[0]).trim()"
    for ink, paper in itertools.product(("ink", "faint", "accent", "up", "down"), ("paper", "ground")):
        assert contrast(page.run(style, ink), page.run(style, paper)) >= 4.5, (ink, paper)


def contrast(one: str, other: str) -> float:
    """The ratio of luminances as the Web Content Accessibility Guidelines define it."""
    dark, light = sorted(map(luminance, (one, other)))
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_the_tab_key_leads_from_a_changed_field_to_the_next(browser, folder):
    from selenium.webdriver import ActionChains, Keys

    page = Opened(browser, folder, CASES["numbers"]())
    page.run("app.ask('rows', 3); document.querySelector('[data-field]').focus()")
    fields = [field.get_attribute("data-field") for field in page.all("[data-field]")]
    ActionChains(browser).key_down(Keys.CONTROL).send_keys("a").key_up(Keys.CONTROL).perform()
    ActionChains(browser).send_keys("0.25", Keys.TAB).perform()
    page.browser.execute_async_script("setTimeout(arguments[0], 50)")
    assert page.find(f"[data-field='{fields[0]}']").get_attribute("value") == "0.25"
    assert page.run("return document.activeElement.dataset.field") == fields[1]


def test_a_unit_that_is_dropped_is_told_by_name_and_meaning(browser, folder):
    page = Opened(browser, folder, CASES["counting"]())
    name = page.run(
        "const k = app.state.outputs[0], [ref] = app.state.units[k].inputs.find(([r]) => r < 0);"
        "const name = app.nameOf(~ref); app.drop(k, ref); return name"
    )
    assert page.find("#status").text.startswith(f"dropped {name}, ")
