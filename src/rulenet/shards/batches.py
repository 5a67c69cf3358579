"""A table that is read in batches, twice: what is kept is packed, beside a sample of the rows as they are."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from rulenet import bits
from rulenet.encoding.tables import suggestion
from rulenet.exceptions import ParameterError, TableError
from rulenet.search.problem import Problem
from rulenet.shards.data import Mass
from rulenet.shards.memory import give_back
from rulenet.shards.pack import Joined, Recipe, pack
from rulenet.shards.parts import Part
from rulenet.shards.shards import Shards
from rulenet.shards.sources import Source
from rulenet.shards.survey import Listed, Survey, look, n_kept


class Batches:
    """The rows of a source, with the labels and weights that two of its columns hold."""

    def __init__(self, source: Source, target: Any, weight: Any = None) -> None:
        for said, what in ((target, "y"), (weight, "sample_weight")):
            if not isinstance(said, str) and not (said is None and what == "sample_weight"):
                raise ParameterError(
                    f"{what} is a {type(said).__name__}, but for a table that is read in batches it must be the name "
                    "of one of its columns"
                )
        self._source, self._target, self._weight = source, target, weight
        self.weighted = weight is not None
        self._packed: tuple[Recipe, Problem, Mass] | None = None

    def survey(self, listed: Listed, class_weight: Mapping[Any, float]) -> Survey:
        """Look at all batches."""
        found: Survey | None = None
        for part in self._parts():
            if found is None:
                found, columns = Survey(n_kept(part.table.shape[1])), listed(part.table)
            found.add(look(part, columns, class_weight, found.n_rows, found.limit))
        if found is None:
            raise TableError(f"{self._source.name}: has no rows, but at least one is required")
        return found

    def pack(self, recipe: Recipe, n_rows: int, n_jobs: int | None) -> tuple[Problem, Mass, Shards | None]:
        """All rows, packed; once for both of two classes, if their literals are the same."""
        if self._packed is not None and self._packed[0].encoding == recipe.encoding:
            _, problem, mass = self._packed
            return replace(problem, target=~problem.target & bits.mask(n_rows)), mass, None
        problem, mass = self._pack(recipe, n_rows, n_jobs)
        if len(recipe.outputs) == 1:
            self._packed = recipe, problem, mass
        return problem, mass, None

    def _pack(self, recipe: Recipe, n_rows: int, n_jobs: int | None) -> tuple[Problem, Mass]:
        room = Joined(recipe, n_rows)
        for part in self._parts():
            shard = pack(part, recipe, room.n_filled, n_jobs)
            if room.n_filled + shard.problem.n_rows > n_rows:
                break
            room.add(shard)
        else:
            if room.n_filled == n_rows:
                return room.problem, room.mass
        raise TableError(f"{self._source.name}: had {n_rows} rows at first, but not when it was read again")

    def _parts(self) -> Iterator[Part]:
        taken = [name for name in (self._target, self._weight) if name is not None]
        first = 0
        for frame in self._source.rows():
            for name in taken:
                if name not in frame:
                    known = [str(column) for column in frame.columns]
                    shown = ", ".join(known[:10])
                    raise TableError(
                        f"{self._source.name}: no column is called {name!r}, the columns are {shown}"
                        f"{suggestion(name, known)}"
                    )
            weights = None if self._weight is None else frame[self._weight]
            yield Part.of(frame.drop(columns=taken), frame[self._target], weights, first)
            first += len(frame)
        give_back()
