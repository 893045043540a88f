"""Which batches a range means: `A..B` with both ends included, `A..`, `..B`, or one batch id."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from avh_ui.errors import NotFoundError, UsageError, nearest
from avh_ui.history.series import batch_order


def batches_in_range(pipeline: str, wanted: str | None, known: Sequence[str], listable: bool = True) -> list[str]:
    """The batches of `known` (in natural order) that the range means; all when it is None.

    The ends have to be known, since a mistyped one would silently select other batches; `NotFoundError` names the nearest. Where a
    source cannot list its batches (`listable` false), a single id is taken as it is.
    """
    if wanted is None:
        return list(known)
    if wanted in known or (not listable and ".." not in wanted):
        return [wanted]
    if ".." not in wanted:
        raise NotFoundError(f"batch of {pipeline!r}", wanted, known)
    first, last = wanted.split("..", 1)
    for end in (first, last):
        if end and end not in known:
            raise NotFoundError(f"batch of {pipeline!r}", end, known, hint=_hint(end, known))
    if first and last and batch_order(first) > batch_order(last):
        raise UsageError(f"The range {wanted!r} ends before it begins.", hint=f"Did you mean '{last}..{first}'?")
    return [b for b in known if (not first or batch_order(b) >= batch_order(first)) and (not last or batch_order(b) <= batch_order(last))]


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


def _hint(end: str, known: Sequence[str]) -> str:
    if not known:
        return nearest(end, known)
    span = f" The batches run from {known[0]!r} to {known[-1]!r}; leave an end open to take all, as in {known[0]!r}.."
    return nearest(end, known) + span
