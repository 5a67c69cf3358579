"""How long a walk may take."""

from time import perf_counter
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

# Proposals before the speed of a walk is known.
FIRST_CHUNK = 1 << 10


class Cooling(Protocol):
    """A walk that can cool."""

    def anneal(self, n_proposals: int, hot: float, cold: float, price: float, stop: NDArray[np.bool_]) -> None:
        """Walk ``n_proposals`` steps while the temperature falls from ``hot`` to ``cold``."""


class Budget:
    """How many proposals a walk may make, and for how long; ``stop``, shared by all, ends it at once."""

    def __init__(self, n_proposals: int, seconds: float | None, stop: NDArray[np.bool_]) -> None:
        self.n_proposals = n_proposals
        self.seconds = seconds
        self.stop = stop

    @classmethod
    def until(cls, n_proposals: int, deadline: float | None, stop: NDArray[np.bool_]) -> "Budget":
        """A budget that ends at ``deadline``, if there is one."""
        return cls(n_proposals, None if deadline is None else max(0.0, deadline - perf_counter()), stop)

    def part(self, share: float = 1.0, share_of_proposals: float = 1.0, n_turns: int = 1) -> "Budget":
        """What one of ``n_turns`` successive walks may take of a share of the time, and of the proposals of a walk."""
        seconds = None if self.seconds is None else self.seconds * share / n_turns
        return Budget(max(1, int(self.n_proposals * share_of_proposals)), seconds, self.stop)

    @property
    def spent(self) -> bool:
        """Whether there is nothing left."""
        return bool(self.stop[0]) or (self.seconds is not None and self.seconds <= 0)

    def cool(self, walker: Cooling, hot: float, cold: float, price: float) -> None:
        """Let the walk cool from ``hot`` to ``cold`` within the budget."""
        if self.seconds is None:
            walker.anneal(self.n_proposals, hot, cold, price, self.stop)
            return
        begin, seconds = perf_counter(), self.seconds
        n_done, done, n = 0, 0.0, FIRST_CHUNK
        while done < 1 and not self.spent:
            n = min(n, self.n_proposals - n_done)
            after = min(1.0, done + max(n / self.n_proposals, done * n / max(n_done, 1)))
            walker.anneal(n, hot * (cold / hot) ** done, hot * (cold / hot) ** after, price, self.stop)
            n_done += n
            elapsed = perf_counter() - begin
            done = max(n_done / self.n_proposals, elapsed / seconds)
            # An eighth of the time, or what is left of it.
            n = max(1, int(n_done / elapsed * min(seconds / 8, seconds - elapsed))) if elapsed < seconds else 1
