"""Words that say in a CSV file that there is no value: `NA` among numbers makes a column of texts of them, unless a reader is told."""

from __future__ import annotations

import json
import re
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
# So many columns of numbers, dates or codes of digits have a word by chance of no column of texts: it is how the table's writer says it.
_SEVERAL = 2
# A list of kinds (of roofs, meals, areas) is seldom longer; a town's list of its quarters is.
_FEW = 30
# Codes of countries, areas and shares are no longer, in capitals.
_CODE = 5
_TRUTHS = frozenset({"true", "false"})
# Beside these a word names no place and no kind.
_ANSWERS = frozenset({"yes", "no"})
_CODE_OF_DIGITS = re.compile(r"(?=.*\d)[\d\W_]+")
_SHOWN = 3


def is_null_word(text: str) -> bool:
    """Whether it is known to say that there is no value."""
    return text.lower() in _WORDS


@dataclass(frozen=True)
class Cells:
    """How many cells of a column are numbers, how many dates or codes of digits (`6400-025`), how many are `empty`, which `texts` it has
    beside, and how often it has which of the known words. Truth values are none of these.
    """

    numbers: int = 0
    digits: int = 0
    codes: int = 0
    empty: int = 0
    texts: Counter[str] = field(default_factory=Counter)
    words: Counter[str] = field(default_factory=Counter)
    every: int = 0

    def __add__(self, other: Cells) -> Cells:
        counts = (self.numbers + other.numbers, self.digits + other.digits, self.codes + other.codes, self.empty + other.empty)
        return Cells(*counts, self.texts + other.texts, self.words + other.words, self.every + other.every)

    @property
    def word(self) -> str:
        """The one word that keeps it from being a column of numbers; '' of others."""
        return next(iter(self.words)) if len(self.words) == 1 and not self.texts and not self.codes and self.numbers >= _ENOUGH else ""

    @property
    def only(self) -> str:
        """The one word beside which all of it are numbers, dates or codes of digits; '' of others."""
        return next(iter(self.words)) if len(self.words) == 1 and not self.texts and self.numbers + self.digits >= _ENOUGH else ""


def cells_of(
    columns: Sequence[str], rows: Sequence[Sequence[str]], number: Callable[[str], object], typed: Callable[[str], bool]
) -> dict[str, Cells]:
    """What the cells of each column are; `number` says of a text whether it is one, `typed` whether it is a number or a date."""
    return {name: _cells(Counter(column), number, typed) for name, column in zip(columns, zip(*rows, strict=True), strict=False)}


def _cells(column: Counter[str], number: Callable[[str], object], typed: Callable[[str], bool]) -> Cells:
    counts, texts, words = Counter[str](), Counter[str](), Counter[str]()
    for text, count in column.items():
        if is_null_word(text):
            words[text] = count
        elif number(text):
            counts["numbers"] += count
        elif not text.strip():
            counts["empty"] += count
        elif (dated := typed(text)) or _CODE_OF_DIGITS.fullmatch(text):
            counts["digits"] += count
            counts["codes"] += 0 if dated else count
        elif text.lower() not in _TRUTHS:
            texts[text] = count
    return Cells(counts["numbers"], counts["digits"], counts["codes"], counts["empty"], texts, words, column.total())


def null_word(columns: Mapping[str, Cells]) -> tuple[str, tuple[str, ...]]:
    """The word to take for no value in a whole table, '' for none, and what is said of it and of others, in sentences.

    It is the one that the most columns of numbers, dates and codes of digits have. A word that may be a value of a column of texts is taken
    for none: of one column of numbers alone any text beside it says so, of several only a column in which it may be one kind of a few.
    """
    found: dict[str, list[str]] = {}
    for name, cells in columns.items():
        if cells.only:
            found.setdefault(cells.only, []).append(name)
    found = {word: names for word, names in found.items() if len(names) >= _SEVERAL or columns[names[0]].word}
    also = {word: [name for name, cells in columns.items() if cells.texts and word in cells.words] for word in found}
    if not found and (dumped := [name for name, cells in columns.items() if _OF_DUMPS in cells.words]):
        return _OF_DUMPS, (f"'{_OF_DUMPS}' is read as no value (nullValue): {_listed(dumped)}.",)
    told = sorted(found, key=lambda word: -len(found[word]))
    doubt = {word: _in_doubt(word, found[word], also[word], columns) for word in told}
    chosen = next((word for word in told if not doubt[word]), "")
    said = [_taken(chosen, found[chosen], also[chosen], columns)] if chosen else []
    said += [_left(word, found[word], doubt[word], chosen, columns) for word in told if word != chosen]
    return chosen, tuple(said)


def _in_doubt(word: str, names: Sequence[str], also: Sequence[str], columns: Mapping[str, Cells]) -> list[str]:
    """The columns of texts in which a word that `names` have beside numbers may be a value."""
    if word.lower() in _SURE:
        return []
    return [name for name in also if len(names) < _SEVERAL or _may_be_kind(word, columns[name])]


def _may_be_kind(word: str, cells: Cells) -> bool:
    """Whether it may be one kind of a few, or a code among codes: as the texts beside it are written. `-` is none beside words, and one
    beside `+`. Where cells are empty, too, the word says something else in a list of kinds.
    """
    others = [text for text in map(str.strip, cells.texts) if text.lower() not in _ANSWERS]
    if not any(map(str.isalpha, word)):
        return not all(any(map(str.isalnum, text)) for text in others)
    alike = [text for text in others if len(text) > 1 and re.sub(r"[_-]", "", text).isalpha() and _case(text) == _case(word)]
    if len(others) <= _FEW:
        return bool(alike or (others and cells.empty))
    longest = _CODE if word.isupper() else len(word)
    return 2 * sum(len(text) <= longest for text in alike) > len(others)


def _case(text: str) -> tuple[bool, bool]:
    return text.isupper(), text.islower()


def _what(names: Sequence[str], columns: Mapping[str, Cells]) -> str:
    """What columns hold, but for a word."""
    return "Numbers" if all(columns[name].word for name in names) else "Numbers, dates or codes of digits"


def _taken(word: str, names: Sequence[str], also: Sequence[str], columns: Mapping[str, Cells]) -> str:
    count, every = sum(columns[name].words[word] for name in names), sum(columns[name].every for name in names)
    seen = f"{count:,} of {every:,} cells looked at"
    texts = f", in {_listed(also)} too" if also else ""
    return f"{_what(names, columns)} but for {word!r}: {_listed(names)} ({seen}). It is read as no value (nullValue){texts}."


def _left(word: str, names: Sequence[str], doubt: Sequence[str], chosen: str, columns: Mapping[str, Cells]) -> str:
    said = f"{_what(names, columns)} but for {word!r}, and texts for that: {_listed(names)}"
    if not doubt:
        return f"{said}. A reader takes one text for no value (nullValue), here {chosen!r}: write the others so."
    has = "has" if len(doubt) == 1 else "have"
    return f"{said}. {_listed(doubt)} {has} it among texts, where it may be a value. Where it is none, write nullValue: {json.dumps(word)}."


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")
