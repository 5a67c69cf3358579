"""Formulas for spreadsheets keep the limits of Excel, and stand where one says."""

import math

import numpy as np
import pytest

from rulenet.conditions import Attribute
from rulenet.exceptions import FormulaError
from rulenet.formulas import FALSE, TRUE, And, AtLeast, Concept, Formula, Or
from rulenet.formulas.export import export
from rulenet.formulas.export.excel_cells import MAX_FORMULA
from spreadsheet import Given, calculated
from test_formulas_export import BY_NAME, expected


def sheet(attributes, rows, formulas):
    return Given([a.name for a in attributes], rows, formulas)


def test_what_is_too_long_for_one_cell_goes_to_helper_cells(tmp_path):
    attributes = tuple(Attribute(f"a{i}", tuple("abcdefgh")) for i in range(40))
    ands = [And(tuple(a.one_of("aceg") for a in attributes[i : i + 5])) for i in range(36)]
    formula = Formula(AtLeast(3, (*ands, ands[0])), {}, attributes)
    with pytest.raises(FormulaError, match=f"but Excel takes {MAX_FORMULA}; use style='cells'"):
        export(formula, "excel")
    said = export(formula, "excel", style="cells")
    assert all(len(line) < MAX_FORMULA for line in said.split("\n"))
    rng = np.random.default_rng(0)
    rows = [{a.name: str(rng.choice(list("aaacegb"))) for a in attributes} for _ in range(30)]
    assert calculated([sheet(attributes, rows, said)], tmp_path) == [expected(formula, rows)]


def test_columns_stand_where_one_says():
    age, colour = BY_NAME["age"], BY_NAME["colour"]
    formula = Formula(And((age.above(37.5), colour.equal("red"))), {}, (age, colour))
    assert "C7>37.5" in export(formula, "excel", start="C7")
    said = export(formula, "excel", cells={"age": "AA3", "colour": "B3"})
    assert "AA3>37.5" in said
    assert 'EXACT(B3,"red")' in said
    with pytest.raises(FormulaError, match="'2A' is no cell"):
        export(formula, "excel", start="2A")
    with pytest.raises(FormulaError, match="no column is called 'years'"):
        export(formula, "excel", cells={"years": "A2"})
    with pytest.raises(FormulaError, match="cells does not say where it stands"):
        export(formula, "excel", cells={"age": "A2"})
    with pytest.raises(FormulaError, match="must be one of formula, cells"):
        export(formula, "excel", style="case")


def test_what_no_cell_can_hold_is_refused():
    for values in (("x\0", "y"), (2**60, 2), ("\ud800", "x"), ((1, 2), (3, 4))):
        a = Attribute("a", values)
        with pytest.raises(FormulaError, match=r"no spreadsheet cell|15 digits|Excel cannot say"):
            export(Formula(a.equal(values[0]), {}, (a,)), "excel")
    a = Attribute("a", kind="numeric", cuts=(-math.inf, 3.5))
    with pytest.raises(FormulaError, match="cut at -inf, which Excel cannot say"):
        export(Formula(a.at_most(-math.inf), {}, (a,)), "excel")


def test_long_texts_are_said_in_pieces_and_constants_are_said():
    a = Attribute("a", ("x" * 600, "y"))
    said = export(Formula(a.equal("x" * 600), {}, (a,)), "excel")
    assert max(map(len, said.split('"'))) <= 255
    assert export(Formula(TRUE, {}, (a,)), "excel") == "=IF(TRUE(),TRUE(),FALSE())"
    assert export(Formula(FALSE, {}, ()), "excel", negative=0) == "=IF(FALSE(),TRUE(),0)"
    two = Formula(Or((Concept("c"), a.is_missing)), {"c": And((a.equal("y"), a.is_known))}, (a,))
    assert "ISBLANK(A2)" in export(two, "excel")
