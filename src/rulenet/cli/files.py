"""The bytes of a file or a pipe, unpacked, within a limit; and which format they are, told by how they begin."""

import bz2
import gzip
import io
import lzma
import sys
import zipfile
from collections.abc import Callable
from typing import IO, Any, Literal

from rulenet.exceptions import ParameterError, TableError

Format = Literal["parquet", "feather", "excel", "json", "text"]

UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
#: What a file or a pipe may hold when it is unpacked, unless --max-bytes says otherwise.
MAX_BYTES = 2 * UNITS["G"]

_UNPACKERS: dict[bytes, Callable[..., Any]] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\x00": lzma.open}
_ZIP, _EXCEL = b"PK\x03\x04", "xl/workbook.xml"
_BEGINNINGS: dict[bytes, Format] = {b"PAR1": "parquet", b"ARROW1": "feather", b"FEA1": "feather"}


def size_of(text: str) -> int:
    """A number of bytes, as people write it.

    >>> size_of("500M"), size_of("2G")
    (524288000, 2147483648)
    """
    number, unit = (text[:-1], text[-1].upper()) if text[-1:].upper() in UNITS and text else (text, "")
    try:
        return int(float(number) * UNITS[unit])
    except ValueError:
        raise ParameterError(f"--max-bytes is {text!r}, but must be a number such as 500M or 8G") from None


def read_bytes(path: str, limit: int) -> bytes:
    """What is in the file, or on standard input for "-", unpacked where it is packed."""
    if path == "-":
        return _unpacked(io.BytesIO(_bounded(sys.stdin.buffer, path, limit)), path, limit)
    with open(path, "rb") as file:
        return _unpacked(file, path, limit)


def format_of(data: bytes, path: str) -> Format:
    """Which format the bytes have.

    >>> format_of(b"PAR1...", "x.pq"), format_of(b'{"a": 1}', "-"), format_of(b"a,b", "x.csv")
    ('parquet', 'json', 'text')
    """
    for beginning, format in _BEGINNINGS.items():
        if data.startswith(beginning):
            return format
    if data.startswith(_ZIP):
        return "excel"
    if data.startswith(b"\xd0\xcf\x11\xe0"):
        raise TableError(f"{path}: this is an Excel file of before 2007; save it as .xlsx or .csv")
    named = path.removesuffix(".gz").lower().endswith((".json", ".jsonl", ".ndjson"))
    return "json" if named or data.lstrip(b"\xef\xbb\xbf \t\r\n")[:2] in (b'{"', b"[{") else "text"


def _unpacked(file: IO[bytes], path: str, limit: int) -> bytes:
    start = file.read(8)
    file.seek(0)
    if start.startswith(_ZIP):
        return _from_zip(file, path, limit)
    for beginning, unpack in _UNPACKERS.items():
        if start.startswith(beginning):
            try:
                with unpack(file) as unpacked:
                    _measure(unpacked, path, limit)
                file.seek(0)
                with unpack(file) as unpacked:
                    return _bounded(unpacked, path, limit)
            except (EOFError, lzma.LZMAError, gzip.BadGzipFile, OSError) as error:
                raise TableError(f"{path}: cannot be unpacked: {error}") from error
    return _bounded(file, path, limit)


def _from_zip(file: IO[bytes], path: str, limit: int) -> bytes:
    """The one file in a zip; the whole zip where it is an Excel workbook."""
    try:
        with zipfile.ZipFile(file) as archive:
            members = [m for m in archive.infolist() if not m.is_dir() and not m.filename.startswith("__MACOSX/")]
            names = [member.filename for member in members]
            size = sum(member.file_size for member in members)
            if size > limit:
                raise too_large(path, limit)
            if _EXCEL in names:
                file.seek(0)
                return file.read()
            if len(members) != 1:
                raise TableError(f"{path}: has {len(members)} files, but one table is expected: {', '.join(names[:5])}")
            with archive.open(members[0]) as member:
                return _bounded(member, path, limit)
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError) as error:
        raise TableError(f"{path}: cannot be unpacked: {error}") from error


def _measure(source: IO[bytes], path: str, limit: int) -> None:
    """Refuse more than ``limit`` before any of it is kept: unpacking twice takes little beside reading a table."""
    size = 0
    while piece := source.read(2**20):
        size += len(piece)
        if size > limit:
            raise too_large(path, limit)


def _bounded(source: IO[bytes], path: str, limit: int) -> bytes:
    """All that ``source`` holds, in pieces, so that no more than ``limit`` is ever kept."""
    pieces, size = list[bytes](), 0
    while piece := source.read(min(2**24, limit - size + 1)):
        pieces.append(piece)
        size += len(piece)
        if size > limit:
            raise too_large(path, limit)
    return b"".join(pieces)


def too_large(path: str, limit: int) -> TableError:
    """The error for more bytes than are allowed."""
    return TableError(
        f"{path}: holds more than {limit / UNITS['G']:.3g}G bytes when unpacked; if it should, allow them with "
        f"--max-bytes, for example --max-bytes {max(1, 4 * limit // UNITS['G'])}G"
    )
