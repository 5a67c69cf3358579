"""A page in the browser, and what tests do with it."""

import numpy as np

from page_models import Case
from rulenet import RuleNetworkClassifier
from rulenet.page import make_page


class Opened:
    """A page in the browser."""

    def __init__(self, browser, folder, case: Case, **options):
        self.browser, self.case, self.folder = browser, case, folder
        path = folder / "page.html"
        make_page(case.fitted, case.X, case.y, **options).save(path)
        browser.get_log("performance")
        browser.get(path.as_uri())

    def run(self, script, *arguments):
        return self.browser.execute_script(f"const app = rulenetPage; {script}", *arguments)

    def find(self, selector):
        return self.browser.find_element("css selector", selector)

    def all(self, selector):
        return self.browser.find_elements("css selector", selector)

    def click(self, selector):
        self.run("document.querySelector(arguments[0]).scrollIntoView({block: 'center'})", selector)
        self.find(selector).click()

    def press(self, selector):
        """A click on what may be hidden behind a header, or an element of a drawing."""
        click = "new MouseEvent('click', {bubbles: true})"
        self.run(f"document.querySelector(arguments[0]).dispatchEvent({click})", selector)

    def type(self, selector, value):
        self.run(
            "const e = document.querySelector(arguments[0]); e.value = arguments[1];"
            "for (const n of ['input', 'change']) e.dispatchEvent(new Event(n, {bubbles: true}))",
            selector,
            value,
        )

    def ask(self, row):
        """Pick a row, and wait until reason and change are found."""
        self.run("app.ask('rows', arguments[0])", row)
        return self.why()

    def why(self):
        return self.browser.execute_async_script(
            "const done = arguments[0], look = () => rulenetPage.asked.why.change ? done(rulenetPage.asked.why)"
            " : setTimeout(look, 20); look()"
        )

    def predicted(self):
        codes = self.run("return Array.from(app.now.result.predicted)")
        return self.case.fitted.classes[np.array(codes)]

    def loaded(self):
        path = self.folder / "from-page.json"
        path.write_text(self.run("return app.modelText()"), encoding="utf-8")
        return RuleNetworkClassifier.load(path)

    def same_as_python(self):
        model = self.loaded()
        margins = np.array(self.run("return app.now.result.margins.map((m) => Array.from(m))")).T
        assert (model.predict(self.case.X) == self.predicted()).all()
        assert (model.fitted_.margins(self.case.X) == margins).all()
        return model
