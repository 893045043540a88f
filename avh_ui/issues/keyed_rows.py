"""Measures of rows matched by key under faults: the batch's sample by its key is drawn anew with each fault of whole rows and of the key,
has each fault of the measured column, and is matched with that of the batch before as a validation does.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property

import numpy as np
import pyarrow as pa

from avh_ui.errors import ConstraintError
from avh_ui.issues.coverage import Deliveries
from avh_ui.issues.faults import REPEATED, TABLE, Fault, RowFault, row_faults, thinned_rows
from avh_ui.issues.mixed_up import of_few_rows
from avh_ui.issues.sample import NULL, Codes, Sample
from avh_ui.issues.several_columns import TriedMeasure, faulty_columns, followed
from avh_ui.metrics.catalogue import named, of_whole_rows
from avh_ui.metrics.column import NUMBER_KINDS, Kind
from avh_ui.metrics.matched_parts import rows_where
from avh_ui.metrics.matching import Matched
from avh_ui.metrics.measure import Measure, host_of
from avh_ui.metrics.metric import States, find
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.row_drawing import Drawing, K
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.rows import Need, Rows
from avh_ui.metrics.sampled_values import SampledValues
from avh_ui.metrics.values_of_rows import values_of

# Where a sampled row stands in the table that it was drawn from: a name that no column has.
_PLACE = "\0place"
_AGAIN = Fault(TABLE, "stale", 1.0, REPEATED)


class KeyedRows:
    """A batch's rows by a key, under faults. Of a batch that is larger than what was drawn of it its profile's sample by the key is taken,
    which joins with that of the batch before: rows drawn at random would have few of the same keys, and hardly any twins.
    """

    def __init__(self, key: tuple[str, ...], batch: Deliveries, *, seed: int = 0) -> None:
        self._key, self._batch, self._seed = key, batch, seed
        self._theirs = _kept(batch.baseline, key)
        self._ours = _kept(batch.profile, key) if batch.sampled else None
        self._values: dict[str, SampledValues] = {}

    def try_measure(self, measure: Measure) -> TriedMeasure | None:
        """A measure by this key under each fault; None where its rows, or those of the batch before, are not known by it, or not which ones
        its condition is true of.
        """
        with contextlib.suppress(ConstraintError):
            return self._try(measure)
        return None

    def _try(self, measure: Measure) -> TriedMeasure | None:
        metric, theirs = named(measure.name)[0].of_measure(measure), self._theirs
        known = self._now.column_names if theirs is None else set(self._now.column_names) & {*theirs.columns, *self._key}
        if not self._able or (theirs is None and metric.two_distribution) or not set(measure.columns) <= set(known) - set(self._key):
            return None
        baseline = None if theirs is None else _states(theirs, theirs.columns, measure)
        made = [(fault, metric.value(states, baseline)) for fault, states in self._faulty(measure)]
        if baseline is not None:
            made.append((_AGAIN, metric.value(baseline, baseline)))
        clean = metric.value(_states(self._clean, self._columns(self._clean, measure), measure), baseline)
        values = np.array([value for _, value in made], dtype=np.float64)
        return TriedMeasure(tuple(fault for fault, _ in made), values, clean)

    def _faulty(self, measure: Measure) -> Iterator[tuple[Fault, States]]:
        for fault, drawn in self._drawings.items():
            yield fault, _states(drawn, self._columns(drawn, measure), measure)
        clean, places = self._columns(self._clean, measure), _places(self._clean)
        for name in measure.columns:
            for fault, values in faulty_columns(self._now, self._before, name, self._batch.kinds[name], seed=self._seed):
                if self._by_chance(fault):
                    continue
                # Values are looked at once for each fault: those of the sample's rows alone.
                own = self._as_kept(name, values.take(pa.array(places, mask=places < 0)))
                yield fault, _states(self._clean, {**clean, name: own}, measure)

    def _columns(self, drawn: RowSample, measure: Measure) -> dict[str, SampledValues]:
        """The columns that the measure is of, and those that its condition may name."""
        where = (measure.where or "").lower()
        names = [name for name in self._now.column_names if name in measure.columns or name.lower() in where]
        return {name: self._all(name).take(_places(drawn)) for name in names}

    @cached_property
    def _able(self) -> bool:
        there = self._batch.kinds.keys() & set(self._now.column_names)
        return bool(self._now.num_rows) and there >= set(self._key) and not (self._batch.sampled and self._ours is None)

    @cached_property
    def _now(self) -> pa.Table:
        """The rows that faults happen to."""
        return self._batch.sample if self._ours is None else self._rebuilt(self._ours)

    @cached_property
    def _before(self) -> pa.Table | None:
        """Rows of the batch before."""
        return self._batch.before if self._ours is None or self._theirs is None else self._rebuilt(self._theirs)

    @cached_property
    def _both(self) -> pa.Table:
        return followed(self._now, self._before)

    def _all(self, name: str) -> SampledValues:
        """A column's values in the rows of both batches."""
        if name not in self._values:
            self._values[name] = self._as_kept(name, pa.concat_arrays(self._both.column(name).chunks))
        return self._values[name]

    def _as_kept(self, name: str, array: pa.Array) -> SampledValues:
        """Values as a profile keeps them."""
        values = values_of({name: array}, self._untyped)[name]
        return values.hashed() if self._theirs is not None and self._theirs.hashed else values

    @cached_property
    def _untyped(self) -> frozenset[str]:
        """The columns of texts of which a profile kept numbers: those of a source without types."""
        kept = {} if self._theirs is None else self._theirs.columns
        texts = {name for name, kind in self._batch.kinds.items() if kind == "string" and name in kept}
        return frozenset(name for name in texts if not np.isnan(kept[name].numbers).all())

    @cached_property
    def _keys(self) -> pa.Table:
        """The keys of both batches' rows, and where they stand."""
        return self._both.select(self._key).append_column(_PLACE, pa.array(np.arange(self._both.num_rows)))

    @cached_property
    def _clean(self) -> RowSample:
        return self._drawn(self._keys.slice(0, self._now.num_rows))

    @cached_property
    def _drawings(self) -> dict[Fault, RowSample]:
        """The sample under each fault of whole rows, of rows of one value, and of the key."""
        now = self._now.num_rows
        faults = [*row_faults(now, self._both.num_rows - now, seed=self._seed), *self._thinned()]
        drawings = {one.fault: self._drawn(self._keys.take(pa.array(one.rows))) for one in faults}
        own = self._keys.slice(0, now)
        for at, name in enumerate(self._key):
            for fault, values in faulty_columns(self._now, self._before, name, self._batch.kinds[name], seed=self._seed):
                if not self._by_chance(fault):
                    drawings[fault] = self._drawn(own.set_column(at, name, values))
        return drawings

    def _thinned(self) -> Iterator[RowFault]:
        for name in (name for name in self._now.column_names if name in self._batch.kinds):
            sample = Sample.from_arrow(self._now.column(name), self._batch.kinds[name])
            yield from (RowFault(fault, left) for fault, left in thinned_rows(name, sample))

    def _by_chance(self, fault: Fault) -> bool:
        """Whether a fault is of single rows, most of which are not among those that are kept."""
        return self._clean.more and of_few_rows(fault.way, fault.severity)

    def _drawn(self, table: pa.Table) -> RowSample:
        """The sample of some rows: its one column says where they stand."""
        kept = self._ours or self._theirs
        need = Need(RowSample, (*self._key, _PLACE), None, Drawing(len(self._key), K if kept is None else kept.k, self._untyped))
        drawn = RowSample.of_rows(Rows(table.num_rows, dict(zip(table.column_names, table.columns, strict=True))), need)
        drawn = replace(drawn, columns={_PLACE: drawn.columns[_PLACE]})
        if self._ours is None or not self._ours.more:
            return drawn
        # Beyond this hash there are keys that are not kept.
        there = np.arange(int(np.searchsorted(drawn.hashes, np.uint64(self._ours.upto), side="right")))
        columns = {name: values.take(there) for name, values in drawn.columns.items()}
        return replace(drawn, hashes=drawn.hashes[there], counts=drawn.counts[there], columns=columns, more=len(there) > 0)

    def _rebuilt(self, sample: RowSample) -> pa.Table:
        """The rows of a sample as a table; of a key that several rows have its own values alone are known."""
        places, schema = np.repeat(np.arange(sample.keys), sample.counts), self._batch.sample.schema
        arrays = {
            name: _array(sample.columns[name].take(places), kind, schema.field(name).type)
            for name, kind in self._batch.kinds.items()
            if name in sample.columns
        }
        return pa.table({name: array for name, array in arrays.items() if array is not None})


