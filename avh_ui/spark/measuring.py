"""Frames of batches as profiles: one job for all batches and columns, and a pass over one batch for each grouping that is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING

from avh_ui.config import Pipeline
from avh_ui.errors import SparkError
from avh_ui.metrics.declined import DeclinedError
from avh_ui.metrics.fields import Chosen, MeasuredField
from avh_ui.metrics.groups import GroupState, GroupSummary, PairState, is_grouping
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.profiler import KnownTypes, Watch
from avh_ui.metrics.rows import Need, RowTest
from avh_ui.scan.kernel import Kernel
from avh_ui.scan.partials import PARTIAL_DDL, Declined, merge_partials
from avh_ui.scan.planning import Planned, told_alone
from avh_ui.scan.profiles import Result, Scan, segments_of
from avh_ui.scan.settling import TypeMemory
from avh_ui.spark.columns import Measurable, chosen, expression, to_measure
from avh_ui.spark.conditions import SparkConditions
from avh_ui.spark.grouping import Grouping, Groups, distinct_values, untold
from avh_ui.spark.jobs import collect
from avh_ui.spark.reading import Frame
from avh_ui.spark.session import apart
from avh_ui.spark.shares import partials_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

# Above this the partial profiles of many tasks are merged on the cluster, so that the driver's memory does not grow with rows.
_MERGE_ON_CLUSTER_BYTES = 2 * 1024**3
# Spark generates code for rows of up to 100 fields (`spark.sql.codegen.maxFields`) and interprets wider ones: 1,000 columns in such
# groups took half the time of one scan. The marker needs room too.
_GROUP_COLUMNS = 90


def measure(
    frame: Frame, pipeline: Pipeline, types: TypeMemory, watch: Watch, on_share: Callable[[float], None] = lambda _: None
) -> dict[str, Result]:
    """The profiles of a frame's batches that have rows, and of their segments, by one Spark job; which have dropped lines alone, and which
    could not be read.
    """
    if frame.planned is not None:
        return _by_arrow(frame, frame.planned, pipeline, types, watch, on_share)
    fields = chosen(frame, pipeline, types.known)
    if not fields.tests:
        return _measured(frame, pipeline, fields, types, watch, on_share)
    with apart(frame.rows) as rows:
        frame = replace(frame, open=lambda: rows)
        texts = {f.name: f for f in fields.fields}
        conditions = SparkConditions(rows, lambda name: expression(frame.data, texts[name]), watch)
        fields = fields.without(conditions.refusals(fields.tests))
        try:
            return _measured(frame, pipeline, fields, types, watch, on_share, conditions=conditions)
        except SparkError:
            # A condition that raises must not take the batch with it: once more without, and what raised in ANSI mode alone is null.
            risky = conditions.risky(fields.tests)
            if not (faults := conditions.faults(fields.tests)) and not risky:
                raise
            return _measured(frame, pipeline, fields.without(faults), types, watch, on_share, conditions=conditions)


def _by_arrow(
    frame: Frame, planned: Planned, pipeline: Pipeline, types: TypeMemory, watch: Watch, on_share: Callable[[float], None]
) -> dict[str, Result]:
    """The same where Arrow reads the files in Spark's tasks; what it declines is left to Spark's reader."""
    if pipeline.source.reader == "arrow":
        return _by_arrow_alone(frame, pipeline, types, watch, on_share, {})
    try:
        scan, task = planned.scan(pipeline, frame, types.known)
    except DeclinedError as why:
        return measure(replace(frame, planned=None, declined=str(why)), pipeline, types, watch, on_share)
    return _profiles(scan, partials_of(frame.spark, task, planned.shares), types, watch, on_share)


def _by_arrow_alone(
    frame: Frame,
    pipeline: Pipeline,
    types: TypeMemory,
    watch: Watch,
    on_share: Callable[[float], None],
    left_out: Mapping[RowTest, str],
) -> dict[str, Result]:
    """The same where Spark's reader is not asked for: a condition that takes it is left out alone, with a note, and of a batch with values
    that take it, of that batch.
    """
    planned = frame.planned
    assert planned is not None
    try:
        scan, task = planned.scan(pipeline, frame, types.known, left_out)
    except DeclinedError as why:
        return dict.fromkeys(frame.batches, Declined(str(why)))
    found = _profiles(scan, partials_of(frame.spark, task, planned.shares), types, watch, on_share)
    for batch, result in found.items():
        if isinstance(result, Declined) and result.test is not None:
            mine = replace(planned, shares=tuple(share for share in planned.shares if share.batch in ("", batch)))
            without = {**left_out, result.test: told_alone(result.why)}
            found |= _by_arrow_alone(replace(frame, batches=(batch,), planned=mine), pipeline, types, watch, on_share, without)
    return found


def _measured(
    frame: Frame,
    pipeline: Pipeline,
    fields: Chosen,
    types: TypeMemory,
    watch: Watch,
    on_share: Callable[[float], None],
    *,
    conditions: SparkConditions | None = None,
) -> dict[str, Result]:
    segments, more = segments_of(pipeline, (field.name for field in frame.data))
    measurable = to_measure(frame, pipeline, fields.fields, segments, types.known, conditions)
    reader = f"Spark, because {frame.declined}" if frame.declined else "Spark"
    scan = Scan(pipeline, frame, fields, measurable.columns, segments, more, reader)
    return _profiles(scan, _partials(frame, measurable, segments), types, watch, on_share)


def _profiles(scan: Scan, partials: DataFrame, types: TypeMemory, watch: Watch, on_share: Callable[[float], None]) -> dict[str, Result]:
    """What the job that gives these partial profiles measures."""
    if scan.facts.size is None or scan.facts.size > _MERGE_ON_CLUSTER_BYTES:
        partials = partials.repartition("batch", "segment", "position").mapInArrow(merge_partials, PARTIAL_DDL)
    return scan.profiles(collect(partials, watch, on_share).to_batches(), types)


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


def with_groups(frame: Frame, pipeline: Pipeline, profiles: Mapping[str, Result], types: TypeMemory, watch: Watch) -> dict[str, Result]:
    """The profiles of a frame's batches with the groups that measures are of: one job for each set of columns and rows. Segments have none.

    What cannot be grouped is noted, and the batches are profiled without.
    """
    fields = chosen(frame, pipeline, types.known).fields
    wanted = {b: {f.name: _groupings(f) for f in fields if f.name in p.columns} for b, p in profiles.items() if isinstance(p, BatchProfile)}
    needs = dict.fromkeys(need for of in wanted.values() for pairs in of.values() for _, need in pairs)
    if not needs:
        return dict(profiles)
    why: tuple[str, ...] = ()
    try:
        states = _grouped(frame.kept(), fields, list(needs), watch)
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
        conditions = SparkConditions(rows, lambda name: expression(frame.data, plain[name]), watch)
        for by, where in dict.fromkeys((need.columns, need.where) for need in needs):
            some = [need for need in needs if (need.columns, need.where) == (by, where)]
            among = conditions.frame(some[0].tests)
            among = among if where is None else among.where("t0")
            groups = Grouping(
                [expression(frame.data, plain[str(name)]) for name in by], keep=any(issubclass(n.state, PairState) for n in some)
            )
            if len(frame.batches) == 1:
                states = {frame.batches[0]: groups.whole(among, watch)}
            else:
                states = groups.batches(among, F.col(f"c{len(frame.rows.columns) - 1}"), frame.files, watch)
            found |= {need: {batch: _summary(of[0], need) for batch, of in states.items()} for need in some}
    return found


def _summary(groups: Groups, need: Need) -> GroupSummary:
    """Of all values none is kept: a profile of names would be the names."""
    if isinstance(groups, GroupState):
        groups = (need.state if issubclass(need.state, PairState) else PairState)(groups.table, groups.forms).summary()
    return replace(groups, top=())


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
