"""What names a batch in avh.yml: a place in a path or query, columns of the table, or the moment; and what is said where nothing does."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from dateutil.relativedelta import relativedelta

from avh_ui.errors import nearest

# A name in braces. `{a,b}` of a path is a choice of Hadoop's, `{3}` and `\p{L}` of a query are a pattern's.
_PLACE = re.compile(r"(?<!\\[pP])\{[A-Za-z_][^{},]*\}")
# Dates as strftime, templates and shells write them.
_FOREIGN = re.compile(r"%[YmdHj]|\{\{.*?\}\}|\$\{.*?\}")
# The parts of a date that may stand apart in a path, each after the ones before it.
DATE_PARTS = ("year", "month", "day", "hour")
# A year's last two digits, in its place.
SHORT_YEAR = "yy"
# A time as seconds or milliseconds since 1970.
EPOCH = "epoch"


def has_place(path: str) -> bool:
    """Whether a path has a name in braces, known or not."""
    return _PLACE.search(path) is not None


def check_places(path: str, query: str) -> None:
    """`ValueError` for places of a path or query that name no batch, or two of them."""
    if (other := _PLACE.search(query)) is not None and "{batch}" not in query:
        raise ValueError(f"{query!r} has {other[0]}: the place of the batch is written {{batch}}, whatever it names")
    places = {found[0] for found in _PLACE.finditer(path)}
    if "{epoch}" in places and len(places) > 1:
        another = next(p for p in sorted(places) if p != "{epoch}")
        raise ValueError(f"{path!r} has {{epoch}} and {another}: the id of a batch is one or the other")
    if {"{year}", "{yy}"} <= places:
        raise ValueError(f"{path!r} has {{year}} and {{yy}}: the year of a batch is one or the other; write * for what repeats it")
    parts = [part for part in DATE_PARTS if f"{{{part}}}" in places or (part == "year" and "{yy}" in places)]
    known = {"{date}", *(f"{{{part}}}" for part in (*DATE_PARTS, SHORT_YEAR, EPOCH))}
    if "{batch}" in places:
        beside = next((p for p in sorted(places) if p in known), None)
        if beside is not None:
            raise ValueError(f"{path!r} has {{batch}} and {beside}: the id of a batch is one or the other")
    elif unknown := sorted(places - known):
        dates = "{date}, or {year}, {month}, {day}, {hour}; a year of two digits is {yy}, seconds since 1970 are {epoch}"
        raise ValueError(f"{path!r} has {unknown[0]}: the place of the batch is written {{batch}}, or {dates}")
    elif "{date}" in places and parts:
        raise ValueError(f"{path!r} has {{date}} and {{{parts[0]}}}: the date of a batch is one or the other")
    elif parts != list(DATE_PARTS[: len(parts)]):
        lacking = next(part for part in DATE_PARTS if part not in parts)
        raise ValueError(f"{path!r} has {{{parts[-1]}}} without {{{lacking}}}: a date is told from the year on")


# `batch:` of a source that is overwritten with each delivery.
SNAPSHOTS = ("now", "this hour")
# A time cut to a unit of the calendar: how many characters of `2026-01-31T05` are its id, and its length. Of a week it is its Monday.
UNITS = {
    "year": (4, relativedelta(years=1)), "month": (7, relativedelta(months=1)), "week": (10, timedelta(days=7)),
    "date": (10, timedelta(days=1)), "hour": (13, timedelta(hours=1)),
}  # fmt: skip
_CUT = re.compile(r"(?P<unit>\w+)\(\s*(?P<column>[^()]+?)\s*\)")
# Columns of these names, from the year on, are one date together.
_CALENDAR = (("year", "y", "yyyy"), ("month", "m", "mm"), ("day", "d", "dd"), ("hour", "h", "hh"))


@dataclass(frozen=True)
class KeyPart:
    """A column of the table, as its text, or as a time cut to a `unit` of the calendar."""

    column: str
    unit: str = ""

    @classmethod
    def of(cls, text: str) -> KeyPart:
        """`day` or `date(ts)`; `ValueError` for another function."""
        found = _CUT.fullmatch(text.strip())
        if found is None:
            return cls(text.strip().strip("`"))
        if found["unit"].lower() not in UNITS:
            known = ", ".join(f"{unit}(...)" for unit in UNITS)
            if found["unit"].lower() in ("minute", "second"):
                known += f"; hours are the shortest. A column that holds the {found['unit'].lower()} as a text is one as it stands"
                raise ValueError(f"{text!r} is no batch: {known}")
            meant = "date" if found["unit"].lower() == "day" else found["unit"]
            raise ValueError(f"{text!r} is no batch: {known} of a column are. {nearest(meant, UNITS)}".rstrip())
        return cls(found["column"].strip("`"), found["unit"].lower())

    def sql(self) -> str:
        """The text of a row, in Spark's SQL; null where the column is, and where its text is no time."""
        name = "`" + self.column.replace("`", "``") + "`"
        if not self.unit:
            return f"cast({name} as string)"
        if self.unit == "hour":
            return f"replace(substring(cast(try_cast({name} as timestamp) as string), 1, 13), ' ', 'T')"
        day = f"try_cast({name} as date)"
        if self.unit == "week":
            return f"cast(date_sub({day}, weekday({day})) as string)"
        return f"substring(cast({day} as string), 1, {UNITS[self.unit][0]})"


