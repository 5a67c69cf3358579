"""The rules on a page, in words: they say what exported text says, and lead to the drawing and back."""

import numpy as np
import pandas as pd
import pytest

from page_driver import Opened
from page_models import Case
from rulenet.calibration import Calibration
from rulenet.encoding import Encoding
from rulenet.fitted import Fitted
from rulenet.network import Network
from rulenet.page import compact_page
from rulenet.scene.labels import visible

SAID = """
const plain = (node) => {
  const copy = node.cloneNode(true);
  copy.querySelectorAll('.note, .chip.unit').forEach((note) => note.remove());
  return copy.textContent.replace(/\\s+/g, ' ').trim();
};
return [...document.querySelectorAll('#rules .rule-block')].map((block) =>
  [plain(block.querySelector('.rule-head')), [...block.querySelectorAll('li')].map(plain)]);
"""


def points(n_classes: int, seed: int, most: int = 4, n: int = 200) -> Case:
    """Outputs that count conditions on columns of every kind, up to ``most`` times each."""
    random = np.random.default_rng(seed)
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(random.integers(0, 300, n), unit="D")
    X = pd.DataFrame(
        {
            "age": np.where(random.random(n) < 0.2, np.nan, random.integers(18, 90, n)),
            "dose": random.gamma(1, 3, n).round(2),
            "signed": days,
            "colour": random.choice(["red", "blue", "green", "white"], n),
        }
    )
    X["size"] = pd.Categorical(random.choice(["S", "M", "L", "XL"], n), ["S", "M", "L", "XL"], ordered=True)
    encoding = Encoding.learn(X, missing=True, not_equal=True)
    labels = np.array([f"c{i}" for i in range(n_classes)])
    n_outputs = 1 if n_classes == 2 else n_classes
    units, above = [], []
    for output in range(n_outputs):
        for j in random.choice(len(encoding.conditions), 12, replace=False):
            for _ in range(int(random.integers(1, most + 1))):
                units.append(j)
                above.append(output)
    first = np.zeros((len(units), len(encoding.conditions)), bool)
    first[np.arange(len(units)), units] = True
    last = np.arange(n_outputs)[:, np.newaxis] == np.array(above)
    needs = [[1] * len(units), [max(2, int(row.sum()) // 3) for row in last]]
    network, calibration = Network([first, last], "and", needs), Calibration(1.0, (0.0,) * n_outputs)
    outputs = (1,) if n_classes == 2 else tuple(range(n_classes))
    target = "class = c1" if n_classes == 2 else "class"
    return Case(Fitted(encoding, network, labels, outputs, calibration, target), X, random.choice(labels, n))


def said_by_text(fitted: Fitted) -> dict[str, set[str]]:
    blocks, head = dict[str, set[str]](), ""
    for line in str(fitted.said).splitlines()[fitted.several :]:
        if line.startswith("    "):
            blocks[head].add(visible(line.strip()))
        else:
            head = line.removeprefix("class = ") if fitted.several else line
            blocks[head] = set()
    return blocks


@pytest.mark.parametrize(
    ("n_classes", "seed", "most"), [(2, 0, 4), (2, 1, 4), (2, 2, 1), (2, 3, 1), (3, 4, 3), (4, 5, 1), (3, 6, 6)]
)
def test_points_stand_in_steps_as_in_text(browser, folder, n_classes, seed, most):
    case = points(n_classes, seed, most)
    wanted = said_by_text(case.fitted)
    page = Opened(browser, folder, case)
    found = page.run(SAID)
    assert {head: set(lines) for head, lines in found} == wanted
    assert sum(len(lines) for _, lines in found) == sum(map(len, wanted.values()))
    if most > 1:
        assert any(", else " in line for _, lines in found for line in lines)
    path = folder / "compact.html"
    compact_page(case.fitted).save(path)
    browser.get(path.as_uri())
    assert browser.execute_script(SAID) == found


def test_steps_lead_to_what_counts_in_them_and_back(browser, folder):
    from selenium.webdriver import ActionChains, Keys

    case = points(2, 0)
    page = Opened(browser, folder, case)
    steps = page.run("return [...document.querySelectorAll('#rules .step')].map((x) => x.dataset.refs.split(' '))")
    several = next(i for i, refs in enumerate(steps) if len(refs) > 1)
    output = "app.state.units[app.state.outputs[0]].inputs"
    linked = {ref for refs in steps for ref in refs}
    alone = page.run("return [...document.querySelectorAll('#rules .chip:not(.step)')].map((x) => x.dataset.ref)")
    assert linked | {*alone} >= {*map(str, page.run(f"return {output}.map(([ref]) => ref)"))}
    page.run(
        "document.querySelectorAll('#rules .step')[arguments[0]]"
        ".dispatchEvent(new PointerEvent('pointerover', {bubbles: true}))",
        several,
    )
    assert {x.get_attribute("data-ref") for x in page.all(".canvas .node.hot")} == {*steps[several]}
    page.run("document.querySelectorAll('#rules .step')[arguments[0]].focus()", several)
    chosen = []
    for _ in steps[several]:
        ActionChains(browser).send_keys(Keys.ENTER).perform()
        chosen.append(str(page.run("return app.selected")))
    assert chosen == steps[several]
    page.run("app.select(arguments[0])", int(steps[several][-1]))
    marked = page.run("return [...document.querySelectorAll('#rules .step.selected')].map((x) => x.dataset.refs)")
    assert marked == [" ".join(refs) for refs in steps if steps[several][-1] in refs]


def test_a_row_lights_the_steps_whose_points_it_has(browser, folder):
    case = points(2, 1)
    page = Opened(browser, folder, case)
    for row in (0, 5, 60):
        page.run("app.ask('rows', arguments[0])", row)
        got = page.run(
            "return [...document.querySelectorAll('#rules li')].map((li) => [...li.querySelectorAll('.chip.lit')]"
            ".map((x) => Number(x.previousSibling?.textContent.match(/(\\d+) if $/)?.[1] ?? 1)))"
        )
        assert all(len(line) <= 1 for line in got)
        held = sum(x for line in got for x in line)
        need = int(np.asarray(case.fitted.network.needs[-1])[0])
        assert held - need == case.fitted.margins(case.X)[row, 0]


def test_an_edit_changes_the_steps(browser, folder):
    page = Opened(browser, folder, points(2, 0))
    before = page.run(SAID)
    ref = page.run("return Number(document.querySelector('#rules .step').dataset.ref)")
    page.run("app.drop(app.state.outputs[0], arguments[0])", ref)
    after = page.run(SAID)
    assert before[0][1] != after[0][1]
    assert {head: set(lines) for head, lines in after} == said_by_text(page.same_as_python().fitted_)
    page.click("#undo-top")
    assert page.run(SAID) == before


def test_the_tab_key_stops_once_at_the_rules_and_arrows_lead_on(browser, folder):
    from selenium.webdriver import ActionChains, Keys

    page = Opened(browser, folder, points(3, 4))
    chips = "document.querySelectorAll('#rules .chip')"
    assert page.run(f"return [...{chips}].filter((x) => x.tabIndex === 0).length") == 1
    page.run(f"{chips}[0].focus()")
    ActionChains(browser).send_keys(Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ENTER).perform()
    wanted = page.run(f"return {chips}[2].dataset.ref")
    assert page.run("return [String(app.selected), document.activeElement.dataset.ref]") == [wanted, wanted]
    ActionChains(browser).send_keys(Keys.END).perform()
    assert page.run(f"return document.activeElement === [...{chips}].at(-1)")
