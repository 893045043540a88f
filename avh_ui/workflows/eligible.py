"""Which columns of a window a source is asked about: those with enough batches, those with few, and why the others are left out."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from avh_ui.config import Pipeline
from avh_ui.constraints.column_kind import KnownKind
from avh_ui.constraints.reading import declaration_of
from avh_ui.errors import NotFoundError
from avh_ui.history.regimes import TABLE, begun, teaching, untaught
from avh_ui.history.series import ColumnHistory, History, batch_order
from avh_ui.history.standings import REACH
from avh_ui.inference.source import LeftOut
from avh_ui.metrics.asked import pipeline_measures
from avh_ui.metrics.catalogue import of_any_kind
from avh_ui.metrics.counts import COMPLETE_RATIO
from avh_ui.metrics.fields import NESTED
from avh_ui.metrics.measure import Measure, host_of, subject_by
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.type_names import MATCHED, SAMPLED

# Fewer batches give no estimate of a metric's variance worth bounding (AVH, Appendix J, Figure 6).
LEAST_BATCHES = 7
# Nulls that stay away for so long do not come again: a few batches that happen to have none are no new era.
_LASTING = 20
Columns = tuple[ColumnHistory, ...]


def asked_of(pipeline: Pipeline) -> dict[str, list[Measure]]:
    """The measures that a pipeline asks for, by what they are of."""
    from avh_ui.inference.by_history.asked import by_subject

    return by_subject(pipeline_measures(pipeline))


def eligible(
    pipeline: Pipeline, history: History, start: int, sample: pa.Table, exclude: frozenset[str] = frozenset()
) -> tuple[Columns, Columns, Columns, Columns, list[LeftOut]]:
    """The columns to suggest for, each cut to the batches since it was last absent, what measures are of likewise, the columns that are
    there for too few batches, and those of these that were of another kind before; the others with their reasons. Absent in a batch that
    nothing is learned from, it is not gone: a known error of one batch leaves one gap.
    """
    _check_included(pipeline, history)
    names = asked_of(pipeline)
    chosen: list[ColumnHistory] = []
    asked: list[ColumnHistory] = []
    few: list[ColumnHistory] = []
    turned: list[ColumnHistory] = []
    left_out: list[LeftOut] = []
    for column in history.columns.values():
        if column.kind == "skipped" and column.type.startswith(NESTED):
            continue  # its fields and its size are columns of their own
        if column.type in (SAMPLED, MATCHED):
            continue  # see `matched`
        if column.asked and column.column not in names:
            continue  # it is what a rule is of that somebody stated
        cut = _since_known(column.window(start, len(column.batches)), exclude | untaught(history.standings, column.column))
        reason = _unsuitable(pipeline, column, cut, {*sample.column_names, *names})
        if reason:
            left_out.append({"column": column.column, "metric": "", "reason": reason})
            continue
        measures = names.get(column.column, ())
        if int(cut.present.sum()) < LEAST_BATCHES:
            since = f"it is there (as {cut.kind}) since {cut.batches[0]!r}: {_known(cut)} so that all are guesses"
            left_out.append({"column": column.column, "metric": "", "reason": since})
            few += [] if measures else [cut]
            turned += [] if measures else _of_any_kind(column.window(start, len(column.batches)))
            continue
        if measures:
            asked.append(cut)
        if all(measure.standard for measure in measures):
            chosen.append(cut)
    if few and not chosen:
        # Of a young table one sentence says it.
        left_out = [out for out in left_out if out["column"] not in {column.column for column in few}]
        left_out.append({"column": "", "metric": "", "reason": f"programs by history, since {_known(few[0])} so that all are guesses"})
    return tuple(chosen), tuple(asked), tuple(few), tuple(turned), left_out


def taught(history: History, exclude: Collection[str]) -> list[int]:
    """The places of the batches to learn from: those not excluded, and of these without those that failed where nobody said why. Where a
    week of them failed in some columns alone, they count, since the other columns are learned from.
    """
    clean = [k for k, batch in enumerate(history.batches) if batch not in exclude]
    if not history.standings:
        return clean
    # A column of no name failed in no batch but those of which all is said to be wrong.
    whole = teaching(history.standings, "\0")
    clean = [k for k in clean if whole[k]]
    sound = [k for k in clean if not history.standings[k].failed or history.standings[k].said == "right"]
    return [k for k in clean if k <= sound[-1]] if sound and len(clean) - clean.index(sound[-1]) <= REACH else clean


def begins_of(history: History, columns: Sequence[str]) -> dict[str, str]:
    """The batch with which the last lasting change of each column (and of the number of rows, `TABLE`) begins that somebody expects."""
    places = {column: begun(history.standings, column) for column in (*columns, TABLE)}
    return {column: history.batches[found[-1]] for column, found in places.items() if found}


def failed_in(history: History, start: int, exclude: Collection[str]) -> tuple[dict[str, frozenset[str]], list[LeftOut]]:
    """By column the batches that nothing is learned from: they failed in it and nobody said why. And a sentence on those since `start`."""
    out = {column: untaught(history.standings, column) - set(exclude) for column in history.columns}
    failed = sorted(frozenset().union(*out.values()) & set(history.batches[start:]), key=batch_order)
    if not failed:
        return out, []
    named = ", ".join(failed[:3]) + (f" and {len(failed) - 3} more" if len(failed) > 3 else "")
    reason = f"what failed is not learned from before somebody labels it, of batch{'es' if len(failed) > 1 else ''} {named} (`avh label`)"
    return out, [{"column": "", "metric": "", "reason": reason}]


def kinds_found(
    pipeline: Pipeline,
    columns: Sequence[ColumnHistory],
    sample: pa.Table,
    baseline: BatchProfile,
    out: Mapping[str, frozenset[str]],
    picked: Mapping[str, KnownKind],
) -> dict[str, KnownKind]:
    """What the columns are, told by the batches that are not `out` of each, unless it was `picked`."""
    from avh_ui.inference.by_history.measured import without
    from avh_ui.inference.kinds.finding import find_kinds

    # One day of negative counts that people called wrong is no reason to think that counts may be negative.
    return find_kinds([without(c, (), out[c.column]) for c in columns], sample, baseline, pipeline.kinds, picked)


def _check_included(pipeline: Pipeline, history: History) -> None:
    """`NotFoundError` of a column to measure that no batch has, as it is named or as a struct of that name."""
    there = [column for column, one in history.columns.items() if not one.asked]
    for name in pipeline.columns.include:
        if not any(column == name or column.startswith(f"{name}.") for column in there):
            hint = f"Write it as the data do, or take it out of `include`; measured are {', '.join(there[:8]) or 'none'}."
            raise NotFoundError("column of `columns` in avh.yml", name, there, hint=hint)


def _known(cut: ColumnHistory) -> str:
    count = int(cut.present.sum())
    return f"{count} batch{' is' if count == 1 else 'es are'} known, of {LEAST_BATCHES} that are needed,"


def matched(pipeline: Pipeline, history: History, start: int, exclude: frozenset[str] = frozenset()) -> tuple[ColumnHistory, ...]:
    """The sample of rows by the pipeline's key and the columns of it, each cut to the batches since it was last absent."""
    host, suffix = host_of(pipeline.key), subject_by("", pipeline.key)
    found = (
        _since_present(column.window(start, len(column.batches)), exclude | untaught(history.standings, column.column))
        for name, column in history.columns.items()
        if pipeline.key and (name == host or (column.type == MATCHED and name.endswith(suffix)))
    )
    return tuple(column for column in found if column.batches)


