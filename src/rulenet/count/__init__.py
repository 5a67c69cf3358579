"""Networks that count: units of conditions give points to classes, and the class with most room to spare wins.

count       the strategy: sampled networks vote, one network is fitted to the vote
schedule    every temperature, price, count and share, and why
sample      networks sampled by walks at a constant temperature, and their vote
additive    sums of single conditions that may vote as well
forest      a random forest that may vote as well
boosted     boosted trees that may vote as well
distil      one network for the vote
scoring     what a walk finds: units, points, biases; and the network that says the same
start       a network as what a walk begins at
zero        where margins begin, so that firing tells as much as it can
walk        a counting network on its random walk
kernels     the compiled walk

deep           the strategy for two hidden layers: paths at several laws, of which folds choose
deep_path      a walk that goes on with concepts
deep_schedule  its prices, counts and shares, and why
widen          which concepts would help a network
concepts       units that are read like literals, and the networks stacked on them
"""
