"""What learners are called in the files of results and in the report."""

OURS = "rulenet"
CART = "CART"
RIPPER_PEER = "RIPPER (wittgenstein)"
FOREST = "random forest"
BOOSTING = "gradient boosting, 300 trees of depth 4"
HISTOGRAMS = "histogram gradient boosting"
PEERS = (CART, RIPPER_PEER, FOREST, BOOSTING, HISTOGRAMS)

# Equal numbers of weights on ten Boolean attributes: 914 deep, 903 flat.
DEEP = "rulenet, deep (32, 8, 2)"
FLAT = "rulenet, flat (43)"
UNDISTILLED = "rulenet, its vote not distilled"
LARGER = "rulenet, a lower price and a longer walk"
PER_CLASS = "rulenet, a network a class"

#: Kinds of networks, each by a search for it; the last one is fitted to a vote, as `Count` does it.
AND_OR_FLAT, AND_OR_DEEP, COUNTING_FLAT, COUNTING_DEEP, DISTILLED = NETWORKS = (
    "AND/OR, flat",
    "AND/OR, deep",
    "counting, flat",
    "counting, deep",
    "counting, flat, distilled",
)

#: Networks that count, found by each of the losses that a margin may have.
LOSSES = {loss: f"{loss} loss" for loss in ("logistic", "hinge", "errors")}

#: Peers on real tables, run here rather than taken from the file of what they reach.
HERE = {name: f"{name}, here" for name in ("CART", "forest", "boosting")}


def in_time_of(peer: str) -> str:
    return f"rulenet in the time of {peer}"
