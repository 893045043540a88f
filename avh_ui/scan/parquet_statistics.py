"""Which row groups of a Parquet file may hold rows of some batches, by the least and greatest value that its footer says."""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from avh_ui.config_places import BatchKey

_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 (a clock without a zone)
_WHOLE = re.compile(r"-?(0|[1-9][0-9]*)")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def holding(footer: pq.FileMetaData, schema: pa.Schema, key: BatchKey, batches: Collection[str]) -> set[int]:
    """The row groups that may hold rows of these batches, or of none (they are counted); all where the footer says too little."""
    every = set(range(footer.num_row_groups))
    name = key.columns[0]
    place = next((k for k in range(len(footer.schema)) if footer.schema.column(k).path == name), None)
    if place is None or name not in schema.names or len(key.parts) > 1:
        return every
    kind = schema.field(name).type
    if span := key.span(list(batches)):
        within = _within(kind, span)
        return {k for k in every if within is None or _may_be_within(footer.row_group(k).column(place), *within)}
    values = _values(kind, batches) if key.column else None
    return every if values is None else {k for k in every if _may_hold(footer.row_group(k).column(place), values)}


def _within(arrow: pa.DataType, span: tuple[str, str]) -> tuple[Any, Any] | None:
    """The times from which and before which rows are wanted, as the footer has them."""
    low, high = (datetime.fromisoformat(text) for text in span)
    if pa.types.is_date32(arrow):
        return low.date(), high.date()
    if pa.types.is_timestamp(arrow):
        return (low.replace(tzinfo=UTC), high.replace(tzinfo=UTC)) if arrow.tz else (low, high)
    return None


def _ends(chunk: pq.ColumnChunkMetaData) -> tuple[Any, Any] | None:
    """The least and the greatest value of a column without nulls, as its statistics have them; nanoseconds as times without a zone."""
    said = chunk.statistics if chunk.is_stats_set else None
    if said is None or not (said.has_min_max and said.has_null_count) or said.null_count:
        return None
    if "nanoseconds" in said.logical_type.to_json():
        # Arrow gives them as Python's times where pandas is there, and then not always.
        return _EPOCH + timedelta(microseconds=said.min_raw // 1000), _EPOCH + timedelta(microseconds=said.max_raw // 1000)
    return said.min, said.max


def _may_be_within(chunk: pq.ColumnChunkMetaData, low: Any, high: Any) -> bool:
    if (ends := _ends(chunk)) is None:
        return True
    least, greatest = ends
    # A footer may tell times without a zone, or as numbers.
    if type(least) is not type(low) or (getattr(least, "tzinfo", None) is not None and low.tzinfo is None):
        return True
    if isinstance(least, datetime) and least.tzinfo is None and low.tzinfo is not None:
        low, high = low.replace(tzinfo=None), high.replace(tzinfo=None)
    return bool(least <= high and low <= greatest)


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
    if (ends := _ends(chunk)) is None:
        return True
    least, greatest = ends
    # Statistics of texts may be cut short, the greatest then made greater: they are bounds all the same.
    return any(type(value) is not type(least) or least <= value <= greatest for value in values)
