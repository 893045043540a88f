"""What tasks count beside the columns' states, and how it meets what the files say of themselves."""

from __future__ import annotations

import pyarrow as pa

from avh_ui.metrics.column import Column
from avh_ui.metrics.delivery import DataFile, Delivery
from avh_ui.scan.counted import Counted


def test_flagged_lines_are_counted_and_dropped_when_asked() -> None:
    rows = pa.RecordBatch.from_pydict({"a": [1, 2, 3], "flag": [False, True, True]})
    kept, dropped = Counted(), Counted()
    assert kept.flagged(rows, drops=False).to_pydict() == {"a": [1, 2, 3]}
    assert dropped.flagged(rows, drops=True).to_pydict() == {"a": [1]}
    assert [(c.malformed, c.dropped) for c in (kept, dropped)] == [(2, 0), (2, 2)]


def test_counts_of_tasks_are_added() -> None:
    one, two = Counted(), Counted()
    one.texts(Column.from_arrow("s", pa.array(["a\ufffd", "a\ufffd", "b", None])))
    two.texts(Column.from_arrow("s", pa.array(["\ufeffid", "\ufffd"])))
    two.texts(Column.from_arrow("n", pa.array([1.0])))
    one.add(Counted.from_record(two.to_record()))
    assert (dict(one.replaced), dict(one.boms)) == ({"s": 3}, {"s": 1})


# Of text: ends of lines and pages, blanks, letters of any alphabet, signs beyond ASCII that begin with the byte 0xC2.
TEXTS = ["a\tb", "a\nb\r\n", "page\f", "soft\vbreak", "20\u00a0\u00b0C", "\u200d\u4e2d", "", "\u00e9"]
CONTROLS = ["padded\0\0", "\x01", "\x08", "\x0e", "\x1b[0m", "\x1f", "\x7f", "\u0080", "it\u0092s", "\u0085"]


def test_control_characters_are_counted_as_no_text() -> None:
    counted = Counted()
    counted.texts(Column.from_arrow("good", pa.array(TEXTS)))
    counted.texts(Column.from_arrow("bad", pa.array([*CONTROLS, *CONTROLS, *TEXTS])))
    again = Counted.from_record(counted.to_record())
    assert (dict(again.controls), dict(again.replaced), dict(again.boms)) == ({"bad": 2 * len(CONTROLS)}, {}, {})
    assert again.delivery(Delivery(), {}, flagged=False).undecodable == 2 * len(CONTROLS)


def test_bytes_that_are_no_utf_8_are_counted_as_replaced() -> None:
    """Parquet's strings may hold them, and nobody puts a replacement character there."""
    raw = pa.array([b"caf\xe9", b"ok", b"caf\xc3\xa9"], pa.binary())
    values = pa.Array.from_buffers(pa.string(), len(raw), raw.buffers())
    counted = Counted()
    counted.texts(Column.from_arrow("s", values))
    assert dict(counted.replaced) == {"s": 1}


def test_files_of_which_no_row_was_read_are_named() -> None:
    before = Delivery(files=3, bytes=9, named=(DataFile("1", 3), DataFile("k=1/1", 3), DataFile("empty", 3)))
    expected = {"/b/1": "1", "/b/k=1/1": "k=1/1"}
    counted = Counted()
    counted.lines["/b/1"] = 5
    facts = counted.delivery(before, expected, flagged=False)
    assert (facts.unread, facts.malformed_rows, [f.rows for f in facts.named]) == (("k=1/1",), None, [5, None, None])
    # Spark may spell paths in a way that tells nothing.
    strange = Counted()
    strange.lines["elsewhere"] = 5
    assert strange.delivery(before, expected, flagged=True).unread == ()
