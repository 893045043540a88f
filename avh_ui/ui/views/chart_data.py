"""From the evidence to what the chart draws."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from avh_ui.constraints.backtest import backtest
from avh_ui.constraints.constraint import Constraint, Verdict
from avh_ui.constraints.reading import Reader
from avh_ui.history.series import History, sort_batches
from avh_ui.review.difference import ConstraintChange
from avh_ui.review.draft import DraftItem
from avh_ui.ui.components.charted import ChartData, Floats, Texts
from avh_ui.ui.state.axis import batch_axis
from avh_ui.ui.state.evidence import EvidenceState
from avh_ui.ui.state.exports import csv_text
from avh_ui.ui.state.marks import untold
from avh_ui.ui.state.patterns import series_of
from avh_ui.ui.state.reading import count
from avh_ui.ui.state.strategies import TriedStrategy
from avh_ui.ui.state.tried_bounds import TriedBounds
from avh_ui.workflows.stating import Weighed

# A chart's words name so many of the batches that alarm, the newest first.
_NEWEST = 3


def chart_data(evidence: EvidenceState, tried: TriedStrategy | None = None) -> ChartData | None:
    """The history of the item with its bounds: as measured, or in the space where the bounds are numbers; None without a history.

    A strategy that was `tried` is drawn beside them: where it fired, and its bounds where the metric is drawn as measured.
    """
    trial = evidence.trial()
    if trial is None:
        return None
    measured = evidence.measured and evidence.can_measure
    return _chart(
        trial,
        measured=measured,
        errors=evidence.errors(),
        bounds=evidence.bounds,
        area=(trial.result.lower, trial.result.upper) if measured or trial.constraint.strategy is not None else None,
        window=_window(trial),
        reference=_live(evidence, trial, measured),
        beside=tried.edges if tried is not None and (measured or not evidence.can_measure) else None,
        marks=[*evidence.marks(), *(tried.marks if tried is not None else ())],
        seen=evidence.seen_range(),
    )


def _chart(trial: TriedBounds, *, measured: bool = True, errors: Floats | None = None, **drawn: Any) -> ChartData:
    """A trial's series with what is drawn of it besides; it is the metric as measured, or what is compared."""
    reader, result, axis = Reader.of(trial.constraint), trial.result, trial.axis
    y = result.observed if measured else result.transformed
    about: dict[str, Any] = {
        "fired": result.fired,
        "values": value_texts(reader, trial, measured, errors),
        "ranges": range_texts(reader, trial),
        "style": number_style(reader, measured),
    }
    told = chart_words(trial, drawn.get("fired", result.fired), measured=measured)
    y = np.where(np.isfinite(y), y, np.nan)
    return ChartData(x=axis.x, y=y, batches=axis.batches, dates=axis.dates, step=axis.step, told=told, **{**about, **drawn})


def chart_words(trial: TriedBounds, fired: NDArray[np.bool_], *, measured: bool = False) -> str:
    """What a chart shows to who does not see it: of what it is, how many batches, their values and bounds, and where it alarms."""
    reader, constraint, batches = Reader.of(trial.constraint), trial.constraint, trial.axis.batches
    y = trial.result.observed if measured else trial.result.transformed
    said = [f"{count(len(batches), 'batch')}{f' from {batches[0]} to {batches[-1]}' if batches else ''}"]
    known = y[np.isfinite(y)]
    if len(known):
        low, high, newest = (reader.value(n) if measured else reader.compared(n) for n in (known.min(), known.max(), known[-1]))
        said.append(f"values from {low} to {high}, the newest {newest}")
    if constraint.strategy is None and (constraint.lower, constraint.upper) != (None, None):
        said.append(f"bounds {reader.bounds(constraint.lower, constraint.upper)}")
    places = np.flatnonzero(fired)[::-1]
    more = f" and {len(places) - _NEWEST:,} before" if len(places) > _NEWEST else ""
    said.append(f"alarms on {len(places):,}: {', '.join(batches[k] for k in places[:_NEWEST])}{more}" if len(places) else "no alarm")
    return f"History of {constraint.title}: {'; '.join(said)}."


def range_texts(reader: Reader, trial: TriedBounds) -> Texts:
    """Writes the bounds of batches in the metric's own unit."""
    constraint, result = trial.constraint, trial.result

    def texts(places: NDArray[np.int64]) -> list[str]:
        if not constraint.transform.lag and constraint.transform.weekdays is None and constraint.strategy is None:
            return [reader.bounds(constraint.lower, constraint.upper)] * len(places)
        edges = zip(*(one[places].tolist() for one in (result.lower, result.upper, result.judged)), strict=True)
        return [reader.measured(lower, upper) if judged else "no reference yet" for lower, upper, judged in edges]

    return texts


def value_texts(reader: Reader, trial: TriedBounds, measured: bool, errors: Floats | None = None) -> Texts:
    """Writes what was observed of batches and how far that may be off, with what is compared in front where that differs."""
    result = trial.result

    def texts(places: NDArray[np.int64]) -> list[str]:
        observed = [reader.value(value) for value in result.observed[places].tolist()]
        if errors is not None and len(errors) == len(result.observed):
            far = errors[places].tolist()
            observed = [f"{value} {reader.error(error)}".rstrip() for value, error in zip(observed, far, strict=True)]
        if measured or not reader.transform.relative:
            return observed
        changes = result.transformed[places].tolist()
        return [f"{reader.compared(change)} ({value})" for change, value in zip(changes, observed, strict=True)]

    return texts


