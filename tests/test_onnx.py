"""An ONNX model of a classifier gives its classes and its probabilities."""

from dataclasses import replace

import numpy as np
import pytest

from page_models import CASES
from promise_formats import onnx_inputs
from rulenet import RuleNetworkClassifier


@pytest.mark.parametrize("follows", [False, True])
@pytest.mark.parametrize("by_sign", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_labels_and_probabilities_are_those_of_the_classifier(name, by_sign, follows):
    runtime = pytest.importorskip("onnxruntime", reason="ONNX Runtime is not installed: pip install onnxruntime")
    case, model = CASES[name](), RuleNetworkClassifier()
    model.fitted_ = case.fitted.calibrated(replace(case.fitted.calibration, by_sign=by_sign, follows=follows))
    session = runtime.InferenceSession(model.export("onnx"))
    cells = case.X.astype(object).where(case.X.notna(), None)
    inputs = onnx_inputs(session, model.encoding_.attributes, cells.to_dict("records"))
    label, margins, probabilities = session.run(None, inputs)
    assert (label == model.predict(case.X)).all()
    assert margins.shape == probabilities.shape
    np.testing.assert_allclose(probabilities, model.predict_proba(case.X), rtol=0, atol=2e-6)


@pytest.mark.parametrize("name", CASES)
def test_the_class_that_is_predicted_is_the_most_probable_one_unless_classes_were_weighted(name):
    case = CASES[name]()
    found = case.fitted.probabilities(case.X).argmax(axis=1)
    agrees = (case.fitted.classes[found] == case.fitted.predict(case.X)).all()
    assert agrees == case.fitted.calibration.follows
