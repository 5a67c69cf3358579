import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

from rulenet import calibration
from rulenet.calibration import LEAST_SCALE, MOST_SCALE, Calibration, Evidence, Tally, calibrate, from_odds, lazily
from rulenet.search.problem import decide


@st.composite
def judged(draw):
    """Margins of one output or of several, class codes that they tell something about or not, and weights."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_rows, n_outputs = draw(st.integers(1, 80)), draw(st.sampled_from([1, 2, 3, 5]))
    margins = rng.integers(-6, 7, (n_rows, n_outputs))
    n_classes = max(2, n_outputs)
    codes = np.where(rng.random(n_rows) < draw(st.sampled_from([0.0, 0.5, 1.0])), decide(margins), 0)
    codes = np.where(rng.random(n_rows) < 0.2, rng.integers(0, n_classes, n_rows), codes)
    return margins, codes, rng.integers(1, 6, n_rows)


@settings(deadline=None)
@given(judged())
def test_probabilities_add_up_are_never_certain_and_never_contradict_the_decision(case):
    margins, codes, weights = case
    decided = decide(margins)
    found = calibrate(margins, codes, weights.astype(float)).probabilities(margins, decided)
    assert found.shape == (len(codes), max(2, margins.shape[1]))
    assert found.sum(axis=1) == pytest.approx(1)
    assert ((found > 0) & (found < 1)).all()
    others = found.copy()
    others[np.arange(len(codes)), decided] = 0
    assert (found[np.arange(len(codes)), decided] >= others.max(axis=1)).all()


@settings(deadline=None)
@given(judged())
def test_the_larger_the_margin_the_larger_the_probability(case):
    margins, codes, weights = case
    margins = margins[:, :1]
    calibration = calibrate(margins, np.minimum(codes, 1), weights.astype(float))
    steps = np.arange(-8, 9)[:, np.newaxis]
    assert (np.diff(calibration.probabilities(steps, decide(steps))[:, 1]) >= 0).all()


@settings(deadline=None)
@given(judged())
def test_where_class_weights_decide_probabilities_are_what_is_likely_but_never_certain(case):
    margins, codes, weights = case
    evidence = Evidence.of(margins, codes, weights.astype(float))
    calibrated = replace(evidence, follows=False).calibration
    assert calibrated == replace(evidence.calibration, follows=False)
    found = calibrated.probabilities(margins, decide(margins))
    assert np.array_equal(found, calibrated.probabilities(margins, np.zeros(len(codes), np.int64)))
    assert found.sum(axis=1) == pytest.approx(1)
    assert ((found > 0) & (found < 1)).all()
    steps = np.arange(-8, 9)[:, np.newaxis]
    one = Calibration(calibrated.scale, calibrated.offsets[:1], calibrated.by_sign, follows=False)
    assert (np.diff(one.probabilities(steps, decide(steps))[:, 1]) >= 0).all()


@settings(deadline=None, max_examples=30)
@given(judged())
def test_whole_weights_are_repeated_rows(case):
    margins, codes, weights = case
    rows = np.repeat(np.arange(len(codes)), weights)
    weighted = calibrate(margins, codes, weights.astype(float))
    repeated = calibrate(margins[rows], codes[rows])
    grid = np.unique(margins, axis=0)
    found = [c.probabilities(grid, decide(grid)) for c in (weighted, repeated)]
    assert found[0] == pytest.approx(found[1], abs=2e-3)


@settings(deadline=None, max_examples=50)
@given(judged())
def test_no_other_scale_and_offsets_are_likelier(case):
    margins, codes, weights = case
    n_outputs, n_classes = margins.shape[1], max(2, margins.shape[1])
    found, loss = calibration._fit(Tally.of(margins, codes, weights.astype(float)))
    frequency = (np.bincount(codes, weights, n_classes) + 1) / (weights.sum() + n_classes)
    wanted = weights[:, np.newaxis] * (np.eye(n_classes)[codes] + frequency / weights.sum())

    def slow_loss(parameters):
        scores = np.zeros((len(codes), n_classes))
        scores[:, -n_outputs:] = parameters[0] * margins + parameters[1:]
        likely = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
        return -(wanted * likely).sum() + 0.01 * (parameters[1:] ** 2).sum()

    bounds = [(LEAST_SCALE, MOST_SCALE), *[(-20.0, 20.0)] * n_outputs]
    other = optimize.minimize(slow_loss, [1.0, *[0.0] * n_outputs], bounds=bounds, method="L-BFGS-B")
    assert loss == pytest.approx(slow_loss(np.array([found.scale, *found.offsets])))
    assert loss <= other.fun + 1e-6 * (1 + abs(other.fun))


def test_how_many_parts_fail_does_not_count_where_it_tells_nothing():
    rng = np.random.default_rng(0)
    margins = rng.integers(-4, 1, (2_000, 1))
    by_sign = calibrate(margins, (rng.random(2_000) < np.where(margins[:, 0] < 0, 0.1, 0.9)).astype(np.int64))
    assert by_sign.by_sign
    steps = np.array([[-9], [-1], [0], [5]])
    assert by_sign.probabilities(steps, decide(steps))[:, 1] == pytest.approx([0.1, 0.1, 0.9, 0.9], abs=0.03)
    by_margin = calibrate(margins, (rng.random(2_000) < 1 / (1 + np.exp(-margins[:, 0] - 1))).astype(np.int64))
    assert not by_margin.by_sign


def test_the_mean_probability_is_the_share_of_the_class():
    rng = np.random.default_rng(0)
    margins = rng.integers(-4, 4, (2_000, 1))
    codes = (rng.random(2_000) < 1 / (1 + np.exp(-0.7 * margins[:, 0] - 0.3))).astype(np.int64)
    calibration = calibrate(margins, codes)
    assert calibration.scale == pytest.approx(0.7, abs=0.1)
    assert calibration.offsets[0] == pytest.approx(0.3, abs=0.15)
    assert calibration.probabilities(margins, decide(margins))[:, 1].mean() == pytest.approx(codes.mean(), abs=0.02)


@pytest.mark.parametrize("n_outputs", [1, 3])
def test_other_networks_tell_what_a_margin_is_worth_and_own_rows_where_margins_begin(n_outputs):
    rng = np.random.default_rng(0)
    margins = rng.integers(-9, 3, (500, n_outputs))
    codes = decide(np.floor(margins + rng.gumbel(scale=2, size=margins.shape)))
    outside, shift = Evidence.of(margins, codes, None), np.arange(n_outputs) - 7
    moved = outside.of_others(margins + shift, codes, None).calibration
    assert moved.scale == outside.calibration.scale
    decided = decide(margins)
    expected = outside.of_others(margins, codes, None).calibration.probabilities(margins, decided)
    assert np.abs(moved.probabilities(margins + shift, decided) - expected).max() < 0.02
    shares = np.bincount(codes) / 500
    assert expected.mean(axis=0) == pytest.approx(shares, abs=0.01)


def test_where_other_networks_only_hold_or_fail_it_does_not_count_by_how_much_one_fails():
    rng = np.random.default_rng(0)
    margins = rng.integers(-4, 1, (2_000, 1))
    codes = (rng.random(2_000) < np.where(margins[:, 0] < 0, 0.02, 0.9)).astype(np.int64)
    found = Evidence.of(np.maximum(margins, -1), codes, None).of_others(margins, codes, None).calibration
    steps = np.array([[-9], [-1], [0]])
    assert found.probabilities(steps, decide(steps))[:, 1] == pytest.approx([0.02, 0.02, 0.9], abs=0.02)


def test_margins_that_say_all_or_nothing_have_a_multiple_within_bounds():
    margins = np.repeat([[-2], [1]], 50, axis=0)
    sure, useless = calibrate(margins, decide(margins)), calibrate(margins, np.arange(100) % 2)
    assert LEAST_SCALE <= useless.scale < 0.1 < sure.scale <= MOST_SCALE


def test_calibrating_many_classes_takes_as_many_looks_as_few(monkeypatch):
    rng, looks = np.random.default_rng(0), []
    scores = calibration._scores
    monkeypatch.setattr(calibration, "_scores", lambda *given: looks.append(1) or scores(*given))
    codes = rng.integers(0, 60, 600)
    margins = rng.integers(-5, 1, (600, 60))
    margins[np.arange(600), codes] += 2
    found = calibrate(margins, codes)
    assert len(looks) < 200  # a look for every class at every step would be thousands
    most_likely = scores(found.scale, found.offsets, margins).argmax(axis=1)
    shares = found.probabilities(margins, most_likely).mean(axis=0)
    assert shares == pytest.approx(np.bincount(codes, minlength=60) / 600, abs=1e-3)


def test_odds_are_given_back_unless_they_contradict_the_margin():
    grid = np.array([[-1], [0]])
    found = from_odds(3 / 7, 9).probabilities(grid, np.array([0, 1]))[:, 1]
    assert found.tolist() == pytest.approx([0.3, 0.9])
    assert from_odds(9, 3 / 7).scale == LEAST_SCALE


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=25)
def test_a_weight_is_the_same_as_repetitions_to_the_last_digit(seed):
    rng = np.random.default_rng(seed)
    margins, codes = rng.integers(-5, 5, (12, 3)), rng.integers(0, 3, 12)
    weights = rng.integers(1, 5, 12)
    rows = rng.permutation(np.repeat(np.arange(12), weights))
    assert calibrate(margins, codes, weights.astype(float)) == calibrate(margins[rows], codes[rows])


@pytest.mark.parametrize("n_rows", [20, 5000])
def test_a_classifier_is_calibrated_when_it_is_asked_for_probabilities_and_pickled_so(n_rows):
    margins, codes = np.arange(n_rows)[:, np.newaxis] - n_rows // 2, np.arange(n_rows) % 7 // 4
    evidence = lazily(Evidence.of(margins, codes, None))
    assert isinstance(evidence, Evidence) == (n_rows == 20)
    assert pickle.loads(pickle.dumps(evidence)) == calibrate(margins, codes)
    weighted = replace(evidence, follows=False)
    assert pickle.loads(pickle.dumps(weighted)) == replace(calibrate(margins, codes), follows=False)
