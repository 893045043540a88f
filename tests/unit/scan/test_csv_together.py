"""Small CSV files that are parsed together have the rows that each has alone."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.scan import task
from avh_ui.scan.commas import Writing
from avh_ui.scan.csv_reader import CsvReader
from avh_ui.scan.shares import Opener, Share
from avh_ui.scan.task import small_runs
from tests.unit.scan.test_csv_reader import TEXTS, options

# Most are regular, so that many are parsed together.
PLAIN = st.lists(st.tuples(*[st.sampled_from(["a", "", "é", " ", "NA", "1"])] * 2), max_size=4).map(
    lambda rows: "".join(f"{a},{b}\n" for a, b in rows)
)
ENDS = st.sampled_from(["", "x,y", "\n", "\r\n", "  \n", "x\n", "x,y,z\n", "\ufeffx,y\n"])
FILES = st.lists(st.one_of(st.builds(str.__add__, PLAIN, ENDS), TEXTS), min_size=2, max_size=5)


def shares_of(folder: Path, texts: Sequence[bytes]) -> list[Share]:
    for at, text in enumerate(texts):
        (folder / f"{at}.csv").write_bytes(text)
    return [Share(f"b{at}", str(folder / f"{at}.csv"), len(text)) for at, text in enumerate(texts)]


def reader_of(**more: Any) -> CsvReader:
    return CsvReader(options(header=more.pop("header", False), null="NA"), ("k", "v"), ((0, 1),), **more)


def together(reader: CsvReader, shares: Sequence[Share], places: Sequence[int] = (0, 1)) -> list[str]:
    """The batches that are read together, each of which has the rows that it has alone."""
    found = reader.together(shares, Opener(shares[0].path), places)
    for share, rows in found.items():
        (alone,) = reader.read(share, Opener(share.path), places)
        rows.validate(full=True)
        assert rows.equals(alone)
    return [share.batch for share in found]


@given(FILES, st.booleans(), st.sampled_from([(0, 1), (1,), (1, 0), ()]))
def test_files_have_the_rows_that_they_have_alone(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], header: bool, places: tuple[int, ...]
) -> None:
    shares = shares_of(tmp_path_factory.mktemp("f"), [text.encode() for text in texts])
    together(reader_of(header=header), shares, places)


@pytest.mark.parametrize(
    ("odd", "read"),
    [
        (b"c,d\ne,f\n", "b0 b1 b2"),
        (b"c,d", "b0 b1 b2"),
        (b"\xef\xbb\xbfc,d\n", "b0 b1 b2"),
        ("c,\u00e9\n".encode("latin-1"), "b0 b1 b2"),
        (b"", "b0 b2"),
        (b'"c",d\n', "b0 b2"),
        (b"c,d\r\n", "b0 b2"),
        (b"c,d\n\ne,f\n", "b0 b2"),
        # Only Arrow tells, and not of which file.
        (b"c\n", ""),
        (b"c,d,e\n", ""),
        (b"c,d\n \n", ""),
    ],
)
def test_what_is_not_regular_is_read_alone(tmp_path: Path, odd: bytes, read: str) -> None:
    assert " ".join(together(reader_of(), shares_of(tmp_path, [b"a,b\n", odd, b"x,y\nNA,\n"]))) == read


def test_files_of_other_columns_numbers_with_commas_and_what_cannot_be_read_are_left_out(tmp_path: Path) -> None:
    shares = shares_of(tmp_path, [b"a,b\n", b"b,a\n", b"c,d\n", b"d,c\n", b"e,f\n"])
    Path(shares[4].path).unlink()
    sets = {shares[1].path: 1, shares[3].path: 1}
    reader = CsvReader(options(), ("k", "v", "w"), ((0, 1), (2, 0)), sets)
    assert sorted(together(reader, shares, (0, 2))) == ["b0", "b1", "b2", "b3"]
    assert together(reader_of(commas={"v": Writing("[0-9]", "[.]", ",")}), shares) == []


def test_small_files_are_together_up_to_so_much_work_and_in_their_order() -> None:
    small = [Share("s", str(k), 10) for k in range(100)]
    large, part = Share("l", "large", 10**6), Share("p", "part", 10, start=5)
    runs = list(small_runs([*small[:2], large, small[2], part, *small[3:]]))
    assert [share for run in runs for share in run] == [*small[:2], large, small[2], part, *small[3:]]
    assert [len(run) for run in runs[:4]] == [2, 1, 1, 1]
    with patch.object(task, "_RUN_BYTES", task.work(small[:10])):
        assert {len(run) for run in small_runs(small)} == {10}
    assert all(a and b for a, b in pairwise(runs))
