"""The rows of a sample for which a condition holds: what is measured of matched rows, within a segment.

Both batches' samples are cut by the condition, each by its own values: a row that left the segment is one of its keys that are gone.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from avh_ui.errors import ConstraintError
from avh_ui.metrics.declined import DeclinedError
from avh_ui.metrics.matched_numbers import Mask
from avh_ui.metrics.matching import Matched
from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.rows import RowTest
from avh_ui.metrics.sampled_values import TIME, SampledValues


def rows_where(sample: RowSample, where: str) -> RowSample:
    """The sample of the rows for which the condition is true, made once of a sample. Of a key that several rows have nothing is known but
    the key itself. `ConstraintError` where it cannot be told: of hashes, of a column that is not kept, of what only Spark tells.
    """
    place = f"where {where}"
    if place not in sample.made:
        there = np.flatnonzero(truth_of(sample, where))
        columns = {name: sample.column(name).take(there) for name in sample.columns}
        hashes, counts = sample.hashes[there], sample.counts[there]
        more = sample.more and len(there) > 0
        sample.made[place] = replace(sample, hashes=hashes, counts=counts, columns=columns, more=more, rows=int(counts.sum()), nulls=0)
    found: RowSample = sample.made[place]
    return found


def column_where(column: ColumnProfile, where: str) -> ColumnProfile:
    """A column of a sample, or the sample itself, as far as the condition is true."""
    states = dict(column.states)
    if isinstance(matched := states.get(Matched.key), Matched):
        states[Matched.key] = replace(matched, rows=rows_where(matched.rows, where))
    if isinstance(rows := states.get(RowSample.key), RowSample):
        states[RowSample.key] = rows_where(rows, where)
    return replace(column, states=states)


def truth_of(sample: RowSample, where: str) -> Mask:
    """For which of a sample's keys (n,) a condition is true (null is not), told once of a sample; `ConstraintError` as in `rows_where`."""
    place = f"truth of {where}"
    if place not in sample.made:
        sample.made[place] = _truth(sample, where)
    found: Mask = sample.made[place]
    return found


def _truth(sample: RowSample, where: str) -> Mask:
    # With it comes what reads SQL: most programs have no such rule.
    from avh_ui.metrics.sql.conditions import read

    if sample.hashed:
        raise ConstraintError(f"{where} cannot be told of rows that are kept as hashes", hint="Keep their values with `rows: values`.")
    arrays = {name: _array(sample.column(name)) for name in sample.columns if name.lower() in where.lower()}
    test, fields = RowTest(where), [(name, array.type) for name, array in arrays.items()]
    found = read([test], fields)
    if why := found.wrong.get(test) or found.declined.get(test):
        raise ConstraintError(f"{where} cannot be told of the rows that are kept: {why}")
    truth = found.conditions.of(dict(enumerate(arrays.values())), sample.keys)[test]
    if isinstance(truth, DeclinedError):
        raise ConstraintError(f"{where} cannot be told of the rows that are kept: {truth}")
    return np.asarray(pc.fill_null(truth, False).to_numpy(zero_copy_only=False), dtype=bool)


def _array(values: SampledValues) -> pa.Array:
    """Values as a condition compares them: numbers, moments, or texts, where there are any."""
    if values.has_texts:
        texts = values.texts.cast(pa.string())
        shown = pa.array([None if np.isnan(n) else f"{n:.15g}" for n in values.numbers.tolist()], pa.string())
        return pc.coalesce(texts, shown)
    none = np.isnan(values.numbers)
    if values.form == TIME:
        moments = np.where(none, 0, values.numbers * 1e6).astype(np.int64)
        return pa.array(moments, pa.timestamp("us", "UTC"), mask=none)
    return pa.array(values.numbers, pa.float64(), mask=none)
