"""A file whose name says what it is not is told with what it is."""

from __future__ import annotations

import bz2
import gzip
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import orc

from avh_ui.config import Source
from avh_ui.errors import SourceError
from avh_ui.scan.first_lines import Dialect
from avh_ui.scan.listing import FileListing
from avh_ui.scan.looking_files import written
from avh_ui.scan.other_formats import another_kind, another_text
from avh_ui.scan.schemas import look

CSV = b"id,name\n1,a\n2,b\n"
TABLE = pa.table({"id": list(range(50))})


def bytes_by(write: Any) -> bytes:
    """What a writer of Arrow's makes of the table."""
    sink = pa.BufferOutputStream()
    write(TABLE, sink)
    return bytes(sink.getvalue())


CASES = [
    ("csv", "f.csv.gz", CSV, "f.csv.gz is not compressed as its name says (gzip): it looks like CSV. Take .gz off its name"),
    ("csv", "f.csv.bz2", CSV, "is not compressed as its name says (bzip2): it looks like CSV."),
    ("csv", "f.csv.gz", bz2.compress(CSV), "is not compressed as its name says (gzip): it is bzip2. End its name as bzip2 files end"),
    ("parquet", "f.parquet", CSV, "is no Parquet: it looks like CSV. Name it .csv (in avh.yml: `format: csv`), or deliver it as Parquet."),
    ("parquet", "f.parquet", b'[{"id": 1}]', "is no Parquet: it looks like JSON. Name it .json"),
    ("parquet", "f.parquet", b"Not found\n", "is no Parquet: it looks like plain text. Deliver it as Parquet."),
    ("parquet", "f.parquet", b"<html>Not found</html>", "is no Parquet: it looks like XML."),
    ("parquet", "f.parquet", gzip.compress(CSV), "is no Parquet: it is gzip. Unpack it, or"),
    ("parquet", "f.parquet", bytes_by(orc.write_table), "is no Parquet: it is ORC. Name it .orc"),
    ("orc", "f.orc", bytes_by(pq.write_table), "is no ORC: it is Parquet. Name it .parquet"),
]


@pytest.mark.parametrize(("kind", "name", "content", "said"), CASES)
def test_it_is_told_to_who_describes_it_and_to_who_profiles_it(tmp_path: Path, kind: str, name: str, content: bytes, said: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(SourceError) as told:
        written(tmp_path / name, kind)
    assert said in str(told.value)
    source = Source.model_validate({"format": kind, "path": f"{{batch}}{name[1:]}"})
    listing = FileListing(source, tmp_path)
    (found,) = look(source, listing, [listing.locate("f")], Dialect(source), lambda _: [])
    assert isinstance(found, SourceError)
    assert said in str(found)


def test_json_that_is_not_packed_is_told_to_who_describes_it(tmp_path: Path) -> None:
    (tmp_path / "f.json.gz").write_bytes(b'{"id": 1}\n')
    with pytest.raises(SourceError, match=r"is not compressed as its name says \(gzip\): it looks like JSON\."):
        written(tmp_path / "f.json.gz", "json")


@pytest.mark.parametrize(
    ("kind", "name", "content"),
    [
        ("csv", "f.csv.gz", gzip.compress(CSV)[:-9]),
        ("parquet", "f.parquet", bytes_by(pq.write_table)[:-9]),
        ("parquet", "f.parquet", b"PAR1 no"),
        ("orc", "f.orc", b"ORC"),
        ("parquet", "f.parquet", b"\x07\x01\xff"),
        ("parquet", "f.parquet", b""),
        ("csv", "f.csv", CSV),
    ],
)
def test_one_that_is_cut_or_damaged_is_of_no_other_kind(kind: str, name: str, content: bytes) -> None:
    assert another_kind(content, name, kind) is None


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("f.json", CSV, "f.json is no JSON: it looks like CSV. Name it .csv (in avh.yml: `format: csv`), or deliver it as JSON."),
        ("f.csv", b'{"id": 1, "n": 2}\n', "f.csv is no CSV: it looks like JSON. Name it .json"),
        ("f.csv.gz", gzip.compress(b'[\n  {"id": 1}\n]'), "f.csv.gz is no CSV: it looks like JSON."),
    ],
)
def test_text_of_another_format_is_told_to_who_describes_it(tmp_path: Path, name: str, content: bytes, said: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(SourceError) as told:
        written(tmp_path / name, name.split(".")[1])
    assert said in str(told.value)


@pytest.mark.parametrize(
    ("kind", "content"),
    [("csv", b"[Orders],of 2026\n1,2\n"), ("csv", b'{"a"},b\n1,2\n'), ("csv", CSV), ("json", b'[{"a": 1}]'), ("json", b'{"a,b": 1}\n')],
)
def test_text_that_may_be_what_its_name_says_is_taken(kind: str, content: bytes) -> None:
    assert another_text(content, "f", kind) is None
