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
# Of rows that break a condition by chance another batch has none in 1 of 20 where one had so many (Poisson): of three prices that stayed
# yesterday's one was below today's close, and on the next day none.
_SURE = 3


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


def but_by_chance(shares: Floats, rows: int, changed: Floats) -> Floats:
    """Shares of `rows`, the last of them that of the batch as it is, which stands in for those that only a few of the changed rows make:
    not each of them broke the condition, and too few did to say that the next batch's do. `changed` are all of them, shape (samples,).
    """
    broken = (shares[-1] - shares) * min(rows, MOST_ROWS)
    with np.errstate(invalid="ignore"):
        return np.where((broken < _SURE - 0.5) & (broken < changed - 0.5), shares[-1], shares)


def changes_in(changed: Sequence[Sample]) -> Floats:
    """In how many of the rows that conditions are looked at in another value is than in the last of the samples, the column as it is, shape
    (samples,); NaN where there are other rows.
    """
    clean, few = changed[-1], slice(0, MOST_ROWS)
    own = clean.to_arrow()[few]
    return np.array([_differing(own, one.to_arrow()[few]) if one.rows == clean.rows else np.nan for one in changed], dtype=np.float64)


def _differing(ours: pa.Array, theirs: pa.Array) -> int:
    same = pc.or_(pc.fill_null(pc.equal(ours, theirs), False), pc.and_(pc.is_null(ours), pc.is_null(theirs)))
    return len(ours) - int(pc.sum(same, min_count=0).as_py())


def _column(sample: Sample, kind: pa.DataType, rows: int, few: int) -> pa.Array | None:
    """The first values of a sample as the table's column has them; None where they cannot be such."""
    return Sample(sample.kind, sample.values, sample.codes[:few]).to_type(kind) if sample.rows == rows else None
