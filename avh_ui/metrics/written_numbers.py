"""Numbers that are written as texts, as in a source without types (CSV)."""

from __future__ import annotations

import numpy as np
import pyarrow.compute as pc

from avh_ui.metrics.column import NO_TEXTS, Column
from avh_ui.metrics.numerals import text_numbers

# A number as text: no leading zeros, since those are codes ("07"), and no blanks.
_NUMBER = r"^[+-]?(0|[1-9][0-9]*|[0-9]*\.[0-9]+|(0|[1-9][0-9]*)\.[0-9]*)([eE][+-]?[0-9]+)?$"


def as_numbers(texts: Column) -> Column:
    """A column of texts as numbers, with no rows when some text is no number."""
    values = texts.texts.values
    if not pc.all(pc.match_substring_regex(values, _NUMBER), min_count=0).as_py():
        return Column(texts.name, "numeric", 0, 0, np.empty(0), NO_TEXTS)
    numbers, keys = text_numbers(values)
    counts = texts.texts.counts
    repeated = None if keys is None else np.repeat(keys, counts)
    return Column(texts.name, "numeric", texts.rows, texts.nulls, np.repeat(numbers, counts), NO_TEXTS, repeated)
