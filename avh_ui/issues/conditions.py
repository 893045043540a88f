"""SQL conditions of rows under faults of a column: which share of the rows keeps each, as `compliance` counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from avh_ui.issues.catching import Floats
from avh_ui.issues.sample import Sample
from avh_ui.metrics.declined import DeclinedError
from avh_ui.metrics.rows import RowTest

# A condition that one row in a hundred breaks is broken by 50 of so many; more rows take longer and say no more.
MOST_ROWS = 5_000


def kept_by(conditions: Iterable[str], rows: pa.Table, column: str, changed: Sequence[Sample]) -> dict[str, Floats]:
    """By condition that looks at the column the share of the rows that keep it under each of the `changed` samples of the column, shape
    (samples,); NaN where only Spark can tell it, or where the sample has other rows.
    """
    from avh_ui.metrics.sql.conditions import read

    wanted = list(dict.fromkeys(conditions))
    if not wanted or not rows.num_rows:
        return {}
    fields = [(field.name, field.type) for field in rows.schema]
    place = rows.column_names.index(column)
    known = {text: read([RowTest(text)], fields).conditions for text in wanted}
    found: dict[str, Floats] = {}
    few = min(rows.num_rows, MOST_ROWS)
    columns = dict(enumerate(rows.slice(0, few).columns))
    of = [_column(one, rows.schema.field(place).type, rows.num_rows, few) for one in changed]
    for text, made in known.items():
        if place not in made.places:
            continue
        shares = np.full(len(changed), np.nan)
        for at, values in enumerate(of):
            if values is not None:
                truth = made.of({**columns, place: values}, few)[RowTest(text)]
                shares[at] = np.nan if isinstance(truth, DeclinedError) else pc.sum(truth, min_count=0).as_py() / few
        found[text] = shares
    return found


def _column(sample: Sample, kind: pa.DataType, rows: int, few: int) -> pa.Array | None:
    """The first values of a sample as the table's column has them; None where they cannot be such."""
    return Sample(sample.kind, sample.values, sample.codes[:few]).to_type(kind) if sample.rows == rows else None
