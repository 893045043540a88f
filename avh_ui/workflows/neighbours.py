"""The column that a shifted file would put in a column's place: what the synthetic schema change is made of."""

from __future__ import annotations

import pyarrow as pa

from avh_ui.metrics.column import kind_of


def neighbour_of(name: str, sample: pa.Table) -> pa.ChunkedArray | None:
    """The nearest column of the same kind, to the right first; None where there is none."""
    at, kinds = sample.column_names.index(name), [kind_of(t) for t in sample.schema.types]
    same = [i for i, kind in enumerate(kinds) if kind == kinds[at] and i != at]
    return sample.column(min(same, key=lambda i: (abs(i - at), i < at))) if same else None
