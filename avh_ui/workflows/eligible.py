"""Which columns of a window a source is asked about: those with enough batches, those with few, and why the others are left out."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pyarrow as pa

from avh_ui.config import Pipeline
from avh_ui.history.series import ColumnHistory, History
from avh_ui.inference.source import LeftOut
from avh_ui.metrics.asked import pipeline_measures
from avh_ui.metrics.fields import NESTED
from avh_ui.metrics.measure import Measure, host_of, subject_by
from avh_ui.metrics.type_names import MATCHED, SAMPLED

# Fewer batches give no estimate of a metric's variance worth bounding (AVH, Appendix J, Figure 6).
LEAST_BATCHES = 7


def asked_of(pipeline: Pipeline) -> dict[str, list[Measure]]:
    """The measures that a pipeline asks for, by what they are of."""
    from avh_ui.inference.by_history.asked import by_subject

    return by_subject(pipeline_measures(pipeline))


def eligible(
    pipeline: Pipeline, history: History, start: int, sample: pa.Table
) -> tuple[tuple[ColumnHistory, ...], tuple[ColumnHistory, ...], tuple[ColumnHistory, ...], list[LeftOut]]:
    """The columns to suggest for, each cut to the batches since it was last absent, what measures are of likewise, and the columns that are
    there for too few batches; the others with their reasons.
    """
    names = asked_of(pipeline)
    chosen: list[ColumnHistory] = []
    asked: list[ColumnHistory] = []
    few: list[ColumnHistory] = []
    left_out: list[LeftOut] = []
    for column in history.columns.values():
        if column.kind == "skipped" and column.type.startswith(NESTED):
            continue  # its fields and its size are columns of their own
        if column.type in (SAMPLED, MATCHED):
            continue  # see `matched`
        cut = _since_present(column.window(start, len(column.batches)))
        reason = _unsuitable(pipeline, column, cut, {*sample.column_names, *names})
        if reason:
            left_out.append({"column": column.column, "metric": "", "reason": reason})
            continue
        measures = names.get(column.column, ())
        if len(cut.batches) < LEAST_BATCHES:
            since = f"it is there (as {cut.kind}) since {cut.batches[0]!r}: {_known(cut)} so that all are guesses"
            left_out.append({"column": column.column, "metric": "", "reason": since})
            few += [] if measures else [cut]
            continue
        if measures:
            asked.append(cut)
        if all(measure.standard for measure in measures):
            chosen.append(cut)
    if few and not chosen:
        # Of a young table one sentence says it.
        left_out = [out for out in left_out if out["column"] not in {column.column for column in few}]
        left_out.append({"column": "", "metric": "", "reason": f"programs by history, since {_known(few[0])} so that all are guesses"})
    return tuple(chosen), tuple(asked), tuple(few), left_out


def _known(cut: ColumnHistory) -> str:
    count = len(cut.batches)
    return f"{count} batch{' is' if count == 1 else 'es are'} known, of {LEAST_BATCHES} that are needed,"


def matched(pipeline: Pipeline, history: History, start: int) -> tuple[ColumnHistory, ...]:
    """The sample of rows by the pipeline's key and the columns of it, each cut to the batches since it was last absent."""
    host, suffix = host_of(pipeline.key), subject_by("", pipeline.key)
    found = (
        _since_present(column.window(start, len(column.batches)))
        for name, column in history.columns.items()
        if pipeline.key and (name == host or (column.type == MATCHED and name.endswith(suffix)))
    )
    return tuple(column for column in found if column.batches)


def _since_present(column: ColumnHistory) -> ColumnHistory:
    absent = np.flatnonzero(~column.present)
    return column.window(int(absent[-1]) + 1, len(column.batches)) if len(absent) else column


def _unsuitable(pipeline: Pipeline, column: ColumnHistory, cut: ColumnHistory, latest: Collection[str]) -> str:
    """Why a column gets no suggestions; empty when it does."""
    if not pipeline.columns.wants(column.column):
        return "excluded in avh.yml"
    if column.kind == "skipped":
        return f"columns of type {column.type} are not measured"
    if not cut.batches or column.column not in latest:
        return "it is not in the latest batch"
    return ""
