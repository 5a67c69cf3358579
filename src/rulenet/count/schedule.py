"""Every number that the search for counting networks goes by."""

from dataclasses import dataclass, replace
from typing import Literal, Self

Loss = Literal["logistic", "hinge", "errors"]


@dataclass(frozen=True)
class Law:
    """What a walk minimises, in nats: the ``loss`` of ``scale`` times the margin, and ``price`` for every unit of size.

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
    loss: Loss = "logistic"


@dataclass(frozen=True)
class Ridge:
    """Sums of points for single conditions; the points are from a normal law of this ``variance`` around zero."""

    variance: float


@dataclass(frozen=True)
class Trees:
    """A random forest of at most so many trees."""

    n_trees: int = 100


@dataclass(frozen=True)
class Boosting:
    """At most so many trees of some depth, boosted one after the other.

    Each sees a share of the ``rows``, each of its splits a share of the ``features``, and a leaf has ``least_rows``.
    """

    n_trees: int
    depth: int
    rows: float
    least_rows: int
    features: float = 0.1


Guest = Ridge | Trees | Boosting


@dataclass(frozen=True)
class Schedule:
    """How many walks of which kind, how long, and what is made of them."""

    # Networks are sampled by one of two laws, or by both in turn: many cautious units, or a few sure ones, which is
    # better where labels are noisy. Rows left out tell.
    samplers: tuple[Law, ...] = (Law(0.5, 0.3, 0.5), Law(1.0, 2.0, 1.0))
    n_walks: int = 8
    # Proposals until a walk has cooled, and between two networks that it leaves behind.
    n_burn: int = 100_000
    n_between: int = 5_000
    n_snapshots: int = 20
    # Where time is limited there are as many seconds between them at least, so that hearing all of them takes no longer
    # than walking.
    least_between: float = 0.005
    # Guests of the vote, each with as much say as all networks: of every line the one that makes the vote likeliest on
    # rows left out, if any does. Sums of single conditions tell what many of them know a little of (two classes, 19
    # tables, folds of their training rows: vote .862 -> .868, AUC .870 -> .875).
    # Boosted trees, sure or cautious, know conjunctions of many conditions (two classes, five sets of more than 1,000
    # rows, the same: networks .915 -> .918, AUC .960 -> .961).
    guests: tuple[tuple[Guest, ...], ...] = (
        (Ridge(0.03), Ridge(0.3)),
        (Trees(),),
        (Boosting(150, depth=8, rows=0.7, least_rows=10), Boosting(100, depth=6, rows=1.0, least_rows=20)),
    )
    # They see so many rows, or cells, at the most.
    ridge_rows: int = 8_192
    ridge_cells: int = 1 << 21
    forest_rows: int = 8_192
    forest_cells: int = 1 << 23
    boosted_rows: int = 8_192
    boosted_cells: int = 1 << 22
    # No forest grows where there are more rows than this, which walks learn enough from, nor for two classes, where
    # networks were larger for it and no better (12 tables, folds of their training rows). With more conditions than
    # the last, too few rows would be taken in by sums; with many classes, each has a sum, and they take too long.
    most_rows_for_forest: int = 16_384
    # Trees are boosted where there are two classes and this many rows: of fewer they learn too much by heart, and
    # networks were no better for it (13 tables, the same).
    least_rows_to_boost: int = 1_000
    # Of more rows than this they see too small a share, and what they take of memory is wanted for the rows.
    most_rows_to_boost: int = 65_536
    most_literals_for_ridge: int = 8_192
    # The network that is kept is found cold. It is looked for at the lowest price; the networks of higher ones grow out
    # of one another, from a little warmth. One is usual, and taken unless rows left out tell of a better one: chosen by
    # them alone, networks were larger and worse (130 problems made of training rows). Several classes need more units;
    # at half of their price networks were a third larger and no more accurate (16 tables, folds of training rows).
    student: Law = Law(0.5, 0.5, 0.3, 2.0)
    prices: tuple[float, ...] = (0.5, 1.0, 2.0, 4.0, 8.0)
    usual_price: float = 2.0
    several_usual_price: float = 1.0
    boosted_usual_price: float = 4.0
    n_students: int = 2
    n_student: int = 200_000
    dearer_share: float = 0.2
    dearer_hot: float = 0.6
    # After the highest price the walk goes on at these scales, and multiples of that price: where a point is worth
    # more, fewer of them say the same. Without, "at least 5 of 7" had a hundred points; a scale that doubles keeps what
    # was found.
    surer: tuple[tuple[float, float], ...] = ((1.0, 1.0), (2.0, 1.0), (4.0, 1.0), (4.0, 4.0))
    # With a price that the user gives, the higher ones to choose from, as multiples.
    multiples: tuple[float, ...] = (1.0, 2.0, 4.0)
    # Rows that are made up to hear the vote on, and the share of attributes that they take from a second row. Of few
    # rows alone a network learns too little of the vote: with 3,000 more for 1,000 it is more accurate and ranks better
    # at the same size (13 tables, folds of their training rows), and patience is worth nothing more.
    n_generated: int = 3_000
    exchanged: float = 0.3
    # Trees know more than so few rows can tell of: with 12,000, at twice the price, which so many more rows outweigh,
    # networks are more accurate and rank better (splice and connect-4, folds of their training rows: .9586 -> .9624,
    # .8662 -> .8695), and 6% larger. That is for tables whose rows leave room for as many. Of a rare class few rows
    # tell, and at twice the price the network says less of it.
    boosted_generated: int = 12_000
    # The power of the vote's probabilities that the network learns. A power of 1 makes it small, decisions rank rows
    # worse; these were the most accurate (13 tables of two classes, 11 of several, folds of their training rows).
    sharpness: int = 3
    several_sharpness: int = 2
    # Of two classes, one with at most this share of the rows is rare. Where the vote decides for so few of them,
    # sharpened it would hardly say which rows are likelier: it is learned as it is, in finer steps.
    rare: float = 0.1
    seldom: float = 0.5
    seldom_sharpness: int = 1
    seldom_vote_steps: int = 1_024
    # How much more a training row weighs than one that is made up, and the steps in which votes are weighed.
    own: int = 4
    vote_steps: int = 32
    max_units: int = 128
    # Where rows are too many for made-up ones, they tell of more units, for which the walk is longer (connect-4 without
    # draws, 22,915 training rows, 7,639 others: .880 -> .890, and half as large again).
    many_rows_units: int = 256
    many_rows_times: int = 2
    # Walks from a network that was given begin cooler, so as not to forget it.
    start_hot: float = 2.0
    # A walk sees so many rows at the most.
    max_rows: int = 16_384
    # Folds that choose laws and prices: how many, how many of them are used, the walks of each law there, and the share
    # of their proposals, and of those that find a network.
    n_folds: int = 3
    n_judged: int = 1_000
    n_fold_walks: int = 3
    fold_share: float = 0.5
    # Fewer rows than this are not divided into folds; of more than the latter, a sample is: prices differ by more than
    # what chance is left in so many rows.
    least_rows: int = 20
    most_fold_rows: int = 1 << 15

    # The shares of the work, and of a limited time: walks on folds, walks on all rows, each guest of the vote, finding
    # networks for their votes. Guests take in so many cells, rows times conditions times sums, a second.
    folds_share: float = 0.25
    walks_share: float = 0.3
    guest_share: float = 0.02
    study_share: float = 0.35
    cells_a_second: int = 1 << 21
    # The standard errors of a difference by which another network must be better than the usual one, in nats; and, if
    # it is so many times smaller, in nats and errors.
    clearly: float = 2.0
    likely: float = 1.0
    smaller: int = 2
    # A network is a concept where at most this share of the training rows is wrong, and its bits are at most this share
    # of those that the classes take. It is kept unless it errs more by so many standard errors: folds have fewer rows
    # to find it in.
    few_wrong: float = 0.005
    few_bits: float = 0.25
    surely: float = 3.0
    # A vote is never taken for surer than this.
    surest: float = 1e-6

    # Above so many rows the walk that finds the network is so many times as long: what it learns from is less of a
    # chance, and worth more patience.
    long_rows: int = 1_000
    long_times: int = 3
    # Above so many rows, times classes but one, one fold tells enough, and one walk finds the network.
    many_rows: int = 2_500
    # Units for every class, if that is more; above so many classes walks are longer in proportion, and there is only
    # one law and one price.
    class_units: int = 12
    many_classes: int = 12
    many_classes_price: float = 0.5
    # With more rows of many classes there is no vote: in the same time a network that is fitted to the classes
    # themselves, from a little warmth, is better. It has so many proposals and units for every class.
    votes: bool = True
    most_rows_to_vote: int = 4_096
    class_proposals: int = 120_000
    many_class_units: int = 30

    @property
    def laws(self) -> tuple[Law, ...]:
        """What the networks to choose from minimise, one after the other."""
        dearer = [replace(self.student, price=price) for price in self.prices]
        last = dearer[-1]
        return (*dearer, *(replace(last, scale=scale, price=times * last.price) for scale, times in self.surer))

    def fitted_to(self, n_rows: int, n_classes: int, n_literals: int, rarest: float = 0.5) -> Self:
        """The schedule for so many rows, classes and literals, and this share of the rarest class."""
        many = n_rows * (n_classes - 1) > self.many_rows
        is_long = n_rows > self.long_rows and n_classes <= self.many_classes
        suited = self._suited_to(n_rows, n_classes, rarest)
        found = replace(
            suited,
            n_student=suited.n_student * (self.long_times if is_long else max(1, n_classes // self.many_classes)),
            max_units=max(suited.max_units, self.class_units * n_classes),
            n_students=1 if many else self.n_students,
            n_judged=1 if many else self.n_judged,
            guests=self._guests_for(n_rows, n_classes, n_literals),
            sharpness=self.sharpness if n_classes == 2 else self.several_sharpness,
        )
        if n_classes <= self.many_classes:
            return found
        found = replace(found, samplers=self.samplers[:1], prices=(self.many_classes_price,), surer=())
        if n_rows <= self.most_rows_to_vote:
            return found
        share = self.n_student / type(self)().n_student
        return replace(
            found,
            votes=False,
            student=replace(self.student, hot=self.dearer_hot),
            n_student=int(self.class_proposals * n_classes * share),
            max_units=self.many_class_units * n_classes,
        )

    def _suited_to(self, n_rows: int, n_classes: int, rarest: float) -> Self:
        """With prices, made-up rows and patience for so many rows and classes."""
        if n_classes > 2:
            return replace(self, usual_price=self.several_usual_price)
        if n_rows < self.least_rows_to_boost:
            return self
        if n_rows <= self.max_rows - self.boosted_generated:
            price = self.usual_price if rarest <= self.rare else self.boosted_usual_price
            return replace(self, n_generated=self.boosted_generated, usual_price=price)
        return replace(self, max_units=self.many_rows_units, n_student=self.n_student * self.many_rows_times)

    def _guests_for(self, n_rows: int, n_classes: int, n_literals: int) -> tuple[tuple[Guest, ...], ...]:
        welcome = {
            Ridge: n_literals <= self.most_literals_for_ridge and n_classes <= self.many_classes,
            Trees: n_classes > 2 and n_rows <= self.most_rows_for_forest,
            Boosting: n_classes == 2 and self.least_rows_to_boost <= n_rows <= self.most_rows_to_boost,
        }
        return tuple(rivals for rivals in self.guests if welcome[type(rivals[0])])


SCHEDULE = Schedule()

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
