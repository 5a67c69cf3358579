"""JSON: the formula as data, there and back.

Version 2: attributes with their kind, values or cuts; conditions as cells, beside the text that people read. Version
1, which had no kinds and conditions such as ``["colour", "==", "red"]``, is still read.
"""

import json
from collections.abc import Mapping
from typing import Any

from rulenet.conditions import Attribute, Condition
from rulenet.exceptions import FormulaError
from rulenet.formulas.export.values import check_plain
from rulenet.formulas.expressions import And, AtLeast, Concept, Constant, Expression, Formula, Not, Or
from rulenet.kinds import KINDS

VERSION = 2
MAX_DEPTH = 200


def to_json(formula: Formula, *, indent: int | None = 2) -> str:
    """The formula as JSON text; ``from_json`` gives the same formula back.

    >>> a = Attribute("a", (0, 1))
    >>> print(to_json(Formula(a.equal(1), {}, (a,)), indent=None))
    {"version": 2, "target": "positive", "attributes": [{"name": "a", "kind": "nominal", "values": [0, 1]}], "concepts":
    [], "means": {"column": "a", "cells": [1], "reads": "a = 1"}}
    """
    return json.dumps(as_data(formula), indent=indent, allow_nan=False)


def from_json(text: str) -> Formula:
    """The formula of JSON text; anything that is not one raises a ``FormulaError``."""
    return from_data(data_of(text))


