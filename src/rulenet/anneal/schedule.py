"""Every temperature, price, count and share of time of `Anneal`, and why it is what it is.

Temperatures and prices are in rows of average weight, unless something else is said. Figures were chosen on tables of
other origin than those that the documentation reports.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Schedule:
    """The settings of `Anneal` that its parameters leave alone."""

    # --- Moves of a walk.
    #: Removals, additions, replacements and moves of an edge, out of all that are neither repairs nor copies. More
    #: additions than removals keep a network large while the temperature is above the price of an edge, and let it
    #: shrink below.
    plain_moves: tuple[float, float, float, float] = (1.0, 1.5, 1.0, 0.5)
    #: Without repairs, which add as well, more additions are needed.
    more_additions: float = 0.5
    #: The share of proposals that start from a row which the network gets wrong: parity is found by them, else not.
    repairs: float = 0.4
    #: The share of proposals that copy a unit: a few are enough to branch off variants of a good rule.
    copies: float = 0.03
    #: A layer receives additions in proportion to this power of the number of its weights, so that small upper layers
    #: get their part.
    layer_power: float = 0.5
    #: Literals, at most: a walk keeps address space for each among each, 4 GiB of these.
    max_literals: int = 32_768

    # --- One path: a walk that cools at its first price, then follows the price upwards.
    #: Prices of an edge, from one that learns by heart to one that keeps a handful of edges.
    prices: tuple[float, ...] = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 4.0)
    #: Above the first temperature networks are noise, below the second one nothing moves.
    hot: float = 0.6
    cold: float = 0.05
    #: Temperatures on the way up, in prices: high enough to let go of what no longer pays, not of the rest.
    squeeze_hot: float = 0.4
    squeeze_cold: float = 0.15
    #: Where prices are low, it is this warm at least: walks over whole rows would freeze.
    least_squeeze_hot: float = 0.1
    least_squeeze_cold: float = 0.03
    #: The first price, which finds the network, gets this share of the proposals; the others share the rest.
    first_share: float = 0.5
    #: Proposals before the speed is known, in a limited time: a fraction of a millisecond.
    first_chunk: int = 1 << 10

    # --- The choice of the price.
    #: The price taken unless folds speak for another one.
    usual_price: float = 0.2
    #: A higher one where there are few rows, and where no folds say that details are real.
    usual_price_of_few: float = 1.0
    usual_price_without_folds: float = 0.5
    #: So many rows are few.
    few_rows: int = 256
    #: Every other path starts at this price: with noisy labels, lower ones lead into learning by heart.
    first_price_of_noisy: float = 0.2
    #: Two, since one may fail by chance.
    walks_per_fold: int = 2
    #: Fewer rows than this do not make folds, and there every row counts.
    least_rows: int = 20
    #: The share of a variance that a better count of errors must exceed: two paths share the rows of a fold.
    caution: float = 0.5

    # --- How many proposals, and a second round.
    #: The rows that a path sees at most; more take longer and tell a path from a random start little.
    max_rows: int = 1 << 12
    #: More proposals than this find nothing more, as a rule; for very few rows still fewer do.
    max_proposals: int = 800_000
    proposals_per_row: int = 2000
    #: The most work of a path, in seconds of some machine.
    max_work: float = 0.4
    #: The depth up to which a proposal takes the usual time; then it grows with the square of the depth.
    usual_depth: int = 6
    #: Starts of all shapes and gates take turns in cooling at low and high prices first.
    n_variants: int = 6
    #: Longer walks follow, and the vote is distilled, where no network costs less than this for a row, errors and edges
    #: together; the second figure is for rows enough to boost, which makes the vote better.
    solved: float = 0.04
    solved_boosted: float = 0.005
    #: A second round has walks so many times longer, which find concepts that shorter ones do not; the most of them,
    #: and the most where one of the first round is as much work as ``dear``.
    longer: int = 2
    many_longer: int = 6
    few_longer: int = 2
    dear: float = 0.3
    #: The share of all paths that a second round takes, for the progress bar.
    share_of_second: float = 0.4

    # --- Time limits.
    #: In reserve, for encoding before the walks and for choosing after them: a share, and seconds up to another share.
    reserve: float = 0.05
    reserved_seconds: float = 0.01
    most_reserved: float = 0.2
    #: This share of a limited time is for walks as long as without a limit, since some concepts are found by long ones
    #: only; a shorter one takes at least so many seconds, and this share of the usual ones, or it finds nothing.
    long_share: float = 0.5
    shortest_path: float = 0.015
    least_share: float = 0.4
    #: Shares of a limited time: for distilling, and for the last walk on all rows where they are many. Of what is left,
    #: walks on a large sample get a share.
    distil_share: float = 0.15
    refine_share: float = 0.2
    enlarge_share: float = 0.5

    # --- The vote.
    #: Rows generated to hear on which networks agree: enough for a percent.
    vote_rows: int = 1 << 12
    #: The share of attributes that such a row takes from another row: half, for rows unlike those known.
    vote_exchanged: float = 0.5
    #: Networks weigh less by e for this much more cost: so many rows, or this share of the least cost.
    least_slack: float = 2.0
    slack: float = 0.2

    # --- Distilling.
    #: Generated rows for every training row, and the most rows of all: more change nothing.
    n_generated: int = 8
    max_generated: int = 1 << 14
    #: A generated row takes this share of its attributes from a second row: near the rows known, the vote is right.
    distil_exchanged: float = 0.3
    #: A unanimous vote weighs as much as a training row, and has so many levels.
    vote_weight: int = 3
    #: A vote counts less by e for this share of the least cost: where labels are noisy, costs tell less.
    distil_slack: float = 0.5
    #: The vote has less noise than the labels, so an edge costs this share of what it did for the voters.
    price_share: float = 0.5
    #: Below this share of generated rows that networks disagree on there is nothing to gain, nor from so few voters.
    least_disagreement: float = 0.005
    least_voters: int = 8
    #: Walks to fit the vote, of which the better one stays.
    n_distilling: int = 2
    distil_hot: float = 0.6
    distil_cold: float = 0.15
    #: Units that a distilled network may fill, in every layer: a vote needs more than a voter.
    distil_spare: int = 16

    # --- Boosting, for the vote.
    #: So many rows are enough to boost; fewer are learned by heart.
    boosted_rows: int = 1000
    #: Boosted networks get this share of the votes, and of a limited time; a round makes this share of a walk's
    #: proposals.
    boosted_share: float = 0.75
    boosted_time: float = 0.25
    round_proposals: float = 0.25
    #: Chains are independent of each other, and their number does not depend on that of threads.
    n_chains: int = 2
    n_rounds: int = 20
    #: The share of rows left out of every round: rows with a wrong label would else be learned by heart.
    left_out: float = 0.25
    boost_spare: int = 8
    #: Row weights are rounded to integers with this mean, and none is larger than this: eight bits.
    mean_weight: int = 8
    max_weight: int = 255
    boost_hot: float = 0.6
    boost_cold: float = 0.1
    #: Errors of a round, as a share of all weight, between which its vote is counted: beyond, it would be infinite.
    least_error: float = 1e-3
    most_error: float = 0.499

    # --- Many rows.
    #: Rows of the large sample, at most; an eighth of all rows is held out, and at most so many.
    large_sample: int = 1 << 15
    max_held_out: int = 1 << 14
    #: More rows, so higher prices.
    large_prices: tuple[float, ...] = (0.2, 0.5, 1.0, 2.0, 4.0, 8.0)
    usual_large_price: float = 2.0
    #: Walks of the two rounds on the large sample.
    n_first: int = 8
    n_second: int = 4
    #: The temperatures of the first price; the upper one for as many rows as a sample may have, and its least.
    large_hot: float = 8.0
    least_large_hot: float = 0.6
    large_cold: float = 0.1
    #: About how long the best network may walk on over all rows.
    refine_seconds: float = 1.0
    #: How many times more rows a stage of that has than the one before.
    growth: int = 8
    least_refining: int = 2_000
    most_refining: int = 200_000
    #: Temperatures there, in prices: the network is nearly right.
    refine_hot: float = 1.0
    refine_cold: float = 0.2


SCHEDULE = Schedule()
