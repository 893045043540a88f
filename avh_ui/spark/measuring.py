"""Frames of batches as profiles: one job for all batches and columns, and a pass over one batch for each grouping that is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import reduce
from typing import TYPE_CHECKING

from avh_ui.config import Pipeline
from avh_ui.errors import SparkError
from avh_ui.history.series import batch_order
from avh_ui.metrics.counts import CountState
from avh_ui.metrics.delivery import Delivery
from avh_ui.metrics.fields import Chosen, MeasuredField
from avh_ui.metrics.groups import GroupState, GroupSummary, PairState, is_grouping
from avh_ui.metrics.metric import find
from avh_ui.metrics.profile import BATCH_COLUMN, BatchProfile, ColumnProfile
from avh_ui.metrics.profiler import FailedBatch, KnownTypes, Watch
from avh_ui.metrics.rows import Need
from avh_ui.metrics.segment import REST
from avh_ui.scan.kernel import Kernel
from avh_ui.scan.partials import PARTIAL_DDL, REST_NOTE, Counted, join, merge_partials, split_by_batch
from avh_ui.scan.schemas import key_differences
from avh_ui.scan.settling import TypeMemory
from avh_ui.spark.columns import Measurable, chosen, expression, to_measure
from avh_ui.spark.conditions import Conditions
from avh_ui.spark.grouping import Grouping, Groups, distinct_values, untold
from avh_ui.spark.jobs import collect
from avh_ui.spark.reading import NOBODYS, Frame
from avh_ui.spark.session import apart

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

# Above this the partial profiles of many tasks are merged on the cluster, so that the driver's memory does not grow with rows.
_MERGE_ON_CLUSTER_BYTES = 2 * 1024**3
# Spark generates code for rows of up to 100 fields (`spark.sql.codegen.maxFields`) and interprets wider ones: 1,000 columns in such
# groups took half the time of one scan. The marker needs room too.
_GROUP_COLUMNS = 90


@dataclass(frozen=True)
class Empty:
    """A batch without rows; `malformed` lines of it were dropped."""

    malformed: int = 0

    def failed(self, what: str, batch: str) -> FailedBatch:
        """It as a failed batch, which is called `what`."""
        lines = "its only line is" if self.malformed == 1 else f"all {self.malformed:,} lines are"
        why = f"{lines} malformed. Do the options of its source say how it is written?" if self.malformed else ""
        return FailedBatch(batch, f"{what} is empty: {why or 'it has no rows. Was its delivery cut short?'}", "empty")


NOTHING = Empty()
Result = BatchProfile | Empty


def measure(
    frame: Frame, pipeline: Pipeline, types: TypeMemory, watch: Watch, on_share: Callable[[float], None] = lambda _: None
) -> dict[str, Result]:
    """The profiles of a frame's batches that have rows, and of their segments, by one Spark job; and which have dropped lines alone."""
    fields = chosen(frame, pipeline, types.known)
    if not fields.tests:
        return _measured(frame, pipeline, fields, types, watch, on_share)
    with apart(frame.rows) as rows:
        frame = replace(frame, rows=rows)
        texts = {f.name: f for f in fields.fields}
        conditions = Conditions(rows, lambda name: expression(frame.data, texts[name]), watch)
        fields = fields.without(conditions.refusals(fields.tests))
        try:
            return _measured(frame, pipeline, fields, types, watch, on_share, conditions=conditions)
        except SparkError:
            # A condition that raises must not take the batch with it: once more without.
            if not (faults := conditions.faults(fields.tests)):
                raise
            return _measured(frame, pipeline, fields.without(faults), types, watch, on_share, conditions=conditions)


