"""The live pages of the documentation, and with ``python docs/live.py`` the screenshots of the tour."""

import io
import shutil
import sys
import tempfile
from pathlib import Path

from sklearn.datasets import load_breast_cancer

from rulenet import Anneal, RuleNetworkClassifier
from rulenet.datasets import make_tic_tac_toe
from rulenet.page import Page

#: A few seconds, and the same networks wherever and whenever they are learned.
SEARCH = Anneal(n_restarts=8, n_proposals=150_000)


def tic_tac_toe() -> Page:
    """Rules for the end of a game."""
    X, y = make_tic_tac_toe()
    model = RuleNetworkClassifier(search=SEARCH, random_state=0).fit(X, y)
    return model.page(X, y, title="Tic-tac-toe")


def cells() -> Page:
    """A table of numbers: cells under the microscope, a third of them held out."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    y = y.map({0: "malignant", 1: "benign"}).rename("cell")
    held = X.index % 3 == 0
    model = RuleNetworkClassifier(search=SEARCH, random_state=0).fit(X[~held], y[~held])
    return model.page(X[~held], y[~held], held_out=(X[held], y[held]), title="Cells under the microscope")


PAGES = {"tic-tac-toe": tic_tac_toe, "cells": cells}
SHOTS = {
    "page": ("tic-tac-toe", ""),
    "page-row": ("tic-tac-toe", "app.listCell('rows', 0, 0); app.pick('rows', app.listed.rows[3])"),
    "page-cut": (
        "cells",
        "const cuts = [...app.now.result.bits.keys()].filter((r) => r >= 0), matters = (j) => {"
        "  const { end, ...at } = app.endsOf(j)[0];"
        "  app.moveCut(j, at, 1.1 * end);"
        "  return app.now.scores.accuracy < app.first.scores.accuracy || app.goTo(app.at - 1);"
        "};"
        "app.select(cuts.find(matters))",
    ),
}
#: Until reason and change of a row are found.
WAIT = """
const done = arguments[0], { asked } = rulenetPage;
const look = () => (!asked || asked.why.change ? setTimeout(done, 100) : setTimeout(look, 20));
look();
"""


def write_all(folder: Path) -> None:
    """Write the live pages that are not there yet."""
    folder.mkdir(exist_ok=True)
    for name, make in PAGES.items():
        path = folder / f"{name}.html"
        if not path.exists():
            make().save(path)


def take_screenshots(pages: Path, images: Path) -> None:
    """Small PNGs of what the tour shows."""
    from PIL import Image
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    quiet = ("--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-sync")
    for argument in ("--headless", "--no-sandbox", *quiet, "--disable-component-update", "--window-size=1500,1000"):
        options.add_argument(argument)
    options.add_argument(f"--user-data-dir={tempfile.mkdtemp()}")
    browser = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
    for name, (page, script) in SHOTS.items():
        browser.get((pages / f"{page}.html").resolve().as_uri())
        browser.execute_script(f"const app = rulenetPage; {script}")
        browser.execute_async_script(WAIT)
        image = Image.open(io.BytesIO(browser.get_screenshot_as_png())).convert("RGB")
        image.quantize(256, dither=Image.Dither.NONE).save(images / f"{name}.png", optimize=True)
    browser.quit()


if __name__ == "__main__":
    here = Path(__file__).parent
    write_all(here / "live")
    take_screenshots(here / "live", here / "images")
    sys.exit()
