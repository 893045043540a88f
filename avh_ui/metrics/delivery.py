"""How a batch was delivered: its files, the lines that were no rows, and the characters that were no text.

What the metrics of columns cannot see: a line that Spark could not parse is a row of nulls or no row at all, and of a file with other
columns nobody asks. Facts of parts merge to those of the whole, as states do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

# So many files and differences are named; a folder of 10,000 parts would otherwise be most of its profile.
NAMED_FILES = 50
# More names are not read in a sentence.
_NAMES = 5
# What makes a value no text, by the field that counts it.
_MARKS = {"replaced": "a replaced or misread character", "boms": "a byte order mark", "controls": "a control character"}


@dataclass(frozen=True, order=True)
class DataFile:
    """One data file by its path: its size in bytes, and its rows (None = not counted)."""

    name: str
    bytes: int
    rows: int | None = None


@dataclass(frozen=True, order=True)
class FileDifference:
    """How a file's columns differ from those of most files of its batch; `said` is the sentence without the file's name."""

    name: str
    said: str


@dataclass(frozen=True)
class Delivery:
    """The facts of one batch. None stands for what was not measured: a table or a query has no files and no lines.

    `files`, `bytes`: how many data files and how large; `empty_files`: those without a byte. `named`, `differing`: the first of them, and
    of those with other columns, by name; `others` counts all of the latter. `malformed_rows`: lines that could not be parsed as a row
    (too few or too many fields, broken JSON), `dropped_rows`: those of them that are in no other number, since the reader was told to
    drop them. `replaced`, `boms`, `controls`: by column, how many values hold a replacement character (or bytes that are no UTF-8) or a
    misread one, a byte order mark, or a control character (tabs and ends of lines are none). `unread`: files with
    content of which Spark read no row. `remarks`: sentences on settings that hide rows, and on a first line that looks like something
    else.
    """

    files: int | None = None
    bytes: int | None = None
    named: tuple[DataFile, ...] = ()
    others: int = 0
    differing: tuple[FileDifference, ...] = ()
    malformed_rows: int | None = None
    dropped_rows: int = 0
    replaced: Mapping[str, int] = field(default_factory=dict)
    boms: Mapping[str, int] = field(default_factory=dict)
    controls: Mapping[str, int] = field(default_factory=dict)
    unread: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    empty_files: int = 0

    def merge(self, other: Delivery) -> Delivery:
        """The facts of both parts together."""
        return Delivery(
            files=_sum(self.files, other.files),
            bytes=_sum(self.bytes, other.bytes),
            named=tuple(sorted({*self.named, *other.named})[:NAMED_FILES]),
            others=self.others + other.others,
            differing=tuple(sorted({*self.differing, *other.differing})[:NAMED_FILES]),
            malformed_rows=_sum(self.malformed_rows, other.malformed_rows),
            dropped_rows=self.dropped_rows + other.dropped_rows,
            replaced=_added(self.replaced, other.replaced),
            boms=_added(self.boms, other.boms),
            controls=_added(self.controls, other.controls),
            unread=_union(self.unread, other.unread),
            remarks=_union(self.remarks, other.remarks),
            empty_files=self.empty_files + other.empty_files,
        )

    def faults(self) -> dict[str, str]:
        """What is not as it should be, as words without an end, by the name of the rule that judges it."""
        found: dict[str, str] = {}
        if self.malformed_rows:
            dropped = f" ({self.dropped_rows:,} of them dropped)" if self.dropped_rows else ""
            found["malformed_rows"] = f"{_many(self.malformed_rows, 'malformed row')}{dropped}"
        if self.differing:
            told = "; ".join(f"{d.name} {d.said}" for d in self.differing[:_NAMES])
            found["files_differ"] = f"{self.others:,} of {_many(self.files or 0, 'file')} with other columns than the rest: {told}"
        if self.empty_files:
            found["empty_files"] = f"{_many(self.empty_files, 'file')} of {self.files or 0:,} without a byte"
        if self.unread:
            found["unread_files"] = f"{_many(len(self.unread), 'file')} of which Spark read no row: {_named(self.unread)}"
        if count := self.undecodable:
            marks = " or ".join(told for name, told in _MARKS.items() if getattr(self, name))
            where = _named(sorted({**self.replaced, **self.boms, **self.controls}))
            found["undecodable_text"] = f"{_many(count, 'value')} with {marks} (in {where})"
        return found

    def sentences(self) -> tuple[str, ...]:
        """The faults and remarks as sentences."""
        return (*(f"It has {fault}." for fault in self.faults().values()), *self.remarks)

    @property
    def undecodable(self) -> int:
        """How many values hold what is no text."""
        return sum(sum(getattr(self, name).values()) for name in _MARKS)

    def to_record(self) -> dict[str, Any]:
        """Plain data, as JSON holds it."""
        return {**vars(self), "named": [dict(vars(f)) for f in self.named], "differing": [dict(vars(d)) for d in self.differing]}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Delivery:
        """The inverse of `to_record`; what a later release has added is passed over, what an older one lacks is its default."""
        known = {name: record[name] for name in cls.__dataclass_fields__ if name in record}
        known["named"] = tuple(DataFile(f["name"], f["bytes"], f["rows"]) for f in known.get("named", ()))
        known["differing"] = tuple(FileDifference(d["name"], d["said"]) for d in known.get("differing", ()))
        return cls(**{**known, **{name: tuple(known.get(name, ())) for name in ("unread", "remarks")}})


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _named(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMES} more" if len(names) > _NAMES else ""
    return ", ".join(names[:_NAMES]) + more


def columns_named(names: Sequence[str]) -> str:
    """The columns of these names, in words: the first three, and how many more."""
    shown = ", ".join(repr(name) for name in names[:3])
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"column{'' if len(names) == 1 else 's'} {shown}{more}"


def _sum(one: int | None, other: int | None) -> int | None:
    return other if one is None else one if other is None else one + other


def _added(one: Mapping[str, int], other: Mapping[str, int]) -> dict[str, int]:
    both = Counter(one) + Counter(other) if one and other else one or other
    return dict(sorted(both.items()))


def _union(one: Sequence[str], other: Sequence[str]) -> tuple[str, ...]:
    return tuple(sorted({*one, *other})[:NAMED_FILES])
