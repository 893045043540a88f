"""Rows that differ where a rule says that rows equal in some columns are alike, in words, and whose they are: a share says of no row
what is wrong.

They are looked for among the rows that a profile keeps (`RowSample`): of all groups of values none is kept.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from avh_ui.metrics.key_words import key_words, name_column
from avh_ui.metrics.matched_numbers import Mask
from avh_ui.metrics.moved import NOTHING, Moved, MovedRow
from avh_ui.metrics.row_groups import RowGroup, explaining
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.sampled_values import SampledValues
from avh_ui.metrics.wording import few_names

# Nearly all of so many rows that have so nearly the same multiple have it by no chance. Whole numbers of miles, as kilometres, are off by
# half of one: 94 miles by 0.3 %.
_ALIKE, _NEARLY, _NEAR = 3, 0.9, 0.01


def unlike_rows(sample: RowSample, target: str, given: Sequence[str]) -> str:
    """`AA, 33 with distance 2,475 and UA, 535 with 3,983, where origin is JFK and dest is LAX`: of the group of equal `given` columns
    with the most rows unlike most others; '' where no rows of the sample differ, where it has not all of the columns, and of hashed texts.
    """
    if sample.hashed or any(name not in sample.columns for name in (target, *given)):
        return ""
    values, others = sample.columns[target], [sample.columns[name] for name in given]
    kept = np.flatnonzero(~np.logical_or.reduce([one.is_null for one in (values, *others)]) & (sample.counts == 1))
    if not len(kept):
        return ""
    groups, own = _codes(others, kept), _codes([values], kept)
    first, second = _apart(groups, own)
    if first < 0:
        return ""
    at, beside = int(kept[first]), int(kept[second])
    names = name_column(sample)
    where = " and ".join(f"{name} is {one.shown(at)}" for name, one in zip(given, others, strict=True))
    one, other = (key_words(sample, place, names) for place in (at, beside))
    rows = f"{one} with {target} {values.shown(at)} and {other} with {values.shown(beside)}"
    return f"{rows}, where {where}"


def whose_rows(ours: RowSample, theirs: RowSample, target: str, given: Sequence[str]) -> str:
    """Which value of another column tells the rows whose `target` is none that the same `given` had in the batch before: `All 96 rows with
    carrier B6 have another distance than the same origin and dest in the batch before: 1.609 times as much. No other row has.` '' where
    none does.
    """
    asked = (target, *given)
    if ours.hashed or theirs.hashed or any(name not in side.columns for name in asked for side in (ours, theirs)):
        return ""
    _, known, found = _known(ours, theirs, asked)
    if found is None:
        return ""
    told_by = found[0]
    rest = sum(known.values()) - told_by.changed
    sampled, others = "sampled rows" if ours.more else "rows", "No other row has" if not rest else f"So {_have(rest)}"
    times = _times(ours, theirs, asked, [place for place, other in known.items() if other])
    every = f"All {told_by.rows:,} {sampled} with {told_by.column} {told_by.value}"
    told = every if told_by.changed == told_by.rows else told_by.said(sampled).removesuffix(".")
    return f"{told} have another {target} than the same {few_names(tuple(given))} in the batch before{times}. {others}."


def unlike_moved(ours: RowSample, theirs: RowSample, target: str, given: Sequence[str], limit: int) -> Moved:
    """These rows with the value that the same `given` had in the batch before, those first whose number is farthest from it."""
    asked = (target, *given)
    if ours.hashed or theirs.hashed or any(name not in side.columns for name in asked for side in (ours, theirs)):
        return NOTHING
    before, known, found = _known(ours, theirs, asked)
    groups, names, values = _shown(ours, asked), name_column(ours), ours.columns[target]
    rows = []
    for at in (place for place, unlike in known.items() if unlike):
        was = min(before[groups[at][1]], key=lambda place: abs(theirs.columns[target].numbers[place] - values.numbers[at]))
        then, now = float(theirs.columns[target].numbers[was]), float(values.numbers[at])
        numbers = (then, now) if math.isfinite(then) and math.isfinite(now) else ()
        rows.append(MovedRow(key_words(ours, at, names), theirs.columns[target].shown(was), values.shown(at), *numbers))
    rows.sort(key=lambda row: -abs(row.by or 0.0))
    group = None if found is None else found[0]
    did = f"are not what the same {few_names(tuple(given))} were before"
    return Moved(target, "rows", tuple(rows[:limit]), len(rows), len(rows), len(known), group, sampled=ours.more, did=did, by=ours.by)


def _known(
    ours: RowSample, theirs: RowSample, asked: Sequence[str]
) -> tuple[dict[tuple[str, ...], list[int]], dict[int, bool], tuple[RowGroup, Mask] | None]:
    """Where each group was before, with one place of each of its values; by its place whether a row of such a group has none of them; and
    what tells those that have none from the rest.
    """
    before: dict[tuple[str, ...], dict[str, int]] = {}
    for at, (own, group) in _shown(theirs, asked).items():
        before.setdefault(group, {}).setdefault(own, at)
    known = {place: own not in before[group] for place, (own, group) in _shown(ours, asked).items() if group in before}
    hit = np.fromiter(known.values(), dtype=bool, count=len(known))
    found = explaining(ours, np.fromiter(known, dtype=np.int64, count=len(known)), hit, asked[0])
    return {group: list(places.values()) for group, places in before.items()}, known, found


def _times(ours: RowSample, theirs: RowSample, asked: Sequence[str], places: Sequence[int]) -> str:
    """`: 1.609 times as much`, where nearly all of these rows have so many times the number before; '' where they have not."""
    then, now = theirs.columns[asked[0]].numbers, ours.columns[asked[0]].numbers
    before = {group: float(then[at]) for at, (_, group) in _shown(theirs, asked).items() if then[at]}
    groups = _shown(ours, asked)
    ratios = np.array([float(now[at]) / before[groups[at][1]] for at in places if groups[at][1] in before])
    ratios = ratios[np.isfinite(ratios)]
    if len(ratios) < _ALIKE:
        return ""
    times = float(np.median(ratios))
    alike = np.mean(np.abs(ratios / times - 1) <= _NEAR) >= _NEARLY if times > 0 else False
    return f": {times:,.4g} times as much" if alike else ""


def _have(rest: int) -> str:
    return "has one other row" if rest == 1 else f"have {rest:,} others"


def _shown(sample: RowSample, asked: Sequence[str]) -> dict[int, tuple[str, tuple[str, ...]]]:
    """By its place what each row that has one key and no null shows of the first column, and of the others."""
    columns = [sample.columns[name] for name in asked]
    kept = np.flatnonzero(~np.logical_or.reduce([one.is_null for one in columns]) & (sample.counts == 1))
    return {int(at): (columns[0].shown(int(at)), tuple(one.shown(int(at)) for one in columns[1:])) for at in kept}


def _codes(columns: Sequence[SampledValues], kept: NDArray[np.int64]) -> NDArray[np.int64]:
    """A number for each combination of values, shape (kept,)."""
    parts = [side for one in columns for side in (np.nan_to_num(one.numbers[kept], nan=0.0), one.codes[kept].astype(float))]
    return np.asarray(np.unique(np.stack(parts), axis=1, return_inverse=True)[1], dtype=np.int64).reshape(-1)


def _apart(groups: NDArray[np.int64], own: NDArray[np.int64]) -> tuple[int, int]:
    """The first row of the most frequent value and of the next one in the group with the most rows beside its most frequent value; -1, -1
    where each group has one value.
    """
    pairs, first, counts = np.unique(np.stack([groups, own]), axis=1, return_index=True, return_counts=True)
    size, most = np.bincount(pairs[0], counts), np.zeros(int(groups.max()) + 1)
    np.maximum.at(most, pairs[0], counts)
    worst = int(np.argmax(size - most))
    if size[worst] == most[worst]:
        return -1, -1
    of = np.flatnonzero(pairs[0] == worst)
    one, other = of[np.argsort(-counts[of], kind="stable")][:2]
    return int(first[one]), int(first[other])
