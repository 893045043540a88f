"""What to write for the tables of a file of SQLite, which Spark reads by a driver."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

# What to do with a file of a database.
DATABASE = (
    "A table of a database is a pipeline with `format: jdbc`: `source: {format: jdbc, table: orders, batch: day, "
    "options: {url: 'jdbc:sqlite:/data/shop.db'}}`, and the package of its driver under "
    "`spark: {packages: ['org.xerial:sqlite-jdbc:3.46.1.3']}`; `avh init` alone writes a template."
)
# A sentence names so many, and how many more there are.
_NAMED = 8


def tables_said(path: Path) -> str:
    """Which tables a file of SQLite holds, and its address, in sentences; '' for what is none, or cannot be read."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as database:
            asked = "select name from sqlite_master where type in ('table', 'view') and name not like 'sqlite_%' order by name"
            names = [str(name) for (name,) in database.execute(asked)]
    except sqlite3.Error:
        return ""
    if not names:
        return "It is a database without tables."
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    url = json.dumps(f"jdbc:sqlite:{path.absolute()}", ensure_ascii=False)
    return f"Its tables are {', '.join(names[:_NAMED])}{more}, at options: {{url: {url}}}."
