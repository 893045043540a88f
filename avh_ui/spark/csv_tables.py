"""A table of CSV files with a batch column, of which some files have other columns than most.

Spark takes the columns from one of the files and reads all by them, so each set of columns is read as a table of its own. Then a batch has
the columns of its own files, and one that lies in files of several sets is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from avh_ui.config import Source
from avh_ui.errors import SourceError
from avh_ui.metrics.profiler import FailedBatch
from avh_ui.scan.kernel import strip_scheme
from avh_ui.scan.listing import FileListing, Files
from avh_ui.scan.schemas import FileSchema, Layout, difference
from avh_ui.spark.reading import flagged

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

Look = Callable[[FileListing, Sequence[Files]], list[Layout | SourceError]]


@dataclass(frozen=True)
class LikeFiles:
    """The files of a table that agree on their columns: their `paths`, and their `rows`, last whether each is a malformed line."""

    schema: FileSchema
    paths: tuple[str, ...]
    rows: DataFrame
    marker: Column

    @cached_property
    def places(self) -> dict[str, list[str]]:
        """The files of each batch that has rows here, found by a scan of the batch column."""
        from pyspark.sql import functions as F

        found: dict[str, list[str]] = {}
        for batch, path in self.rows.select(self.marker, F.input_file_name()).distinct().collect():
            if batch is not None:
                found.setdefault(batch, []).append(strip_scheme(path))
        return found


def parts_of(
    spark: SparkSession, source: Source, listing: FileListing, look: Look, marker: Callable[[DataFrame, str], Column]
) -> list[LikeFiles]:
    """The parts of a table whose files differ, the one of most files first; none where they agree or cannot be listed here.

    `marker` gives the batch column of some rows, and refuses rows without one, of a file.
    """
    try:
        files = listing.locate("table").parts  # a name for what is in no template
    except SourceError:
        return []
    paths: dict[FileSchema, list[str]] = {}
    strange: list[str] = []
    for part, layout in zip(files, look(listing, [Files(p.path, (p.path,), (p,)) for p in files]), strict=True):
        if isinstance(layout, Layout) and layout.schemas[0] is not None:
            paths.setdefault(layout.schemas[0], []).append(part.path)
        elif part.size:
            strange.append(part.path)
    if len(paths) < 2:
        return []
    # Where a column is the name of a folder, Spark is told where the table begins.
    based = source if "*" in listing.template else source.model_copy(update={"options": {**source.options, "basePath": listing.template}})
    parts = []
    for schema, found in sorted(paths.items(), key=lambda pair: -len(pair[1])):
        # What cannot be looked at is for Spark to judge, with most of the files.
        there, strange = [*found, *strange], []
        rows = flagged(spark, based, [listing.url_of(path) for path in there])
        parts.append(LikeFiles(schema, tuple(there), rows, marker(rows, there[0])))
    return parts


def placed(parts: Sequence[LikeFiles], batches: Sequence[str]) -> tuple[list[list[str]], list[FailedBatch]]:
    """The batches of each part, and those refused because their rows lie in several; one without rows is of the first."""
    of: list[list[str]] = [[] for _ in parts]
    refused = []
    for batch in batches:
        homes = [k for k, part in enumerate(parts) if batch in part.places] or [0]
        if len(homes) == 1:
            of[homes[0]].append(batch)
            continue
        usual, odd = parts[homes[0]], parts[homes[-1]]
        said = f"{min(odd.places[batch])} {difference(usual.schema, odd.schema)}, unlike {min(usual.places[batch])}"
        refused.append(FailedBatch(batch, f"Batch {batch!r} cannot be read: {said}. Deliver its files with the same columns."))
    return of, refused