def _measured(
    frame: Frame,
    pipeline: Pipeline,
    fields: Chosen,
    types: TypeMemory,
    watch: Watch,
    on_share: Callable[[float], None],
    *,
    conditions: Conditions | None = None,
) -> dict[str, Result]:
    segments, more = _segments(frame, pipeline)
    measurable = to_measure(frame, pipeline, fields.fields, segments, types.known, conditions)
    columns, partials = measurable.columns, _partials(frame, measurable, segments)
    if frame.size is None or frame.size > _MERGE_ON_CLUSTER_BYTES:
        partials = partials.repartition("batch", "segment", "position").mapInArrow(merge_partials, PARTIAL_DDL)
    splits, counts = split_by_batch(collect(partials, watch, on_share).to_batches(), segments)
    splits.pop(NOBODYS, None)
    lost = counts.pop(NOBODYS).malformed if NOBODYS in counts else 0
    # They may be any batch's, so each says so.
    nobodys = Delivery(remarks=(f"{lost:,} malformed lines of the table have no batch.",) if lost else ())
    if strangers := sorted(counts.keys() - set(frame.batches)):
        raise SparkError(f"Spark read {strangers[0]}, which is no file of a batch: did it come while the others were read? Try again.")
    now = datetime.now(UTC).isoformat(timespec="seconds")
    found: dict[str, Result] = {b: Empty(c.dropped) for b, c in counts.items() if c.dropped and b not in splits}
    for batch in sorted(splits, key=batch_order):
        parts = splits[batch].parts
        whole = join(list(parts.values()))
        settled = types.settle(columns, whole.profiles)
        by_segment = {
            segment: BatchProfile(pipeline.name, batch, part.rows, types.alike(settled, columns, part.profiles), profiled_at=now)
            for segment, part in parts.items()
            if segment is not None
        }
        said = (*fields.notes(), *more, *frame.notes, *((REST_NOTE,) if REST in by_segment else ()))
        delivery = _delivery(frame, batch, counts[batch], settled).merge(nobodys)
        profile = BatchProfile(pipeline.name, batch, whole.rows, settled, said, now, segments=by_segment, delivery=delivery)
        extra = {BATCH_COLUMN: named} if (named := pipeline.source.batch_column) else {}
        found[batch] = replace(profile, covers_all=True, left_out=fields.left_out, asked=fields.asked, extra=extra)
    return found


def _delivery(frame: Frame, batch: str, counted: Counted, columns: Mapping[str, ColumnProfile]) -> Delivery:
    """How a batch was delivered: what was known of it before its rows were read, and what was counted of them."""
    delivery = counted.delivery(frame.deliveries.get(batch, Delivery()), frame.expected.get(batch, {}), flagged=frame.flagged)
    if keys := frame.keys.get(batch):
        states = {name: find(column.states, CountState) for name, column in columns.items()}
        values = {name: state.rows - state.nulls for name, state in states.items() if state is not None}
        delivery = delivery.merge(key_differences(keys, counted.lines, counted.without, values))
    return delivery


def _partials(frame: Frame, measurable: Measurable, segments: tuple[str, ...]) -> DataFrame:
    """The partial profiles of all columns: of one scan, or of one scan for each group of columns of a wide table."""
    columns, names, rows = measurable.columns, measurable.names, measurable.rows
    # Which segments are few enough to be kept is found from all columns' rows at once.
    grouped = frame.columnar and not segments and len(columns) > _GROUP_COLUMNS
    if not grouped:
        kernel = Kernel(columns, names, frame.files, segments, flagged=frame.flagged, drops=frame.drops, compares=bool(frame.keys))
        return rows.mapInArrow(kernel, PARTIAL_DDL)
    scans, marker = [], rows.columns[-1]
    for at in range(0, len(columns), _GROUP_COLUMNS):
        some = columns[at : at + _GROUP_COLUMNS]
        places = sorted({names.index(name) for column in some for name in column.names})
        kernel = Kernel(some, tuple(names[k] for k in places), frame.files, first=sum(c.positions for c in columns[:at]))
        scans.append(rows.select(*(rows.columns[k] for k in places), marker).mapInArrow(kernel, PARTIAL_DDL))
    return reduce(lambda one, other: one.union(other), scans)


