"""Seconds; ratios of figures taken in one run are what counts on a noisy machine."""

import time
from collections.abc import Callable


def seconds(
    function: Callable[[], object],
    budget: float = 5.0,
    max_calls: int = 5,
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    """The best time of the calls that fit into the budget, at least one."""
    times: list[float] = []
    while not times or (sum(times) < budget and len(times) < max_calls):
        start = clock()
        function()
        times.append(clock() - start)
    return min(times)
