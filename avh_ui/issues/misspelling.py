"""Misspelt values: texts, and numbers in their decimal text, with characters lost, added or others."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from avh_ui.issues import text_edits
from avh_ui.issues.sample import NULL, Floats, Sample, take
from avh_ui.issues.swapping import filled, some_of, swapped
from avh_ui.issues.text_edits import TextBytes

# A value that many rows share is misspelt in many ways, but measuring a misspelling of its own per row would cost as much as a
# column of all distinct values. So many misspellings in all are enough to be four times beyond an exact frequency table.
POOL = 4_096

Edit = Callable[[TextBytes, np.random.Generator, "text_edits.Mask | None"], TextBytes]


def misspelt(sample: Sample, share: float, edit: Edit, rng: np.random.Generator) -> Sample | None:
    """A share of the rows with misspelt values: each distinct value has several misspellings, rows draw among them. None where nothing is
    left of them: a letter without itself is no misspelt one, but an empty text.
    """
    rows = some_of(filled(sample), share, rng)
    if not len(rows):
        return None
    some, where = np.unique(sample.codes[rows], return_inverse=True)
    ways = min(max(2, POOL // len(some)), -(-len(rows) // len(some)))
    pool = take(sample.values, np.repeat(some, ways))
    codes = where * ways + rng.integers(ways, size=len(rows))
    if not sample.is_number:
        texts = edit(TextBytes.of(pool), rng, None)
        return swapped(sample, rows, texts.to_arrow(), codes) if len(texts.data) else None
    values, lost = _edit_numbers(np.asarray(pool), edit, rng)
    return swapped(sample, rows, values, np.where(lost[codes], NULL, codes))


def _edit_numbers(numbers: Floats, edit: Edit, rng: np.random.Generator) -> tuple[Floats, text_edits.Mask]:
    """Numbers edited in their decimal text, and where nothing is left of them. NaN and infinities have no digits and stay."""
    whole = bool(np.all(np.isfinite(numbers)) and np.all(np.abs(numbers) < 2.0**53) and np.all(numbers == np.trunc(numbers)))
    texts = pa.array(numbers.astype(np.int64) if whole else numbers, from_pandas=False).cast(pa.large_string())
    edited = edit(TextBytes.of(texts), rng, text_edits.mantissa_digits(TextBytes.of(texts)))
    lost = text_edits.without_digits(edited) & np.isfinite(numbers)
    readable = pc.if_else(pa.array(lost), pa.scalar(None, pa.large_string()), edited.to_arrow())
    return np.asarray(readable.cast(pa.float64()).to_numpy(zero_copy_only=False), dtype=np.float64) + 0.0, lost
