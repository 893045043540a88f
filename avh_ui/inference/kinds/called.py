"""Whole numbers that are names by what their column is called, or by how long they are."""

from __future__ import annotations

import numpy as np

from avh_ui.config import ColumnKind
from avh_ui.inference.kinds.facts import ColumnFacts
from avh_ui.inference.kinds.names import NAME, NUMBER, ONE_OF, RANK, YEAR

# From here on a number may be that of a document.
_DIGITS = 100
# A million of the smallest unit of a currency of which one has 18 decimals, as tokens have.
_COUNTABLE = 1e24
# Years of our time.
_YEARS = 1900, 2100
# Of fewer different ones a few slips may be the longest.
_SOME = 10


def named(facts: ColumnFacts) -> tuple[ColumnKind, str] | None:
    """Whole numbers that the column's name calls a name: customers, documents; or that are longer than anything counted, as the serial
    numbers of certificates are. Of such no sum, level or smallest means anything.
    """
    if not facts.whole or facts.highest <= 1:
        return None
    if len(facts.distinct) >= _SOME and (most := float(np.median(np.abs(facts.distinct)))) >= _COUNTABLE:
        return "code", f"whole numbers, most of {int(np.log10(most))} digits and more, as nothing is counted"
    if RANK.search(facts.name):
        return "code", f"whole numbers from {facts.lowest:.0f} to {facts.highest:.0f}, and it is named as the order of its rows"
    if not facts.lowest >= 0:
        return None
    if YEAR.search(facts.name) and _YEARS[0] <= facts.lowest and facts.highest <= _YEARS[1]:
        # A list of the years so far ends on 31 December.
        return None
    name = NAME.search(facts.name) or ONE_OF.search(facts.name)
    if name or (NUMBER.search(facts.name) and facts.lowest >= _DIGITS):
        return "code", f"whole numbers from {facts.lowest:.0f} to {facts.highest:.0f}, and it is named as a code"
    return None
