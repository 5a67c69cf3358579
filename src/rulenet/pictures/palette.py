"""Colours of gates: the paper's, and a pair that all readers can tell apart."""

from dataclasses import dataclass

from rulenet.exceptions import ParameterError


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours of edges into AND and into OR, and of what is neither."""

    and_: str
    or_: str
    ink: str = "#2f3437"
    faint: str = "#8a9196"

    def gate(self, gate: str) -> str:
        """The colour of edges into ``gate``."""
        return {"and": self.and_, "or": self.or_}.get(gate, self.faint)


PALETTES = {
    "paper": Palette("#c8372d", "#2c9a4b"),
    "safe": Palette("#d55e00", "#0072b2"),  # vermilion and blue of Okabe and Ito
}


def palette_called(name: str) -> Palette:
    """The palette of that name.

    >>> palette_called("safe").or_
    '#0072b2'
    """
    if name not in PALETTES:
        raise ParameterError(f"colours is {name!r}, but must be one of {', '.join(map(repr, PALETTES))}")
    return PALETTES[name]
