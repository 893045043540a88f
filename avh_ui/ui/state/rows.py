"""The rows of the review table as plain data: text and numbers alone, so that the table can draw them as text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from avh_ui.constraints.backtest import backtest
from avh_ui.constraints.reading import Reader
from avh_ui.constraints.transforms import Transform
from avh_ui.history.series import History, Series
from avh_ui.review.draft import DraftItem
from avh_ui.review.explaining import measured
from avh_ui.review.plain import enforced, plain
from avh_ui.ui.state.grouping import QueueGroup, named_shortly, place_of, rule_of
from avh_ui.ui.state.patterns import series_of
from avh_ui.ui.state.reading import cost, count, rate

# Wide enough to show a year's habit in a cell of 110 pixels.
POINTS = 60
SOURCES = {
    "history": "from the history of the metric",
    "corpus": "a pattern from the corpus",
    "snapshot": "a rule on the latest batch",
    "values": "the values that came so far",
    "few": "a guess from the first batches",
    "relation": "what columns keep together",
    "manual": "a rule that somebody stated",
}
# As the list marks them, see `queue_rows.js`.
LETTERS = {"history": "H", "corpus": "C", "snapshot": "R", "values": "V", "few": "G", "relation": "T", "manual": "M"}


def table_row(item: DraftItem, history: History | None, *, drawn: bool = True) -> dict[str, Any]:
    """One row: what it constrains, its bounds in words, the history (when `drawn`), cost, catch and status."""
    constraint, suggestion = item.current, item.suggestion
    reader = Reader.of(constraint)
    lag, log = constraint.transform.lag, constraint.transform.log
    fpr, fpr_title = cost(constraint)
    rule = rule_of(item)
    return {
        "id": suggestion.id,
        "column": named_shortly(item),
        "column_title": place_of(item),
        "metric": constraint.metric,
        "description": measured(constraint),
        "bounds": enforced(constraint, reader),
        "plain": plain(constraint),
        "tag": _compared(constraint.transform),
        "tag_title": f"compared: {constraint.transform.describe()}" if lag or log or constraint.transform.from_id else "",
        "spark": sparkline(item, _series(item, history), () if history is None else history.batches) if drawn else None,
        "source": constraint.origin,
        "source_title": f"{SOURCES[constraint.origin]}{f': {rule}' if rule and constraint.origin != 'snapshot' else ''}",
        "fpr": fpr,
        "fpr_title": fpr_title,
        "caught": len(item.caught),
        "only": len(item.only_caught),
        "variants": item.meant,
        "kinds": item.meant < suggestion.variants,
        "status": item.status,
        "status_title": f"{item.status} by {item.decided_by}" if item.decided_by else item.status,
        "comments": len(item.comments),
        "comments_title": f"{count(len(item.comments), 'comment')}, the last by {item.comments[-1].by}" if item.comments else "",
        "assignee": item.assignee,
    }


def _compared(transform: Transform) -> str:
    """With what the metric is compared, in a word or two beside a rule; '' of what is compared with nothing."""
    if transform.lag:
        return "change" if transform.lag == 1 else f"change over {transform.lag}"
    return "with the date" if transform.from_id else ""


def group_row(group: QueueGroup, *, opened: bool) -> dict[str, Any]:
    """The line of a group: what its items have in common, what they cost and catch together, and what stands decided of them."""
    rates = sum(item.current.fpr for item in group.items)
    caught = {(i.current.column, name) for i in group.items for name in i.caught}
    statuses = [item.status for item in group.items]
    (origin, *others) = {item.current.origin for item in group.items}
    return {
        "id": group.key,
        "group": True,
        "opened": opened,
        "source": "" if others else origin,
        "source_title": "" if others else SOURCES[origin],
        "label": group.label,
        "note": group.note,
        "ids": list(group.ids),
        "fpr": rate(min(rates, 1.0)),
        "fpr_title": f"{rate(min(rates, 1.0))} of batches, all of them together",
        "caught": f"{len(caught):,}",
        "caught_title": f"{count(len(caught), 'tried fault')} caught, over all columns",
        "statuses": [[name, statuses.count(name)] for name in ("pending", "accepted", "edited", "rejected") if name in statuses],
    }


def _series(item: DraftItem, history: History | None) -> Series | None:
    column = None if history is None else history.of(item.current.measure)
    if column is None:
        return None
    series = column.values.get(item.current.metric)
    return series_of(item, column.batches) if series is None else series


def sparkline(item: DraftItem, series: Series | None, batches: Sequence[str] = ()) -> dict[str, Any] | None:
    """What is compared, in at most `POINTS` points between 0 (bottom) and 100, with its band; None without a history.

    Each point is the batch of its bucket that fired or is furthest from the median: a thinned line must not hide an alarm.
    """
    if series is None:
        return None
    result = backtest(item.current, series, None, batches)
    values = np.where(np.isfinite(result.transformed), result.transformed, np.nan)
    if np.all(np.isnan(values)):
        return None
    places = _telling(values, result.fired).tolist()
    bounds = [bound for bound in (item.current.lower, item.current.upper) if bound is not None and math.isfinite(bound)]
    low, high = min([float(np.nanmin(values)), *bounds]), max([float(np.nanmax(values)), *bounds])
    span = (high - low) or 1.0
    flat = high - low <= 1e-6 * max(abs(low), abs(high))

    def height(value: float) -> float:
        return 50.0 if flat else round(100 * (value - low) / span, 1)

    lower, upper = item.current.lower, item.current.upper
    return {
        "y": [None if math.isnan(values[k]) else height(float(values[k])) for k in places],
        "band": [40 if flat else 0 if lower is None else height(lower), 60 if flat else 100 if upper is None else height(upper)],
        "fired": [at for at, k in enumerate(places) if result.fired[k]],
        "fires": result.fires,
    }


def _telling(values: Series, fired: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Per bucket the place of the first batch that fired and is furthest from the median, else of the furthest of all; shape (P,)."""
    buckets, there = _buckets(len(values))
    distance = np.nan_to_num(np.abs(values - np.nanmedian(values)), nan=-1.0)
    # A batch that fired comes before any that did not.
    rank = np.where(fired, distance + (distance.max() + 2.0), distance)
    inside = np.where(there, rank[buckets], -np.inf)
    chosen: NDArray[np.intp] = buckets[np.arange(len(buckets)), inside.argmax(axis=1)]
    return chosen


@lru_cache(maxsize=64)
def _buckets(length: int) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """The places of `length` values in at most `POINTS` buckets of nearly equal size, a row each, and which of the entries count."""
    parts = np.array_split(np.arange(length), min(POINTS, length))
    width = len(parts[0])
    places = np.array([[*part, *([part[-1]] * (width - len(part)))] for part in parts], dtype=np.intp)
    return places, np.array([[k < len(part) for k in range(width)] for part in parts])
