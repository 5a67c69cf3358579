"""Hierarchies of decision tables, in the manner of DEX.

M. Bohanec, V. Rajkovic: DEX: An expert system shell for decision support. Sistemica 1(1), 145-157, 1990.

The tables of this package were reconstructed from the data that the models generated: rows that agree
in everything a concept does not read, and differ in class, must differ in the concept. Grades that no row
tells apart are one grade.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rulenet.datasets.factorial import as_nominal, complete_table

Grades = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Concept:
    """A decision table: the grade of every combination of the values of two or more inputs.

    ``table`` has a digit, an index of ``grades``, for every combination of input values in counting order;
    blanks are for the reader.
    """

    name: str
    grades: tuple[str, ...]
    inputs: tuple[str, ...]
    table: str

    def grade(self, codes: Mapping[str, Grades], sizes: Mapping[str, int]) -> Grades:
        """The grade of every row, from the value numbers ``codes`` of the inputs."""
        shape = [sizes[name] for name in self.inputs]
        table = np.array([int(digit) for digit in "".join(self.table.split())]).reshape(shape)
        grades: Grades = table[tuple(codes[name] for name in self.inputs)]
        return grades


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """Attributes with their values, and concepts upon them; the last concept is the class."""

    attributes: Mapping[str, tuple[str, ...]]
    concepts: tuple[Concept, ...]

    def generate(self) -> tuple[pd.DataFrame, pd.Series]:
        """All combinations of the attributes (nominal columns), and their class."""
        rows = complete_table(self.attributes)
        return as_nominal(rows), self.grade(rows).iloc[:, -1].rename("class")

    def grade(self, rows: pd.DataFrame) -> pd.DataFrame:
        """A column of grades for every concept, the hidden ones and the class, for ``rows`` of the attributes."""
        codes = {name: _codes(rows[name], values) for name, values in self.attributes.items()}
        sizes = {name: len(values) for name, values in self.attributes.items()}
        for concept in self.concepts:
            codes[concept.name] = concept.grade(codes, sizes)
            sizes[concept.name] = len(concept.grades)
        return pd.DataFrame({c.name: np.array(c.grades)[codes[c.name]] for c in self.concepts}, index=rows.index)


def _codes(column: pd.Series, values: tuple[str, ...]) -> Grades:
    number = {value: i for i, value in enumerate(values)}
    return np.array([number[value] for value in column])
