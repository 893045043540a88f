"""Whether two batches hold the same rows, as far as their states tell: whatever their order, and however Spark split them.

Compared is what of the states depends on the rows alone: counts, extremes, whole frequencies, totals of characters, and the registers of
distinct counts. The quantile sketches are not, since they draw at random, nor the frequencies of more than 1,000 values, since which of
these are kept depends on how the rows were split. Sums of numbers are equal but for rounding.

Who delivers yesterday's rows once more may write today's date into them: then what is neither a date nor one value in all rows is compared.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable

import datasketches as ds
import numpy as np

from avh_ui.metrics.catalogue import STATES
from avh_ui.metrics.counts import CountState
from avh_ui.metrics.distinct import HLL_LG_K
from avh_ui.metrics.distribution import DistributionState
from avh_ui.metrics.frequencies import FrequencyState
from avh_ui.metrics.metric import find
from avh_ui.metrics.moments import MomentsState
from avh_ui.metrics.profile import BATCH_COLUMN, BatchProfile, ColumnProfile
from avh_ui.metrics.remembering import kept_beside
from avh_ui.metrics.text import TextState

# Before the registers of a sketch (HLL_8, not compact) stands its preamble, which remembers how it was fed.
_PREAMBLE = 40
# What repeats under another date has a column of so many values: rows of few, such as states of shops, come again by chance.
_TELLING = 8
# A sum of doubles is off by a few 1e-16 of the sum of their sizes, whatever their order; the change of one value is seldom so small.
_ROUNDING = 1e-12


def content_of(profile: BatchProfile) -> str:
    """A hash that two batches of the same rows share; 32 hexadecimal digits. Columns may come in any order, and types be named anew.

    The columns that name the batch are left out: their folders or their writer fill them, whatever the rows are.
    """
    return _hash_of(profile, _of_the_rows(profile))


def undated_content_of(profile: BatchProfile) -> str:
    """The same but for the columns that may hold the batch's date: those of days, and of one value. '' where the rest tells little."""
    names = [name for name in _of_the_rows(profile) if not _may_date(profile.columns[name])]
    return _hash_of(profile, names) if any(_distinct(profile.columns[name]) >= _TELLING for name in names) else ""


def rewritten(one: BatchProfile, other: BatchProfile) -> list[str]:
    """The columns that differ between two profiles of one `undated_content_of`."""
    return [
        name
        for name, column in one.columns.items()
        if name in other.columns and _may_date(column) and _content_of_column(column) != _content_of_column(other.columns[name])
    ]


def _of_the_rows(profile: BatchProfile) -> list[str]:
    return sorted(profile.columns.keys() - {*_of_the_batch(profile), *profile.asked})


def _hash_of(profile: BatchProfile, names: Iterable[str]) -> str:
    sha = hashlib.sha256(repr(profile.rows).encode())
    for name in names:
        column = profile.columns[name]
        sha.update(repr((name, column.kind)).encode("utf-8", "surrogatepass"))
        sha.update(_content_of_column(column))
    return sha.hexdigest()[:32]


def _may_date(column: ColumnProfile) -> bool:
    """Whether it may say of which day the batch is: all of its values are days, or it has one value."""
    texts = find(column.states, FrequencyState)
    return column.kind == "temporal" or _distinct(column) <= 1 or (texts is not None and texts.named is not None)


@kept_beside
def _distinct(column: ColumnProfile) -> float:
    found = find(column.states, DistributionState) or find(column.states, FrequencyState)
    return found.distinct() if found is not None else 0.0


@kept_beside
def _content_of_column(column: ColumnProfile) -> bytes:
    """What is hashed of a column: at most some 40 KB, since states keep at most 1,000 values, or the registers of a sketch."""
    found: list[bytes] = []
    # What somebody asks for beside is none of the rows.
    for key in sorted(column.states.keys() & {state.key for state in STATES[column.kind]}):
        numbers, *large = _part(column.states[key])
        if numbers:
            found += (repr((key, numbers, [len(part) for part in large])).encode(), *large)
    return b"".join(found)


def same_sums(one: BatchProfile, other: BatchProfile, but: Iterable[str] = ()) -> bool:
    """Whether two profiles of one `content_of` (or undated one, `but` for what was rewritten) have the same sums of numbers too, but for
    rounding.
    """
    # What somebody asks for beside is none of the rows, and only one of them may have it.
    skipped = {*_of_the_batch(one), *one.asked, *other.asked, *but}
    return all(_same_sums(column, other.columns[name]) for name, column in one.columns.items() if name not in skipped)


def _of_the_batch(profile: BatchProfile) -> list[str]:
    return profile.extra.get(BATCH_COLUMN, "").split("\n")


def _part(state: object) -> tuple[tuple[float, ...], *tuple[bytes, ...]]:
    """What of a state depends on the rows alone: numbers, and large parts as bytes; nothing of one that is measured on demand."""
    match state:
        case CountState():
            return ((int(state.rows), int(state.nulls)),)
        case MomentsState():
            return ((int(state.n), int(state.nans), float(state.low), float(state.high)),)
        case TextState():
            # Capitals, zeros before codes and decimals are not counted in older states, and tell no more than the values beside.
            return (tuple(int(value) for name, value in vars(state).items() if name not in ("capitals", "padded", "decimals")),)
        case DistributionState():
            table = (state.values.tobytes(), state.counts.tobytes()) if state.exact else (_registers(state.hll),)
            return ((int(state.n),), *table)
        case FrequencyState():
            return ((int(state.n),), _table(state) if state.exact else _registers(state.hll))
    return ((),)


def _table(state: FrequencyState) -> bytes:
    """Whole frequencies, whatever the order in which the values came."""
    names = sorted(state.table)
    counts = np.fromiter(map(state.table.__getitem__, names), dtype=np.int64, count=len(names))
    return json.dumps(names).encode("ascii") + counts.tobytes()


def _registers(hll: bytes) -> bytes:
    union = ds.hll_union(HLL_LG_K)
    union.update(ds.hll_sketch.deserialize(hll))
    return bytes(union.get_result(ds.HLL_8).serialize_updatable())[_PREAMBLE:]


def _same_sums(one: ColumnProfile, other: ColumnProfile) -> bool:
    a, b = one.states.get(MomentsState.key), other.states.get(MomentsState.key)
    if not isinstance(a, MomentsState) or not isinstance(b, MomentsState):
        return True
    if not a.n or not math.isfinite(a.total) or not math.isfinite(b.total):
        return True
    spread = math.sqrt(max(a.m2, 0.0) / a.n)
    near_sum = abs(a.total - b.total) <= _ROUNDING * a.n * (abs(a.mean) + spread)
    return near_sum and abs(a.m2 - b.m2) <= _ROUNDING * a.n * (abs(a.mean) + spread) ** 2
