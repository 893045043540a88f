"""Whether rows of one usual value are missing: `value_loss`, the part of them that the value lost that lost most.

Half of one carrier's flights missing is a twentieth of a day's rows, within which a mix of carriers moves from day to day. The other values
keep their shares of each other, so that what is missing of one shows beside them: its odds, its rows to all others, are half of what they
were, however many rows the batch has, and however large its share is. Of the odds of two batches so many standard errors are taken off as
chance moves them by (Woolf, "On estimating the relation between blood groups and disease", 1955; with the half of a row of Haldane and
Anscombe), so that it is 0 in nearly all batches.

Of 14 columns of flights, whole and in parts, and of earthquakes, after 120 batches: bounds a twentieth above the largest that was noticed
90 % of the halves of the values of 100 rows and more, and alarmed on 0.09 % of the batches. Without chance taken off it was 86 and 0.45 %;
by the shares in the middle of the history, with bounds 1.5 times as far as the farthest, 87 and 0.39 %, since these age.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from avh_ui.metrics.column import NUMERIC, TEXT_KINDS
from avh_ui.metrics.distribution import DistributionState
from avh_ui.metrics.frequencies import FrequencyState
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.mix_words import percent, plain_number, short_text, told_mix
from avh_ui.metrics.remembering import remembered
from avh_ui.metrics.wording import Wording

V = TypeVar("V", str, float)

# By so many standard errors chance moves the odds of one value in hundreds of batches: with 2 alarmed 0.21 % where 3 did 0.09 %, with 3.5
# fewer halves are noticed.
ERRORS = 3.0
# A value of so few rows is no usual one. Beside many others all of them may be missing by as many errors.
_LEAST = 30
# What is there beside each count, so that none is nothing.
_HALF_ROW = 0.5
# Of values of so many rows, of a batch of many others, it is told what they may lose: of the first size of which it is no larger a part.
# Of a bound and "what chance moves" readers asked which of both is the limit, and so they did of "46% of 100 rows, or 22% of 1,000".
_SIZES, _MOST_PART, _OTHERS = (100, 1000, 10_000), 0.6, 1e9
_HALVINGS = 30


@dataclass(frozen=True)
class Thinned(Generic[V]):
    """The value that lost most: how large a `part` of its rows, and these `now` and `before`; `fell` and `rose` are how many values did so
    beyond chance.
    """

    value: V
    part: float
    now: int
    before: int
    fell: int
    rose: int


def part_lost(now: float, rows: float, before: float, rows_before: float) -> float:
    """The part of its rows that a value lost which has so many of the batch's, and had `before` of the batch before, less what is chance;
    below 0 where that is more.
    """
    counts = [count + _HALF_ROW for count in (now, rows - now, before, rows_before - before)]
    odds = math.log(counts[0] / counts[1]) - math.log(counts[2] / counts[3])
    return 1.0 - math.exp(min(odds + ERRORS * math.sqrt(sum(1 / count for count in counts)), 50.0))


def most_lost(bound: float, rows: int) -> float:
    """The part of so many rows that a value beside many others may lose at most where `part_lost` is at most the `bound`."""
    least, most = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (least + most) / 2
        within = part_lost(rows * (1 - middle), _OTHERS, rows, _OTHERS) <= bound
        least, most = (middle, most) if within else (least, middle)
    return least


def _limit(bound: float) -> str:
    """`had 100 rows or more loses more than 46% of them`: of what is lost, with what chance moves; larger values may lose less."""
    rows = next((size for size in _SIZES if most_lost(bound, size) <= _MOST_PART), _SIZES[-1])
    return f"had {rows:,} rows or more loses more than {most_lost(bound, rows):.0%} of them"


def _thinned(ours: Mapping[V, int], n: int, theirs: Mapping[V, int], before: int, hidden: int = 0) -> Thinned[V] | None:
    """None where no value lost more than by chance; a count of ours may be `hidden` rows too low."""
    usual = {value: count for value, count in theirs.items() if count > _LEAST}
    now = {value: min(ours.get(value, 0) + hidden, n) for value in usual}
    # What is no smaller a share lost nothing.
    less = [(value, count) for value, count in usual.items() if now[value] * before < count * n]
    fell = {value: part for value, count in less if (part := part_lost(now[value], n, count, before)) > 0}
    if not fell:
        return None
    # More of a value is less of all others.
    more = [(n - now[value], before - count) for value, count in usual.items() if now[value] * before > count * n]
    rose = sum(part_lost(others, n, were, before) > 0 for others, were in more)
    most = max(fell, key=lambda one: (fell[one], usual[one]))
    return Thinned(most, fell[most], ours.get(most, 0), theirs[most], len(fell), rose)


@remembered
def _texts(ours: FrequencyState, theirs: FrequencyState) -> Thinned[str] | None:
    return _thinned(ours.table, ours.n, theirs.table, theirs.n, ours.undercount)


@remembered
def _numbers(ours: DistributionState, theirs: DistributionState) -> Thinned[float] | None:
    """The same of numbers; sketches do not name them."""
    if not (ours.exact and theirs.exact):
        return None
    now, before = (dict(zip(side.values.tolist(), side.counts.tolist(), strict=True)) for side in (ours, theirs))
    return _thinned(now, ours.n, before, theirs.n)


def _found(ours: FrequencyState | DistributionState, theirs: FrequencyState | DistributionState) -> Thinned[str] | Thinned[float] | None:
    if isinstance(ours, FrequencyState) and isinstance(theirs, FrequencyState):
        return _texts(ours, theirs)
    assert isinstance(ours, DistributionState)
    assert isinstance(theirs, DistributionState)
    return _numbers(ours, theirs)


def _loss(ours: FrequencyState | DistributionState, theirs: FrequencyState | DistributionState) -> float | None:
    """None when a side is empty."""
    if not ours.n or not theirs.n:
        return None
    found = _found(ours, theirs)
    return 0.0 if found is None else found.part


def _told(ours: FrequencyState | DistributionState, theirs: FrequencyState | DistributionState) -> str:
    """`'UA' is 7.5% of the values, and was 14% in the batch before: about 75 of its rows are missing.` Where several values fell, and no
    more rose, others came in their place, which the mix tells; '' where none fell.
    """
    found = _found(ours, theirs) if ours.n and theirs.n else None
    if found is None:
        return ""
    if found.fell > max(1, found.rose) and isinstance(ours, FrequencyState) and isinstance(theirs, FrequencyState):
        return told_mix(ours, theirs)
    named = short_text(found.value) if isinstance(found.value, str) else plain_number(found.value)
    shares = percent(found.now / ours.n), percent(found.before / theirs.n)
    return f"{named} is {shares[0]} of the values, and was {shares[1]} in the batch before: {_of_rows(found, ours.n, theirs.n)}."


def _of_rows(found: Thinned[str] | Thinned[float], rows: int, before: int) -> str:
    """How many are missing beside the others, where it is these rows that became fewer, and not all others more."""
    others, were = rows - found.now, before - found.before
    if found.now * others > found.before * were:
        return f"it has {found.now:,} rows and had {found.before:,}, all others have {others:,} and had {were:,}"
    missing = round(found.before * others / were) - found.now if were else 0
    return f"about {missing:,} of its rows are missing" if missing > 1 else "rows of it are missing"


VALUE_LOSS = Metric(
    "value_loss", TEXT_KINDS, (FrequencyState,), 2, "ratio", "part of its rows that the value lost that lost most, beyond chance",
    pair=_loss, tells=_told, lowest=0, highest=1, share_of="rows of a value",
    says=Wording(
        "How large a part of its rows is missing of the value of which most is, beside those of all others as in the batch before. "
        "What chance moves (three standard errors) is taken off, so that it is 0 in nearly all batches, and rare values never count. "
        "A rule says what a value of so many rows may lose at most, with what chance moves; one of more rows may lose less.",
        "the part of its rows that a frequent value of {column} lost beyond chance",
        "Against the batch before a frequent value of {column} loses {low} to {high} of its share, beyond what chance moves",
        "Against the batch before a frequent value of {column} loses at least {low} of its share, beyond what chance moves",
        "No value of {column} that in the batch before {told} while the others keep theirs",
        "Against the batch before a frequent value of {column} loses {low} of its share, beyond what chance moves",
        {0.0: "No value of {column} that in the batch before {told} while the others keep theirs"}, told=_limit,
    ),
)  # fmt: skip
NUMBER_LOSS = replace(VALUE_LOSS, kinds=NUMERIC, needs=(DistributionState,))
