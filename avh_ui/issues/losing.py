"""Values that are lost: of one that the batch before had, none of the rows comes, as all come as another; or half of its rows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from avh_ui.issues.renaming import repeats
from avh_ui.issues.sample import Sample
from avh_ui.issues.swapping import filled, swapped
from avh_ui.issues.thinning import MANY
from avh_ui.issues.variants import Variant
from avh_ui.metrics.distribution import DistributionState
from avh_ui.metrics.frequencies import FrequencyState
from avh_ui.metrics.metric import find
from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.state import State

LOST = "value_lost"
# Where the rarest is not noticed, since rare ones come and go, a more frequent one may be.
RAREST, _SHARES = f"{LOST} rarest", (0.05, 0.2)
RARE = (RAREST, f"{LOST} {_SHARES[0]:.0%}")
# Of fewer rows a value is a chance one. It is tried as of a batch of so many times the rows of the one before, where that it is gone is no
# chance (`metrics.values_gone`: from 6 rows on): the latest may be a Sunday, on which it would be.
_LEAST_ROWS, _TIMES = 8, 10
HALVED = "value_halved"
HALVED_MOST, HALVED_LEAST = f"{HALVED} most", f"{HALVED} least"


def lost_values(sample: Sample, before: ColumnProfile) -> Iterator[Variant]:
    """The sample where one value is lost to the most frequent one: the rarest of which the batch before had some rows, and for each share
    the most frequent of those that no more of them had; nothing where values do not come again and again.
    """
    theirs = _counts(before) if before.kind == sample.kind and repeats(sample) else {}
    there, total, tried = filled(sample), sum(theirs.values()), set[str | float]()
    codes, counts = np.unique(sample.codes[there], return_counts=True)
    to = int(codes[np.argmax(counts)]) if len(codes) else 0
    places = {_value_of(sample, int(code)): int(code) for code in codes if code != to}
    able = sorted((count, value) for value, count in theirs.items() if value in places and _LEAST_ROWS <= count <= _SHARES[-1] * total)
    upto = {f"{LOST} {100 * share:g}%": [one for one in able if one[0] <= share * total] for share in _SHARES}
    for name, some in {RAREST: able[:1], **{name: some[-1:] for name, some in upto.items()}}.items():
        count, value = some[0] if some else (0, "")
        if not some or value in tried:
            continue
        tried.add(value)
        rows = np.flatnonzero(sample.codes == places[value])
        changed = swapped(sample, rows, sample.values, np.full(len(rows), to))
        if changed is not None:
            yield Variant(LOST, name, count / total, changed, known=_larger(changed, total))


def halved_values(sample: Sample, before: ColumnProfile) -> Iterator[Variant]:
    """The sample without half of the rows of one value: of the most frequent, and of the rarest of which the batch before had `MANY`, as it
    had of all others. The mix is that of the batch before, less these rows: what else moved since is no matter of theirs.
    """
    theirs = _counts(before) if before.kind == sample.kind and repeats(sample) else {}
    total, codes = sum(theirs.values()), {_value_of(sample, int(code)): int(code) for code in np.unique(sample.codes[filled(sample)])}
    able = sorted((count, value) for value, count in theirs.items() if value in codes and MANY <= count <= total - MANY)
    for name, some in {HALVED_MOST: able[-1:], HALVED_LEAST: able[:-1][:1]}.items():
        for count, value in some:
            gone = np.flatnonzero(sample.codes == codes[value])[::2]
            changed = Sample(sample.kind, sample.values, np.delete(sample.codes, gone)).compact()
            yield Variant(HALVED, name, count / total, changed, known=_without(before, value, count // 2))


def _without(before: ColumnProfile, value: str | float, rows: int) -> dict[str, State]:
    """The frequencies of the batch before with so many rows less of a value."""
    numbers, texts = find(before.states, DistributionState), find(before.states, FrequencyState)
    if texts is not None and isinstance(value, str):
        return {texts.key: replace(texts, table={**texts.table, value: texts.table[value] - rows}, n=texts.n - rows)}
    return {} if numbers is None else {numbers.key: replace(numbers, counts=numbers.counts - rows * (numbers.values == value))}


def _value_of(sample: Sample, code: int) -> str | float:
    value = sample.values[code]
    return float(value) if sample.is_number else str(value.as_py())


def _counts(before: ColumnProfile) -> dict[str | float, int]:
    """The values of the batch before with their rows; none where it has too many to be counted one by one."""
    numbers, texts = find(before.states, DistributionState), find(before.states, FrequencyState)
    if texts is not None and texts.exact:
        return dict[str | float, int](texts.table.items())
    if numbers is not None and numbers.exact:
        return dict(zip(numbers.values.tolist(), numbers.counts.tolist(), strict=True))
    return {}


def _larger(sample: Sample, rows: int) -> dict[str, State]:
    """The frequencies of the sample as those of `_TIMES` so many rows, in the same shares."""
    states = sample.states()
    numbers, texts = find(states, DistributionState), find(states, FrequencyState)
    if texts is not None:
        times = math.ceil(_TIMES * rows / texts.n)
        return {texts.key: replace(texts, table={value: times * count for value, count in texts.table.items()}, n=times * texts.n)}
    if numbers is None or not numbers.exact:
        return {}
    return {numbers.key: replace(numbers, counts=math.ceil(_TIMES * rows / numbers.n) * numbers.counts)}
