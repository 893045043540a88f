"""Which keys stand behind a measure of matched rows: those that changed most, before and after, and what most of them have in common."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from avh_ui.metrics.matching import Change, Mask, Matched, Places, changes, join
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.sampled_values import Values

# So many keys are named: a person reads that many lines.
NAMED = 5
# A group explains a change when most of the changed rows are in it, and most of it has changed.
_MOST = 0.7
# Columns of more values than this are names of rows and no groups of them.
_GROUPS = 0.7
# Names of things have so many letters at least, and words no more than matters; of so many texts that is told.
_SHORT, _NAME, _GLANCE = 4, 8, 200
# Rows that moved at least half as far as the farthest moved with it.
_AS_FAR = 0.5


@dataclass(frozen=True)
class Moved:
    """The keys that moved most, one sentence each, and the sentence on what most of them have in common ('' for nothing)."""

    keys: tuple[str, ...] = ()
    group: str = ""


def moved(metric: Metric, ours: RowSample | Matched, theirs: RowSample | Matched) -> Moved:
    """What is behind a metric of two samples; nothing where texts are kept as hashes."""
    mine, other = (state.rows if isinstance(state, Matched) else state for state in (ours, theirs))
    if mine.hashed or other.hashed:
        return Moved()
    if isinstance(ours, RowSample) or isinstance(theirs, RowSample):
        return _of_keys(metric, mine, other)
    change = changes(ours, theirs)
    if change is None or metric.rows_of is None:
        return Moved()
    which = np.flatnonzero(metric.rows_of(change))
    if not len(which):
        return Moved()
    if change.numeric:
        steps = change.step if metric.far_of is None else metric.far_of(change)
        far = np.nan_to_num(np.abs(steps[which]), nan=0.0)
        order = np.lexsort((change.joined.ours[which], -far))
        which = which[order][far[order] >= _AS_FAR * far[order[0]]]
    places = change.joined.ours[which]
    keys = tuple(
        f"{_name(mine, int(at))}: {change.theirs.shown(int(change.joined.theirs[k]))} → {change.ours.shown(int(at))}"
        for k, at in zip(which[:NAMED].tolist(), places[:NAMED].tolist(), strict=True)
    )
    return Moved(keys, _group(change, which, mine, ours.column))


def _of_keys(metric: Metric, ours: RowSample, theirs: RowSample) -> Moved:
    found = join(ours, theirs)
    sample, places = (theirs, found.gone) if metric.name == "keys_gone" else (ours, found.new)
    if metric.pair is None:
        sample, places = ours, np.flatnonzero(ours.counts > 1)
    keys = tuple(_name(sample, int(at)) for at in places[:NAMED])
    among = np.arange(sample.keys)
    label = next(_labels(sample, among, places, ""), None)
    if label is None:
        return Moved(keys)
    name, value, inside, size = label
    return Moved(keys, f"{inside:,} of {size:,} keys with {name} {value}.")


def _group(change: Change, which: Places, sample: RowSample, column: str) -> str:
    """What most of the rows have in common, as a sentence."""
    among = change.joined.ours
    label = next(_labels(sample, among, among[which], column), None)
    if label is None:
        return ""
    name, value, inside, size = label
    of = _same(sample.columns[name], among, value)
    if change.numeric:
        before, after = (change.ours.number(float(np.nansum(numbers[of]))) for numbers in (change.before, change.after))
        return f"{inside:,} of {size:,} rows with {name} {value} went from {before} to {after} together."
    return f"{inside:,} of {size:,} rows with {name} {value}."


def _labels(sample: RowSample, among: Places, hits: Places, column: str) -> Iterator[tuple[str, str, int, int]]:
    """The best group first: its column and value, how many of the hits are in it, and how many rows it has."""
    found = []
    hit: Mask = np.isin(among, hits)
    total = int(hit.sum())
    if total < 2:
        return
    for place, (name, values) in enumerate(sample.columns.items()):
        if name == column:
            continue
        codes, count = _codes(values.take(among))
        if count < 2 or count > _GROUPS * len(among):
            continue
        sizes, inside = np.bincount(codes, minlength=count), np.bincount(codes[hit], minlength=count)
        best = int(np.argmax(inside / total + inside / np.maximum(sizes, 1)))
        share = min(inside[best] / total, inside[best] / sizes[best])
        # Of columns that say the same the one that people read: words before codes and numbers.
        found.append(
            (-share, -_words(values), place, name, values.take(among).shown(int(np.argmax(codes == best))), inside[best], sizes[best])
        )
    for share, _, _, name, value, inside, size in sorted(found):
        if -share >= _MOST:
            yield name, value, int(inside), int(size)


def _same(values: Values, among: Places, value: str) -> NDArray[np.bool_]:
    taken = values.take(among)
    return np.array([taken.shown(k) == value for k in range(len(among))], dtype=bool)


def _codes(values: Values) -> tuple[NDArray[np.int64], int]:
    """A number from 0 for each distinct value, null too."""
    texts = values.codes
    _, numbers = np.unique(np.nan_to_num(values.numbers, nan=np.inf), return_inverse=True)
    _, codes = np.unique(texts * (len(numbers) + 1) + numbers, return_inverse=True)
    return codes.astype(np.int64), int(codes.max()) + 1 if len(codes) else 0


def _words(values: Values) -> float:
    """How many letters a text of the column has on average, up to what a name has."""
    texts = values.names.take(pa.array(values.used))
    letters = sum(sum(map(str.isalpha, text.decode("utf-8", "replace"))) for text in texts[:_GLANCE].to_pylist())
    return min(letters / max(len(texts[:_GLANCE]), 1), _NAME)


def _name(sample: RowSample, at: int) -> str:
    """A key for people; beside codes the words that name the row, where a column has some for each."""
    key = ", ".join(sample.columns[name].shown(at) for name in sample.by)
    names = _names(sample)
    return f"{key} ({sample.columns[names].shown(at)})" if names and not sample.columns[names].shown(at).isdigit() else key


def _names(sample: RowSample) -> str:
    """The column of words that nearly every row has another of; '' for none, and where the key has words itself."""
    if any(_words(sample.columns[name]) >= _SHORT for name in sample.by):
        return ""
    several = [(len(v.used), -place, name) for place, (name, v) in enumerate(sample.columns.items()) if _words(v) >= _SHORT]
    most, _, name = max(several, default=(0, 0, ""))
    return name if most >= _MOST * sample.keys else ""
