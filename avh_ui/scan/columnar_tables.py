"""Tables of files with a batch column: which of them are read for some batches, and in what shares.

The column is that of folders (`batch=2024-01-01/part.parquet`), and then files of other batches are not opened; or it is in the files.
"""

from __future__ import annotations

from collections.abc import Collection

import pyarrow as pa

from avh_ui.config import Source
from avh_ui.metrics.declined import DeclinedError
from avh_ui.scan.columnar import FilePlan, Look, below, check_options, looked, shares_of
from avh_ui.scan.listing import FileListing, Files
from avh_ui.scan.partitions import Partitions, appended, marker, partitions_of
from avh_ui.scan.shares import Share


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
    if (name := source.batch_column) in partitions.names():
        place = partitions.names().index(name)
        markers = {path: marker(partitions.values(path)[place]) for path in paths}
        wanted = {path: batch for path, batch in markers.items() if batch is not None and (batches is None or batch in batches)}
    opened = list(dict.fromkeys([*paths[:1], *wanted]))
    plans = dict(zip(opened, looked(listing, opened, look), strict=True))
    if not plans:
        raise DeclinedError("it has no files")
    first = plans[paths[0]].schema
    schema = appended(first, partitions)
    if name not in schema.names:
        raise DeclinedError(f"it has no column {name!r}")
    for path in wanted:
        _alike(path, plans[path], first)
        if same_order and plans[path].schema.names != first.names:
            raise DeclinedError("its files have other columns than others, or in another order")
    return schema, partitions, tuple(share for path, batch in wanted.items() for share in shares_of(batch, path, plans[path]))


def _alike(path: str, plan: FilePlan, first: pa.Schema) -> None:
    for field in plan.schema:
        at = first.get_field_index(field.name)
        if at >= 0 and first.field(at).type != field.type:
            raise DeclinedError(f"{path} has {field.name!r} as {field.type} and the first file as {first.field(at).type}")
