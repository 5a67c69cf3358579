"""The default search: deep AND/OR networks where they say it all, networks that count where they do not.

auto      the strategy: which of the two is searched, and which is kept
probe     whether a concept may be near
classes   one deep network for several classes
judge     what rows left out tell of the two
schedule  every number that these go by, and why
"""

from rulenet.auto.auto import Auto as Auto
