"""What a walk shows: which documented faults were caught and said right, and what alarmed on batches that nobody documents."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from benchmarks.incidents.deliveries import Deliveries, Incident
from benchmarks.incidents.walk import Alarm, Judged, Walked

# What is said of the table as a whole where no column is named; a fault of all rows is one.
_OF_TABLE = frozenset({"row_count", "keys_gone", "keys_new", "keys_twice", "null_keys"})
# What this tells of rows and of columns together, as alarms name it.
_OF_ROWS = frozenset({"key", "relation", "relation (rows or several columns)"})
# A text of fewer letters names nobody.
_NAME = 4
_WORD = re.compile(r"\w+")
# 95 %.
_Z = 1.96


@dataclass(frozen=True)
class Found:
    """One documented incident: whether its batch alarmed, whether its columns were among what alarmed, and whether the first column that
    is named is one of them; `rows` whether the first row that is named is one of those that are wrong, None where none is named.
    """

    incident: Incident
    batch: str
    judged: bool
    caught: bool = False
    named: bool = False
    first: bool = False
    rows: bool | None = None
    by: str = ""


@dataclass
class Score:
    """Of one table. `quiet` batches have no documented incident; `alarms` are those of them that alarmed, `noted` how many of these the
    publisher's notes speak of, and `alone_noted` of those by matched rows or relations alone how many of which a note names a row that the
    alarm names; `episodes` runs of them without a batch between; `by` counts by which source.
    """

    name: str
    found: list[Found] = field(default_factory=list)
    judged: int = 0
    quiet: int = 0
    alarms: list[Judged] = field(default_factory=list)
    noted: int = 0
    alone_rows: int = 0
    alone_noted: int = 0
    episodes: int = 0
    by: Counter[str] = field(default_factory=Counter)
    alone: Counter[str] = field(default_factory=Counter)

    @property
    def faults(self) -> list[Found]:
        """Those that are errors."""
        return [f for f in self.found if f.incident.fault]


def score(walked: Walked, table: Deliveries) -> Score:
    """The table's walk against its documented incidents."""
    made = Score(table.name, judged=len(walked.judged))
    by_place = {j.place: j for j in walked.judged}
    for one in table.incidents:
        known = [other for other in table.incidents if one.first in other.days]
        made.found.append(_found(one, known, by_place.get(one.first), table, walked.key))
    explained, before = table.explained(), -2
    for judged in walked.judged:
        if judged.place in explained:
            continue
        made.quiet += 1
        if not judged.alarmed:
            continue
        made.alarms.append(judged)
        made.noted += judged.batch[:10] in table.notes
        made.episodes += judged.place != before + 1
        before = judged.place
        sources = {a.source for a in judged.alarms if a.status in ("fail", "warn")}
        made.by.update(sources)
        if len(sources) == 1:
            made.alone.update(sources)
        if sources <= _OF_ROWS:
            made.alone_rows += 1
            made.alone_noted += _names_its_row(judged, table)
    return made


def _names_its_row(judged: Judged, table: Deliveries) -> bool:
    """Whether the note of the day names a row that an alarm names: by a text of the row that stands in both."""
    note = _words(table.notes.get(judged.batch[:10], ""))
    said = _words(" ".join(a.message for a in judged.alarms if a.status in ("fail", "warn")))
    if not note:
        return False
    for row in table.cells(judged.place).to_pylist():
        texts = [_words(text) for text in row.values() if isinstance(text, str) and len(text) >= _NAME and text[0].isalpha()]
        if any(text in said for text in texts) and any(text in note for text in texts):
            return True
    return False


def _words(text: str) -> str:
    """In small letters, one space between words: a note writes Emilia Romagna, and Emilia-Romagna on other days."""
    return " ".join(_WORD.findall(text.casefold()))


def _found(one: Incident, known: Sequence[Incident], judged: Judged | None, table: Deliveries, key: Sequence[str]) -> Found:
    if judged is None:
        return Found(one, table.ids[one.first], judged=False)
    ranked = [a for a in judged.alarms if a.status in ("fail", "warn")] or list(judged.alarms)
    if not judged.alarmed or not ranked:
        return Found(one, judged.batch, judged=True)
    named = any(_about(a, one) for a in ranked)
    first = named and any(_about(ranked[0], other) for other in known)
    top = ranked[0]
    rows = _right_rows(ranked, one, table, key)
    by = f"{top.name} of {', '.join(top.columns) or 'the table'} ({top.source})"
    return Found(one, judged.batch, judged=True, caught=True, named=named, first=first, rows=rows, by=by)


