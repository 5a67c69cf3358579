import gzip
from types import SimpleNamespace
from urllib.error import URLError

import pandas as pd
import pytest

from rulenet.datasets import load_uci, make_tic_tac_toe, uci
from rulenet.exceptions import DataUnavailableError, ParameterError, TableError


@pytest.fixture
def empty_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("RULENET_DATA", raising=False)
    return tmp_path / "cache" / "rulenet"


def no_network(**_):
    raise URLError("no network")


def test_every_known_data_set_is_read_and_has_the_known_sha256(shared_data, monkeypatch):
    monkeypatch.setattr(uci, "_check", lambda *_: pytest.fail("the sha256 differs"))
    for name, entry in uci.catalogue().items():
        X, y = load_uci(name, shared_data)
        assert X.shape == (entry.n_rows, entry.n_attributes)
        assert y.value_counts().to_dict() == entry.class_counts
        assert y.name == "class"


def test_missing_values_are_missing(shared_data):
    X, _ = load_uci("vote", shared_data)
    assert int(X.isna().sum().sum()) == 392


def test_the_ordinal_column_is_ordered(shared_data):
    X, _ = load_uci("breast-cancer", shared_data)
    assert X["deg-malig"].cat.ordered
    assert not X["age"].cat.ordered


def test_the_folder_may_be_named_in_the_environment(empty_cache, tmp_path, monkeypatch):
    X, y = make_tic_tac_toe()
    X.assign(**{"class": y}).to_csv(tmp_path / "tic-tac-toe.csv.gz", index=False)
    monkeypatch.setenv("RULENET_DATA", str(tmp_path))
    read_X, read_y = load_uci("tic-tac-toe")
    pd.testing.assert_frame_equal(read_X, X)
    assert (read_y == y).all()


def test_rows_in_another_order_are_accepted_and_other_counts_refused(empty_cache, tmp_path):
    X, y = make_tic_tac_toe()
    table = X.assign(**{"class": y}).sample(frac=1, random_state=0)
    table.to_csv(tmp_path / "tic-tac-toe.csv", index=False)
    assert len(load_uci("tic-tac-toe", tmp_path)[0]) == 958
    table.iloc[1:].to_csv(tmp_path / "tic-tac-toe.csv", index=False)
    with pytest.raises(TableError, match=r"tic-tac-toe.csv is not tic-tac-toe: found 9 attributes .*expected"):
        load_uci("tic-tac-toe", tmp_path)


def test_a_data_set_found_nowhere_is_fetched_once_and_then_cached(empty_cache, monkeypatch):
    X, y = make_tic_tac_toe()
    bunch = SimpleNamespace(data=X, target=y.map({"positive": "'1'", "negative": "'0'"}))
    monkeypatch.setattr(uci.public, "fetch_openml", lambda **_: bunch)
    fetched = load_uci("tic-tac-toe")
    monkeypatch.setattr(uci.public, "fetch_openml", no_network)
    cached = load_uci("tic-tac-toe")
    assert (fetched[1] == y).all()
    pd.testing.assert_frame_equal(fetched[0], cached[0])
    assert [path.name for path in empty_cache.iterdir()] == ["tic-tac-toe.csv"]


def test_without_a_network_the_error_says_what_to_do(empty_cache, monkeypatch):
    monkeypatch.setattr(uci.public, "fetch_openml", no_network)
    with pytest.raises(DataUnavailableError, match=r"put vote.csv in a folder .* RULENET_DATA"):
        load_uci("vote")


def test_an_unknown_name_is_refused_with_the_known_ones():
    with pytest.raises(ParameterError, match="'iris' is not one of the known data sets: car-evaluation"):
        load_uci("iris")


def test_packed_and_plain_files_have_one_hash(tmp_path):
    (tmp_path / "a.csv").write_bytes(b"x\n")
    with gzip.open(tmp_path / "a.csv.gz", "wb") as file:
        file.write(b"x\n")
    assert uci._sha256(tmp_path / "a.csv") == uci._sha256(tmp_path / "a.csv.gz")
