"""Colours of gates: the paper's, and three that all readers can tell apart."""

from dataclasses import dataclass

from rulenet.exceptions import ParameterError


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours of edges into AND, into OR and into counts, and of what is none of these."""

    and_: str
    or_: str
    count: str
    ink: str = "#2f3437"
    faint: str = "#767d82"
    rule: str = "#d5d9dc"
    paper: str = "#fbfbfa"

    def gate(self, gate: str) -> str:
        """The colour of edges into ``gate``."""
        return {"and": self.and_, "or": self.or_, "count": self.count}.get(gate, self.faint)


PALETTES = {
    "paper": Palette("#c8372d", "#2c9a4b", "#2b6cb0"),
    "safe": Palette("#d55e00", "#0072b2", "#7a3f8f"),  # vermilion and blue of Okabe and Ito, and a dark purple
}


def palette_called(name: str) -> Palette:
    """The palette of that name.

    >>> palette_called("safe").or_
    '#0072b2'
    """
    if name not in PALETTES:
        raise ParameterError(f"colours is {name!r}, but must be one of {', '.join(map(repr, PALETTES))}")
    return PALETTES[name]
