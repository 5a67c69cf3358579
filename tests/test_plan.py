import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulenet import Anneal, bits
from rulenet.anneal.plan import Plan, divide_time
from rulenet.anneal.schedule import SCHEDULE
from rulenet.relations import Relations
from rulenet.search.problem import Problem


def make_problem(n_rows):
    rng = np.random.default_rng(n_rows)
    literals = rng.random((6, n_rows)) < 0.5
    return Problem.of(bits.pack(literals), literals[0] & literals[1], Relations.of(np.arange(6) // 2))


@given(
    st.floats(0.001, 100), st.integers(1, 9), st.integers(1, 40), st.sampled_from([0, 2, 4, 10]), st.floats(0.001, 2)
)
def test_a_limited_time_is_shared_out_and_not_exceeded(seconds, n_threads, n_restarts, n_folds, usual):
    n_walks, n_kept, paths = divide_time(seconds, n_threads, n_restarts, n_folds, usual)
    assert len(paths) == n_walks + SCHEDULE.walks_per_fold * n_kept
    assert 1 <= n_walks <= n_restarts
    assert n_kept in (0, n_folds)
    assert min(paths) > 0
    # Threads that take the next path when they are free, as those of a pool do.
    busy = [0.0] * n_threads
    for path in paths:
        busy[busy.index(min(busy))] += path
    assert max(busy) <= seconds * (1 + 1e-6)


@pytest.mark.parametrize(("seconds", "shape"), [(0.1, "all alike"), (0.6, "long and short"), (60.0, "all alike")])
def test_half_of_a_limited_time_is_for_walks_of_the_usual_length(seconds, shape):
    _, _, paths = divide_time(seconds, 2, 24, 4, 0.2)
    assert len(set(paths)) == (1 if shape == "all alike" else 2)
    assert max(paths) == paths[0]


def test_without_a_limit_a_second_round_is_longer_and_has_fewer_walks_where_they_are_dear():
    for n_rows, n_walks in ((500, SCHEDULE.many_longer), (2000, SCHEDULE.few_longer)):
        plan = Plan.of(Anneal(), make_problem(n_rows), 2)
        second = plan.lengthened(None, 2)
        assert (second.n_restarts, second.n_folds, second.path_seconds) == (n_walks, 0, None)
        assert second.n_proposals == SCHEDULE.longer * plan.n_proposals


def test_a_second_round_fits_into_the_time_left_or_does_not_take_place():
    plan = Plan.of(Anneal(max_time=60), make_problem(500), 2)
    assert plan.lengthened(plan.walk_seconds, 2) is None
    assert sum(plan.lengthened(20.0, 2).path_seconds) <= 2 * 20.0 - plan.distil_seconds
