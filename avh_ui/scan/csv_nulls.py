"""Words that say in a CSV file that there is no value: `NA` among numbers makes a column of texts of them, unless a reader is told."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

# How R, pandas, spreadsheets, databases and statistical offices write that there is no value.
_SURE = frozenset({"n/a", "#n/a", "<na>", "null", "(null)", "nan", "\\n"})
# What Hive, MySQL and PostgreSQL write into dumps, and nobody else: it says so among texts and dates, too.
_OF_DUMPS = "\\N"
# These are values, too: Namibia and North America, a kind of roof, the strand of a gene.
_WORDS = _SURE | {"na", "none", "nil", "-", "--", ".", "..", "?"}
# Of fewer numbers a column may be anything.
_ENOUGH = 3
_TRUTHS = frozenset({"true", "false"})
_SHOWN = 3


def is_null_word(text: str) -> bool:
    """Whether it is known to say that there is no value."""
    return text.lower() in _WORDS


@dataclass(frozen=True)
class Cells:
    """How many cells of a column are numbers, how many are texts, and how often it has which of the known words. Dates and truth values
    are neither.
    """

    numbers: int = 0
    texts: int = 0
    words: Counter[str] = field(default_factory=Counter)
    every: int = 0

    def __add__(self, other: Cells) -> Cells:
        return Cells(self.numbers + other.numbers, self.texts + other.texts, self.words + other.words, self.every + other.every)

    @property
    def word(self) -> str:
        """The one word that keeps it from being a column of numbers; '' of others."""
        return next(iter(self.words)) if len(self.words) == 1 and not self.texts and self.numbers >= _ENOUGH else ""


def cells_of(
    columns: Sequence[str], rows: Sequence[Sequence[str]], number: Callable[[str], object], typed: Callable[[str], bool]
) -> dict[str, Cells]:
    """What the cells of each column are; `number` says of a text whether it is one, `typed` whether it is a number or a date."""
    return {name: _cells(Counter(column), number, typed) for name, column in zip(columns, zip(*rows, strict=True), strict=False)}


def _cells(column: Counter[str], number: Callable[[str], object], typed: Callable[[str], bool]) -> Cells:
    numbers, texts, words = 0, 0, Counter[str]()
    for text, count in column.items():
        if is_null_word(text):
            words[text] = count
        elif number(text):
            numbers += count
        elif text.strip() and not typed(text) and text.lower() not in _TRUTHS:
            texts += count
    return Cells(numbers, texts, words, column.total())


def null_word(columns: Mapping[str, Cells]) -> tuple[str, tuple[str, ...]]:
    """The word to take for no value in a whole table, '' for none, and what is said of it and of others, in sentences.

    It is the one that the most columns of numbers have. A word that may be a value of a column of texts is taken for none.
    """
    found: dict[str, list[str]] = {}
    for name, cells in columns.items():
        if cells.word:
            found.setdefault(cells.word, []).append(name)
    also = {word: [name for name, cells in columns.items() if cells.texts and word in cells.words] for word in found}
    if not found and (dumped := [name for name, cells in columns.items() if _OF_DUMPS in cells.words]):
        return _OF_DUMPS, (f"'{_OF_DUMPS}' is read as no value (nullValue): {_listed(dumped)}.",)
    told = sorted(found, key=lambda word: -len(found[word]))
    safe = [word for word in told if not also[word] or word.lower() in _SURE]
    chosen = safe[0] if safe else ""
    said = [_taken(chosen, found[chosen], also[chosen], columns)] if chosen else []
    said += [_left(word, found[word], [] if word in safe else also[word], chosen) for word in told if word != chosen]
    return chosen, tuple(said)


def _taken(word: str, names: Sequence[str], also: Sequence[str], columns: Mapping[str, Cells]) -> str:
    count, every = sum(columns[name].words[word] for name in names), sum(columns[name].every for name in names)
    seen = f"{count:,} of {every:,} cells looked at"
    texts = f", in {_listed(also)} too" if also else ""
    return f"Numbers but for {word!r}: {_listed(names)} ({seen}). It is read as no value (nullValue){texts}."


def _left(word: str, names: Sequence[str], also: Sequence[str], chosen: str) -> str:
    said = f"Numbers but for {word!r}, and texts for that: {_listed(names)}"
    if not also:
        return f"{said}. A reader takes one text for no value (nullValue), here {chosen!r}: write the others so."
    has = "has" if len(also) == 1 else "have"
    return f"{said}. {_listed(also)} {has} it among texts, where it may be a value. Where it is none, write nullValue: {json.dumps(word)}."


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")
