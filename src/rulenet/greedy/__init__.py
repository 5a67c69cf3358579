"""The search of the paper.

greedy      the strategy: mini-batches, restarts
together    flips that win together where none wins alone
ascent      the exact gains of all flips, and taking the best until none wins
"""
