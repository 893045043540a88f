"""Numbers that are written as texts, as in a source without types (CSV)."""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from avh_ui.metrics.column import NO_TEXTS, NONE_HELD, Column
from avh_ui.metrics.numbers import Numbers
from avh_ui.metrics.numerals import text_numbers

# A number as text: no leading zeros, since those are codes ("07"), and no blanks. With an exponent it is as programs write one: without
# point or sign one digit stands before it, and it has no zeros in front. Or else `4410E2` and `441000` are one key, and 1 in 100 codes of
# eight hexadecimal digits is the infinite one.
_WITH_POINT = r"([0-9]*\.[0-9]+|(0|[1-9][0-9]*)\.[0-9]*)([eE][+-]?[0-9]{1,3})?"
NUMBER = rf"[+-]?((0|[1-9][0-9]*)([eE][+-][0-9]{{1,3}})?|[1-9][eE](0|[1-9][0-9]{{0,2}})|{_WITH_POINT})"
_WHOLE = re.compile(NUMBER)
# Arrow compiles the regex for each call, which takes as long as matching so many texts in Python.
FEW = 500
# All the characters of such texts: most columns of words have others, which is seen in a tenth of the time.
_MADE_OF = b"0123456789+-.eE"


def typed(values: pa.Array) -> pa.Array:
    """Texts of a source without types as numbers, where all of them are; without any value they stay texts."""
    texts = Column.from_arrow("", values)
    return values.cast(pa.float64()) if len(texts.texts.counts) and as_numbers(texts).rows else values


def is_number(text: str) -> bool:
    """Whether a text is a number."""
    return _WHOLE.fullmatch(text) is not None


def which_are_numbers(texts: pa.Array) -> NDArray[np.bool_]:
    """Which texts without nulls are numbers, shape (n,)."""
    return np.asarray(pc.match_substring_regex(texts, f"^{NUMBER}$").to_numpy(zero_copy_only=False))


def numbers_of_texts(texts: pa.Array) -> pa.Array:
    """Each text as a number, null where it is none."""
    plain = texts.cast(pa.large_string())
    return pc.if_else(pc.match_substring_regex(plain, f"^{NUMBER}$"), plain, None).cast(pa.float64())


def as_numbers(texts: Column, strays: int = 0) -> Column:
    """A column of texts as numbers, without the rows whose text is none: with no rows at all when these are more than so many `strays`."""
    values, counts, rows = texts.texts.values, texts.texts.counts, texts.rows
    if not texts.texts.characters.are_among(_MADE_OF) or not _are_numbers(values):
        kept = which_are_numbers(values) if strays else np.zeros(len(values), dtype=bool)
        lost = int(counts[~kept].sum())
        if lost > strays or not kept.any():
            return Column(texts.name, "numeric", 0, 0, NONE_HELD, NO_TEXTS)
        values, counts, rows = values.filter(pa.array(kept)), counts[kept], rows - lost
    numbers, keys = text_numbers(values)
    return Column(texts.name, "numeric", rows, texts.nulls, Numbers(numbers, times=counts, keys=keys), NO_TEXTS)


def _are_numbers(texts: pa.Array) -> bool:
    """Whether all ASCII texts are numbers."""
    if len(texts) <= FEW:
        return all(map(_WHOLE.fullmatch, texts.to_pylist()))
    return not pc.match_substring_regex(texts, f"^{NUMBER}$").false_count
