"""Where searches begin; every start comes through `rulenet.search.protocol.Init`.

names       the starts by their names
mixed       the default: most are random, some from the leaves of a tree
random      the paper's random networks
tree        a decision tree
ripper      the rules of RIPPER
cover       rules that cover a sample without error: ESPRESSO, Quine-McCluskey
layers      concepts learned layer by layer
one_vs_rest one network a class against the rest
given       a network of the user's own
learned     what starts that are learned from rows have in common
"""
