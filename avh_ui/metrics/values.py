"""The values of a field of a table in memory, as one array."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from avh_ui.metrics.column import decoded
from avh_ui.metrics.fields import MeasuredField


def values_of(table: pa.Table, field: MeasuredField) -> pa.Array:
    """What is measured of a field: its values, or the number of its elements."""
    place, *within = field.path
    column = table.column(place)
    values = decoded(whole(column) if column.num_chunks else pa.array([], column.type))
    for inner in within:
        # Null where the struct is, whatever lies below.
        values = decoded(pc.struct_field(values, [inner]))
    return sizes(values) if field.how == "size" else values


def sizes(values: pa.Array) -> pa.Array:
    """How many elements each array or map has, null of null."""
    if not pa.types.is_map(values.type):
        return pc.list_value_length(values)
    return pa.array(np.diff(values.offsets.to_numpy(zero_copy_only=False)), mask=values.is_null().to_numpy(zero_copy_only=False))


def whole(values: pa.ChunkedArray) -> pa.Array:
    """The values in one array."""
    combined = values.combine_chunks()
    return pa.concat_arrays(combined.chunks) if isinstance(combined, pa.ChunkedArray) else combined
