"""An ONNX model of a classifier gives its classes and its probabilities."""

import numpy as np
import pytest

from page_models import CASES
from rulenet import RuleNetworkClassifier
from test_formulas_export import onnx_column


@pytest.mark.parametrize("name", CASES)
def test_labels_and_probabilities_are_those_of_the_classifier(name):
    runtime = pytest.importorskip("onnxruntime", reason="ONNX Runtime is not installed: pip install onnxruntime")
    case, model = CASES[name](), RuleNetworkClassifier()
    model.fitted_ = case.fitted
    session = runtime.InferenceSession(model.export("onnx"))
    by_name = {a.name: a for a in model.encoding_.attributes}
    inputs = {}
    for x in session.get_inputs():
        column = case.X[x.name]
        if column.dtype.kind in "Mm":
            naive = column.dt.tz_convert(None) if getattr(column.dt, "tz", None) else column
            inputs[x.name] = naive.to_numpy().astype(f"{column.dtype.kind}8[us]").astype(np.int64)
        else:
            values = column.astype(object).where(column.notna(), None).tolist()
            inputs[x.name] = onnx_column(by_name[x.name], values)
    label, margins, probabilities = session.run(None, inputs)
    assert (label == model.predict(case.X)).all()
    assert margins.shape == probabilities.shape
    np.testing.assert_allclose(probabilities, model.predict_proba(case.X), rtol=0, atol=2e-6)


@pytest.mark.parametrize("name", CASES)
def test_the_class_that_is_predicted_is_the_most_probable_one(name):
    case = CASES[name]()
    found = case.fitted.probabilities(case.X).argmax(axis=1)
    assert (case.fitted.classes[found] == case.fitted.predict(case.X)).all()
