"""Every number that the search for deep counting networks goes by."""

from dataclasses import dataclass, replace
from typing import Self

from rulenet.count.schedule import Law


@dataclass(frozen=True)
class DeepSchedule:
    """How many walks, how long, at which laws, and how concepts are found between them."""

    # The dearest law first: of those that err as little on folds, the first is taken. Sure units say what there is to
    # say where labels are clean, cautious ones where they are not.
    laws: tuple[Law, ...] = (Law(1.0, 3.0, 0.3), Law(1.0, 1.5, 0.3), Law(2.0, 1.0, 0.3), Law(0.5, 0.75, 0.3))
    # Paths on all rows, at the law that is chosen; the others get one each, and so does every law on every fold.
    n_restarts: int = 6
    n_folds: int = 3
    n_proposals: int = 60_000
    # A path goes on so often with the best concepts proposed, from a cooler start, so as not to forget what it knows.
    n_rounds: int = 4
    n_concepts: int = 12
    hot: float = 1.0
    # Literals that a concept joins.
    max_joined: int = 4
    max_units: int = 128
    # Walks begin cooler at a network that was given.
    start_hot: float = 2.0
    # More than two classes take more to tell: what a unit of size costs there, as a multiple.
    several_price: float = 2 / 3
    # Rows that a path sees, those that concepts are proposed by, and the fewest that are divided into folds.
    max_rows: int = 4_096
    max_proposing: int = 2_048
    least_rows: int = 20
    # Units for every class, if that is more.
    class_units: int = 12

    def fitted_to(self, n_classes: int) -> Self:
        """The schedule for so many classes."""
        share = self.several_price if n_classes > 2 else 1.0
        return replace(
            self,
            laws=tuple(replace(law, price=share * law.price) for law in self.laws),
            max_units=max(self.max_units, self.class_units * n_classes),
        )
