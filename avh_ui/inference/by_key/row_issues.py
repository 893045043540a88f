"""D(C) for rows: faults that no single column's distribution shows, tried on the sample of the latest batch's rows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from avh_ui.history.series import Series
from avh_ui.issues.catching import SHIFTED
from avh_ui.issues.variants import MILE
from avh_ui.metrics.column import Floats
from avh_ui.metrics.joining import join
from avh_ui.metrics.matching import Matched
from avh_ui.metrics.row_sample import RowSample, places_in
from avh_ui.metrics.sampled_values import SampledValues

Places = NDArray[np.int64]
# Shares of the rows that a fault is of, beside one row and two.
_SHARES = (0.02, 0.1, 0.5)
# Of half of the rows what the column's own level, spread and nulls show is none of these faults: "temp_c falls in at most 70 % of the rows"
# noticed that half of all temperatures are 0, which nine other rules do.
_HALF = f"{_SHARES[-1]:g}"
# Two rows of the upper half that are so large a part of the ranks apart; and the largest beside the middle one.
_APART = {"alike": 16, "near": 4}
_FAR, _LEAST_APART = "far", 4
_EXCHANGED_ALONE = (*_APART, _FAR, _HALF)
# The largest number at 0 where the batch has none. What only faults do notices it alone: any bound on how far rows move is broken by what
# no row of any day had.
NOTHING = "zero:the largest row"
# How the names of rows times ten begin.
TIMES = "tenfold:"
# Values exchanged between rows that are alike, or shifted by a row, the largest at 0, and a row times ten: what a person sees at once, and
# wide bounds on other moves do not. Of prices that move by a few percent only falls were bounded, and one of 200 times ten passed; a date
# that hardly ever changes was held to its span and its most frequent day.
TENFOLD = f"{TIMES}one"
# All rows in another unit, in tables of fewer rows: what larger ones have of levels and mixes notices it there.
EVERY, _FEW_ROWS = "every", 10
# What is promised of every column, of one whose own share of nulls moves too far to say it.
HALF_NULL, _MOVES = "increased_nulls 50% null", 0.25
# One row of a counter that falls by some percent.
_BACK = "back"
STEP_BACK = f"{_BACK}:one"
SEEN = (*(f"exchanged:{name}" for name in (*_APART, _FAR)), SHIFTED, "zero:largest", NOTHING, TENFOLD)


def column_issues(ours: Matched, theirs: Matched, seed: int, *, within: bool = True, beside: Collection[str] = ()) -> dict[str, Matched]:
    """By name the sample with a column's values spoiled: exchanged, shifted by a row, stale, empty, zero, scaled, one step back; those of
    some rows, of the largest, and of the rows that are new. `NOTHING` is of no batch with a 0. Columns `beside` it stay, and those of the
    key.

    Half of the rows are exchanged, and not spoiled: that is seen without a key. Numbers stay `within` those of the batch where the column
    has bounds of its own: what leaves them is their business. Of a table whose rows move freely a bound on the largest fall lay beyond all
    that its values allow, and was broken by zeros that no row of any day had.
    """
    rng = np.random.default_rng(seed)
    values, (there, sorts) = ours.rows.columns[ours.column], _drawn(ours, theirs, rng)
    if len(there) < 2:
        return {}
    made: dict[str, SampledValues] = {SHIFTED: values.take(np.roll(np.arange(ours.rows.keys), 1))}
    made |= _every(ours, there, _UNITS)
    made[HALF_NULL] = _placed(values, there[: len(there) // 2], SampledValues.nothing(len(there) // 2))
    for name, some in sorts.items():
        if len(some) > 1:
            made[f"exchanged:{name}"] = _placed(values, some, values.take(np.roll(some, 1)))
        if name in _EXCHANGED_ALONE:
            continue
        made[f"emptied:{name}"] = _placed(values, some, SampledValues.nothing(len(some)))
        if values.numeric:
            spoiled = {f"{what}:{name}": _numbers(values, some, to, within=within) for what, to in _SPOILERS.items()}
            made |= {called: of for called, of in spoiled.items() if of is not None}
    if (old := theirs.rows.columns.get(ours.column)) is not None:
        before = old.take(places_in(theirs.rows, ours.rows.hashes))
        # Of half of the rows: "tax stays the same in at most 95 % of the rows" noticed that all do, where 60 % always did.
        half = rng.permutation(ours.rows.keys)[: ours.rows.keys // 2]
        made[f"stale:{_HALF}"] = _placed(values, half, before.take(half))
        made |= _nothing(values, before)
    return {name: with_values(ours, found, beside) for name, found in made.items()}


def farther_issues(ours: Matched, theirs: Matched, seed: int) -> dict[str, Matched]:
    """Those of `column_issues` that are rows times ten, beyond the numbers of the batch, too."""
    values, (there, sorts) = ours.rows.columns[ours.column], _drawn(ours, theirs, np.random.default_rng(seed))
    if len(there) < 2 or not values.numeric:
        return {}
    some = {f"{TIMES}{name}": places for name, places in sorts.items() if name not in _EXCHANGED_ALONE}
    spoiled = {name: _numbers(values, places, _UNITS["tenfold"], within=False) for name, places in some.items()}
    made = _every(ours, there, {"tenfold": _UNITS["tenfold"]}) | {name: of for name, of in spoiled.items() if of is not None}
    return {name: with_values(ours, of) for name, of in made.items()}


def _drawn(ours: Matched, theirs: Matched, rng: np.random.Generator) -> tuple[Places, dict[str, Places]]:
    """The rows that have a value, in the order in which they are drawn, and those that faults are of, by their name."""
    values = ours.rows.columns[ours.column]
    there = np.flatnonzero(~values.is_null)
    rng.shuffle(there)
    new = join(ours.rows, theirs.rows).new
    return there, _some(there) | _sized(values) | ({"new": new} if len(new) and values.numeric else {})


def _every(ours: Matched, there: Places, units: Mapping[str, Callable[[Floats], Floats]]) -> dict[str, SampledValues]:
    """All rows of a batch of few in these units."""
    values = ours.rows.columns[ours.column]
    some = units if values.numeric and has_few(ours.rows) else {}
    scaled = {f"{name}:{EVERY}": _numbers(values, there, to, within=False) for name, to in some.items()}
    return {name: of for name, of in scaled.items() if of is not None}


def with_values(one: Matched, values: SampledValues, beside: Collection[str] = ()) -> Matched:
    """The sample with other values of its column. Without columns that are neither it, nor `beside` it, nor of the key, at which none of
    its measures looks: of 80 columns all were matched for each issue of each, which was a third of `avh suggest` of 100 columns.
    """
    keys = {name: own for name, own in one.rows.columns.items() if name in one.rows.by or name in beside}
    return replace(one, rows=replace(one.rows, columns={**keys, one.column: values}))


def no_issue(name: str, filled: Series) -> bool:
    """Whether a fault of this name is none of a column's matched rows: its own rule says it, of one that was `filled` to these shares."""
    return name == HALF_NULL and (not len(filled) or float(np.ptp(filled)) < _MOVES)


