"""What a column of numbers is: the rules in their order, each with what speaks for it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from avh_ui.config import ColumnKind
from avh_ui.constraints.date_parts import PARTS, part_followed
from avh_ui.inference.kinds.called import named
from avh_ui.inference.kinds.facts import ColumnFacts, Floats, agreement
from avh_ui.inference.kinds.flags import flag
from avh_ui.inference.kinds.grids import grid, rounded_by_people, step_between
from avh_ui.inference.kinds.names import COUNTED_SO, HOUR, LATITUDE, MINUTE, NAMED, NAMED_SORT, PLACE, PLACE_IN_FULL, SORT
from avh_ui.inference.kinds.year_so_far import is_year_so_far
from avh_ui.metrics.moments import MAX, MEAN, MIN, RANGE

Said = tuple[ColumnKind, str]
# Of so many distinct values chance makes no times of day: 6 of 10 numbers end in less than 60. Counts up to some hundreds have few hours.
_TIMES, _HOURS = 24, 6
# A batch with fewer rows has unique values by chance; where the name says so too, fewer are enough.
KEY_ROWS, _NAMED_ROWS = 100, 10
# From here on two quantities rise together: distance and time in the air do by .99, flight numbers and distances by .5.
_TOGETHER = 0.8
# A column only grows when it never falls but in one of twenty steps (corrections), and grows in every second.
_FALLS, _GROWS = 0.05, 0.5
# After so many equal steps another size of step is news: those of chance are of two sizes within three or four.
_COUNTED = 14
# With so many pairs of equal numbers to be expected, none is there by chance in 5 of 100 histories.
_TWINS = 3
# What so many of come again are the keys of a list; what is above nearly all of the batch before are numbers that go on.
_COME_AGAIN, _GO_ON = 0.5, 0.9
# Of numbers from 1 on, or drawn between 0 and any other, one in a hundred is less than a hundredth of the largest.
_SMALL, _MOSTLY = 0.01, 0.5
# A list that is numbered anew, as invoices are every year, has hardly a gap; seconds that count up have one after each row.
_GAPS, _FAR_BELOW = 2.0, 0.5
# Shorter numbers are of one length by chance: amounts from 10,000 to 99,999.
_LENGTH = 6
# Fewer different values than this may be a list of codes, and of what is named as a sort; of so many rows for each none is missing by
# chance.
_LISTED, _SORTS, _ROWS_EACH = 10, 20, 20
# Of shares some are so large.
_TENTH = 0.1
# Hardly one of the numbers between: 5, 10, 15, 30 and 60 minutes are 5 of 12.
_HARDLY = 4
# So many of a place's degrees have three decimals or more.
_FINE = 0.5
# Each of so many rows, so that it did not merely happen.
_EACH = 5


def calendar(facts: ColumnFacts) -> Said | None:
    """One number a batch that its date says, or a date."""
    batches = facts.history.batches
    moments = facts.history.kind == "temporal"
    single = facts.always(RANGE, 0.0)
    means = facts.history.values.get((MIN if moments else MEAN).name)
    if single and means is not None and (part := part_followed(means, batches, facts.history.column, moments=moments)):
        words = f"in all {len(batches):,} batches it is the {PARTS[part].words} that their ids name"
        return ("batch key" if moments or part.startswith("year, month") else "calendar part"), words
    if single and means is not None and not moments and is_year_so_far(facts, means):
        return "calendar part", f"it is {means[0]:g} in all rows of {len(batches):,} batches, the year of nearly all of them"
    if moments:
        ends = {part_followed(facts.series(end), batches, "", moments=True) for end in (MIN, MAX)}
        return "date", "its values are moments" + (" that move with the batch's date" if ends != {""} and ends else "")
    return None


def constant(facts: ColumnFacts) -> Said | None:
    """One value in all rows of all batches."""
    means = facts.series(MEAN)
    if facts.always(RANGE, 0.0) and len(means) and np.all(means == means[0]):
        return "constant", f"it is {means[0]:g} in all rows of {len(means):,} batches"
    return None


def numbered(facts: ColumnFacts) -> Said | None:
    """One number a batch that grows by the same step from each to the next: the batches are counted, whatever the column is called."""
    steps = np.diff(facts.series(MEAN))
    if len(steps) >= _COUNTED and facts.always(RANGE, 0.0) and facts.whole and steps[0] > 0 and np.all(steps == steps[0]):
        return (
            "batch key",
            f"one number in all rows of a batch, and {steps[0]:g} more in each of {len(steps):,} batches than in the one before",
        )
    return None


def clock(facts: ColumnFacts) -> Said | None:
    """Whole numbers up to 2400 whose last two digits are minutes, in several hours: of those below 100, counts are such numbers, too."""
    hours = facts.distinct[facts.distinct >= 100] // 100
    if not (facts.whole and facts.lowest >= 0 and facts.highest <= 2400 and len(hours) >= _TIMES and len(np.unique(hours)) >= _HOURS):
        return None
    if np.all(facts.distinct % 100 < 60):
        return (
            "clock code",
            f"whole numbers up to {facts.highest:.0f}, whose last two digits are below 60 in {len(facts.distinct):,} values",
        )
    return None


def of_clock(facts: ColumnFacts, clocks: Sequence[ColumnFacts]) -> Said | None:
    """The hours or minutes of a clock code beside it, or what never goes beyond 23 or 59 and always reaches them, or is called so."""
    if not facts.whole or not facts.lowest >= 0 or not facts.highest <= 59:
        return None
    for other in clocks:
        if len(other.numbers) == len(facts.numbers) > 0:
            if np.array_equal(facts.numbers, other.numbers // 100):
                return "hour", f"it is the hours of {other.history.column} in all rows of the sample"
            if np.array_equal(facts.numbers, other.numbers % 100):
                return "minute", f"it is the minutes of {other.history.column} in all rows of the sample"
    found: tuple[tuple[ColumnKind, int, re.Pattern[str]], ...] = (("hour", 23, HOUR), ("minute", 59, MINUTE))
    for kind, last, called in found:
        if called.search(facts.name) and facts.highest <= last:
            return kind, f"whole numbers from {facts.lowest:.0f} to {facts.highest:.0f}, called a {kind}".replace("a hour", "an hour")
        ends = facts.series(MAX)
        if facts.highest == last and np.mean(ends == last) >= 0.5 and len(facts.distinct) >= last / 2:
            return kind, f"whole numbers from {facts.lowest:.0f} to {last}, which most batches reach and none exceeds"
    return None


def _grid(facts: ColumnFacts) -> Said | None:
    """Numbers on a grid, but for the hours of a day and its minutes, which have limits."""
    why = None if of_clock(facts, ()) else grid(facts)
    return None if why is None else ("category", why)


def _flag(facts: ColumnFacts) -> Said | None:
    """0 or 1, which is a name of two."""
    why = flag(facts)
    return None if why is None else ("category", why)


def identifier(facts: ColumnFacts, before: Floats) -> Said | None:
    """Whole numbers no two rows share, and not only since few numbers lie far apart; `before` are those of the batch before."""
    if facts.whole and facts.values >= KEY_ROWS and facts.unique and not (_of_all_sizes(facts) or _apart_by_chance(facts, before)):
        return "identifier", "no value occurs twice in any batch"
    if facts.whole and facts.unrepeated and not (_of_all_sizes(facts) or _apart_by_chance(facts, before)):
        return "identifier", "about all values differ in every batch, in the sample all, which chance would not make"
    if not facts.whole or not _is_named(facts, before):
        return None
    if facts.values >= _NAMED_ROWS and facts.unique:
        return "identifier", "no value occurs twice in any batch, and it is named as a code"
    if facts.unrepeated:
        return "identifier", "about all values differ in every batch, in the sample all, and it is named as a code"
    return None


def _is_named(facts: ColumnFacts, before: Floats) -> bool:
    """Whether a column is named as a code; where the name may be that of a count, its values come again, go on, or are of one length."""
    if not NAMED.search(facts.name):
        return False
    return not COUNTED_SO.search(facts.name) or not (_of_all_sizes(facts) or _apart_by_chance(facts, before))


def _of_all_sizes(facts: ColumnFacts) -> bool:
    """Whether most are less than a hundredth of the largest: so are the inhabitants of countries, which come again as they were until one
    is counted anew, and no numbers that are handed out.
    """
    sizes = np.abs(facts.distinct)
    return bool(len(sizes)) and float(np.mean(sizes < _SMALL * sizes.max())) > _MOSTLY


def _apart_by_chance(facts: ColumnFacts, before: Floats) -> bool:
    """Whether they differ without being names: numbers drawn from as wide a range would, or they count up and begin anew now and then. Not
    where they come again, go on from batch to batch and never back, or are of one length, as numbers that are handed out.
    """
    there, ranges = facts.history.values_there(), facts.history.values.get(RANGE.name)
    if there is None or ranges is None:
        return False
    anew = counter(facts) is not None and _begins_anew(facts) and float(np.nanmedian(ranges / there)) > _GAPS
    if not anew and float(np.nansum(there**2 / (2 * (ranges + 1)))) >= _TWINS:
        return False
    if len(before) and _returning(facts.distinct, before) >= _COME_AGAIN:
        return False
    lowest, highest, means = (facts.series(metric) for metric in (MIN, MAX, MEAN))
    if len(means) > 1 and np.mean(means[1:] > highest[:-1]) >= _GO_ON and np.all(np.diff(highest) >= 0):
        return False
    return not (lowest.min() >= 10 ** (_LENGTH - 1) and len(f"{lowest.min():.0f}") == len(f"{highest.max():.0f}"))


def _begins_anew(facts: ColumnFacts) -> bool:
    """Whether in some batch all is far below the end of the batch before."""
    highest = facts.series(MAX)
    return bool(np.any(highest[1:] < _FAR_BELOW * highest[:-1]))


def share(facts: ColumnFacts) -> Said | None:
    """Between 0 and 1, and not only these. Of what never was a tenth 1 is no end: "between 0 and 1" was said of 0.002."""
    if facts.lowest >= 0 and _TENTH <= facts.highest <= 1 and not facts.whole:
        return "share", f"fractions from {facts.lowest:g} to {facts.highest:g}"
    return None


def coordinate(facts: ColumnFacts) -> Said | None:
    """Degrees with three decimals or more, named as a place on the Earth, or named so in full, whatever their decimals."""
    if not (facts.lowest >= -180 and facts.highest <= 180) or not len(facts.numbers):
        return None
    fine = not facts.whole and np.mean(np.abs(facts.distinct * 100 - np.round(facts.distinct * 100)) > 1e-6) >= _FINE
    if not (fine and PLACE.search(facts.name)) and not PLACE_IN_FULL.search(facts.name):
        return None
    high = LATITUDE.search(facts.name) and facts.lowest >= -90 and facts.highest <= 90
    said = f"from {facts.lowest:g} to {facts.highest:g}" + (" with three decimals or more" if fine else "")
    return "latitude" if high else "coordinate", f"{said}, and named as a place"


def listed(facts: ColumnFacts, before: Floats) -> Said | None:
    """A few whole numbers, the same in all batches, with gaps: a count that is 1 and 3 in many rows is 2 in some. What goes by steps of one
    size from 0 (0, 5, 10 %) is a quantity.
    """
    values = np.unique(np.concatenate([facts.distinct, before, facts.series(MIN), facts.series(MAX)]))
    sorts = bool(NAMED_SORT.search(facts.name))
    most, each = (_SORTS, _EACH) if sorts else (_LISTED, _ROWS_EACH)
    if not (facts.whole and 2 <= len(values) < most and facts.values >= each * len(values)):
        return None
    words = f"{', '.join(f'{value:.0f}' for value in values[:-1])} and {values[-1]:.0f} in all batches"
    gaps, step = np.diff(values), int(np.gcd.reduce(values.astype(np.int64)))
    if gaps.min() > max(1, step):
        return "code", f"{words}, and none between them"
    if facts.lowest < 0 or not np.array_equal(facts.distinct, before):
        return None
    if sorts:
        return "code", f"{words}, and it is named as what sorts rows"
    # Some lie beside each other, as branches 101, 102, 205 and 310.
    if gaps.max() <= step or np.unique(facts.numbers, return_counts=True)[1].min(initial=len(facts.numbers)) < _EACH:
        return None
    if _HARDLY * len(values) <= (values[-1] - values[0]) / step:
        return "code", f"{words}, and hardly one of the numbers between them"
    return ("code", f"{words}, not all between them, and it is named as what sorts rows") if SORT.search(facts.name) else None


def counter(facts: ColumnFacts) -> Said | None:
    """Numbers that grow from batch to batch and hardly ever fall."""
    steps = np.diff(facts.series(MEAN))
    if len(steps) < 6 or not facts.whole or not facts.lowest >= 0:
        return None
    if np.mean(steps < 0) <= _FALLS and np.mean(steps > 0) >= _GROWS:
        return "counter", f"its mean rose in {int((steps > 0).sum()):,} of {len(steps):,} steps and fell in {int((steps < 0).sum()):,}"
    return None


def code(facts: ColumnFacts, others: Sequence[ColumnFacts], before: Floats) -> Said | None:
    """Whole numbers that return exactly, batch after batch, where their neighbours do not, and that rise with nothing else: or that are
    named as codes and return.
    """
    if not facts.whole or not facts.lowest >= 0 or len(facts.distinct) < 10 or not len(before):
        return None
    back, step = _returning(facts.distinct, before), step_between(facts)
    near = max(_returning(facts.distinct, before + times * size) for size in {1.0, step} for times in (1.0, 2.0, 3.0))
    sparse = len(facts.distinct) <= 0.5 * (facts.distinct[-1] - facts.distinct[0])
    words = f"{100 * back:.0f}% of its values were there in the batch before, and {100 * near:.0f}% of their neighbours"
    if back >= _COME_AGAIN and sparse and _is_named(facts, before):
        return "code", f"{words}; and it is named as a code"
    if _of_all_sizes(facts) or rounded_by_people(facts):
        return None
    if back >= _COME_AGAIN and back >= 1.5 * near and sparse and all(agreement(facts, other) < _TOGETHER for other in others):
        return "code", f"{words}; it rises with no other column"
    return None


def _returning(values: Floats, before: Floats) -> float:
    return float(np.isin(values, before).mean())


def quantity(facts: ColumnFacts) -> Said:
    """A count where small whole numbers occur, else a measure."""
    if facts.whole and 0 <= facts.lowest <= 1:
        return "count", f"whole numbers from {facts.lowest:.0f} on"
    return "measure", "numbers" + ("" if np.isnan(facts.lowest) else f" from {facts.lowest:g} to {facts.highest:g}")


# Those that need the column alone, in their order: before and after it is asked whether it names rows.
_FIRST: tuple[Callable[[ColumnFacts], Said | None], ...] = (calendar, constant, numbered, clock)
_THEN: tuple[Callable[[ColumnFacts], Said | None], ...] = (_grid, share, _flag, coordinate, named, counter)


def kinds_of_numbers(columns: Mapping[str, ColumnFacts], before: Mapping[str, Floats]) -> dict[str, Said]:
    """What each of a table's columns of numbers is; `before` has the distinct numbers of the batch before where they are known."""
    found: dict[str, Said] = {}
    for name, facts in columns.items():
        said = _first(facts, _FIRST) or identifier(facts, before.get(name, np.empty(0))) or _first(facts, _THEN)
        if said is not None:
            found[name] = said
    clocks = [columns[name] for name, (kind, _) in found.items() if kind == "clock code"]
    for name, facts in columns.items():
        if name not in found and (said := of_clock(facts, clocks)) is not None:
            found[name] = said
    left = [name for name in columns if name not in found]
    for name in left:
        others = [columns[other] for other in left if other != name]
        known = before.get(name, np.empty(0))
        found[name] = code(columns[name], others, known) or listed(columns[name], known) or quantity(columns[name])
    return found


def _first(facts: ColumnFacts, rules: Sequence[Callable[[ColumnFacts], Said | None]]) -> Said | None:
    return next((said for rule in rules if (said := rule(facts)) is not None), None)
