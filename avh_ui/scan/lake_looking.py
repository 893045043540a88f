"""Folders that are tables of Delta, Hudi or Iceberg: their files are of many versions at once, and no delivery each."""

from __future__ import annotations

from pathlib import Path

from avh_ui.errors import SourceError
from avh_ui.scan.looking_files import SeenTable, UnnamedBatchesError, batch_column


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


def delta_table(path: Path) -> SeenTable:
    """A table of Delta, whose batches a column names; `SourceError` for one without files or such a column."""
    part = next((p for p in path.rglob("*.parquet") if "_delta_log" not in p.parts), None)
    if part is None:
        raise SourceError(f"The Delta table {path} holds no file.", hint="Write a batch to it first.")
    try:
        cut = batch_column(part, "parquet")
    except UnnamedBatchesError as error:
        raise _by_versions(path) from error
    remarks = ("Spark's Delta package reads it.", *cut.remarks)
    return SeenTable(path.resolve().name, "delta", str(path), cut.batches, (cut.name,), remarks=remarks)
