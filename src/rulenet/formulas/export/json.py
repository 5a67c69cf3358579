"""JSON: the formula as data, there and back."""

import json
from typing import Any

from rulenet.exceptions import FormulaError
from rulenet.formulas.export.values import check_plain
from rulenet.formulas.expressions import And, Concept, Constant, Expression, Formula, Not, Or
from rulenet.literals import Attribute, Literal

MAX_DEPTH = 200


def to_json(formula: Formula, *, indent: int | None = 2) -> str:
    """The formula as JSON text; ``from_json`` gives the same formula back.

    >>> a = Attribute("a", (0, 1))
    >>> print(to_json(Formula(Literal(a, 1), {}, (a,)), indent=None))
    {"target": "positive", "attributes": [{"name": "a", "values": [0, 1]}], "concepts": [], "means": ["a", "==", 1]}
    """
    return json.dumps(as_data(formula), indent=indent)


def from_json(text: str) -> Formula:
    """The formula of JSON text; anything that is not one raises a ``FormulaError``."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormulaError(f"this is not JSON: {error}") from error
    return from_data(data)


def as_data(formula: Formula) -> dict[str, Any]:
    """The formula as lists and dictionaries."""
    return {
        "target": formula.target,
        "attributes": [
            {"name": a.name, "values": [check_plain(v, "JSON") for v in a.values]} for a in formula.attributes
        ],
        "concepts": [{"name": name, "means": _data(meaning)} for name, meaning in formula.concepts.items()],
        "means": _data(formula.output),
    }


def from_data(data: Any) -> Formula:
    """The formula of lists and dictionaries as ``as_data`` makes them."""
    _expect(data, dict, "a formula")
    attributes = [_attribute(a) for a in _expect(data.get("attributes"), list, "attributes")]
    by_name = {a.name: a for a in attributes}
    concepts: dict[str, Expression] = {}
    for concept in _expect(data.get("concepts"), list, "concepts"):
        name = _expect(_expect(concept, dict, "a concept").get("name"), str, "the name of a concept")
        if name in concepts:
            raise FormulaError(f"two concepts are called {name!r}; names must differ")
        concepts[name] = _expression(concept.get("means"), by_name, 0)
    target = _expect(data.get("target"), str, "target")
    return Formula(_expression(data.get("means"), by_name, 0), concepts, tuple(attributes), target)


def _data(expression: Expression) -> Any:
    match expression:
        case And(parts):
            return {"and": [_data(p) for p in parts]}
        case Or(parts):
            return {"or": [_data(p) for p in parts]}
        case Not(part):
            return {"not": _data(part)}
        case Concept(name):
            return {"concept": name}
        case Constant(value):
            return value
        case Literal(attribute, value, operator):
            return [attribute.name, operator, check_plain(value, "JSON")]


def _expression(data: Any, attributes: dict[str, Attribute], depth: int) -> Expression:
    if depth > MAX_DEPTH:
        raise FormulaError(f"an expression is nested deeper than {MAX_DEPTH}; name its parts as concepts")
    if isinstance(data, bool):
        return Constant(data)
    if isinstance(data, list):
        return _literal(data, attributes)
    items = list(_expect(data, dict, "an expression").items())
    kind, inner = items[0] if len(items) == 1 else ("", None)
    match kind:
        case "and" | "or":
            parts = tuple(_expression(p, attributes, depth + 1) for p in _expect(inner, list, f"the parts of {kind}"))
            return And(parts) if kind == "and" else Or(parts)
        case "not":
            return Not(_expression(inner, attributes, depth + 1))
        case "concept":
            return Concept(_expect(inner, str, "the name of a concept"))
        case _:
            raise FormulaError(f"an expression has the keys {list(data)}, but must have one of and, or, not, concept")


def _literal(data: list[Any], attributes: dict[str, Attribute]) -> Literal:
    if len(data) != 3 or not isinstance(data[0], str) or data[1] not in ("==", "!="):
        raise FormulaError(f'a condition is {str(data)[:80]}, but must look like ["column", "==", value]')
    name, operator, value = data
    if name not in attributes:
        raise FormulaError(f"a condition is about {name!r}, which is not among the attributes")
    check_plain(value, "JSON")
    known = [v for v in attributes[name].values if type(v) is type(value) and v == value]
    if not known:
        raise FormulaError(f"a condition asks whether {name!r} is {value!r}, which is not among its values")
    return Literal(attributes[name], known[0], operator)


def _attribute(data: Any) -> Attribute:
    _expect(data, dict, "an attribute")
    values = [check_plain(v, "JSON") for v in _expect(data.get("values"), list, "the values of an attribute")]
    return Attribute(_expect(data.get("name"), str, "the name of an attribute"), tuple(values))


def _expect(data: Any, kind: type, what: str) -> Any:
    if not isinstance(data, kind):
        names: dict[Any, str] = {dict: "an object", list: "an array", str: "a string"}
        raise FormulaError(f"{what} is {str(data)[:80]!r}, but must be {names[kind]}")
    return data
