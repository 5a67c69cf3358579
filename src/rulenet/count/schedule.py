"""Every number that the search for counting networks goes by."""

from dataclasses import dataclass, replace
from typing import Self


@dataclass(frozen=True)
class Law:
    """What a walk minimises, in nats: the loss of ``scale`` times the margin, and ``price`` for every unit of size.

    It cools from ``hot`` to ``cold``. A unit reads at most ``max_inputs`` literals, gives at most ``max_points`` to a
    class, and has a need of at most ``max_need``.
    """

    scale: float
    price: float
    cold: float
    hot: float = 3.0
    max_inputs: int = 5
    max_points: int = 3
    max_need: int = 3


@dataclass(frozen=True)
class Schedule:
    """How many walks of which kind, how long, and what is made of them."""

    # Networks are sampled at two laws in turn: one with sure units, few of them; one with many cautious ones.
    samplers: tuple[Law, ...] = (Law(1.0, 0.7, 1.0), Law(0.5, 0.3, 0.5))
    n_walks: int = 8
    # Proposals until a walk has cooled, and between two networks that it leaves behind.
    n_burn: int = 100_000
    n_between: int = 5_000
    n_snapshots: int = 20
    # The network that is kept is found cold; the vote has less noise than labels, so little speaks for a high price.
    student: Law = Law(0.5, 0.75, 0.3, 2.0)
    n_students: int = 2
    n_student: int = 300_000
    # More than two classes take more to tell: what a unit of size costs there, as a multiple.
    several_price: float = 2 / 3
    # The prices of smaller networks to choose from, as multiples of the usual one; they are found in less.
    other_prices: tuple[float, ...] = (4.0, 2.0)
    other_share: float = 0.5
    # Rows that are made up to hear the vote on, and the share of attributes that they take from a second row.
    n_generated: int = 1_000
    exchanged: float = 0.3
    # The power of the vote's probabilities that the network learns. A power of 1 makes it small, decisions rank rows
    # worse; 4 was the most accurate (13 tables, folds of their training rows).
    sharpness: int = 4
    # How much more a training row weighs than one that is made up, and the steps in which votes are weighed.
    own: int = 2
    vote_steps: int = 32
    max_units: int = 128
    # Walks from a network that was given begin cooler, so as not to forget it.
    start_hot: float = 2.0
    # A walk sees so many rows at the most, and the network that is kept so many.
    max_rows: int = 4_096
    max_lesson: int = 16_384
    # Folds that say how the network does on rows left out: how many, how many of them are used, and the share of walks
    # there, and of the proposals that find a network.
    n_folds: int = 3
    n_judged: int = 1_000
    fold_share: float = 0.5
    fold_student: float = 1.0
    # Fewer rows than this are not divided into folds.
    least_rows: int = 20

    # Above so many rows, times classes but one, one fold tells enough, in less, and one walk finds the network.
    many_rows: int = 2_500
    many_fold_student: float = 0.5
    # Units for every class, if that is more; above so many classes walks are longer in proportion, and only one price.
    class_units: int = 12
    many_classes: int = 12

    def fitted_to(self, n_rows: int, n_classes: int) -> Self:
        """The schedule for so many rows and classes."""
        many = n_rows * (n_classes - 1) > self.many_rows
        price = self.student.price * (self.several_price if n_classes > 2 else 1)
        return replace(
            self,
            student=replace(self.student, price=price),
            n_student=self.n_student * max(1, n_classes // self.many_classes),
            max_units=max(self.max_units, self.class_units * n_classes),
            n_students=1 if many else self.n_students,
            n_judged=1 if many else self.n_judged,
            fold_student=self.many_fold_student if many else self.fold_student,
            other_prices=() if n_classes > self.many_classes else self.other_prices,
        )


# Removals are dearer than they look: a unit that goes takes what was paid for it along. Replacing is what finds most.
MOVES = {
    "new": 0.10,
    "add": 0.15,
    "remove": 0.08,
    "replace": 0.30,
    "need": 0.04,
    "point": 0.08,
    "bias": 0.03,
    "copy": 0.06,
    "drop": 0.02,
    "repair": 0.20,
}
