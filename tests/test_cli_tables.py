"""Files as they come, and what is wrong with them said in one line."""

import bz2
import gzip
import importlib
import io
import json
import lzma
import tracemalloc
import zipfile

import pandas as pd
import pytest
from typer.testing import CliRunner

from rulenet.cli import app, files, tables
from rulenet.cli.tables import Reading
from rulenet.exceptions import ParameterError, TableError

ROWS = "name,height,town\nAnn,1.7,Köln\nBob,?,\n"
WANTED = pd.DataFrame({"name": ["Ann", "Bob"], "height": ["1.7", None], "town": ["Köln", None]})


@pytest.fixture
def file(tmp_path):
    def write(data, name="table.csv"):
        path = tmp_path / name
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return str(path)

    return write


def assert_wanted(table):
    found, wanted = (t.astype(object).where(t.notna(), None) for t in (table, WANTED))
    pd.testing.assert_frame_equal(found, wanted, check_column_type=False)


@pytest.mark.parametrize("sep", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
def test_delimiter_and_encoding_are_found(file, sep, encoding):
    assert_wanted(tables.read(file(ROWS.replace(",", sep).encode(encoding))))


@pytest.mark.parametrize("end", ["\r\n", "\r", "\n\n"])
def test_line_ends_of_every_kind_are_read(file, end):
    assert_wanted(tables.read(file(ROWS.replace("\n", end))))


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_packed_files_are_known_by_how_they_begin(file, pack):
    assert_wanted(tables.read(file(pack(ROWS.encode()), "any.name")))


def zipped(**members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return buffer.getvalue()


def test_a_zip_holds_one_table(file):
    assert_wanted(tables.read(file(zipped(rows=ROWS), "t.zip")))
    with pytest.raises(TableError, match="has 2 files, but one table is expected: a, b"):
        tables.read(file(zipped(a=ROWS, b=ROWS), "t.zip"))


def test_a_pipe_may_be_packed(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(ROWS.encode()))))
    assert_wanted(tables.read("-"))


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress, lambda data: zipped(bomb=data)])
def test_a_bomb_is_refused_before_it_takes_memory(file, pack):
    path = file(pack(b"a,b\n" + b"1,2\n" * 3_000_000))
    with pytest.raises(TableError, match=r"more than 0.000977G bytes when unpacked; .* --max-bytes"):
        tables.read(path, Reading(max_bytes=files.size_of("1M")))
    assert len(tables.read(path, Reading(max_bytes=files.size_of("12M")))) == 3_000_000


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress])
def test_what_is_refused_is_never_kept(file, pack):
    path = file(pack(b"a,b\n" + b"1,2\n" * 10_000_000))
    tracemalloc.start()
    try:
        with pytest.raises(TableError, match="--max-bytes"):
            tables.read(path, Reading(max_bytes=30_000_000))
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("cells", [[0.0] * 1_000_000, ["x" * 10_000] * 10_000], ids=["numbers", "texts"])
def test_a_bomb_of_equal_cells_is_refused_whatever_the_file_says_of_its_size(tmp_path, cells):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "t.parquet"
    parquet.write_table(arrow.table({"a": cells}), path, store_schema=False)
    assert parquet.ParquetFile(path).metadata.row_group(0).total_byte_size < 100_000
    limit = 8 * len(cells) * len(str(cells[0])) // 30
    with pytest.raises(TableError, match="--max-bytes"):
        tables.read(str(path), Reading(max_bytes=limit))
    assert len(tables.read(str(path), Reading(max_bytes=50 * limit))) == len(cells)


def test_a_file_of_batches_is_replaced_when_all_are_there(tmp_path):
    pytest.importorskip("pyarrow")

    def batches():
        yield pd.DataFrame({"a": [1]})
        raise TableError("the second batch is broken")

    for name in ("out.csv", "out.parquet"):
        path = tmp_path / name
        path.write_text("old")
        with pytest.raises(TableError, match="second batch"):
            tables.write_batches(batches(), str(path))
        assert path.read_text() == "old"
        tables.write_batches(iter([pd.DataFrame({"a": [1]}), pd.DataFrame({"a": [2]})]), str(path))
        assert tables.read(str(path))["a"].astype(int).tolist() == [1, 2]
    assert sorted(found.name for found in tmp_path.iterdir()) == ["out.csv", "out.parquet"]


def test_a_parquet_bomb_is_refused(file):
    pytest.importorskip("pyarrow")
    packed = pd.DataFrame({"a": [0.0] * 1_000_000}).to_parquet()
    with pytest.raises(TableError, match="--max-bytes"):
        tables.read(file(packed, "t.parquet"), Reading(max_bytes=50_000))


def test_a_size_is_a_number_with_a_unit():
    with pytest.raises(ParameterError, match="--max-bytes is 'much'"):
        files.size_of("much")


