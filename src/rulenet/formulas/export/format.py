"""What a language that rules are written in supports."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from rulenet.exceptions import FormulaError


@dataclass(frozen=True, slots=True)
class Format:
    """A language, and what it supports.

    Parameters
    ----------
    write : callable
        From a formula or a decision, and options by keyword, to text.
    about : str
        What it gives, in a line.
    runs : bool
        Whether machines run it, and it then says of every row what ``predict`` says.
    missing : bool
        Whether it can speak of missing values; if not, it speaks of rows without any.
    concepts : bool
        Whether it keeps the concepts; if not, they are written out.
    binary : bool
        Whether it is bytes, for a file, rather than text.
    """

    write: Callable[..., Any]
    about: str
    runs: bool = False
    missing: bool = True
    concepts: bool = True
    binary: bool = False

    @property
    def options(self) -> tuple[str, ...]:
        """The names of what may be given besides the formula."""
        return tuple(inspect.signature(self.write).parameters)[1:]


def written(formats: Mapping[str, Format], what: object, format: str, options: Mapping[str, Any]) -> Any:
    """``what`` in one of ``formats``, which has these options: text, or bytes where the format is binary."""
    if format not in formats:
        raise FormulaError(f"format is {format!r}, but must be one of {', '.join(formats)}")
    known = formats[format].options
    if unknown := [name for name in options if name not in known]:
        offered = f"its options are {', '.join(known)}" if known else "it has no options"
        raise FormulaError(f"{format} has no option {unknown[0]!r}; {offered}")
    made = formats[format].write(what, **options)
    return made if formats[format].binary else str(made)
