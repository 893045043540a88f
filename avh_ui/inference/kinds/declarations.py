"""The kinds of columns: what each is, which metrics mean something for it, what these say, and between which values it lies by nature.

A metric that a kind does not name is not suggested for it: the mean of clock codes, the sum of months and the smallest flight number are
numbers without a meaning.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from avh_ui.config import ColumnKind
from avh_ui.constraints.column_kind import KnownKind
from avh_ui.metrics.by_key import EXCHANGED
from avh_ui.metrics.clocks import CLOCK_DIST
from avh_ui.metrics.conditions import COMPLIANCE
from avh_ui.metrics.counts import COMPLETE_RATIO
from avh_ui.metrics.dates import DAYS
from avh_ui.metrics.distances import NUMBER_DISTANCES, SHAPE_DISTANCES, TEXT_DISTANCES
from avh_ui.metrics.distribution import MEDIAN
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.moments import MAX, MEAN, MIN, RANGE, STANDARD_DEVIATION, SUM
from avh_ui.metrics.most_frequent import TOP_RATIO
from avh_ui.metrics.text import CAPITAL_RATIO, CHAR_LEN, DIGIT_LEN, MAX_LENGTH, MIN_LENGTH, PUNC_LEN, STR_LEN
from avh_ui.metrics.uniqueness import DIST_VAL_COUNT, UNIQUE_RATIO
from avh_ui.metrics.values_gone import GONE
from avh_ui.metrics.values_thinned import VALUE_LOSS
from avh_ui.metrics.whole_numbers import WHOLE_RATIO

_FILLED = {COMPLETE_RATIO.name: "as much of it is filled as always"}
_UNIQUE = {UNIQUE_RATIO.name: "as many of its values are distinct as always"}
_LIMITS = {MIN.name: "nothing is smaller than ever before", MAX.name: "nothing is larger than ever before"}
_LEVEL = {MEAN.name: "its level is as always", MEDIAN.name: "its middle is as always"}
# Those of a column that became one value, be it 0, span nothing. Of clock codes it is no time: from 0959 to 1000 it is 41.
_WIDE = {RANGE.name: "its values are as far apart as always"}
_SPREAD = {RANGE.name: "its values are spread as always", STANDARD_DEVIATION.name: "its values are spread as always"}
_MOVED = {m.name: "its values have not moved away from those of the batch before" for m in NUMBER_DISTANCES if m.of_quantities}
_MIXED = {m.name: "its values are mixed as in the batch before" for m in NUMBER_DISTANCES if not m.of_quantities}
_LENGTHS = (STR_LEN, CHAR_LEN, DIGIT_LEN, PUNC_LEN, MIN_LENGTH, MAX_LENGTH)
_WRITTEN = {m.name: "its values are as long and of such characters as always" for m in _LENGTHS}
_FREQUENT = {m.name: "its values are as frequent as in the batch before" for m in TEXT_DISTANCES}
_SHAPED = {m.name: "its values have the shapes of the batch before" for m in SHAPE_DISTANCES}
_NUMBERED = {DIST_VAL_COUNT.name: "it has as many different values as always"}
# Of texts of which no value comes again this is about all there is to say.
_PROSE = {
    CAPITAL_RATIO.name: "as many of its letters are capitals as always", UNIQUE_RATIO.name: "its texts differ as always",
}  # fmt: skip
_TOP = {TOP_RATIO.name: "as many of its values are the same one as always"}
_WHOLE = {WHOLE_RATIO.name: "as few of its values are whole as always"}
# Its form is a type, and with a zone behind it as long as always.
_CLOCK = {CLOCK_DIST.name: "its times of day are as in the batch before", STR_LEN.name: "its values are as long as always"}
_THINNED = {VALUE_LOSS.name: "its usual values have as many rows beside each other as in the batch before"}
_COMING = {GONE.name: "its frequent values come again in each batch", **_THINNED}
_TRUE = {COMPLIANCE.name: "as many are true as always"}
_SAME = dict.fromkeys((MEAN.name, DIST_VAL_COUNT.name), "it has the one value that it always has")
_DAYS = frozenset(end.name for ends in DAYS for end in ends)
_DATED = {
    **dict.fromkeys((MIN.name, *(first.name for first, _ in DAYS)), "its first moment belongs to the batch"),
    **dict.fromkeys((MAX.name, *(last.name for _, last in DAYS)), "its last moment belongs to the batch"),
}


@dataclass(frozen=True)
class KindDeclaration:
    """`words` say what the column is; `metrics` what each metric that means something says of it, as a clause; its values are not below
    `lowest` nor above `highest`, whatever the history. Of an amount that no two rows have alike, not one `names_rows`.
    """

    words: str
    metrics: Mapping[str, str]
    lowest: float = -math.inf
    highest: float = math.inf
    names_rows: bool = True


# How many of its values are distinct says nothing of an amount that a person would keep.
_QUANTITY = {**_LIMITS, **_LEVEL, **_SPREAD, **_FILLED, **_MOVED, **_MIXED, **_TOP}
_PLACE = {**_LIMITS, **_LEVEL, **_WIDE, **_FILLED, **_MIXED, **_TOP}
_LABEL = {**_FILLED, **_UNIQUE, **_NUMBERED, **_WRITTEN, **_FREQUENT, **_SHAPED, **_MIXED, **_COMING, **_TOP}
# Names, of which new ones come, are written as texts are.
_NAMED = {**_LABEL, **_PROSE}

DECLARATIONS: Mapping[ColumnKind, KindDeclaration] = {
    "batch key": KindDeclaration("names its batch", {**_FILLED, **_DATED, **_SAME}),
    "calendar part": KindDeclaration(
        "is a part of its batch's date",
        {**_FILLED, MEAN.name: "it is that part of its batch's date", DIST_VAL_COUNT.name: "it is one for a batch"},
    ),
    "identifier": KindDeclaration("names each row", {**_FILLED, **_UNIQUE, **_NUMBERED, **_WRITTEN, **_SHAPED, **_PROSE}),
    "code": KindDeclaration("names something, and is no quantity", _LABEL),
    "category": KindDeclaration("takes one of some values, always the same", _LABEL),
    "open category": KindDeclaration("takes one of some values, and new ones come", _NAMED),
    "clock code": KindDeclaration("is a time of day, written as HHMM", {**_LIMITS, **_FILLED, **_MIXED, **_TOP}, 0, 2400),
    "hour": KindDeclaration("is an hour of the day", {**_LIMITS, **_WIDE, **_FILLED, **_MIXED, **_TOP}, 0, 23),
    "minute": KindDeclaration("is a minute of the hour", {**_LIMITS, **_WIDE, **_FILLED, **_MIXED, **_TOP}, 0, 59),
    "counter": KindDeclaration("only grows", {**_LIMITS, **_LEVEL, **_WIDE, **_FILLED, **_MOVED, **_MIXED, **_TOP}, names_rows=False),
    "count": KindDeclaration("counts something", {**_QUANTITY, SUM.name: "it adds up to as much as always"}, 0, names_rows=False),
    "measure": KindDeclaration("is a quantity", {**_QUANTITY, **_WHOLE}, names_rows=False),
    "share": KindDeclaration("is a share", _QUANTITY, 0, 1, names_rows=False),
    "latitude": KindDeclaration("is a latitude", _PLACE, -90, 90, names_rows=False),
    "coordinate": KindDeclaration("is a latitude or longitude", _PLACE, -180, 180, names_rows=False),
    "date": KindDeclaration("is a date or a moment", {**_DATED, **_FILLED, **_UNIQUE, **_CLOCK, **_TOP}, names_rows=False),
    "free text": KindDeclaration("is written by people", {**_FILLED, **_WRITTEN, **_SHAPED, **_PROSE}, names_rows=False),
    "truth": KindDeclaration("is true or false", {**_FILLED, **_NUMBERED, **_FREQUENT, **_THINNED, **_TRUE}),
    "constant": KindDeclaration("has one value", {**_FILLED, **_SAME, **_WRITTEN}),
    "text": KindDeclaration("is a text", {**_NAMED}),
}


def declaration_of(known: KnownKind | None) -> KindDeclaration | None:
    """What is declared of a kind; None of one that nobody knows, for which every metric means something."""
    return None if known is None else _BY_NAME.get(known.kind)


def says(kind: KindDeclaration, metric: str) -> bool:
    """Whether a metric of this name says something of a kind."""
    return metric in kind.metrics


def means(kind: KindDeclaration, metric: Metric) -> bool:
    """Whether a metric says something of a kind of column. The number of rows is the table's; of rows matched by key it is that values are
    others, and of quantities how far they moved; places do not move, but rows may take each other's, or 0; and so may they numbers that
    name something, of which none is eight times another: readers kept no such rule on the ids of browsers.
    """
    if metric.by_key:
        named = metric is EXCHANGED and _names(kind)
        return not metric.of_quantities or is_amount(kind) or (metric.of_faults and is_place(kind)) or named
    return metric.volume or metric.name in kind.metrics


def is_amount(kind: KindDeclaration) -> bool:
    """Whether its values are amounts, which move."""
    return not _MOVED.keys().isdisjoint(kind.metrics)


def is_place(kind: KindDeclaration) -> bool:
    """Whether its values say where something is."""
    return kind.metrics is _PLACE


def is_measured(kind: KindDeclaration) -> bool:
    """Whether its values are measured, and are seldom the same twice for that alone. What is counted may number the lines of a document."""
    return kind.words in {DECLARATIONS[name].words for name in _MEASURED}


def names_nothing(kind: KindDeclaration) -> bool:
    """Whether its values have an order, as amounts, places and times have, and so are no names that might be changed throughout."""
    return not (_LIMITS.keys() | _DATED.keys()).isdisjoint(kind.metrics)


def is_dated(kind: KindDeclaration) -> bool:
    """Whether its values are dates or moments, be they the batch's or another one's."""
    return not _DAYS.isdisjoint(kind.metrics)


def is_prose(kind: KindDeclaration) -> bool:
    """Whether its values are written by people."""
    return kind.words == DECLARATIONS["free text"].words


def may_be_prose(kind: KindDeclaration) -> bool:
    """Whether its values are written by people where they are others in each batch: names of words, titles."""
    return CAPITAL_RATIO.name in kind.metrics


def in_no_unit(kind: KindDeclaration) -> bool:
    """Whether its numbers name rows or batches and measure nothing: nobody writes them in miles or kilometres."""
    return kind.words in {DECLARATIONS[name].words for name in _IN_NO_UNIT}


def _names(kind: KindDeclaration) -> bool:
    """Whether its numbers name something. What is a name by all that is known may be a price that is seldom another one."""
    return kind.words in {DECLARATIONS[name].words for name in _NAMES}


_IN_NO_UNIT: tuple[ColumnKind, ...] = ("identifier", "code", "calendar part")
_NAMES: tuple[ColumnKind, ...] = ("identifier", "code")
_MEASURED: tuple[ColumnKind, ...] = ("measure", "share")
_BY_NAME: Mapping[str, KindDeclaration] = {str(name): declared for name, declared in DECLARATIONS.items()}