def _about(alarm: Alarm, one: Incident) -> bool:
    """Whether an alarm names the incident's columns; one of the table names the table, or in its sentence a column."""
    if not one.columns or one.kind.startswith(("delimiter", "volume", "schema.extra")):
        return not alarm.columns or alarm.name in _OF_TABLE or alarm.source == "rule"
    wanted = [pattern for column in one.columns for pattern in (column, *_WORDS.get(column, ()))]
    if any(fnmatchcase(column, pattern) for column in alarm.columns for pattern in wanted):
        return True
    # A renamed column is said by its old name, its new one, or both.
    if not alarm.columns or alarm.source == "rule":
        return any(column in alarm.message for column in one.columns) or (one.kind == "value.stale" and alarm.name == "stale")
    return alarm.name in _OF_TABLE and one.kind == "value.duplicate_key"


# Incidents that name columns in words, by these words; the columns are those of the two tables that have them.
_WORDS: dict[str, tuple[str, ...]] = {
    "all numeric columns": (
        "ricoverati*", "terapia*", "totale_*", "isolamento*", "nuovi_*", "variazione_*", "dimessi*", "deceduti", "tamponi", "casi_testati",
    ),
    "ricoverati..tamponi (all but casi_testati": (
        "ricoverati*", "terapia*", "totale_*", "isolamento*", "dimessi*", "deceduti", "tamponi",
    ),
    "codice_nuts_1..3": ("codice_nuts*",),
    "le_/he_ latitude_deg": ("?e_latitude_deg",),
    "longitude_deg": ("?e_longitude_deg",),
}  # fmt: skip


def _right_rows(ranked: Sequence[Alarm], one: Incident, table: Deliveries, key: Sequence[str]) -> bool | None:
    """Whether the key of a row that is wrong stands in the sentence of an alarm of its column; None where no row is wrong by itself."""
    wrong = wrong_keys(one, table, key)
    said = [a.message for a in ranked if a.source == "key" and _about(a, one)]
    return any(keyed in text for text in said for keyed in wrong) if wrong else None


def wrong_keys(one: Incident, table: Deliveries, key: Sequence[str]) -> list[str]:
    """The keys of the rows whose number is farthest from those of the deliveries before and after, as many as the incident touches."""
    if len(key) != 1 or one.share > 0.5 or not 0 < one.first < len(table.ids) - 1 or not one.fault:
        return []
    before, now, after = (table.cells(k) for k in (one.first - 1, one.first, one.last + 1))
    column = next((c for c in one.columns if all(c in t.column_names and key[0] in t.column_names for t in (before, now, after))), None)
    if column is None:
        return []
    sides = [dict(zip(t[key[0]].to_pylist(), _numbers(t[column]), strict=True)) for t in (before, after)]
    off = {}
    for name, value in zip(now[key[0]].to_pylist(), _numbers(now[column]), strict=True):
        around = [s[name] for s in sides if name in s and math.isfinite(s[name])]
        if around and math.isfinite(value):
            off[name] = min(abs(value - a) for a in around)
    count = max(1, round(one.share * now.num_rows))
    return sorted((n for n in off if off[n] > 0), key=lambda n: -off[n])[:count]


def _numbers(column: pa.ChunkedArray) -> list[float]:
    texts = pc.utf8_trim_whitespace(column.combine_chunks().cast(pa.string()))
    found = []
    for text in texts.to_pylist():
        try:
            found.append(math.copysign(math.log1p(abs(float(text))), float(text)))
        except (TypeError, ValueError):
            found.append(float("nan"))
    return found


def interval(count: int, of: int) -> tuple[float, float]:
    """A share's 95 % interval (Wilson)."""
    if not of:
        return 0.0, 1.0
    share, z = count / of, _Z**2 / of
    middle, half = share + z / 2, _Z * math.sqrt(share * (1 - share) / of + z / (4 * of))
    return float(np.clip((middle - half) / (1 + z), 0, 1)), float(np.clip((middle + half) / (1 + z), 0, 1))
