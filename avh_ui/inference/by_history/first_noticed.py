"""What every program is to notice before anything else, by the names of synthetic issues, and in which order."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from avh_ui.issues.amounts import ONE_FAR, ROUNDED
from avh_ui.issues.dating import FAR_AHEAD, HALF_OFF, LATER, LONG_AGO, MIDNIGHT, NO_ZONE
from avh_ui.issues.losing import HALVED_LEAST, HALVED_MOST, RAREST
from avh_ui.issues.prose import CAPITALS, CUT, ONE_TEXT

# By the name of the synthetic issue what it is in words: what README.md promises, so that it is said where it is not noticed.
PROMISED = {
    "volume_change 50%": "half of the rows missing",
    "volume_change x2": "every row twice",
    "increased_nulls 50% null": "half of its values null",
    # What notices the smaller of the two notices the larger mostly.
    "unit_change x1.609 of 50%": "half of its values in another unit (miles as kilometres)",
    "unit_change x10 of 50%": "half of its values ten times as large",
}
# Shares that move between values.
MIX = "mix_change 50%"
# All of a column in another unit: what notices half of it by the rows that differ from the others has nothing to say there. Of New York's
# weekly rates by age 8 of 11 columns times 1,000 passed, with bounds of 1 false alarm in 27 years left out.
WHOLE = ("unit_change x10", "unit_change x1000")
# A column that is 0, one value, or a neighbour's, as a failed join, a stuck sensor or a shifted file leaves it: half of the rows first,
# since what notices them notices all mostly. A day of flights whose times of departure were all 0 passed 57 rules.
LEVELLED = (
    "increased_nulls 50% zero", "increased_nulls 100% zero", "one_value 50%", "one_value 100%", "unit_change a tenth of 50%",
    "unit_change a tenth of 100%", "schema_change 50%",
)  # fmt: skip
# A fifth of the rows with one value, as a default leaves it: what notices that for little notices most of the above; where it is dear it
# waits for what is left.
DEFAULT = "default_value 20%"
# The other classes of coverage at half of the rows: noticed first where the budget goes so far. Rows of the batch before come again under a
# new date, where each batch has numbers or texts of its own. Then what befalls names, texts of people, dates and amounts alone.
COVERED = (
    *WHOLE, *LEVELLED, "stale 50%", "value_renamed 50%", "character_deletion 50%", "padding 50% trailing", "unit_change below zero",
    HALVED_MOST, HALVED_LEAST, MIX, RAREST, "value_lost 5%", "value_lost 20%", ONE_TEXT, CUT, CAPITALS,
    LATER, MIDNIGHT, LONG_AGO, FAR_AHEAD, NO_ZONE, *HALF_OFF, DEFAULT, ONE_FAR, ROUNDED,
)  # fmt: skip
# In this order: what is promised comes before all else.
FIRST = (*PROMISED, *COVERED)


def in_turn(names: Sequence[str], share: float) -> Iterator[tuple[str, float]]:
    """Of the issues called `names` those that are asked for in their order, with what noticing each may cost: a default in numbers an even
    `share` at first.
    """
    early = (DEFAULT,) if not set(LEVELLED).isdisjoint(names) else ()
    for some, dearest in ((PROMISED, math.inf), (early, share), (COVERED, math.inf)):
        yield from ((name, dearest) for name in some if name in names)
