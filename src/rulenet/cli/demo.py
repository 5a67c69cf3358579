"""`rulenet demo`: what deep rule networks are good for, in a few seconds."""


def demo() -> None:
    """Learn deep rule networks from generated data, next to a decision tree, and show the rules."""