def _segments(frame: Frame, pipeline: Pipeline) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The columns whose values split the batches; none, and a note, when one of them is not there."""
    there = {field.name for field in frame.data}
    for name in pipeline.segments:
        if name not in there:
            return (), (f"It is not split in segments: it has no column {name!r}.",)
    return tuple(dict.fromkeys(pipeline.segments)), ()


def with_groups(frame: Frame, pipeline: Pipeline, profiles: Mapping[str, Result], types: TypeMemory, watch: Watch) -> dict[str, Result]:
    """The profiles of a frame's batches with the groups that measures are of: one job for each set of columns and rows. Segments have none.

    What cannot be grouped is noted, and the batches are profiled without.
    """
    fields, frame = chosen(frame, pipeline, types.known).fields, frame.kept()
    wanted = {b: {f.name: _groupings(f) for f in fields if f.name in p.columns} for b, p in profiles.items() if isinstance(p, BatchProfile)}
    needs = dict.fromkeys(need for of in wanted.values() for pairs in of.values() for _, need in pairs)
    if not needs:
        return dict(profiles)
    why: tuple[str, ...] = ()
    try:
        states = _grouped(frame, fields, list(needs), watch)
    except SparkError as error:
        states, why = {}, (f"What takes groups of rows is not measured: {error}",)
    found = dict(profiles)
    for batch, of in wanted.items():
        profile = profiles[batch]
        assert isinstance(profile, BatchProfile)
        columns = dict(profile.columns)
        for name, pairs in of.items():
            # Of no rows there are no groups.
            more = {key: states[need].get(batch, GroupSummary()) for key, need in pairs if need in states}
            columns[name] = replace(columns[name], states={**columns[name].states, **more}) if more else columns[name]
        found[batch] = replace(profile, columns=columns, notes=(*profile.notes, *why))
    return found


def _groupings(field: MeasuredField) -> list[tuple[str, Need]]:
    return [(key, need) for key, need in field.needs if is_grouping(need)]


def one_by_one(frame: Frame, pipeline: Pipeline, known: KnownTypes) -> bool:
    """Whether the groups that measures are of must be found of each batch alone, since a batch lies in several files."""
    grouped = any(_groupings(field) for field in chosen(frame, pipeline, known).fields)
    return grouped and len(frame.batches) > 1 and bool(frame.files) and any(len(frame.expected.get(b, ())) != 1 for b in frame.batches)


def _grouped(frame: Frame, fields: Sequence[MeasuredField], needs: Sequence[Need], watch: Watch) -> dict[Need, dict[str, GroupSummary]]:
    """By need and batch what a profile keeps of its groups."""
    from pyspark.sql import functions as F

    plain = {f.name: f for f in fields if f.asked is None}
    found: dict[Need, dict[str, GroupSummary]] = {}
    with apart(frame.rows) as rows:
        conditions = Conditions(rows, lambda name: expression(frame.data, plain[name]), watch)
        for by, where in dict.fromkeys((need.columns, need.where) for need in needs):
            some = [need for need in needs if (need.columns, need.where) == (by, where)]
            among = conditions.frame(some[0].tests)
            among = among if where is None else among.where("t0")
            groups = Grouping([expression(frame.data, plain[str(name)]) for name in by], keep=any(n.state is PairState for n in some))
            if len(frame.batches) == 1:
                states = {frame.batches[0]: groups.whole(among, watch)}
            else:
                states = groups.batches(among, F.col(f"c{len(frame.rows.columns) - 1}"), frame.files, watch)
            summaries = {batch: _summary(of[0]) for batch, of in states.items()}
            found |= dict.fromkeys(some, summaries)
    return found


def _summary(groups: Groups) -> GroupSummary:
    """Of all values none is kept: a profile of names would be the names."""
    summary = PairState(groups.table, groups.forms).summary() if isinstance(groups, GroupState) else groups
    return replace(summary, top=())


def with_unique(frame: Frame, pipeline: Pipeline, profile: Result, types: TypeMemory, watch: Watch) -> Result:
    """The profile of the frame's one batch with the number of distinct values of columns that a program calls unique, where that was
    estimated: one pass over each.
    """
    if not isinstance(profile, BatchProfile):
        return profile
    wanted = [f for f in chosen(frame, pipeline, types.known).fields if f.name in types.known.unique and profile.columns[f.name].sketched]
    if not wanted:
        return profile
    found = to_measure(frame.kept(), pipeline, tuple(replace(f, needs=()) for f in wanted), (), types.known)
    counted = distinct_values(found.rows, [(k, untold(profile.columns[c.name].kind, c)) for k, c in enumerate(found.columns)], watch)
    return replace(profile, columns={n: c.grouped(counted[n]) if n in counted else c for n, c in profile.columns.items()})
