"""Values of the batch before that come again, in a column that has others in each batch: its rows under a new date."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from avh_ui.issues.sample import Floats, Sample
from avh_ui.issues.swapping import filled, some_of, swapped
from avh_ui.issues.variants import Variant
from avh_ui.metrics.distinct import merge_sketches, sketch_of
from avh_ui.metrics.distribution import DistributionState
from avh_ui.metrics.frequencies import FrequencyState
from avh_ui.metrics.metric import find
from avh_ui.metrics.new_each_time import THERE_BEFORE
from avh_ui.metrics.profile import ColumnProfile

COMING_AGAIN = "stale"
# As much as coverage tells of.
_SHARES = (0.1, 0.5, 1.0)


def coming_again(sample: Sample, before: ColumnProfile, *, seed: int = 0) -> Iterator[Variant]:
    """The sample with shares of its values those of the batch before; nothing where its numbers do not begin above them, or it has one of
    their texts.
    """
    there, rng = filled(sample), np.random.default_rng([seed, 79])
    texts = find(before.states, FrequencyState)
    if sample.kind == before.kind == "string" and texts is not None and not texts.exact:
        yield from _sketched(sample, texts, rng)
        return
    old = _before(sample, before, len(there)) if before.kind == sample.kind and len(there) else None
    if old is None:
        return
    for share in _SHARES:
        # No more than there are, so that none stands twice.
        rows = some_of(there, min(share, len(old) / len(there)), rng)
        again = swapped(sample, rows, old, np.sort(rng.choice(len(old), len(rows), replace=False)))
        if again is not None:
            yield Variant(COMING_AGAIN, f"{COMING_AGAIN} {100 * share:g}%", share, again)


def _sketched(sample: Sample, theirs: FrequencyState, rng: np.random.Generator) -> Iterator[Variant]:
    """The sample where the frequencies alone are those of shares of their texts and of others: a sketch says which it has seen, and not
    what they are.
    """
    if THERE_BEFORE.value(sample.states(), {theirs.key: theirs}) != 0:
        return
    for share in _SHARES[1:]:
        others = sketch_of(rng.integers(np.iinfo(np.int64).max, size=round(theirs.distinct() * (1 / share - 1))))
        hll = merge_sketches(theirs.hll, others) if share < 1 else theirs.hll
        rows = round(theirs.distinct() / share)
        known = {theirs.key: FrequencyState({}, rows, 1, hll, grouped=rows)}
        yield Variant(COMING_AGAIN, f"{COMING_AGAIN} {100 * share:g}%", share, sample, known=known)


def _before(sample: Sample, before: ColumnProfile, most: int) -> Floats | pa.Array | None:
    """Different values of the batch before; None where there is none, or the sample's are not all new."""
    numbers, texts = find(before.states, DistributionState), find(before.states, FrequencyState)
    if sample.kind == "numeric" and numbers is not None and numbers.n:
        old = _numbers(numbers, most)
        return old if np.min(np.asarray(sample.values)[sample.codes[filled(sample)]]) > old[-1] else None
    if sample.kind != "string" or texts is None or not texts.exact or not texts.table:
        return None
    new = not THERE_BEFORE.value(sample.states(), before.states)
    return pa.array(list(texts.table), pa.large_string()) if new else None


def _numbers(state: DistributionState, most: int) -> Floats:
    """Distinct numbers of a distribution, ascending: its own, or of a sketch about `most` whose ranks are evenly far apart. These are no
    whole numbers, so that none falls on another.
    """
    values, shares = state.support()
    if state.exact:
        return values
    count = min(most, state.n)
    return np.unique(
        np.append(np.interp((np.arange(count) + 0.5) / count, np.append(0, np.cumsum(shares)), np.append(values[0], values)), values[-1])
    )
