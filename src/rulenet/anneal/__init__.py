"""Simulated annealing of rule networks: deep ones of AND and OR.

anneal      the strategy: many walks, the choice among what they found
schedule    every temperature, price, count and share of time, and why
plan        what is done for one problem in the time there is
jobs        the walks as jobs for threads
path        one walk that cools, then follows the price upwards
walk        a network on its random walk
kernels     the compiled walk
vectors     its innermost loops
price       candidates, and the choice of the price by folds
vote        the weighted vote of networks, and rows generated to hear it on
distil      one network for the vote of many
boost       networks that vote better together
many_rows   from small samples to a large one, and to all rows
"""