def has_few(rows: RowSample) -> bool:
    """Whether a batch has so few rows that nothing but these says what its numbers are."""
    return rows.keys < _FEW_ROWS


def key_issues(ours: RowSample, seed: int) -> dict[str, RowSample]:
    """By name the sample with keys lost, new or twice, or nulls in them: of some rows, of blocks of neighbouring keys, of a segment."""
    rng = np.random.default_rng(seed)
    every = rng.permutation(ours.keys)
    made: dict[str, RowSample] = {}
    for name, some in (_some(every) | _blocks(ours)).items():
        kept = np.setdiff1d(np.arange(ours.keys), some)
        counts = ours.counts.copy()
        counts[some] += 1
        made[f"keys_lost:{name}"] = _only(ours, kept)
        made[f"keys_twice:{name}"] = replace(ours, counts=counts, rows=ours.rows + len(some))
        hashes = ours.hashes.copy()
        hashes[some] ^= np.uint64(1)
        order = np.argsort(hashes)
        made[f"keys_replaced:{name}"] = replace(_only(ours, order), hashes=hashes[order])
        made[f"null_keys:{name}"] = replace(_only(ours, kept), nulls=ours.nulls + len(some))
    return made


def _blocks(sample: RowSample) -> dict[str, Places]:
    """Keys that lie together, from the middle on: in the order of the key (a part of a file), and those that share a text with most
    others (all of one segment).
    """
    made: dict[str, Places] = {}
    order = np.lexsort([_ranked(sample.columns[name]) for name in reversed(sample.by)]) if sample.by else np.arange(0)
    middle = len(order) // 2
    for share in _SHARES[:2]:
        if share * len(order) > 2:
            made[f"block of {share:g}"] = order[middle : middle + round(share * len(order))]
    for name, values in sample.columns.items():
        texts, counts = np.unique(values.codes[values.codes >= 0], return_counts=True) if values.has_texts else (np.empty(0), np.empty(0))
        # One among several, of which none is half of the rows.
        if len(counts) > 1 and counts.max() > 1 and 2 * counts.max() <= sample.keys:
            made[f"segment of {name}"] = np.flatnonzero(values.codes == texts[np.argmax(counts)])
            break
    return made


