"""A file of SQLite is told with its tables."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from avh_ui.errors import SourceError
from avh_ui.scan.looking import look


@pytest.mark.parametrize(
    ("tables", "said"),
    [
        (["orders", "customers"], "is of no known format. Its tables are customers, orders, at options: {url: "),
        ([f"t{k:02}" for k in range(10)], "t06, t07 and 2 more, at"),
        ([], "It is a database without tables."),
    ],
)
def test_its_tables_are_named(tables: list[str], said: str, tmp_path: Path) -> None:
    path = tmp_path / "my shop.db"
    with closing(sqlite3.connect(path)) as database:
        for name in tables:
            database.execute(f"create table {name} (id int)")
    with pytest.raises(SourceError) as told:
        look([path])
    assert said in told.value.message
    assert (f'"jdbc:sqlite:{path}"' in told.value.message) == bool(tables)
    assert "format: jdbc" in told.value.hint


def test_what_is_no_database_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "thumbs.db"
    path.write_bytes(b"no database" * 100)
    with pytest.raises(SourceError) as told:
        look([path])
    assert told.value.message == f"{path} is of no known format."
    assert path.read_bytes() == b"no database" * 100