def number_style(reader: Reader, measured: bool) -> str:
    """The chart's tick formatter for the metric's unit and space."""
    lag, log = reader.transform.lag, reader.transform.log
    if reader.scale is not None:
        way = "rise" if reader.scale.up else "fall"
        # Of as many as the texts beside the chart.
        whole = "" if reader.beside is None else f" {reader.scale.whole(reader.beside):.0f}"
        return f"count_{way}{whole}" if reader.scale.roots else "factor" if reader.scale.up else "fall"
    if lag and log and not measured:
        return "factor"
    if reader.unit == "seconds" or (reader.temporal and lag and not measured):
        return "duration"
    if reader.temporal:
        return "plain" if reader.transform.part and not measured else "moment"
    share = reader.unit == "ratio"
    if log and not measured and reader.transform.weekdays is None:
        return "log_percent" if share else "log"
    return "percent" if share else "plain"


def _window(trial: TriedBounds) -> tuple[float, float] | None:
    """From half a step before the first batch learned from to half a step after the last."""
    places = np.flatnonzero(trial.learned)
    if not len(places):
        return None
    half = trial.axis.step / 2
    return float(trial.axis.x[places[0]]) - half, float(trial.axis.x[places[-1]]) + half


def _live(evidence: EvidenceState, trial: TriedBounds, measured: bool) -> tuple[Floats, Floats] | None:
    """The live version's bounds, where they can be drawn in the same space."""
    live = evidence.live_constraint()
    if live is None:
        return None
    if measured or live.strategy is not None:
        return _edges(live, trial.result.observed, trial.axis.batches)
    if live.transform != trial.constraint.transform:
        return None
    lower, upper = (np.full(len(trial.axis.x), np.nan if bound is None else bound) for bound in (live.lower, live.upper))
    return lower, upper


def change_chart(change: ConstraintChange, history: History, item: DraftItem | None = None) -> ChartData | None:
    """A change on the metric's history as measured: the new bounds as a band, the old ones as dashed lines; None without a history.

    `item` is the draft's suggestion of the same constraint, which knows a pattern's series.
    """
    constraint = change.either
    series = _series(constraint, history, item)
    if series is None or not len(series):
        return None
    axis = batch_axis(history.batches)
    trial = TriedBounds(constraint, axis, backtest(constraint, series, None, axis.batches), np.zeros(len(series), dtype=bool))
    nothing = np.full(len(series), np.nan)
    return _chart(
        trial,
        fired=trial.result.fired if change.after else np.zeros(len(series), dtype=bool),
        area=(nothing, nothing) if change.after is None else _edges(change.after, series, axis.batches),
        reference=None if change.before is None else _edges(change.before, series, axis.batches),
        marks=untold(axis, history.of(constraint.measure), constraint.metric),
    )


def _edges(of: Constraint, series: Floats, batches: Sequence[str]) -> tuple[Floats, Floats]:
    """The bounds of each batch in the metric's own unit."""
    tried = backtest(of, series, None, batches)
    return tried.lower, tried.upper


def _series(constraint: Constraint, history: History, item: DraftItem | None) -> Floats | None:
    column = history.of(constraint.measure)
    series = None if column is None else column.values.get(constraint.metric)
    return series_of(item, history.batches) if series is None and item is not None else series


def verdict_chart(verdict: Verdict, history: History, batch: str, item: DraftItem | None = None) -> ChartData | None:
    """The metric's history as measured, with the bounds that judged each batch, and the batch of the verdict marked; None without one.

    A batch whose profile was not kept is drawn with what the run observed. `item` is as in `change_chart`.
    """
    constraint = verdict.constraint
    batches = tuple(sort_batches([*history.batches, batch]))
    series = _series(constraint, history, item)
    if series is None:
        return None
    if len(batches) > len(series):
        series = np.insert(series, batches.index(batch), np.nan)
    at = batches.index(batch)
    if not math.isfinite(series[at]) and verdict.observed is not None:
        series = np.where(np.arange(len(series)) == at, verdict.observed, series)
    axis = batch_axis(batches)
    trial = TriedBounds(constraint, axis, backtest(constraint, series, None, axis.batches), np.zeros(len(series), dtype=bool))
    fired = np.zeros(len(series), dtype=bool)
    fired[at] = verdict.status in ("fail", "warn")
    return _chart(
        trial,
        fired=fired,
        area=(trial.result.lower, trial.result.upper),
        window=(float(axis.x[at]) - axis.step, float(axis.x[at]) + axis.step),
        marks=untold(axis, history.of(constraint.measure), constraint.metric),
    )


def rule_chart(weighed: Weighed, history: History) -> ChartData | None:
    """The history of what a rule is of, with the batches that it would have alarmed on; None where no batch was measured for it."""
    constraint, series = weighed.constraint, _series(weighed.constraint, history, None)
    if series is None or not len(series) or not weighed.measured:
        return None
    axis = batch_axis(history.batches)
    trial = TriedBounds(constraint, axis, backtest(constraint, series), np.zeros(len(series), dtype=bool))
    bounds = (constraint.lower, constraint.upper)
    return _chart(trial, bounds=bounds, marks=untold(axis, history.of(constraint.measure), constraint.metric))


def chart_csv(data: ChartData | None) -> str:
    """What a chart of `change_chart` or `verdict_chart` draws, a line per batch: plain numbers, empty where there is none."""
    header = ("batch", "value", "lower", "upper", "lower before", "upper before", "fired")
    if data is None:
        return csv_text(header, ())
    nothing = (np.full(len(data.x), np.nan),) * 2
    series = (data.y, *(data.area or nothing), *(data.reference or nothing))
    columns = [[v if math.isfinite(v) else None for v in one.tolist()] for one in series]
    return csv_text(header, zip(data.batches, *columns, data.fired.tolist(), strict=True))