def _kept(profile: BatchProfile | None, key: tuple[str, ...]) -> RowSample | None:
    column = None if profile is None else profile.columns.get(host_of(key))
    return None if column is None else find(column.states, RowSample)


def _states(drawn: RowSample, values: Mapping[str, SampledValues], measure: Measure) -> States:
    if not measure.columns and measure.where is None:
        return {RowSample.key: drawn}
    rows = replace(drawn, columns=values) if measure.where is None else rows_where(replace(drawn, columns=values), measure.where)
    whole = not measure.columns or of_whole_rows(measure)
    return {RowSample.key: rows} if whole else {Matched.key: Matched(rows, measure.columns[0])}


def _places(drawn: RowSample) -> Codes:
    """Where the rows stand; -1 for those of a key that several rows have."""
    return np.nan_to_num(drawn.columns[_PLACE].numbers, nan=-1).astype(np.int64)


def _array(values: SampledValues, kind: Kind, of: pa.DataType) -> pa.Array | None:
    """Sampled values as a column of a table has them; None where a part of them is none of its kind."""
    if kind in NUMBER_KINDS:
        places = np.where(np.isnan(values.numbers), NULL, np.arange(len(values.numbers)))
        return None if values.has_texts else Sample(kind, values.numbers, places).to_type(of)
    if not np.isnan(values.numbers).all():
        return None
    return Sample(kind, values.names.cast(pa.large_binary()).cast(pa.large_string()), values.codes).to_type(of)