def _since_present(column: ColumnHistory, out: Collection[str]) -> ColumnHistory:
    """Since it was last absent in a batch that is learned from."""
    absent = np.flatnonzero(~column.present & ~np.isin(column.batches, list(out)))
    return column.window(int(absent[-1]) + 1, len(column.batches)) if len(absent) else column


def _since_known(column: ColumnHistory, out: Collection[str]) -> ColumnHistory:
    """Since it was last absent in a batch that is learned from, and since all of its values are delivered, or any, where that was so in
    none of `LEAST_BATCHES` batches before and in all since (in `_LASTING`, of all its values). Steals were counted for half of the players
    until 1950, and no level, spread or share of nulls of both eras is one.
    """
    filled = np.nan_to_num(column.values.get(COMPLETE_RATIO.name, np.ones(len(column.batches))))
    learned = ~np.isin(column.batches, list(out))
    begins = [_begins(filled > 0, learned, LEAST_BATCHES), _begins(filled >= 1, learned, _LASTING)]
    cut = _since_present(column, out)
    gone = len(column.batches) - len(cut.batches)
    return cut.window(max(0, max(begins) - gone), len(cut.batches))


def _begins(so: NDArray[np.bool_], learned: NDArray[np.bool_], least: int) -> int:
    """The place since which something is `so` in all batches that are `learned` from, `least` of them, and was in none of `LEAST_BATCHES`
    or more before; 0 where that is not how it is.
    """
    first = int(np.argmax(so & learned)) if (so & learned).any() else 0
    before, since = int(learned[:first].sum()), so[first:][learned[first:]]
    return first if before >= LEAST_BATCHES and len(since) >= least and bool(since.all()) else 0


def _of_any_kind(column: ColumnHistory) -> list[ColumnHistory]:
    """A column that was of another kind in earlier batches with what is known of all of them, such as how much of it is filled; none where
    these are too few, too.
    """
    filled = column.values.get(COMPLETE_RATIO.name)
    if filled is None or not len(filled):
        return []
    absent = np.flatnonzero(np.isnan(filled))
    cut = column.window(int(absent[-1]) + 1 if len(absent) else 0, len(column.batches))
    if len(cut.batches) < LEAST_BATCHES:
        return []
    known = {name: series for name, series in cut.values.items() if of_any_kind(declaration_of(name, cut.kind))}
    return [replace(cut, values=known, present=np.ones(len(cut.batches), dtype=bool), untold={})]


def _unsuitable(pipeline: Pipeline, column: ColumnHistory, cut: ColumnHistory, latest: Collection[str]) -> str:
    """Why a column gets no suggestions; empty when it does."""
    if not pipeline.columns.wants(column.column):
        return "excluded in avh.yml"
    if column.kind == "skipped":
        return f"columns of type {column.type} are not measured"
    if not cut.batches or column.column not in latest:
        return "it is not in the latest batch"
    return ""