@dataclass(frozen=True)
class BatchKey:
    """Which columns of a row say of which batch it is.

    The id is the text of the one part; of a year, month, day and hour `2026-01-31T05` as far as they go; of others the texts with commas
    between (in them `%` and `,` are `%25` and `%2C`, so that no two keys have one id). A row in which one part is null is of no batch.
    """

    parts: tuple[KeyPart, ...]

    @property
    def column(self) -> str:
        """The column that is the batch as it stands; '' where the id is made of it, or of several."""
        return self.parts[0].column if len(self.parts) == 1 and not self.parts[0].unit else ""

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns that are looked at."""
        return tuple(dict.fromkeys(part.column for part in self.parts))

    @property
    def calendar(self) -> bool:
        """Whether the parts are those of one date: year, month, day, hour."""
        named = zip(self.parts, _CALENDAR, strict=False)
        return 1 < len(self.parts) <= len(_CALENDAR) and all(not p.unit and p.column.lower() in names for p, names in named)

    def sql(self) -> str:
        """The id of a row as an expression of Spark's SQL."""
        texts = [part.sql() for part in self.parts]
        if len(texts) == 1:
            return texts[0]
        if not self.calendar:
            escaped = [f"replace(replace({text}, '%', '%25'), ',', '%2C')" for text in texts]
            between = ", ',', "
            return f"concat({between.join(escaped)})"
        padded = [texts[0], *(f"right(concat('0', {text}), 2)" for text in texts[1:])]
        marks = ("", "'-', ", "'-', ", "'T', ")
        return f"concat({', '.join(mark + text for mark, text in zip(marks, padded, strict=False))})"

    def end(self, batch: str) -> datetime | None:
        """When the time of a batch is over, by the first of its parts that is cut from one; None where none is."""
        cut = zip(self.parts, batch.split(","), strict=False)
        spans = (BatchKey((part,)).span([text]) for part, text in cut if part.unit)
        return next((datetime.fromisoformat(span[1]) for span in spans if span), None)

    def span(self, batches: Sequence[str]) -> tuple[str, str] | None:
        """The time from which and before which all rows of these batches are, as texts; None for ids that are no times."""
        unit = self.parts[0].unit
        if len(self.parts) > 1 or not unit or not batches:
            return None
        size, length = UNITS[unit]
        try:
            times = [datetime.fromisoformat(batch + "-01-01"[size - 4 :] if size < 10 else batch) for batch in batches]
            return (str(min(times)), str(max(times) + length))
        except (ValueError, OverflowError):
            return None


def check_key(batch: Sequence[str]) -> None:
    """`ValueError` for a `batch:` that names no columns, or one twice."""
    parts = [KeyPart.of(text) for text in batch]
    if not all(part.column for part in parts):
        raise ValueError("batch: names a column without a name")
    if twice := next((part.column for part in parts if parts.count(part) > 1), ""):
        raise ValueError(f"batch: names {twice!r} twice")
    if beside := next((text for text in batch if text in SNAPSHOTS), "") if len(batch) > 1 else "":
        raise ValueError(f"batch: has {beside!r} beside columns: what is overwritten each time has no other batch")


def check_named(path: str, query: str, batch_column: str, batch: Sequence[str]) -> None:
    """`ValueError` for a source that does not say which batch is which, or says it twice."""
    placed = any(place in path + query for place in ("{batch}", "{date}", "{year}", "{yy}", "{epoch}"))
    told = ", ".join(batch)
    if slip := next((text for text in batch if text.startswith("this ") and text not in SNAPSHOTS), ""):
        raise ValueError(f"batch: {slip} is none: of what is overwritten write `now` (the day) or `this hour`")
    if foreign := _FOREIGN.search(path):
        raise ValueError(f"{path!r} has {foreign[0]}, which is of other tools: the place of the batch is written {{date}} or {{batch}}")
    if path != path.strip("'\"“”„"):
        raise ValueError(f"{path!r} has a quote at one end: close it at the other, or take it away")
    if told in SNAPSHOTS and (batch_column or placed):
        raise ValueError(f"batch: {told} is of a source that is overwritten, and this one names its batches by a place or a column")
    if batch and batch_column:
        raise ValueError(f"batch: {told} and batch_column: {batch_column} both name the batch: keep one of them")
    if batch and placed:
        raise ValueError(f"batch: {told} are columns, and the path (or query) has a place too: keep one of them")
    if not placed and not batch and not batch_column:
        text = "either the path (or query) contains {batch}, or batch_column names the column with the batch id"
        raise ValueError(f"{text}; batch: date(ts) cuts a time; of what is overwritten each time, write batch: now")
