"""Files that are no lines are told by their first bytes, and no table is taken for one."""

from __future__ import annotations

import bz2
import gzip
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import orc

from avh_ui.errors import SourceError
from avh_ui.scan.other_formats import refuse_other_format

TABLE = pa.table({"id": range(100), "code": [f"c{k % 7}" for k in range(100)]})


def written(write: Any, table: pa.Table = TABLE, **how: Any) -> bytes:
    """What a writer of Arrow's makes of the table."""
    sink = pa.BufferOutputStream()
    write(table, sink, **how)
    return bytes(sink.getvalue())


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (written(pq.write_table), "it is Parquet"),
        (written(pq.write_table, TABLE.slice(0, 0)), "it is Parquet"),
        (written(orc.write_table), "it is ORC"),
        (written(orc.write_table, compression="zstd"), "it is ORC"),
        (gzip.compress(b"a,b\n"), "gzip"),
        (bz2.compress(b"a,b\n"), "bzip2"),
        (bytes(5_000), "its first 5,000 bytes are NUL"),
    ],
)
def test_what_is_no_file_of_lines_is_named(content: bytes, said: str) -> None:
    with pytest.raises(SourceError, match=rf"^d/b\.csv cannot be read.*{said}"):
        refuse_other_format(content, "d/b.csv")


@given(st.sampled_from(["PAR1", "ORC", ""]), st.text(st.characters(exclude_categories=["Cc", "Cs"])))
def test_no_text_is_taken_for_another_format(begins: str, text: str) -> None:
    refuse_other_format(f"{begins},{text}\r\n\t1,2\n".encode(), "b.csv")
