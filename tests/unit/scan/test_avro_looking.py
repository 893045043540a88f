"""Avro files that nobody described: the names of their columns stand in the header."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from avh_ui.errors import SourceError
from avh_ui.scan.avro_looking import look_at_avro
from avh_ui.scan.looking import look

AT = Path("a.avro")


def zigzag(number: int) -> bytes:
    """Avro's own definition of a long, apart from the code that reads one."""
    coded, out = number * 2 if number >= 0 else -number * 2 - 1, b""
    while coded > 127:
        out, coded = out + bytes([coded % 128 + 128]), coded // 128
    return out + bytes([coded])


def avro(names: list[str]) -> bytes:
    """A file of these columns without rows."""
    schema = json.dumps({"type": "record", "name": "row", "fields": [{"name": name, "type": "long"} for name in names]}).encode()
    pairs = [(b"avro.codec", b"null"), (b"avro.schema", schema)]
    head = b"".join(zigzag(len(part)) + part for pair in pairs for part in pair)
    return b"Obj\x01" + zigzag(len(pairs)) + head + zigzag(0) + b"0123456789abcdef"


@pytest.mark.parametrize("names", [["id"], ["id", "größe"], [f"c{k}" for k in range(400)]])
def test_the_columns_stand_in_the_header(names: list[str]) -> None:
    assert look_at_avro(avro(names), AT).columns == tuple(names)


@pytest.mark.parametrize("content", [avro(["id"])[:30], b"Obj\x01avro.schema", b"Obj\x01", b"Obj\x01avro.schema\x06[1]"])
def test_of_a_header_that_is_cut_no_column_is_known(content: bytes) -> None:
    assert look_at_avro(content, AT).columns == ()


def test_what_is_no_avro_file_is_told() -> None:
    with pytest.raises(SourceError, match="does not begin as an Avro file does"):
        look_at_avro(b"id,amount\n1,2\n", AT)


def test_files_of_a_day_are_batches(tmp_path: Path) -> None:
    for day in (1, 2, 3):
        (tmp_path / f"orders_2026-01-0{day}.avro").write_bytes(avro(["id", "amount"]))
    (seen,) = look([tmp_path]).tables
    assert (seen.format, seen.path, len(seen.batches)) == ("avro", str(tmp_path / "orders_{batch}.avro"), 3)
    assert seen.remarks == ("Spark reads Avro, by the package under `spark:` below.",)
