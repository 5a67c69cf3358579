import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rulenet import Network, bits
from rulenet.encoding import Encoding
from rulenet.outcome import keep, worth_keeping
from rulenet.search.problem import Problem, decide
from rulenet.search.protocol import Choice, Found


def make_table(rng, n_rows):
    """Two columns of numbers with many values, one with few, some missing; one of names."""
    return pd.DataFrame(
        {
            "a": np.where(rng.random(n_rows) < 0.1, np.nan, rng.normal(size=n_rows)),
            "b": rng.integers(-30, 30, n_rows),
            "c": rng.integers(0, 4, n_rows),
            "d": rng.choice(["red", "green", "blue"], n_rows),
        }
    )


def make_network(rng, n_literals, n_outputs):
    """Units that read about three literals, some of which count."""
    first = rng.random((5, n_literals)) < 3 / n_literals
    last = rng.random((n_outputs, 5)) < 0.7
    needs = [rng.integers(1, np.maximum(w.sum(axis=1), 1), endpoint=True) for w in (first, last)]
    return Network([first, last], "and", needs)


@st.composite
def cases(draw):
    """A table, its encoding, a problem of two or three classes, and networks for it."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    table, n_classes = make_table(rng, draw(st.integers(5, 120))), draw(st.sampled_from([2, 3]))
    encoding, words = Encoding.learn_encode(table, not_equal=draw(st.booleans()), max_cuts=draw(st.integers(1, 6)))
    codes = rng.integers(0, n_classes, len(table))
    problem = Problem.of_classes(words, codes, n_classes, encoding.relations, rng.integers(1, 4, len(table)) * 1.0)
    n_outputs = 1 if n_classes == 2 else 3
    networks = [make_network(rng, len(words), n_outputs) for _ in range(draw(st.integers(1, 3)))]
    return table, encoding, problem, networks


def found_in(problem, networks):
    choices = tuple(Choice(float(k), n, problem.accuracy(n), None) for k, n in enumerate(networks))
    return Found(networks[0], (0.0, choices[0].accuracy), choices)


def decisions(network, literals, n_rows):
    return decide(network.margins(literals, n_rows))


@settings(deadline=None, max_examples=40)
@given(cases())
def test_what_is_kept_errs_no_more_than_what_was_found(case):
    table, encoding, problem, networks = case
    found = found_in(problem, networks)
    kept, best, others = keep(encoding, found, table, problem, None)
    literals = kept.encode(table)
    pairs = [(found.network, best), *zip([c.network for c in worth_keeping(found)], others, strict=True)]
    for before, after in pairs:
        old = decisions(before, problem.literals, problem.n_rows)
        new = decisions(after.network, literals, problem.n_rows)
        errors = [int(problem.weights[decided != problem.codes].sum()) for decided in (old, new)]
        assert errors[1] <= errors[0]
        assert after.accuracy == pytest.approx(1 - errors[1] / problem.total_weight)


@settings(deadline=None, max_examples=40)
@given(cases())
def test_columns_of_numbers_keep_the_cuts_in_use_only(case):
    table, encoding, problem, networks = case
    kept, best, others = keep(encoding, found_in(problem, networks), table, problem, None)
    read = np.any([a.network.reads for a in (best, *others)], axis=0)
    used = [condition for condition, r in zip(kept.conditions, read, strict=True) if r]
    for attribute in kept.attributes:
        if attribute.measured and read.any():
            assert set(attribute.cuts) <= {
                end for x in used if x.attribute == attribute for run in x.ranges for end in run
            }


def test_a_unit_that_counts_does_not_lose_count_where_two_of_its_cuts_would_come_to_one_place():
    table = pd.DataFrame({"x": np.repeat(np.arange(10.0), 4), "y": ["no", "yes"] * 20})
    wanted = (table["x"] <= 5).to_numpy()
    encoding, words = Encoding.learn_encode(table, cuts={"x": [3.5, 6.5]})
    reads = [str(condition) in {"x <= 3.5", "x <= 6.5", "y = yes"} for condition in encoding.conditions]
    assert sum(reads) == 3
    two_of_three = Network([[reads]], "or", [[2]])
    problem = Problem.of(words, wanted, encoding.relations)
    kept, best, _ = keep(encoding, Found(two_of_three, (0.0, problem.accuracy(two_of_three))), table, problem, None)
    assert best.accuracy >= problem.accuracy(two_of_three)
    assert best.network.n_edges == 3
    assert problem.accuracy(two_of_three) <= np.mean(
        bits.unpack(best.network.evaluate(kept.encode(table)), 40) == wanted
    )


def test_all_of_may_lose_a_cut_that_came_to_the_place_of_another():
    table = pd.DataFrame({"x": np.repeat(np.arange(10.0), 4)})
    encoding, words = Encoding.learn_encode(table, cuts={"x": [2.5, 8.5]})
    reads = [str(condition) in {"x <= 2.5", "x <= 8.5"} for condition in encoding.conditions]
    problem = Problem.of(words, (table["x"] <= 5).to_numpy(), encoding.relations)
    _, best, _ = keep(encoding, Found(Network([[reads]], "or"), (0.0, 0.7)), table, problem, None)
    assert best.accuracy == 1
    assert best.network.reads.sum() <= 2


def test_a_network_that_reads_nothing_is_kept():
    table = pd.DataFrame({"x": np.arange(20.0)})
    encoding, words = Encoding.learn_encode(table)
    problem = Problem.of(words, np.arange(20) < 3, encoding.relations)
    never = Network([np.zeros((1, len(words)), bool)], "or")
    kept, best, _ = keep(encoding, Found(never, (0.0, 0.85)), table, problem, None)
    assert len(kept.conditions) == 1
    assert best.accuracy == pytest.approx(0.85)


def test_networks_that_another_one_beats_are_not_offered():
    small, large = Network([[[1, 0]]]), Network([[[1, 1]]])
    choices = (Choice(1.0, small, 0.9, None), Choice(0.5, large, 0.8, None), Choice(0.1, small, 0.7, None))
    assert [c.network for c in worth_keeping(Found(small, (0.0, 0.9), choices))] == [small]
    assert [c.network for c in worth_keeping(Found(large, (0.0, 0.8), choices))] == [small, large]
