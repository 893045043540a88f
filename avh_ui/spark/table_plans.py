"""How Arrow reads a table of files whose columns say the batches, in Spark's tasks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from avh_ui.config import Source
from avh_ui.errors import SourceError
from avh_ui.metrics.declined import DeclinedError
from avh_ui.scan.listing import FileListing, Files
from avh_ui.scan.planning import Planned, Setting, planned_lines, planned_table, without_lines
from avh_ui.scan.schemas import Layout

# A name for what is in no template.
_TABLE = "table"


def plan_of_table(source: Source, listing: FileListing | None, batches: Sequence[str] | None, setting: Setting) -> Planned:
    """Of some batches (None = all); `DeclinedError` where Spark is to read them."""
    if listing is None:
        raise DeclinedError("it has no path")
    try:
        files = listing.locate(_TABLE)
    except SourceError as error:
        raise DeclinedError("its files cannot be listed") from error
    return planned_table(source, listing, files, batches, setting)


def plan_of_lines(
    source: Source, listing: FileListing, look: Callable[[FileListing, Sequence[Files]], list[Layout | SourceError]], setting: Setting
) -> Planned:
    """Of all lines of files whose first lines are skipped; `SourceError` where nobody reads them."""
    (layout,) = look(listing, [listing.locate(_TABLE)])
    if isinstance(layout, SourceError):
        raise layout
    return without_lines(partial(planned_lines, source, listing, layout, setting))
