"""Folders that are tables of Delta, Hudi or Iceberg: their files are of many versions at once, and no delivery each."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote

from avh_ui.errors import SourceError
from avh_ui.history.batch_dates import BatchDate
from avh_ui.history.series import sort_batches
from avh_ui.scan.looking_files import BatchColumn, SeenTable, UnnamedBatchesError, batch_column

# In so many of its newest files a column that names the batches is looked for: of a table that grows each day may be a file.
_LOOKED_AT = 20


def require_no_lake(path: Path) -> None:
    """`SourceError` for a folder that is a table of Hudi or Iceberg, with how it is described."""
    name = path.resolve().name
    if (path / ".hoodie").is_dir():
        kind, query = "Hudi", f"select * from {name} timestamp as of '{{batch}}'"
        versions = f"call show_commits(table => '{name}', limit => 1000)"
    elif any((path / "metadata").glob("*.metadata.json")):
        kind, query = "Iceberg", f"select * from lake.{name} timestamp as of '{{batch}}'"
        versions = f"select date_format(committed_at, 'yyyy-MM-dd HH:mm:ss.SSS') from lake.{name}.snapshots"
    else:
        return
    raise SourceError(
        f"{path} is a table of {kind}: its files are of several versions at once.",
        hint=f"Describe it by its name in a catalog: `format: query`, `query: {query}`, `batches: {versions}`, with its package under "
        "`spark: {packages: [...]}`; or, where a column names its batches, `avh init --table NAME`.",
    )


def _by_versions(path: Path) -> SourceError:
    """What is said of a table of Delta of which no column names the batches: its versions may be them."""
    at = f"delta.`{path.absolute()}`"
    return SourceError(
        f"No column of the Delta table {path} names its batches.",
        hint=f"Take its versions: `format: query`, `query: select * from {at} version as of {{batch}}`, `batches: describe history {at}`, "
        "with Delta's package under `spark: {packages: [...]}`; or write `batch: now` where each delivery overwrites it.",
    )


def _removed(path: Path) -> set[str]:
    """The files that its log takes out: they are of older versions alone. What a checkpoint has swallowed of the log is not looked into."""
    gone: set[str] = set()
    for commit in sorted((path / "_delta_log").glob("*.json")):
        with contextlib.suppress(OSError, ValueError):  # Spark says what is wrong with its log
            for line in commit.read_text(encoding="utf-8").splitlines():
                action = json.loads(line)
                if "remove" in action:
                    gone.add(unquote(action["remove"]["path"]))
                elif "add" in action:
                    gone.discard(unquote(action["add"]["path"]))
    return gone


def _partitioned(path: Path, parts: Sequence[Path]) -> BatchColumn | None:
    """The partition column of dates, by the folders that its files lie in; None where there is none."""
    folders = [dict(name.split("=", 1) for name in part.relative_to(path).parts[:-1] if "=" in name) for part in parts]
    for name in folders[0]:
        values = sort_batches({values.get(name, "") for values in folders})
        if all(map(BatchDate.of, values)):
            return BatchColumn(name, tuple(values))
    return None


def delta_table(path: Path) -> SeenTable:
    """A table of Delta, whose batches a column names; `SourceError` for one without files or such a column."""
    gone = _removed(path)
    files = (p for p in path.rglob("*.parquet") if "_delta_log" not in p.parts and str(p.relative_to(path)) not in gone)
    parts = sorted(files, key=lambda part: part.stat().st_mtime)
    if not parts:
        raise SourceError(f"The Delta table {path} holds no file.", hint="Write a batch to it first.")
    try:
        # What was appended day by day holds one date in each file.
        cut = _partitioned(path, parts) or batch_column(parts[-1], "parquet", *parts[-_LOOKED_AT:-1])
    except UnnamedBatchesError as error:
        raise _by_versions(path) from error
    remarks = (
        "Spark reads it by Delta's package (io.delta:delta-spark_2.13:VERSION): name that of your Spark under `spark: {packages: [...]}`.",
        *cut.remarks,
    )
    return SeenTable(path.resolve().name, "delta", str(path), cut.batches, (cut.name,), remarks=remarks)
