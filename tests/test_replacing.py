"""Files are replaced in one step, or not at all."""

import os

import pandas as pd
import pytest

from rulenet.cli import tables
from rulenet.replacing import replacing


def test_a_file_is_old_until_it_is_new(tmp_path):
    path = tmp_path / "out.csv"
    path.write_text("old")
    path.chmod(0o640)
    with replacing(path) as file:
        file.write_text("new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert path.stat().st_mode & 0o777 == 0o640
    assert os.listdir(tmp_path) == ["out.csv"]


def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "out.csv"
    path.write_text("old")
    with pytest.raises(ZeroDivisionError), replacing(path) as file:
        file.write_text(str(1 // 0))
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["out.csv"]


def test_links_and_what_is_no_plain_file_stay_what_they_are(tmp_path):
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with replacing(tmp_path / "link") as file:
        file.write_text("new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"
    with replacing("/dev/null") as file:
        assert str(file) == "/dev/null"


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileNotFoundError) as caught, replacing(tmp_path / "gone" / "out.csv"):
        pass
    assert caught.value.filename == str(tmp_path / "gone" / "out.csv")


@pytest.mark.parametrize("name", ["out.csv", "out.tsv", "out.csv.gz", "out.jsonl"])
def test_tables_are_written_as_their_names_say(tmp_path, name):
    path = tmp_path / "new" / name
    tables.write(pd.DataFrame({"a": ["x", "y"]}), str(path))
    assert tables.read(str(path))["a"].tolist() == ["x", "y"]
    assert os.listdir(path.parent) == [name]
