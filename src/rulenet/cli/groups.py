"""Options that stand together: a dataclass whose fields are options is one parameter of a command."""

import inspect
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from typing import Any, get_type_hints


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """The command with the fields of its dataclasses as options of their own, in their places.

    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Ink:
    ...     colour: str = "blue"
    ...     width: int = 1
    >>> @grouped
    ... def draw(what: str, ink: Ink) -> None:
    ...     print(what, ink)
    >>> print(inspect.signature(draw))
    (*, what: str, colour: str = 'blue', width: int = 1)
    >>> draw(what="a line", colour="red", width=2)
    a line Ink(colour='red', width=2)
    """
    flat, groups = list[inspect.Parameter](), dict[str, Any]()
    for name, parameter in inspect.signature(command, eval_str=True).parameters.items():
        if is_dataclass(parameter.annotation):
            groups[name] = parameter.annotation
            flat += _options(parameter.annotation)
        else:
            flat.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))

    @wraps(command)
    def run(**given: Any) -> None:
        made = {name: group(**{f.name: given.pop(f.name) for f in fields(group)}) for name, group in groups.items()}
        command(**given, **made)

    run.__signature__ = inspect.Signature(flat)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in flat}
    return run


def _options(group: Any) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if field.default is MISSING else field.default,
            annotation=hints[field.name],
        )
        for field in fields(group)
    ]
