"""What a person at a terminal sees of a search."""

from numba import njit

from rulenet.progress import shown


def test_the_bar_does_not_end_with_a_word_about_compiling(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    with shown(1, "yes"):
        njit(lambda x: x + 1)(1)
    said = capsys.readouterr().err
    assert "yes: done" in said
    assert "compiling" not in said