def test_formats_with_types_keep_them(tmp_path):
    pytest.importorskip("pyarrow")
    table = pd.DataFrame({"n": [1, 2], "x": [0.5, None], "day": pd.to_datetime(["2024-03-01", None]), "t": ["a", "NA"]})
    table.to_parquet(tmp_path / "t.parquet")
    table.to_feather(tmp_path / "t.feather")
    for name in ("t.parquet", "t.feather"):
        pd.testing.assert_frame_equal(tables.read(str(tmp_path / name)), table)
        assert tables.read(str(tmp_path / name), Reading(na=("NA",)))["t"].isna().tolist() == [False, True]


def test_json_lines_are_rows(file):
    lines = '{"n": 1, "t": "a"}\n\n{"n": null, "t": "b"}\n'
    table = tables.read(file(lines, "t.jsonl"))
    assert table["n"].isna().tolist() == [False, True]
    assert table["t"].tolist() == ["a", "b"]
    pd.testing.assert_frame_equal(tables.read(file(json.dumps([{"n": 1.0, "t": "a"}, {"t": "b"}]), "t.json")), table)
    with pytest.raises(TableError, match="entry 2 holds a list or an object in 'n'"):
        tables.read(file('{"n": 1}\n{"n": [1]}', "t.jsonl"))


def test_excel_is_read_or_the_extra_named(tmp_path):
    try:
        import openpyxl
    except ImportError:
        (tmp_path / "t.xlsx").write_bytes(zipped(**{"xl/workbook.xml": "<x/>"}))
        with pytest.raises(TableError, match=r"reading Excel needs openpyxl; .* 'rulenet\[excel\]'"):
            tables.read(str(tmp_path / "t.xlsx"))
        return
    book = openpyxl.Workbook()
    for row in (["n", "t"], [1, "a"], [None, "NA"]):
        book.active.append(row)
    book.save(tmp_path / "t.xlsx")
    table = tables.read(str(tmp_path / "t.xlsx"))
    assert table["n"].tolist()[0] == 1
    assert table.isna().to_numpy().tolist() == [[False, False], [True, True]]


def test_text_stays_text(file):
    assert tables.read(file("a,b\n007,1e3\n1,x"))["a"].tolist() == ["007", "1"]


@pytest.mark.parametrize("token", tables.MISSING)
def test_missing_values_have_many_names(file, token):
    assert tables.read(file(f"a,b\n{token},1\nx,2"))["a"].isna().tolist() == [True, False]


def test_missing_values_may_be_named(file):
    assert tables.read(file("a,b\nNA,-9\n1,2"), Reading(na=("-9",))).isna().to_numpy().tolist() == [
        [False, True],
        [False, False],
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n3\n", "line 3 has 1 fields, but the header has 2"),
        ('a,b\n1,"x\ny"\n3,4,5\n', "line 4 has 3 fields, but the header has 2"),
        ("a,b\n1,2,3\n4,5,6\n", "every row has 3 fields, but the header has 2"),
        ("a,b,a\n1,2,3\n", "several columns are called 'a'"),
        ("a,b\n", "has the names of 2 columns, but no rows below them"),
        ("", "is empty"),
        ("\n \n", "is empty"),
    ],
)
def test_what_is_wrong_is_named_by_line(file, text, message):
    with pytest.raises(TableError, match=message):
        tables.read(file(text))


@pytest.mark.parametrize("header", ["a,b", "a,b,"])
def test_a_delimiter_at_the_end_of_every_row_shifts_nothing(file, header):
    table = tables.read(file(f"{header}\n1,2,\n3,4,\n"))
    assert table.to_dict("list") == {"a": ["1", "3"], "b": ["2", "4"]}


def test_quotes_inside_a_field_are_characters(file):
    table = tables.read(file('size,n\n5" pipe,1\n6 pipe,2\n"a ""b"", c",3\n'))
    assert table["size"].tolist() == ['5" pipe', "6 pipe", 'a "b", c']


def test_spaces_after_a_delimiter_do_not_count(file):
    table = tables.read(file('a, b\n1, ?\n2, "x, y"\n'))
    assert table.columns.tolist() == ["a", "b"]
    assert table["b"].isna().tolist() == [True, False]
    assert table["b"][1] == "x, y"


def test_decimal_commas_are_found_where_the_delimiter_is_another(file):
    table = tables.read(file("x;y;z\n1.234,5;7;a,b\n-2,25;8;c\n"))
    assert table.to_dict("list") == {"x": ["1234.5", "-2.25"], "y": ["7", "8"], "z": ["a,b", "c"]}
    assert tables.read(file("x;y\n1,234;7\n2,500;8\n"))["x"].tolist() == ["1,234", "2,500"]  # thousands, perhaps
    assert tables.read(file("x;y\n1,234;7\n2,500;8\n"), Reading(decimal=","))["x"].tolist() == ["1.234", "2.500"]
    assert tables.read(file("x;y\n1,2;7\n2,5;8\n"), Reading(decimal="."))["x"].tolist() == ["1,2", "2,5"]


