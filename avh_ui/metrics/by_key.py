"""Metrics of rows matched by key with the batch before: how each column's values changed. Those of keys are in `keys_matched`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from avh_ui.metrics.column import OF_ROWS
from avh_ui.metrics.keys_matched import KEY, ROWS
from avh_ui.metrics.matched_measures import measured_of, one_of, rank_change
from avh_ui.metrics.matched_numbers import Mask
from avh_ui.metrics.matching import Matched, MatchedChange, changes
from avh_ui.metrics.metric import Metric, Unit
from avh_ui.metrics.row_mistakes import mistakes, spoiled, wiped
from avh_ui.metrics.scales import RowScale
from avh_ui.metrics.wording import seldom
from avh_ui.metrics.zeros import with_zeros


def _of_values(name: str, unit: Unit, description: str, **declared: Any) -> Metric:
    """A metric of one column in the rows that both batches have."""

    def pair(ours: Matched, theirs: Matched) -> float | None:
        return one_of(ours, theirs, name)

    declared = {"pair": pair, "together": measured_of} | declared
    return Metric(name, OF_ROWS, (Matched,), 2, unit, description, lowest=0, asked=True, by_key=True, parameters=(KEY, ROWS), **declared)


def _share(name: str, description: str, which: Callable[[MatchedChange], Mask], *, named: bool = True, **declared: Any) -> Metric:
    """The share of the matched rows that `which` is of: rows that changed (`named`), or those that did not."""

    def error(ours: Matched, theirs: Matched, value: float) -> float:
        found = changes(ours, theirs)
        return 0.0 if found is None else found.joined.error(value, found.rows)

    declared = {"rows_of": which if named else None, "adds_up": named} | declared
    return _of_values(name, "ratio", description, highest=1, error=error, plain="always", **declared)


CHANGED = _share(
    "changed_share", "share of the matched rows whose value is another one", lambda c: c.changed, of_any_change=True,
    says=seldom(
        "Of the rows that both batches have: how many have another value now.", "the share of changed {column}",
        "{column} changes in at most {high} of the rows matched by {key}", "{column} never changes in the rows matched by {key}",
    ),
)  # fmt: skip
UNCHANGED = _share(
    "unchanged_share", "share of the matched rows whose value is the one before", lambda c: ~c.changed, named=False, of_quantities=True,
    says=seldom(
        "Of the rows that both batches have: how many have the same value as before.", "the share of rows with the same {column} as before",
        "{column} stays the same in at most {high} of the rows matched by {key}", "{column} changes in all the rows matched by {key}",
    ),
)  # fmt: skip
FALLEN = _share(
    "fallen_share", "share of the matched rows whose number fell", lambda c: c.fallen, of_quantities=True, did="fell",
    says=seldom(
        "Of the rows that both batches have: in how many the number fell.", "the share of fallen {column}",
        "{column} falls in at most {high} of the rows matched by {key}", "{column} never falls in the rows matched by {key}",
    ),
)  # fmt: skip
RISEN = _share(
    "risen_share", "share of the matched rows whose number rose", lambda c: c.risen, of_quantities=True, did="rose",
    says=seldom(
        "Of the rows that both batches have: in how many the number rose.", "the share of risen {column}",
        "{column} rises in at most {high} of the rows matched by {key}", "{column} never rises in the rows matched by {key}",
    ),
)  # fmt: skip
EMPTIED = _share(
    "emptied_share", "share of the matched rows whose value is gone", lambda c: c.emptied, did="lost their value",
    says=seldom(
        "Of the rows that both batches have: how many had a value and have none now.", "the share of emptied {column}",
        "{column} is lost in at most {high} of the rows matched by {key}", "{column} is never lost in the rows matched by {key}",
    ),
)  # fmt: skip
FILLED = _share(
    "filled_share", "share of the matched rows that had no value and have one", lambda c: c.filled, did="have one now",
    says=seldom(
        "Of the rows that both batches have: how many had no value and have one now.", "the share of filled {column}",
        "{column} has a value where it had none in at most {high} of the rows matched by {key}",
        "{column} never has a value where it had none in the rows matched by {key}",
    ),
)  # fmt: skip
# Rows are mixed up on one day and put right on the next: of 120 batches of a table with two exchanged rows both stood in the history, and
# the same two passed two months later, twice. Codes of which there are few take each other's by chance.
EXCHANGED = _share(
    "exchanged_share", "share of the matched rows that took each other's values", lambda c: c.exchanged, did="took each other's values",
    of_faults=True, of_quantities=True,
    says=seldom(
        "Of the rows that both batches have: how many took each other's values.", "the share of exchanged {column}",
        "At most {high} of the rows matched by {key} swap their {column} with another one",
        "No two rows matched by {key} swap their {column}",
    ),
)  # fmt: skip
# The largest row at 0 is within what the bounds of falls allow where rows fall far, and where 26 columns share a budget. Of 31,100 columns
# and days of New York's and Italy's tables that had none in 30 to 60 days 17 had one, on 10 days: faults, their mending, and one region
# that reported none.
WIPED = _share(
    "wiped_share", "share of the matched rows whose large number is 0 now, or has the other sign", wiped,
    of_faults=True, of_quantities=True, rows_of=lambda c: with_zeros(wiped(c), c.before, c.after), did=mistakes,
    says=seldom(
        "Of the rows that both batches have: how many had a large number (as large as the middle one, of counts 20 at least) and have "
        "0 now, or one of the other sign.", "the share of rows whose large {column} became 0 or changed sign",
        "At most {high} of the rows matched by {key} have 0 where {column} was large",
        "No large {column} of the rows matched by {key} becomes 0 or changes its sign",
    ),
)  # fmt: skip
# All at once, where none ever happened, with a row times ten, and what no count does, to become negative: rules of a column that one
# sentence says. Of 26 columns of New York's cases by day 23 had 4 or 5 rules, and of its rates by age 11 of 12; and that a row rises by at
# most so much stood at 13 to 34 times what any had risen by, for the row times ten alone.
SPOILED = _share(
    "spoiled_share", "share of the matched rows with another's number, 0 after a large one, ten times as much, or the other sign",
    spoiled, of_faults=True, of_quantities=True,
    rows_of=lambda c: with_zeros(spoiled(c), c.before, c.after), did=mistakes,
    says=seldom(
        "Of the rows that both batches have: how many took each other's numbers, have 0 after a large one (as large as the middle one, of "
        "counts 20 at least), one ten times as large (8 times at least, and 8 times what most rows rose by, after one that is not small, "
        "of counts 20 at least), or one of the other sign after a large one. Where nine in ten rows move nearly as far, none is a mistake.",
        "the share of rows with a mistake in {column} (exchanged numbers, 0 in place of a large one, ten times as much, or the other "
        "sign)",
        "At most {high} of the rows matched by {key} become 0, 8 times as large or of the other sign in {column}, small numbers aside, or "
        "swap theirs",
        "No single row matched by {key} becomes 0, 8 times as large or of the other sign in {column}, small numbers aside, and no two "
        "swap theirs",
    ),
)  # fmt: skip
LARGEST_FALL = _of_values(
    "largest_fall", "distance", "largest fall of a matched row's number, on a log scale",
    rows_of=lambda c: c.fallen, did="fell", scale=RowScale(up=False), of_quantities=True, of_farthest=True,
    says=seldom(
        "How far the number of a row fell at most, as a factor of the number plus 1.",
        "the largest fall of {column} of a row",
        "{column} falls by at most {high} in each row matched by {key}",
        "{column} never falls in the rows matched by {key}",
    ),
)  # fmt: skip
LARGEST_RISE = _of_values(
    "largest_rise", "distance", "largest rise of a matched row's number, on a log scale",
    rows_of=lambda c: c.risen, did="rose", scale=RowScale(up=True), of_quantities=True, of_farthest=True,
    says=seldom(
        "How far the number of a row rose at most, as a factor of the number plus 1.",
        "the largest rise of {column} of a row",
        "{column} rises by at most {high} in each row matched by {key}",
        "{column} never rises in the rows matched by {key}",
    ),
)  # fmt: skip
# On a log scale one case less of two is farther than a thousand of a million, so that bounds on counts are as wide as their smallest rows
# ask for. Square roots of counts vary alike, whatever their size (Anscombe, 1948). Of 16 documented faults of one column of counts 4 moved
# a row at least twice as far as any had moved in the 120 batches before on the log scale, and 13 on this one.
COUNT_FALL = _of_values(
    "count_fall", "distance", "largest fall of a matched row's number, on a square-root scale",
    did="fell", rows_of=lambda c: c.fallen, far_of=lambda c: c.root_step, scale=RowScale(up=False, roots=True),
    of_quantities=True, of_farthest=True,
    says=seldom(
        "How far a count of a row fell at most, on the scale of square roots, on which counts of all sizes vary alike: "
        "186 from 1,000 are as far as 6,190 from 1,000,000.",
        "the largest fall of {column} of a row",
        "{column} falls by at most {high} in each row matched by {key}",
        "{column} never falls in the rows matched by {key}",
    ),
)  # fmt: skip
COUNT_RISE = _of_values(
    "count_rise", "distance", "largest rise of a matched row's number, on a square-root scale",
    did="rose", rows_of=lambda c: c.risen, far_of=lambda c: c.root_step, scale=RowScale(up=True, roots=True),
    of_quantities=True, of_farthest=True,
    says=seldom(
        "How far a count of a row rose at most, on the scale of square roots, on which counts of all sizes vary alike: "
        "206 from 1,000 are as far as 6,210 from 1,000,000.",
        "the largest rise of {column} of a row",
        "{column} rises by at most {high} in each row matched by {key}",
        "{column} never rises in the rows matched by {key}",
    ),
)  # fmt: skip
SUM_FALLEN = _of_values(
    "sum_fallen", "ratio", "falls of the matched rows' numbers together, as a share of all numbers before", highest=2,
    rows_of=lambda c: c.fallen, did="fell", far_of=lambda c: c.after - c.before, of_quantities=True, of_farthest=True,
    says=seldom(
        "All that the numbers of rows fell by, as a share of what they were.",
        "all falls of {column} together",
        "All falls of {column} of rows matched by {key} make at most {high} of it",
        "{column} never falls in the rows matched by {key}",
    ),
)  # fmt: skip
# Of a window that moves, most rows say nothing new.
BEYOND = _of_values(
    "beyond", "distance", "farthest a number of a new or changed row lies beyond those of the batch before, on a log scale",
    rows_of=lambda c: c.changed, scale=RowScale(up=True),
    of_farthest=True,
    says=seldom(
        "How far the number of a new or changed row lies beyond all numbers of the batch before, on a log scale.",
        "the farthest {column} of a new or changed row beyond those of the batch before",
        "No {column} of a new or changed row lies more than {high} beyond those of the batch before",
        "No {column} of a new or changed row lies beyond those of the batch before",
    ),
)  # fmt: skip
RANK_CHANGE = _of_values(
    "rank_change", "distance", "1 less the rank correlation of the matched rows' numbers with those before",
    pair=rank_change, together=None, highest=2, rows_of=lambda c: c.changed, of_quantities=True,
    says=seldom(
        "How much the order of the matched rows by their numbers changes: 0 where it is the same, 1 where it is another one.",
        "the change of the order by {column}",
        "{column} is not shuffled among the rows matched by {key}",
        "The order by {column} of the rows matched by {key} never changes",
    ),
)  # fmt: skip

OF_VALUES: tuple[Metric, ...] = (
    CHANGED, UNCHANGED, FALLEN, RISEN, EMPTIED, FILLED, EXCHANGED, WIPED, SPOILED, LARGEST_FALL, LARGEST_RISE, COUNT_FALL, COUNT_RISE,
    SUM_FALLEN, BEYOND, RANK_CHANGE,
)  # fmt: skip
SUGGESTED: tuple[Metric, ...] = tuple(m for m in OF_VALUES if m is not BEYOND)
# Of a window that moves its new rows, in the place of extremes that step when a row leaves; of a series that is delivered whole each time,
# too: what is new is all its news.
OF_MOVING: tuple[Metric, ...] = (*SUGGESTED, BEYOND)
