"""A power cut in the review database: what was confirmed is there, and of the write that was cut off all or nothing.

SQLite syncs its write-ahead log at each commit, so what a cut can lose is written after the last one: any part of it, in any page.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import sqlalchemy as sa

from avh_ui.store.reviews_schema import open_engine
from avh_ui.store.reviews_sql import ReviewsSql
from tests.fakes.builders import run, suggestion
from tests.fakes.contracts import decide, note

# The log's header, and a frame: a header and a page.
HEADER, FRAME = 32, 24 + 4096
WRITES: tuple[Callable[[ReviewsSql], object], ...] = (
    lambda reviews: reviews.save_run(run(suggestion("s1"), suggestion("s2"))),
    lambda reviews: reviews.record("p", [decide("s1"), decide("s2", "reject")]),
    lambda reviews: reviews.note("p", [note("s1", "hm")]),
)


def files(path: Path) -> tuple[bytes, bytes]:
    """The database and its log."""
    return path.read_bytes(), path.with_name(f"{path.name}-wal").read_bytes()


def after_a_cut(folder: Path, database: bytes, log: bytes) -> tuple[list[str], list[str]]:
    """What the database holds when the power is back: the pipeline's trail, and what is wrong with it."""
    folder.mkdir(exist_ok=True)
    for name, content in (("reviews.db", database), ("reviews.db-wal", log)):
        (folder / name).write_bytes(content)
    (folder / "reviews.db-shm").unlink(missing_ok=True)
    with closing(ReviewsSql(f"sqlite:///{folder / 'reviews.db'}")) as reviews:
        draft = reviews.draft("p")
        return [str(entry) for entry in (*reviews.trail("p"), draft and draft.digest)], reviews.check_audit("p")


def cuts(before: bytes, after: bytes) -> Iterator[bytes]:
    """The log with a part of what was written last: cut in each page; and before, at the head of and without the last, and the first."""
    yield from (after[: start + FRAME // 2] for start in range(len(before), len(after), FRAME))
    last = len(after) - FRAME
    yield from (after[:last], after[: last + 24], after[:last] + bytes(FRAME))
    if last > len(before):
        yield after[: len(before)] + bytes(FRAME) + after[len(before) + FRAME :]


def test_every_commit_is_synced(tmp_path: Path) -> None:
    with open_engine(f"sqlite:///{tmp_path / 'reviews.db'}").connect() as connection:
        found = [connection.execute(sa.text(f"PRAGMA {name}")).scalar() for name in ("journal_mode", "synchronous")]
    assert found == ["wal", 2]  # 2 is FULL


def test_a_power_cut_loses_nothing_that_was_confirmed(tmp_path: Path) -> None:
    path = tmp_path / "reviews.db"
    kept = []
    with closing(ReviewsSql(f"sqlite:///{path}")) as reviews, closing(sqlite3.connect(path)) as reader:
        # Who reads keeps the log from being taken into the database.
        reader.execute("BEGIN").execute("SELECT count(*) FROM suggestions").fetchall()
        kept.append(files(path))
        for write in WRITES:
            write(reviews)
            kept.append(files(path))
    states = [after_a_cut(tmp_path / "whole", *files) for files in kept]
    assert len({str(state) for state in states}) == len(WRITES) + 1
    assert all(wrong == [] for _, wrong in states)
    for at, ((database, before), (_, after)) in enumerate(pairwise(kept)):
        assert after.startswith(before[HEADER:], HEADER)
        for log in cuts(before, after):
            assert after_a_cut(tmp_path / "cut", database, log) == states[at]


def test_a_power_cut_while_the_log_is_taken_in_loses_nothing(tmp_path: Path) -> None:
    """The log is synced before the first page of it is written to the database, and stays until all are."""
    path = tmp_path / "reviews.db"
    with closing(ReviewsSql(f"sqlite:///{path}")) as reviews:
        with closing(sqlite3.connect(path)) as reader:
            reader.execute("BEGIN").execute("SELECT count(*) FROM suggestions").fetchall()
            for write in WRITES:
                write(reviews)
            before, log = files(path)
        with closing(sqlite3.connect(path)) as other:
            other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        after = path.read_bytes()
    wanted = after_a_cut(tmp_path / "whole", after, b"")
    pages = [k for k in range(0, len(after), 4096) if before[k : k + 4096] != after[k : k + 4096]]
    assert (len(pages) > 1, wanted[1]) == (True, [])
    for k in pages:
        # The pages up to here, and one alone.
        assert after_a_cut(tmp_path / "cut", after[:k] + before[k:], log) == wanted
        assert after_a_cut(tmp_path / "cut", before[:k] + after[k : k + 4096] + before[k + 4096 :], log) == wanted
