"""Arrow's reader of JSON lines: Spark's columns over all files, and what Spark is to read is declined."""

from __future__ import annotations

import gzip
import pickle
from pathlib import Path

import pyarrow as pa
import pytest

from avh_ui.config import Source
from avh_ui.errors import SourceError
from avh_ui.metrics.declined import DeclinedError
from avh_ui.scan import json_reader, line_blocks
from avh_ui.scan.first_lines import Dialect
from avh_ui.scan.json_reader import JsonReader, plan
from avh_ui.scan.listing import FileListing
from avh_ui.scan.schemas import Layout, look
from avh_ui.scan.shares import Opener, Share


def planned(folder: Path, **options: str) -> tuple[JsonReader, tuple[Share, ...]]:
    source = Source(format="json", path=str(folder / "{batch}"), options=options)
    listing = FileListing(source, folder)
    layouts = look(source, listing, [listing.locate(batch) for batch in listing.batches()], Dialect(source), lambda path: [])
    return plan(source, listing, [layout for layout in layouts if isinstance(layout, Layout)])


def rows(reader: JsonReader, shares: tuple[Share, ...], places: tuple[int, ...]) -> list[dict[str, object]]:
    return [row for share in shares for batch in reader.read(share, Opener(share.path), places) for row in batch.to_pylist()]


def test_columns_are_those_of_all_files_in_sparks_order(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(
        b'\xef\xbb\xbf{"n":1,"t":"2024-01-01","o":{"y":null,"x":1},"e":{}}\n \t\r\n{"l":[],"\\u00e9":true}\r{"z":null}'
    )
    (tmp_path / "b.json.gz").write_bytes(gzip.compress(b'{"n":2.5,"o":{"w":[{"k":null}]},"l":[null,[1]]}\n'))
    reader, shares = planned(tmp_path)
    reader = pickle.loads(pickle.dumps(reader))
    o = pa.struct([("w", pa.list_(pa.struct([("k", pa.string())]))), ("x", pa.int64()), ("y", pa.string())])
    types = {"l": pa.list_(pa.list_(pa.int64())), "n": pa.float64(), "o": o, "t": pa.string(), "z": pa.string(), "é": pa.bool_()}
    assert (reader.schema, reader.flagged) == (pa.schema(list(types.items())), True)
    assert rows(reader, shares, (3, 1)) == [
        {"t": "2024-01-01", "n": 1.0, "__avh_malformed": False},
        *[{"t": None, "n": None, "__avh_malformed": False}] * 2,
        {"t": None, "n": 2.5, "__avh_malformed": False},
    ]
    assert rows(reader, shares, ()) == [{"__avh_malformed": False}] * 4


def test_a_long_file_is_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_blocks, "SHARE_BYTES", 50)
    (tmp_path / "a.json").write_text("".join(f'{{"n": {i}}}\n' for i in range(50)))
    reader, shares = planned(tmp_path)
    assert len(shares) > 5
    assert [row["n"] for row in rows(reader, shares, (0,))] == list(range(50))


@pytest.mark.parametrize(
    "text",
    [
        '{"a":1}\n{"a":"x"}', '{"a":1}\n{"a":true}', '{"a":[1]}\n{"a":1}', '{"a":1}\n{"a":{"b":1}}',
        '{"a":1}{"a":2}', '{"a":1} {"a":\n2}', '{"a":\n1}', '[{"a":1}]', '{"a":1} x', "{'a':1}", '{"a":01}', '{"a":1,}', "nothing", '"a"',
        '{"a":1,"a":2}', '{"a":1,"A":2}', '{"a":{"b":1,"B":1}}', '{"":1}', "{}", '{"a":{}}', '{"__avh_file":1}',
        '{"a":9223372036854775808}', '{"a":-0,"b":1.5}', '{"a":NaN}', '{"a":-Infinity}', '{"a":1e400}', '{"a":[1.5,12345678901234567890]}',
        '{"a":"\\ud800"}', '{"a":"\t"}', '{"a":"\0"}', '{"a":"x"}\n\f\n', '{"a":"\udcff"}', "",
    ],
)  # fmt: skip
def test_rows_that_are_sparks(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(text.encode("utf-8", "surrogateescape") + b" ")
    with pytest.raises(DeclinedError):
        planned(tmp_path)


def test_marks_within_files_that_were_joined(tmp_path: Path) -> None:
    """A mark before an object is passed over, as by Spark, and any other is a text's or no JSON."""
    mark = "\ufeff"
    path = tmp_path / "a.json"
    path.write_text(f'{mark}{mark}{{"a":1}}\r\n{mark}{{"a":2}}\n\n{mark}{{"a":3,"t":"{mark}{{"}}\r{mark}{{"a":4}}', newline="")
    reader, shares = planned(tmp_path)
    found = [(row["a"], row["t"]) for row in rows(reader, shares, (0, 1))]
    assert found == [(1, None), (2, None), (3, f"{mark}{{"), (4, None)]
    for text in (f'{{"a":1}}\n {mark}{{"a":2}}', f'{{"a":1}}\n{mark}', f'{{"a":1}}\n{mark} {{"a":2}}', f'{{"a":1}}{mark}\n'):
        path.write_text(text)
        with pytest.raises(DeclinedError, match=r"no JSON objects \(.*a\.json\)"):
            planned(tmp_path)


def test_files_and_options_that_are_sparks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.json"
    path.write_text('{"a":1}\n')
    reader, shares = planned(tmp_path, mode="FAILFAST", multiLine="false")
    assert rows(reader, shares, (0,)) == [{"a": 1, "__avh_malformed": False}]
    for options, why in [
        ({"multiLine": "true"}, "multiLine"),
        ({"primitivesAsString": "true"}, "primitives"),
        ({"lineSep": ","}, "lineSep"),
    ]:
        with pytest.raises(DeclinedError, match=why):
            planned(tmp_path, **options)
    # It has changed since its columns were found.
    path.write_text('{"a":1.5}\n')
    with pytest.raises(DeclinedError, match="several types"):
        rows(reader, shares, (0,))
    monkeypatch.setattr(json_reader, "MOST_BYTES", 5)
    with pytest.raises(DeclinedError, match="more than"):
        planned(tmp_path)
    path.unlink()
    (tmp_path / "x.json.gz").write_text('{"a":1}\n')
    with pytest.raises(SourceError, match=r"x\.json\.gz is not compressed as its name says \(gzip\): it looks like JSON"):
        planned(tmp_path)
    (tmp_path / "x.json.gz").unlink()
    (tmp_path / "k=1").mkdir()
    (tmp_path / "k=1" / "d=2").mkdir()
    (tmp_path / "k=1" / "d=2" / "x.json").write_text('{"a":1}\n')
    with pytest.raises(DeclinedError, match="partition"):
        planned(tmp_path)
