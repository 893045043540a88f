"""Arrow's reader of JSON lines gives the columns, types and rows that Spark's gives."""

from __future__ import annotations

import bz2
import gzip
import json
import random
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from avh_ui.config import Source
from avh_ui.scan.first_lines import Dialect
from avh_ui.scan.json_reader import plan
from avh_ui.scan.kernel import strip_scheme
from avh_ui.scan.listing import FileListing
from avh_ui.scan.schemas import Layout, look
from avh_ui.scan.shares import Opener
from avh_ui.spark.reading import FILE, FLAG, file_rows

TEXTS = (
    "",
    "a",
    "2024-01-01",
    "2024-01-01 10:11:12",
    "2024-01-01T10:11:12.5Z",
    "Zürich",
    "日本 😀",
    'a"b\\c/d',
    "\u2028",
    "1",
    "null",
    "\x7f",
    "\0",
)
WHOLE = ("0", "1", "-1", "9223372036854775807", "-9223372036854775808", "1234567890123456789")
FRACTIONS = (
    "0.1",
    "1",
    "-1.5e3",
    "1E2",
    "1e-7",
    "0.30000000000000004",
    "123456789012345678",
    "1.7976931348623157e308",
    "5e-324",
    "-0.0",
    "1.0",
)
ENDS = ("\n", "\r\n", "\r", "\n\n", "\n \t\n")


def value(kind: str, chance: random.Random) -> str:
    """A value as JSON, or null."""
    if chance.random() < 0.15:
        return "null"
    if kind == "text":
        text = chance.choice(TEXTS)
        return json.dumps(text, ensure_ascii=chance.random() < 0.5)
    if kind == "list":
        return "[" + ", ".join(value("fraction", chance) for _ in range(chance.randint(0, 3))) + "]"
    if kind == "object":
        return line({"z": "whole", "a": "text", "nothing": "null", "Ünï": "list", "items": "objects"}, chance)
    if kind == "objects":
        return "[" + ",".join(line({"k": "truth", "e": "empty"}, chance) for _ in range(chance.randint(0, 2))) + "]"
    return chance.choice(
        {"whole": WHOLE, "fraction": FRACTIONS, "truth": ("true", "false"), "null": ("null",), "empty": ("{}", "[]")[:1]}[kind]
    )


def line(kinds: dict[str, str], chance: random.Random) -> str:
    """An object with some of the keys, in any order."""
    keys = chance.sample(list(kinds), chance.randint(0, len(kinds)))
    return "{" + ", ".join(f"{json.dumps(key)} : {value(kinds[key], chance)}" for key in keys) + "}"


BATCHES = {
    "flat": {"text": "text", "b": "truth", "whole number": "whole", "ä.b": "fraction", "fraction": "fraction"},
    "nested": {"o": "object", "l": "list", "many": "objects", "empty": "empty", "text": "text"},
    "sparse": {"n": "null", "😀": "text", "｡": "whole", "B": "text", "a": "null", "o": "empty"},
}


def write(folder: Path, kinds: dict[str, str]) -> None:
    folder.mkdir()
    chance = random.Random(folder.name)
    for k in range(12):
        text = "".join(line(kinds, chance) + chance.choice(ENDS) for _ in range(20))
        data = (text if k % 2 else text.strip()).encode()
        if k == 5:
            # Of files that were joined.
            data = data.replace(b"\n{", b"\n\xef\xbb\xbf{")
        (folder / f"größe {k}=[1].json").write_bytes(b"\xef\xbb\xbf" * (k == 3) + data)
    (folder / "p.json.gz").write_bytes(gzip.compress(data))
    (folder / "p.json.bz2").write_bytes(bz2.compress(data))
    (folder / "nothing.json").write_bytes(b"")
    (folder / "blank.json").write_bytes(b" \n\r\n")


def test_all_files_are_read_as_spark_reads_them(spark: Any, tmp_path: Path) -> None:
    from pyspark.sql.pandas.types import to_arrow_schema

    for name, kinds in BATCHES.items():
        write(tmp_path / name, kinds)
        source = Source(format="json", path=str(tmp_path / "{batch}"))
        listing = FileListing(source, tmp_path)
        (layout,) = look(source, listing, [listing.locate(name)], Dialect(source), lambda path: [])
        assert isinstance(layout, Layout)
        frame = file_rows(spark, source, listing, [layout])
        reader, shares = plan(source, listing, [layout])
        table = frame.drop(FLAG, FILE)
        assert reader.schema.equals(to_arrow_schema(table.schema)), name
        spark_rows: Counter[tuple[str, str]] = Counter()
        for *values, flag, file in frame.collect():
            spark_rows[unquote(strip_scheme(file)), repr(([_plain(v) for v in values], flag))] += 1
        arrow_rows: Counter[tuple[str, str]] = Counter()
        for share in shares:
            for batch in reader.read(share, Opener(listing.template), range(len(reader.schema))):
                for *values, flag in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                    arrow_rows[share.path, repr((values, flag))] += 1
        assert arrow_rows == spark_rows, name
        assert sum(arrow_rows.values()) == 14 * 20


def _plain(found: Any) -> Any:
    """A value of Spark's as Arrow gives it: rows as dictionaries."""
    if hasattr(found, "asDict"):
        return {name: _plain(one) for name, one in found.asDict().items()}
    return [_plain(one) for one in found] if isinstance(found, list) else found
