"""Tables of files whose columns say which batch a row is of: which files are read for some batches, and in what shares.

The columns are those of folders (`batch=2024-01-01/part.parquet`), and then files of other batches are not opened; or they are in
the files.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from avh_ui.config_places import BatchKey
from avh_ui.metrics.declined import DeclinedError
from avh_ui.scan.columnar import FilePlan, Look, below, check_options, looked, shares_of
from avh_ui.scan.listing import FileListing, Files
from avh_ui.scan.markers import markers_of_folders, require_columns
from avh_ui.scan.partials import NOBODYS
from avh_ui.scan.partitions import Partitions, appended, marker, partitions_of
from avh_ui.scan.shares import Share

if TYPE_CHECKING:
    from avh_ui.config import Source


def planned_table(
    source: Source, listing: FileListing, files: Files, batches: Collection[str] | None, look: Look, *, same_order: bool = False
) -> tuple[pa.Schema, Partitions, tuple[Share, ...]]:
    """The columns of a table, those of its folders, and the shares of batches (None = all). Shares have no batch where the column is in
    the files.

    Spark takes the columns from the first file by its path; what a file lacks is null, what it has besides is not read. `DeclinedError`
    when the table has no such column, and when a file has a column of another type or, with `same_order`, columns
    in another order, since Spark may take them from any file.
    """
    check_options(source)
    partitions, paths = partitions_of(below(files)), sorted(part.path for part in files.parts)
    wanted = dict.fromkeys(paths, "")
    if (key := source.key) is None:
        raise DeclinedError("it has no columns that say which batch a row is of")
    if set(key.columns) <= set(partitions.names()):
        markers = _markers(key, partitions, paths)
        told = {path: NOBODYS if batch is None else batch for path, batch in markers.items()}
        wanted = {path: batch for path, batch in told.items() if batches is None or batch in batches or batch == NOBODYS}
    opened = list(dict.fromkeys([*paths[:1], *wanted]))
    plans = dict(zip(opened, looked(listing, opened, look), strict=True))
    if not plans:
        raise DeclinedError("it has no files")
    first = plans[paths[0]].schema
    schema = appended(first, partitions)
    require_columns(key, schema.names)
    for path in wanted:
        _alike(path, plans[path], first)
        if same_order and plans[path].schema.names != first.names:
            raise DeclinedError("its files have other columns than others, or in another order")
    return schema, partitions, tuple(share for path, batch in wanted.items() for share in shares_of(batch, path, plans[path]))


def _markers(key: BatchKey, partitions: Partitions, paths: Sequence[str]) -> dict[str, str | None]:
    """The batch of each file, by the folders that it is in."""
    values = [partitions.values(path) for path in paths]
    if key.column:
        place = partitions.names().index(key.column)
        return {path: marker(of[place]) for path, of in zip(paths, values, strict=True)}
    return dict(zip(paths, markers_of_folders(key, partitions.fields, values), strict=True))


def _alike(path: str, plan: FilePlan, first: pa.Schema) -> None:
    for field in plan.schema:
        at = first.get_field_index(field.name)
        if at >= 0 and first.field(at).type != field.type:
            raise DeclinedError(f"{path} has {field.name!r} as {field.type} and the first file as {first.field(at).type}")
