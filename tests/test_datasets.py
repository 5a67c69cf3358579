import numpy as np
import pandas as pd
import pytest

from rulenet import bits, datasets
from rulenet.datasets.climbing import climb
from rulenet.datasets.monks import N_VALUES
from rulenet.exceptions import ParameterError
from rulenet.greedy.greedy import Greedy
from rulenet.relations import Relations
from rulenet.search.problem import Problem
from rulenet.starts.random import RandomInit


def rows_of(path):
    return pd.read_csv(path, dtype=str, keep_default_na=False).to_numpy()


def rows_made(X, y):
    return X.astype(str).assign(**{"class": y}).to_numpy()


@pytest.mark.parametrize(
    ("make", "file"),
    [
        (datasets.make_car_evaluation, "car-evaluation.csv"),
        (datasets.make_nursery, "nursery.csv.gz"),
        (datasets.make_tic_tac_toe, "tic-tac-toe.csv"),
    ],
)
def test_what_is_generated_equals_the_uci_file_row_by_row(shared_data, make, file):
    expected = rows_of(shared_data / "uci" / file)
    made = rows_made(*make())
    assert made.shape == expected.shape
    assert (made == expected).all()


@pytest.mark.parametrize(("problem", "n_noisy"), [(1, 0), (2, 0), (3, 6)])
def test_a_monk_equals_the_test_part_of_its_file_and_explains_the_training_part(shared_data, problem, n_noisy):
    X, y = datasets.make_monk(problem)
    rows = rows_of(shared_data / "uci" / f"monk-{problem}.csv")
    assert (rows[-432:] == rows_made(X, y)).all()
    truth = {tuple(row[:-1]): row[-1] for row in rows_made(X, y)}
    assert sum(truth[tuple(row[:-1])] != row[-1] for row in rows[:-432]) == n_noisy


@pytest.mark.parametrize("hierarchy", [datasets.CAR_EVALUATION, datasets.NURSERY])
def test_every_grade_of_a_hidden_concept_occurs(hierarchy):
    X, _ = hierarchy.generate()
    grades = hierarchy.grade(X)
    for concept in hierarchy.concepts:
        assert set(grades[concept.name]) == set(concept.grades)


@pytest.mark.parametrize("hierarchy", [datasets.CAR_EVALUATION, datasets.NURSERY])
def test_a_hierarchy_grades_rows_in_any_order(hierarchy):
    X, y = hierarchy.generate()
    some = X.sample(50, random_state=0)
    assert (hierarchy.grade(some).iloc[:, -1] == y[some.index]).all()


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("sizes", [(20,), (8, 4), (32, 16, 8, 4, 2)])
def test_plain_climbing_ends_where_the_compiled_one_does(sizes, seed):
    values = np.random.default_rng(seed).random((2 + 3 * (seed % 2), 6)) < 0.5
    literals = np.stack([~values, values], axis=2).reshape(len(values), -1)
    owner = np.repeat(np.arange(6), 2)
    relations = Relations.of(owner.tolist(), exclusive=owner.tolist())
    target = np.arange(len(values)) % 2 == 1
    problem = Problem.of(bits.pack(np.ascontiguousarray(literals.T)), target, relations)
    init = RandomInit(2, 0.2)
    search = Greedy(restore_best=False, max_restarts=0)
    expected = search.search(problem, init.start_for(problem, (), [sizes], ["and"]), seed).network
    assert climb(init.start(relations, sizes, "and", seed), owner, literals, target) == expected


def test_parity_is_the_exclusive_or_of_the_relevant_attributes():
    X, y = datasets.make_parity(6, 4)
    assert len(X) == 64
    assert (np.logical_xor.reduce(X.iloc[:, :4].to_numpy(), axis=1) == y).all()


@pytest.mark.parametrize("n_address", [1, 2, 3])
def test_the_multiplexer_returns_the_addressed_bit(n_address):
    X, y = datasets.make_multiplexer(n_address)
    assert len(X) == 2 ** (n_address + 2**n_address)
    for row in X.sample(20, random_state=0, replace=True).itertuples():
        address = int("".join(str(int(b)) for b in row[1 : n_address + 1]), 2)
        assert y[row.Index] == row[1 + n_address + address]


@pytest.mark.parametrize(
    ("make", "argument"),
    [
        (datasets.make_parity, 0),
        (datasets.make_parity, 21),
        (datasets.make_multiplexer, 5),
        (datasets.make_monk, 4),
    ],
)
def test_sizes_that_are_not_generated_are_refused_with_the_value(make, argument):
    with pytest.raises(ParameterError, match=str(argument)):
        make(argument)


def test_more_relevant_attributes_than_attributes_are_refused():
    with pytest.raises(ParameterError, match="n_relevant is 5"):
        datasets.make_parity(4, 5)


def test_a_fold_still_knows_the_values_it_lacks():
    X, _ = datasets.make_monk(1)
    assert X.head(1)["a5"].cat.categories.tolist() == ["four", "one", "three", "two"]
    assert len(N_VALUES) == X.shape[1]


def test_the_artificial_data_equal_the_authors_files_bit_for_bit(shared_data):
    for seed in datasets.ARTIFICIAL_SEEDS:
        X, y = datasets.make_artificial(seed)
        file = pd.read_csv(shared_data / "artificial" / f"{seed}.csv")
        pd.testing.assert_frame_equal(X.assign(**{"class": y}), file)


def test_the_papers_seeds_are_those_with_neither_class_rare():
    shares = {seed: datasets.make_artificial(seed)[1].mean() for seed in range(1, 121)}
    assert tuple(seed for seed, share in shares.items() if 0.2 <= share <= 0.8) == datasets.ARTIFICIAL_SEEDS
