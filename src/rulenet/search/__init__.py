"""What every search takes and gives back: a problem, a start, what is found; and learning around what is locked.

problem     packed rows with weights, and how their literals are related
weights     real row weights as bit-sliced integers
protocol    searches, starts, and what they report
strategy    parameters that are checked against constraints
structure   the size of a network; networks with fewer and with more units
folds       rows to keep and rows to leave out
threads     work that can be stopped, and ends in time
around      a search around what an expert has locked or forbidden
"""
