"""Which batches a range means: `A..B` with both ends included, `A..`, `..B`, or one batch id."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime

from avh_ui.errors import NotFoundError, UsageError, nearest
from avh_ui.history.batch_dates import BatchDate
from avh_ui.history.series import batch_order, sort_batches


def batches_in_range(pipeline: str, wanted: str | None, known: Sequence[str], listable: bool = True) -> list[str]:
    """The batches of `known` (in natural order) that the range means; all when it is None.

    The ends have to be known, since a mistyped one would silently select other batches; `NotFoundError` names the nearest. A date between
    two batches, written as they are, may be an end without being one: a month begins with a holiday. Where a source cannot list its batches
    (`listable` false), a single id is taken as it is.
    """
    if wanted is None:
        return list(known)
    if wanted in known or (not listable and ".." not in wanted):
        return [wanted]
    if ".." not in wanted:
        raise NotFoundError(f"batch of {pipeline!r}", wanted, known, hint=nearest_batches(wanted, known))
    first, last = wanted.split("..", 1)
    for end in (first, last):
        if end and end not in known and not _between(end, known):
            raise NotFoundError(f"batch of {pipeline!r}", end, known, hint=_hint(end, known))
    if first and last and batch_order(first) > batch_order(last):
        raise UsageError(f"The range {wanted!r} ends before it begins.", hint=f"Did you mean '{last}..{first}'?")
    chosen = [b for b in known if (not first or batch_order(b) >= batch_order(first)) and (not last or batch_order(b) <= batch_order(last))]
    if not chosen and known:
        raise UsageError(f"No batch of {pipeline!r} lies in {wanted!r}.", hint=_hint(first or last, known))
    return chosen


def select_many(pipeline: str, wanted: str, known: Sequence[str]) -> list[str]:
    """The batches of several ranges with commas between them, in natural order."""
    texts = [wanted] if wanted in known else [text.strip() for text in wanted.split(",")]
    chosen = {batch for text in texts if text for batch in batches_in_range(pipeline, text, known)}
    return [batch for batch in known if batch in chosen]


def as_ranges(chosen: Collection[str], known: Sequence[str]) -> str:
    """The shortest text that `select_many` takes for these batches of `known` (in natural order)."""
    runs: list[list[str]] = []
    before = False
    for batch in known:
        inside = batch in chosen
        if inside and before:
            runs[-1].append(batch)
        elif inside:
            runs.append([batch])
        before = inside
    return ", ".join(run[0] if len(run) == 1 else f"{run[0]}..{run[-1]}" for run in runs)


def nearest_batches(batch: str, known: Iterable[str]) -> str:
    """A hint naming the batches nearest to one that is not there: of its date, written otherwise; of another those before and after it;
    else those written most like it.
    """
    there = sort_batches(known)
    date = BatchDate.of(batch)
    if not there or date is None:
        # Of words such as `latest` none of the first dates is meant.
        near = nearest(batch, there) if there else ""
        run = len(there) > 1 and near.startswith("There is") and BatchDate.of(there[-1]) is not None
        return f"The batches run from {there[0]!r} to {there[-1]!r}." if run else near
    if same := next((one for one in there if (other := BatchDate.of(one)) and _moment(other) == _moment(date)), ""):
        return f"Did you mean {same!r}?"
    at = bisect_left(there, batch_order(batch), key=batch_order)
    beside = [f"the last before it is {there[at - 1]!r}"] if at else []
    beside += [f"the first after it is {there[at]!r}"] if at < len(there) else []
    return f"T{' and '.join(beside)[1:]}."


def _moment(date: BatchDate) -> tuple[str, datetime]:
    return date.period, date.start


def _between(end: str, known: Sequence[str]) -> bool:
    """Whether it is a date between two batches, written as the newest is. One after that is of a late batch, not to be passed over."""
    if not known or BatchDate.of(end) is None or re.sub(r"\d", "0", end) != re.sub(r"\d", "0", known[-1]):
        return False
    return batch_order(known[0]) < batch_order(end) < batch_order(known[-1])


def _hint(end: str, known: Sequence[str]) -> str:
    if not known:
        return "None is there yet."
    span = f" The batches run from {known[0]!r} to {known[-1]!r}; leave an end open to take all, as in '{known[0]}..'."
    return nearest_batches(end, known) + span
