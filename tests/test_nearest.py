import pytest

from rulenet.nearest import nearest


@pytest.mark.parametrize(
    ("word", "known", "meant"),
    [
        ("okay", ["wind", "ok"], "ok"),
        ("OUTCOME", ["income", "Outcome"], "Outcome"),
        ("out", ["age", "outcome"], "outcome"),
        ("wlak", ["wind", "walk"], "walk"),
        ("sxe", ["age", "sex"], "sex"),
        ("sky", ["wind", "The_Sky"], "The_Sky"),
        ("monthly income", ["income", "age"], "income"),
        ("the-sky", ["the ski", "the sky"], "the sky"),
        ("<50K", [">50K", "<=50K"], "<=50K"),
    ],
)
def test_what_is_spelt_or_shortened_otherwise_is_found(word, known, meant):
    assert nearest(word, known) == meant


@pytest.mark.parametrize(
    ("word", "known"),
    [
        ("okay", ["outcome", "age"]),
        ("outcome", ["income", "o"]),
        ("target", ["class", "t"]),
        ("income", ["in", "i"]),
        ("no", ["not sure"]),
        ("x", ["x1", "axis"]),
        ("x9", ["x1", "x8"]),
        ("feature_10", ["feature_1", "feature_11"]),
        ("-", ["a", "?"]),
        ("", ["a"]),
    ],
)
def test_what_is_another_word_is_not_suggested(word, known):
    assert nearest(word, known) is None
