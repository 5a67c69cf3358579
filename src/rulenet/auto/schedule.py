"""Every number that `Auto` goes by: when a concept may be near, and which network is kept."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Probe:
    """A few walks at some price."""

    price: float
    n_walks: int


@dataclass(frozen=True)
class Schedule:
    """What `Auto` looks for, for how long, and what it takes for chance."""

    # Of a limited time, the share that the search for a deep network gets; of the progress that is shown, the part
    # before counting begins.
    deep_share: float = 0.45
    deep_part: float = 0.5
    # Up to so many rows, a weight of three is the same as three rows, and the order of rows does not matter.
    plain_rows: int = 200
    # With more conditions, networks count: a deep walk keeps room for each among each.
    most_literals: int = 8_192
    # With more classes than this, hardly a table has a concept for each.
    most_classes: int = 12

    # --- Whether a concept may be near.
    # Below so many rows the whole search costs little, and is not probed for.
    few_rows: int = 150
    # Where rows are few, a low price lets a network learn them by heart; where they are many, some can be left out.
    many_rows: int = 1_000
    on_few: Probe = Probe(2.0, 2)
    on_many: Probe = Probe(0.5, 4)
    # These walks see at most so many rows, and take this share of a limited time; of so many folds, one is left out.
    probed_rows: int = 2_000
    probe_share: float = 0.1
    n_folds: int = 3
    # No concept is near where more rows are wrong: training rows where they are few, rows left out where they are many.
    # Of a rare class, no more than this share of what saying "never" gets wrong.
    far_off: float = 0.12
    far_off_of_many: float = 0.04
    far_off_of_rare: float = 0.5
    # The same of several classes: rows left out, the shares of all classes added up, from so many rows on. Of few rows
    # some are wrong by chance; of many, a search takes long.
    least_rows: int = 60
    far_off_of_classes: float = 0.12
    far_off_of_many_and_classes: float = 0.03
    # A class is given up, and all others with it, where so many rows are wrong, as a share of it: training rows, or
    # rows left out. One that is rarer than the last may stay unsaid.
    hopeless: float = 0.25
    hopeless_left_out: float = 0.5
    hardly_any: float = 0.001

    # --- Which network is kept.
    # The standard errors of a share that are more than chance. A deep network must be better than one that counts by so
    # much: margins of the latter also rank rows. If it has at most this share of the errors of the most frequent class
    # on the training rows, and is at most half as large, it has found a concept, and need only tell rows left out as
    # well.
    chance: float = 2.0
    clean: float = 0.1
    # So is one that is so many times smaller, if rows left out, one by one, are told as well: by no more errors a row,
    # and by no more nats, but for these.
    smaller: int = 2
    no_worse: float = 0.001
    # A concept is found where no more than this share of the rows is wrong, and few of those that are rare; next to no
    # row is wrong.
    few_wrong: float = 0.005
    none_wrong: float = 0.001
    # A network that says the classes in this share of their bits is no chance. The fewer bits it takes, the more rows
    # left out must speak against it: it is a concept unless it is less accurate there by more than so many standard
    # errors.
    shorter: float = 0.9
    concepts: tuple[tuple[float, float], ...] = ((0.25, 3.0), (0.5, 1.0), (0.75, 0.0))
    # Of two classes, one with at most this share of the rows is rare: accuracy says little of it.
    rare: float = 0.1
    # So many rows for each unit of size are too many to be learned by heart.
    rows_for_size: int = 8


SCHEDULE = Schedule()
