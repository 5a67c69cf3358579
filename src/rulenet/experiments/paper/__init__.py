"""The experiments of the paper, declared and reported.

F. Beck, J. Fürnkranz: An Empirical Investigation into Deep and Shallow Rule Learning. Frontiers in Artificial
Intelligence 4, 2021.
"""
