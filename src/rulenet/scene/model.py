"""The data of a scene. Lengths are inches, from the upper left corner; y grows downwards."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

Sign = Literal["", "and", "or", "count", "not"]
Role = Literal["condition", "concept", "unit", "target"]


class Point(NamedTuple):
    """A place."""

    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Node:
    """A condition, a reference to a concept, a unit, or the unit of the target.

    ``label`` is what there is room for, ``text`` all of it; ``words`` say what a unit asks of its inputs, in a box that
    is ``width`` wide. ``note`` is a line about a unit, such as how many rows it covers.
    """

    at: Point
    role: Role
    label: str
    text: str
    gate: Sign = ""
    words: str = ""
    width: float = 0.0
    note: str = ""


@dataclass(frozen=True, slots=True)
class Edge:
    """From a node to a unit: points to be joined by curves that leave and arrive horizontally.

    ``times`` is how often the unit counts what the edge brings.
    """

    start: int
    end: int
    points: tuple[Point, ...]
    gate: Sign
    negated: bool = False
    times: int = 1


@dataclass(frozen=True, slots=True)
class Panel:
    """A frame around the meaning of one concept."""

    title: str
    corner: Point
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Scene:
    """All there is to draw."""

    width: float
    height: float
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    panels: tuple[Panel, ...] = ()
