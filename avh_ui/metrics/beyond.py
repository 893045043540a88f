"""How many numbers of a batch are beyond all of another batch, told from the states alone: which rows moved a mean, where no key tells."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from avh_ui.metrics.distribution import DistributionState
from avh_ui.metrics.metric import States, find
from avh_ui.metrics.mix_words import plain_number

# A single number beyond those of the batch before is nothing new: of as many drawn from the same numbers again one is, on average.
_LEAST, _SHARE = 5, 0.01
# So far from the middle then the middle of those is told as a factor.
_FAR = 3.0


@dataclass(frozen=True)
class Beyond:
    """`count` of `n` numbers are `above` (else below) `limit`, the largest (smallest) of the other batch; `factor` times its middle number
    is that of these, None where that says nothing. Of a sketch the count is `about` so many.
    """

    count: int
    n: int
    above: bool
    limit: float
    factor: float | None
    about: bool

    def words(self, column: str, batch: str) -> str:
        """As a sentence."""
        side, end = ("above", "largest") if self.above else ("below", "smallest")
        count = f"{'About ' if self.about else ''}{self.count:,} of {self.n:,}"
        factor = "" if self.factor is None else plain_number(float(f"{self.factor:.2g}"))
        times = f": in the middle {factor} times what was in the middle then" if factor else ""
        return f"{count} values of {column} are {side} {plain_number(self.limit)}, the {end} in {batch}{times}."


def beyond(ours: States, theirs: States) -> Beyond | None:
    """The side on which more numbers are beyond those of the other batch; None where there are a few, or one has no numbers."""
    now, then = find(ours, DistributionState), find(theirs, DistributionState)
    if now is None or then is None or not now.n or not then.n:
        return None
    (values, shares), (before, _) = now.support(), then.support()
    found = []
    for above in (True, False):
        limit = float(before[-1 if above else 0])
        out = values > limit if above else values < limit
        found.append((float(shares[out].sum()), above, limit, out))
    share, above, limit, out = max(found, key=lambda one: one[0])
    count = round(share * now.n)
    if count < _LEAST or share < _SHARE:
        return None
    upto = np.cumsum(shares[out])
    middle, usual = float(values[out][np.searchsorted(upto, upto[-1] / 2)]), then.median()
    factor = middle / usual if usual and (middle / usual >= _FAR) else None
    return Beyond(count, now.n, above, limit, factor, about=not now.exact)
