"""All that is measured of a column in matched rows, at once: each metric (`by_key`) takes its own of it.

One function and not one for each metric: of a small batch of 20 columns 320 of them took most of the time of its distances.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from avh_ui.metrics.matching import Matched, MatchedChange, changes
from avh_ui.metrics.remembering import kept_beside
from avh_ui.metrics.row_mistakes import spoiled_rows, wiped_rows

# Of fewer rows there is no correlation of ranks.
_RANKED = 3
_NOTHING: Mapping[str, float | None] = {}
_BY_EXCHANGES = frozenset({"exchanged_share", "spoiled_share"})


def measured_of(ours: Matched, theirs: Matched) -> Mapping[str, float | None]:
    """Of a column beside the batch before what its metrics are, by name; nothing where no rows match, or one side lacks the column."""
    found = changes(ours, theirs)
    return _NOTHING if found is None else {**_measured(found), **_of_exchanges(found)}


def one_of(ours: Matched, theirs: Matched, name: str) -> float | None:
    """The same of one metric: whether rows took each other's values takes most of the time, and most do not ask."""
    found = changes(ours, theirs)
    return None if found is None else (_of_exchanges if name in _BY_EXCHANGES else _measured)(found).get(name)


@kept_beside
def _measured(change: MatchedChange) -> dict[str, float | None]:
    """What needs no look at whose value a row has: those that are not there are undefined."""
    changed, rows = change.changed_rows, change.rows
    if not changed:
        shares = {"changed_share": 0.0, "unchanged_share": 1.0, "emptied_share": 0.0, "filled_share": 0.0}
        return {**shares, **_of_still_numbers(change)} if change.numeric else {**shares}
    found: dict[str, float | None] = {
        "changed_share": changed / rows,
        "unchanged_share": (rows - changed) / rows,
        "emptied_share": change.emptied_rows / rows,
        "filled_share": change.filled_rows / rows,
    }
    return {**found, **_of_numbers(change)} if change.numeric else found


@kept_beside
def _of_exchanges(change: MatchedChange) -> dict[str, float | None]:
    exchanged = change.exchanged_rows if change.changed_rows else 0
    found: dict[str, float | None] = {"exchanged_share": exchanged / change.rows}
    if change.numeric:
        found["spoiled_share"] = spoiled_rows(change, exchanged) / change.rows if change.changed_rows else 0.0
    return found


def _of_still_numbers(change: MatchedChange) -> dict[str, float | None]:
    numbers, at = change.numbers, change.at
    pairs = numbers.pairs[at]
    far = 0.0 if pairs else None
    return {
        "fallen_share": 0.0,
        "risen_share": 0.0,
        "wiped_share": 0.0,
        "largest_fall": far,
        "largest_rise": far,
        "count_fall": far,
        "count_rise": far,
        # Of nothing but zeros there is no share.
        "sum_fallen": numbers.fallen_sum[at],
        "beyond": numbers.beyond[at],
    }


def _of_numbers(change: MatchedChange) -> dict[str, float | None]:
    numbers, at, rows = change.numbers, change.at, change.rows
    found: dict[str, float | None] = {
        "fallen_share": numbers.fallen_rows[at] / rows,
        "risen_share": numbers.risen_rows[at] / rows,
        "wiped_share": wiped_rows(change) / rows,
        "sum_fallen": numbers.fallen_sum[at],
        "beyond": numbers.beyond[at],
    }
    if numbers.pairs[at]:
        (least, most), (root_least, root_most) = numbers.farthest, numbers.root_farthest
        found |= {
            "largest_fall": max(0.0, -least[at]),
            "largest_rise": max(0.0, most[at]),
            "count_fall": max(0.0, -root_least[at]),
            "count_rise": max(0.0, root_most[at]),
        }
    return found


def rank_change(ours: Matched, theirs: Matched) -> float | None:
    """One less Spearman's correlation of the numbers before and after; None below 3 rows or where either side is constant. By itself, as
    nobody suggests rules on it.
    """
    change = changes(ours, theirs)
    if change is None or not change.numeric:
        return None
    numbers, at = change.numbers, change.at
    if change.still:
        return 0.0 if numbers.pairs[at] >= _RANKED and numbers.varies[at] else None
    correlation = numbers.rank_correlation[at]
    return None if math.isnan(correlation) else max(0.0, 1.0 - correlation)
