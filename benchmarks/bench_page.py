"""Opening a page and editing in it, measured in Chromium: 10,000 rows, 300 conditions in rules, or worth points."""

import shutil
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pandas as pd

from rulenet.calibration import Calibration
from rulenet.encoding import Encoding
from rulenet.fitted import Fitted
from rulenet.network import Network
from rulenet.page import Page, make_page

ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1600,1000",
)
OPENED = "const t = performance.getEntriesByType('navigation')[0]; return t.loadEventEnd"
EDIT = """
const done = arguments[arguments.length - 1], app = rulenetPage, k = app.state.outputs[0];
const start = performance.now();
%s
document.body.offsetHeight;
requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)));
"""
EDITS = {
    "change a need": "app.setWanted(k, 1 + (app.at % 5))",
    "drop a condition": (
        "const units = app.state.units, long = units[k].inputs.find(([x]) => x < 0 && units[~x].inputs.length > 1);"
        "const r = long ? ~long[0] : k; app.drop(r, app.state.units[r].inputs[0][0])"
    ),
    "move a cut": (
        "const j = [...app.now.result.bits.keys()].filter((r) => r >= 0)[app.at % 50], c = app.state.conditions[j];"
        "const side = c.ranges[0][0] === null ? 1 : 0; app.moveCut(j, {i: 0, side}, c.ranges[0][side] + 0.01)"
    ),
    "undo": "app.goTo(app.at - 1)",
}


def report(n_rows: int = 10_000, n_conditions: int = 300, n_columns: int = 60) -> str:
    pages = {"rules": rules(n_rows, n_conditions, n_columns), "points": points(n_rows, n_conditions, n_columns)}
    lines = [
        "## Pages",
        f"\n{n_rows:,} rows x {n_columns} columns, {n_conditions} conditions: in {n_conditions // 4} rules, or each "
        f"worth points; the files have {' and '.join(f'{len(str(page)) / 1e6:.1f}' for page in pages.values())} MB.\n",
        "| | | milliseconds | of these at work | target |",
        "|---|---|---:|---:|---:|",
    ]
    for kind, page in pages.items():
        for name, (found, work) in measure(page).items():
            lines.append(f"| {kind} | {name} | {found:.0f} | {work:.0f} | {1000 if name == 'open' else 100} |")
    return "\n".join(lines) + "\n"


def rules(n_rows: int, n_conditions: int, n_columns: int) -> Page:
    """A page of rules of four conditions, of which two must hold."""
    X, y, encoding, random = table(n_rows, n_columns)
    n_rules = n_conditions // 4
    layer = np.zeros((n_rules, len(encoding.conditions)), bool)
    for i, j in enumerate(random.choice(len(encoding.conditions), n_conditions, replace=False)):
        layer[i % n_rules, j] = True
    network = Network([layer, np.ones((1, n_rules), bool)], "and", [[1] * n_rules, [2]])
    return page_of(network, encoding, X, y)


def points(n_rows: int, n_conditions: int, n_columns: int) -> Page:
    """A page of conditions that are each worth one to three points."""
    X, y, encoding, random = table(n_rows, n_columns)
    chosen = random.choice(len(encoding.conditions), n_conditions, replace=False)
    layer = np.eye(len(encoding.conditions), dtype=bool)[np.repeat(chosen, random.integers(1, 4, n_conditions))]
    n_units = len(layer)
    return page_of(
        Network([layer, np.ones((1, n_units), bool)], "and", [[1] * n_units, [n_units // 2]]), encoding, X, y
    )


def table(n_rows: int, n_columns: int) -> tuple[pd.DataFrame, Any, Encoding, np.random.Generator]:
    random = np.random.default_rng(7)
    X = pd.DataFrame({f"measure {i}": random.normal(size=n_rows).round(3) for i in range(n_columns)})
    return X, np.where(X.iloc[:, 0] + X.iloc[:, 1] > 0, "yes", "no"), Encoding.learn(X), random


def page_of(network: Network, encoding: Encoding, X: pd.DataFrame, y: Any) -> Page:
    fitted = Fitted(encoding, network, np.array(["no", "yes"]), (1,), Calibration(1.0, (0.0,)), "yes")
    return make_page(fitted, X, y)


def measure(page: Page, repeats: int = 7) -> dict[str, tuple[float, float]]:
    """Median milliseconds to open the page, and from an edit to its picture; then those that its thread was at work."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    with tempfile.TemporaryDirectory() as folder:
        for argument in (*ARGUMENTS, f"--user-data-dir={folder}/profile"):
            options.add_argument(argument)
        path = Path(folder) / "page.html"
        page.save(path)
        browser = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
        try:
            browser.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
            times = []
            for _ in range(3):
                browser.get(path.as_uri())
                times.append(browser.execute_script(OPENED))
            found = {"open": (median(times), at_work(browser))}
            for name, script in EDITS.items():
                before = at_work(browser)
                taken = [browser.execute_async_script(EDIT % script) for _ in range(repeats)]
                found[name] = (median(taken), (at_work(browser) - before) / repeats)
            return found
        finally:
            browser.quit()


def at_work(browser: Any) -> float:
    """Milliseconds that the thread of the page has worked since it was opened."""
    found = browser.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
    return 1000 * next(float(x["value"]) for x in found if x["name"] == "TaskDuration")
