"""Keys of rows as people read them."""

from __future__ import annotations

from avh_ui.metrics.row_groups import MOST, words_of
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.sampled_values import SampledValues

# Names of things have so many letters at least.
_SHORT = 4


def key_words(sample: RowSample, at: int, names: str) -> str:
    """The key at a place, for people; beside codes the words that name the row, where a column has some for each (`name_column`)."""
    key = ", ".join(_named(sample.columns[name], at) for name in sample.by)
    name = sample.columns[names].shown(at) if names and not sample.columns[names].is_null[at] else ""
    return f"{key} ({name})" if name and not name.isdigit() else key


def _named(values: SampledValues, at: int) -> str:
    """A value as part of a key, where a number is a name: `1402`, and not `1,402`."""
    shown = values.shown(at)
    return shown.replace(",", "") if values.text(at) is None else shown


def name_column(sample: RowSample) -> str:
    """The column of words that nearly every row has another of; '' for none, and where the key has words itself."""
    if any(words_of(sample.columns[name]) >= _SHORT for name in sample.by):
        return ""
    several = [(len(v.used), -place, name) for place, (name, v) in enumerate(sample.columns.items()) if words_of(v) >= _SHORT]
    most, _, name = max(several, default=(0, 0, ""))
    return name if most >= MOST * sample.keys else ""