def data_of(text: str) -> Any:
    """What JSON text holds; anything else raises a ``FormulaError``."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormulaError(f"this is not JSON: {error}") from error


def check_kind(data: Any, kind: str) -> None:
    """Refuse data that are not of a ``kind`` that says its name, and of our version."""
    expect(data, dict, kind)
    if data.get("kind") != kind or data.get("version") != VERSION:
        found = f"the kind {str(data.get('kind'))[:80]!r} and the version {str(data.get('version'))[:80]!r}"
        raise FormulaError(f"the data have {found}, but must have {kind!r} and {VERSION}")


def as_data(formula: Formula) -> dict[str, Any]:
    """The formula as lists and dictionaries."""
    return {
        "version": VERSION,
        "target": formula.target,
        "attributes": [attribute_as_data(a) for a in formula.attributes],
        "concepts": concepts_as_data(formula.concepts),
        "means": expression_as_data(formula.output),
    }


def from_data(data: Any) -> Formula:
    """The formula of lists and dictionaries as ``as_data`` makes them."""
    expect(data, dict, "a formula")
    version = data.get("version", 1)
    if version not in (1, VERSION) or isinstance(version, bool):
        raise FormulaError(f"the formula has version {str(version)[:80]!r}, but must have 1 or {VERSION}")
    attributes = [attribute_from_data(a) for a in expect(data.get("attributes"), list, "attributes")]
    by_name = {a.name: a for a in attributes}
    concepts = concepts_from_data(data, by_name)
    target = expect(data.get("target"), str, "target")
    return Formula(expression_from_data(data.get("means"), by_name), concepts, tuple(attributes), target)


def concepts_as_data(concepts: Mapping[str, Expression]) -> list[dict[str, Any]]:
    """The concepts of a formula or a decision."""
    return [{"name": name, "means": expression_as_data(meaning)} for name, meaning in concepts.items()]


def concepts_from_data(data: dict[str, Any], by_name: dict[str, Attribute]) -> dict[str, Expression]:
    """The concepts of a formula or a decision, given its attributes by name."""
    concepts: dict[str, Expression] = {}
    for concept in expect(data.get("concepts"), list, "concepts"):
        name = expect(expect(concept, dict, "a concept").get("name"), str, "the name of a concept")
        if name in concepts:
            raise FormulaError(f"two concepts are called {name!r}; names must differ")
        concepts[name] = expression_from_data(concept.get("means"), by_name)
    return concepts


def attribute_as_data(attribute: Attribute) -> dict[str, Any]:
    """An attribute as a dictionary.

    >>> attribute_as_data(Attribute("age", kind="numeric", cuts=(20, 37.5)))
    {'name': 'age', 'kind': 'numeric', 'cuts': [20, 37.5]}
    """
    data: dict[str, Any] = {"name": attribute.name, "kind": attribute.kind}
    if attribute.measured:
        data["cuts"] = [check_plain(c, "JSON") for c in attribute.cuts]
    else:
        data["values"] = [check_plain(v, "JSON") for v in attribute.values]
    return data | {"whole": True} if attribute.whole else data


def attribute_from_data(data: Any) -> Attribute:
    """The attribute of a dictionary as ``attribute_as_data`` makes them, or of version 1: a name and values."""
    name = expect(expect(data, dict, "an attribute").get("name"), str, "the name of an attribute")
    kind = data.get("kind", "nominal")
    if not isinstance(kind, str) or kind not in KINDS:
        raise FormulaError(f"the kind of column {name!r} is {str(kind)[:80]!r}, but must be one of {list(KINDS)}")
    whole = data.get("whole", False)
    if not isinstance(whole, bool):
        raise FormulaError(f"whether column {name!r} is whole is {str(whole)[:80]!r}, but must be true or false")
    if kind in ("nominal", "ordinal"):
        values = [check_plain(v, "JSON") for v in expect(data.get("values"), list, "the values of an attribute")]
        return Attribute(name, tuple(values), kind, whole=whole)
    cuts = expect(data.get("cuts"), list, "the cuts of an attribute")
    numbers = float | int if kind == "numeric" else int
    if any(isinstance(c, bool) or not isinstance(c, numbers) for c in cuts):
        expected = "numbers" if kind == "numeric" else "whole microseconds"
        raise FormulaError(f"the cuts of column {name!r} are {str(cuts)[:80]}, but must be {expected}")
    return Attribute(name, (), kind, tuple(check_plain(c, "JSON") for c in cuts), whole)  # type: ignore[misc]


def expression_as_data(expression: Expression) -> Any:
    """An expression as lists and dictionaries."""
    match expression:
        case And(parts):
            return {"and": [expression_as_data(p) for p in parts]}
        case Or(parts):
            return {"or": [expression_as_data(p) for p in parts]}
        case AtLeast(need, parts):
            return {"at least": need, "of": [expression_as_data(p) for p in parts]}
        case Not(part):
            return {"not": expression_as_data(part)}
        case Concept(name):
            return {"concept": name}
        case Constant(value):
            return value
        case Condition(attribute, cells):
            held = [cell for cell in range(attribute.n_cells) if cells >> cell & 1]
            missing = {"missing": True} if expression.asks_missing else {}
            return {"column": attribute.name, "cells": held, **missing, "reads": str(expression)}


def expression_from_data(data: Any, attributes: dict[str, Attribute], depth: int = 0) -> Expression:
    """The expression of lists and dictionaries as ``expression_as_data`` makes them."""
    if depth > MAX_DEPTH:
        raise FormulaError(f"an expression is nested deeper than {MAX_DEPTH}; name its parts as concepts")
    if isinstance(data, bool):
        return Constant(data)
    if isinstance(data, list):
        return _comparison(data, attributes)

    def parts(inner: Any) -> tuple[Expression, ...]:
        return tuple(expression_from_data(p, attributes, depth + 1) for p in expect(inner, list, "the parts of a gate"))

    match expect(data, dict, "an expression"):
        case {"and": inner, **rest} if not rest:
            return And(parts(inner))
        case {"or": inner, **rest} if not rest:
            return Or(parts(inner))
        case {"not": inner, **rest} if not rest:
            return Not(expression_from_data(inner, attributes, depth + 1))
        case {"concept": inner, **rest} if not rest:
            return Concept(expect(inner, str, "the name of a concept"))
        case {"at least": int(need), "of": inner, **rest} if not rest and not isinstance(need, bool):
            return AtLeast(need, parts(inner))
        case {"column": name, "cells": cells, **rest} if rest.keys() <= {"missing", "reads"}:
            return _condition(_attribute(name, attributes), cells, rest.get("missing", False))
        case _:
            known = "and, or, not, concept, at least (a number) and of, column and cells"
            raise FormulaError(f"an expression has the keys {str([*data])[:80]}, but must have one of: {known}")


def _condition(attribute: Attribute, cells: Any, missing: Any) -> Condition:
    held = expect(cells, list, "the cells of a condition")
    known = all(type(cell) is int and 0 <= cell < attribute.n_cells for cell in held)
    if not known or not isinstance(missing, bool):
        found = f"the cells {str(held)[:80]} of column {attribute.name!r}, missing: {str(missing)[:20]}"
        raise FormulaError(f"a condition has {found}; cells go from 0 to {attribute.n_cells - 1}, missing is a Boolean")
    return Condition(attribute, sum({1 << cell for cell in held}) | (attribute.missing if missing else 0))


def _comparison(data: list[Any], attributes: dict[str, Attribute]) -> Condition:
    """A condition as version 1 has it."""
    if len(data) != 3 or data[1] not in ("==", "!="):
        raise FormulaError(f'a condition is {str(data)[:80]}, but must look like ["column", "==", value]')
    name, operator, value = data
    attribute = _attribute(name, attributes)
    if (type(check_plain(value, "JSON")), value) not in attribute.places:
        raise FormulaError(f"a condition asks whether {name!r} is {value!r}, which is not among its values")
    condition = attribute.equal(value)
    return condition if operator == "==" else ~condition


def _attribute(name: Any, attributes: dict[str, Attribute]) -> Attribute:
    if not isinstance(name, str) or name not in attributes:
        raise FormulaError(f"a condition is about {str(name)[:80]!r}, which is not among the attributes")
    return attributes[name]


def expect(data: Any, kind: type, what: str) -> Any:
    """``data``, if it is of that kind."""
    if not isinstance(data, kind):
        names: dict[Any, str] = {dict: "an object", list: "an array", str: "a string"}
        raise FormulaError(f"{what} is {str(data)[:80]!r}, but must be {names[kind]}")
    return data
