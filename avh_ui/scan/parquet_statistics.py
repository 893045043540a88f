"""Which row groups of a Parquet file may hold rows of some batches, by the least and greatest value that its footer says."""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import date
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

_WHOLE = re.compile(r"-?(0|[1-9][0-9]*)")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def holding(footer: pq.FileMetaData, column: pa.Field, batches: Collection[str]) -> set[int]:
    """The row groups in whose rows this column may have one of these batches as its text; all where the footer says too little."""
    every = set(range(footer.num_row_groups))
    place = next((k for k in range(len(footer.schema)) if footer.schema.column(k).path == column.name), None)
    values = _values(column.type, batches)
    if place is None or values is None:
        return every
    return {k for k in every if _may_hold(footer.row_group(k).column(place), values)}


def _values(arrow: pa.DataType, batches: Collection[str]) -> list[Any] | None:
    if pa.types.is_string(arrow):
        return list(batches)
    if pa.types.is_integer(arrow):
        return [int(batch) for batch in batches if _WHOLE.fullmatch(batch)]
    if pa.types.is_date32(arrow):
        return [date.fromisoformat(batch) for batch in batches if _DATE.fullmatch(batch) and _is_day(batch)]
    return None


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _may_hold(chunk: pq.ColumnChunkMetaData, values: list[Any]) -> bool:
    said = chunk.statistics if chunk.is_stats_set else None
    if said is None or not said.has_min_max:
        return True
    least, greatest = said.min, said.max
    # Statistics of texts may be cut short, the greatest then made greater: they are bounds all the same.
    return any(type(value) is not type(least) or least <= value <= greatest for value in values)
