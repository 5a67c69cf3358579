import json
import math
import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest

from page_models import CASES
from rulenet.exceptions import FormulaError
from rulenet.page import network_to_javascript
from rulenet.page.templates import template, without_comments
from rulenet.page.write import page_script


def json_value(value):
    """A cell as people hand it to JavaScript: dates as ISO text, durations as seconds."""
    if value is None or value is pd.NaT or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, pd.Timestamp):
        return value.isoformat()
    if isinstance(value, pd.Timedelta):
        return value.total_seconds()
    if isinstance(value, float) and math.isinf(value):
        return str(value)
    return value.item() if isinstance(value, np.generic) else value


def run_node(source, X):
    if shutil.which("node") is None:
        pytest.skip("Node is not installed: apt-get install nodejs")
    rows = [{name: json_value(v) for name, v in row.items()} for row in X.to_dict("records")]
    program = f"""'use strict';
        {source}
        const rows = JSON.parse(require("fs").readFileSync(0, "utf8"));
        console.log(JSON.stringify([rows.map((row) => predict(row)), rows.map((row) => predictMargins(row))]));"""
    command = ["node", "-e", program]
    done = subprocess.run(command, input=json.dumps(rows), capture_output=True, text=True, timeout=60, encoding="utf-8")
    assert done.stderr == ""
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", CASES)
def test_the_exported_network_answers_and_counts_as_predict_does(name):
    case = CASES[name]()
    labels, margins = run_node(network_to_javascript(case.fitted), case.X)
    assert labels == case.fitted.predict(case.X).tolist()
    assert [[m for _, m in row] for row in margins] == case.fitted.margins(case.X).tolist()
    classes = [case.fitted.classes[k] for k in case.fitted.outputs]
    assert [label for label, _ in margins[0]] == classes


def test_pages_and_exported_networks_evaluate_with_the_same_code():
    code = without_comments(template("evaluate.js"))
    assert "function evaluateOne(" in code
    assert code in page_script()
    assert code in network_to_javascript(CASES["classes"]().fitted)


def test_hostile_names_stay_text_in_the_exported_network():
    source = network_to_javascript(CASES["hostile"]().fitted)
    assert source.isascii()
    assert "</script>" not in source
    with pytest.raises(FormulaError, match="name is 'a b'"):
        network_to_javascript(CASES["hostile"]().fitted, name="a b")


def test_the_classifier_exports_its_network():
    from rulenet import Greedy, RuleNetworkClassifier
    from rulenet.datasets import make_monk

    X, y = make_monk(1)
    model = RuleNetworkClassifier([4], search=Greedy(n_epochs=1), random_state=0).fit(X, y)
    source = model.export("javascript", network=True, module=True)
    assert source.startswith("export const { predict, predictMargins }")
    assert run_node(source.removeprefix("export "), X)[0] == model.predict(X).tolist()
