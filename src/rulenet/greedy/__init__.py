"""The search of the paper.

greedy      the strategy: mini-batches, restarts
together    flips that win together where none wins alone
kernels     the same on batches of few rows, a word each
ascent      the exact gains of all flips, and taking the best until none wins
edges       who reads whom, kept up to date flip by flip
"""