def test_points_between_thousands_are_no_decimal_points_where_the_decimal_mark_is_a_comma(file):
    table = tables.read(file("price;rate;level;day\n999;0,5;0.125;01.02.2021\n1.234;3,25;0.250;02.02.2021\n;1;;\n"))
    assert table["price"].tolist()[:2] == ["999", "1234"]
    assert table["rate"].tolist() == ["0.5", "3.25", "1"]
    assert table["level"].tolist()[:2] == ["0.125", "0.250"]
    assert table["day"].tolist()[:2] == ["01.02.2021", "02.02.2021"]
    plain = file("price;rate\n999;0.5\n1.234;3.25\n")
    assert tables.read(plain)["price"].tolist() == ["999", "1.234"]
    assert tables.read(plain, Reading(decimal=","))["price"].tolist() == ["999", "1234"]


@pytest.mark.parametrize("name", ["t.jsonl", "t.parquet", "t.feather"])
def test_long_whole_numbers_stay_whole_beside_gaps(tmp_path, name):
    numbers, path = [2**60 + 1, None, 2**60 + 3], str(tmp_path / name)
    if name == "t.jsonl":
        (tmp_path / name).write_text("\n".join(json.dumps({} if n is None else {"n": n}) for n in numbers))
    else:
        table = pytest.importorskip("pyarrow").table({"n": numbers})
        write = importlib.import_module(f"pyarrow.{name[2:]}")
        (write.write_table if name == "t.parquet" else write.write_feather)(table, path)
    found = tables.read(path)["n"]
    assert [None if pd.isna(n) else int(n) for n in found] == numbers
    others = tables.read(path, Reading(na=(str(2**60 + 3),)))["n"]
    assert [None if pd.isna(n) else int(n) for n in others] == [2**60 + 1, None, None]


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl", "t.parquet", "t.feather", "t.xlsx"])
def test_numbers_may_stand_for_missing_values_in_every_format(tmp_path, name):
    pytest.importorskip("openpyxl")
    path = str(tmp_path / name)
    tables.write(
        pd.DataFrame({"n": [1, -9, 3], "x": [0.5, 1.5, -9.0], "t": ["-9", "a", "b"], "y": [True, False, True]}), path
    )
    found = tables.read(path, Reading(na=("-9",)))
    assert found.isna().to_numpy().tolist() == [
        [False, False, True, False],
        [True, *[False] * 3],
        [False, True, False, False],
    ]


def test_what_is_insisted_on_is_done(file):
    assert tables.read(file("a:b\n1:2\n"), Reading(sep=":")).columns.tolist() == ["a", "b"]
    with pytest.raises(TableError, match="cannot be read as ascii"):
        tables.read(file("a,b\nö,1"), Reading(encoding="ascii"))
    with pytest.raises(TableError, match=r"NUL characters.*--encoding utf-16"):
        tables.read(file(b"a,b\n\0\0,2\n"))


def test_a_wrong_name_gets_the_nearest_one():
    with pytest.raises(TableError, match="did you mean 'class'"):
        tables.check_columns(["clas"], ["a", "class"], "t.csv")
    with pytest.raises(TableError, match="did you mean 'Class'"):
        tables.check_columns(["CLASS"], ["a", "Class"], "t.csv")
    with pytest.raises(TableError, match="the columns are 'a', 'class'"):
        tables.check_columns(["weight"], ["a", "class"], "t.csv")


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.tsv", "t.zip", "t.parquet", "t.feather", "t.jsonl"])
def test_what_is_written_is_read(tmp_path, name):
    if name.endswith(("parquet", "feather")):
        pytest.importorskip("pyarrow")
    path = str(tmp_path / name)
    tables.write(WANTED, path)
    assert_wanted(tables.read(path))


def test_columns_of_numbers_and_a_word_name_options_that_help(tmp_path):
    path = tmp_path / "ages.csv"
    path.write_text("age,y\n" + "".join(f"{'n.a.' if i % 9 == 0 else i},{'ab'[i % 2]}\n" for i in range(90)))
    said = CliRunner().invoke(app, ["look", str(path), "--target", "y"]).output
    assert "if 'n.a.' stands for a missing value, say --na 'n.a.'; keep it with --nominal 'age'" in said
    found = CliRunner().invoke(app, ["look", str(path), "--target", "y", "--na", "n.a."]).output
    assert "left out" not in found
    assert "numeric" in found


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark_is_found(tmp_path, encoding):
    path = tmp_path / "wide.csv"
    path.write_bytes("Größe;y\nklein;1\ngroß;2\n".encode(encoding))
    assert tables.read(str(path))["Größe"].tolist() == ["klein", "groß"]


def test_predictions_are_written_for_spreadsheets(tmp_path):
    pytest.importorskip("openpyxl")
    table = pd.DataFrame({"a": ["x", "y"], "prediction": ["p", "n"]})
    tables.write(table, str(tmp_path / "out.xlsx"))
    assert tables.read(str(tmp_path / "out.xlsx")).equals(table)