def _ranked(values: SampledValues) -> NDArray[np.int64]:
    """Places in the order of the values, numbers or texts; equal values have the same."""
    if values.numeric:
        return np.asarray(np.unique(values.numbers, return_inverse=True)[1])
    return np.asarray(pc.rank(values.texts, sort_keys="ascending", tiebreaker="dense").to_numpy(zero_copy_only=False), dtype=np.int64)


def _only(sample: RowSample, places: Places) -> RowSample:
    columns = {name: values.take(places) for name, values in sample.columns.items()}
    return replace(sample, hashes=sample.hashes[places], counts=sample.counts[places], columns=columns)


def _some(places: Places) -> dict[str, Places]:
    """One place, two, and shares of them."""
    few = {"one": places[:1], "two": places[:2]}
    return few | {f"{share:g}": places[: round(share * len(places))] for share in _SHARES if share * len(places) > 2}


def _sized(values: SampledValues) -> dict[str, Places]:
    """Of numbers the largest row and one in the middle: what is nothing among large rows is all of a small one."""
    if not values.numeric:
        return {}
    order = np.argsort(np.abs(np.nan_to_num(values.numbers)))
    there = order[~values.is_null[order]]
    count = len(there)
    # Rows that are mixed up are seldom of another order of size: two among the upper half.
    upper = count // 2 + count // 4
    alike = {name: there[[upper, upper - count // part]] for name, part in _APART.items() if count >= part}
    far = {_FAR: there[[-1, count // 2]]} if count >= _LEAST_APART else {}
    return {"largest": order[-1:], "middle": order[len(order) // 2 :][:1], **alike, **far}


def _nothing(values: SampledValues, before: SampledValues) -> dict[str, SampledValues]:
    """`NOTHING`, of the row that is largest on both days: where rows move freely the largest of the day may have been a small one."""
    sizes = np.minimum(np.abs(values.numbers), np.abs(before.numbers))
    if not (values.numeric and before.numeric) or not np.isfinite(sizes).any() or np.any(values.numbers == 0):
        return {}
    spoiled = _numbers(values, np.array([np.nanargmax(sizes)]), np.zeros_like, within=False)
    return {} if spoiled is None else {NOTHING: spoiled}


def _placed(values: SampledValues, places: Places, others: SampledValues) -> SampledValues:
    """The values with others in some places."""
    among = np.arange(len(values.numbers))
    among[places] = len(among) + np.arange(len(places))
    return SampledValues.joined([values, others]).take(among)


def _numbers(values: SampledValues, places: Places, to: Callable[[Floats], Floats], *, within: bool) -> SampledValues | None:
    """The values with others in some places, `within` the range of all or not; None where that changes none."""
    known = values.numbers[np.isfinite(values.numbers)]
    if not len(known):
        return None
    numbers = values.numbers.copy()
    # Infinity is no number that a mistake makes another one of.
    places = places[~np.isinf(numbers[places])]
    spoiled = to(numbers[places])
    numbers[places] = np.clip(spoiled, known.min(), known.max()) if within else spoiled
    return None if np.array_equal(numbers, values.numbers, equal_nan=True) else replace(values, numbers=numbers)


_UNITS: Mapping[str, Callable[[Floats], Floats]] = {"tenfold": lambda numbers: numbers * 10, "miles": lambda numbers: numbers * MILE}
_SPOILERS: Mapping[str, Callable[[Floats], Floats]] = {
    "zero": np.zeros_like,
    "tenfold": lambda numbers: numbers * 10,
    "tenth": lambda numbers: numbers / 10,
    _BACK: lambda numbers: numbers - np.maximum(1, np.round(np.abs(numbers) * 0.02)),
}
