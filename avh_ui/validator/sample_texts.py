"""Values of rows as the texts that people are shown: the same of every engine, which hand over the values themselves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from avh_ui.metrics.conformance import SHOWN, number_text

_ENDLESS = {math.inf: "Infinity", -math.inf: "-Infinity"}
_CAST = (pa.types.is_integer, pa.types.is_boolean, pa.types.is_date)


def sample_texts(names: Sequence[str], values: Sequence[pa.Array]) -> pa.Array:
    """The values of some columns in each row, at most `SHOWN` characters: of one column its value, of several `a=1, b=x`; none is null."""
    texts = [texts_of(column) for column in values]
    if len(texts) == 1:
        return pc.utf8_slice_codeunits(texts[0], 0, SHOWN)
    parts: list[Any] = []
    for place, (name, text) in enumerate(zip(names, texts, strict=True)):
        parts += [pa.scalar(f"{', ' if place else ''}{name}=", pa.large_string()), text]
    return pc.utf8_slice_codeunits(pc.binary_join_element_wise(*parts, pa.scalar("", pa.large_string())), 0, SHOWN)


def texts_of(values: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Each value as a text, `null` for none. Points in time are those of UTC, where they have a time zone; decimals have all their places,
    whole floats no point.
    """
    values = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    encoded = values if pa.types.is_dictionary(values.type) else values.dictionary_encode()
    return pc.fill_null(_plain(encoded.dictionary).take(encoded.indices), "null")


def counts_of(values: pa.Array | pa.ChunkedArray) -> dict[str | None, int]:
    """How often each value occurs, as a text; None stands for no value."""
    values = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    encoded = values if pa.types.is_dictionary(values.type) else values.dictionary_encode()
    texts: list[str | None] = [*_plain(encoded.dictionary).to_pylist(), None]
    codes = pc.fill_null(encoded.indices, len(texts) - 1).to_numpy(zero_copy_only=False)
    return {text: count for text, count in zip(texts, np.bincount(codes, minlength=len(texts)).tolist(), strict=True) if count}


def _plain(values: pa.Array) -> pa.Array:
    kind = values.type
    if pa.types.is_timestamp(kind) or pa.types.is_time(kind):
        # Without its time zone a point in time is that of UTC. Zeros at the end of a second are no digits that somebody wrote.
        texts = (values.cast(pa.timestamp(kind.unit)) if pa.types.is_timestamp(kind) else values).cast(pa.large_string())
        return pc.replace_substring_regex(texts, r"\.0+$|(\.\d*[1-9])0+$", r"\1")
    if any(is_kind(kind) for is_kind in _CAST):
        return values.cast(pa.large_string())
    return pa.array([None if value is None else _text(value) for value in _values(values)], pa.large_string())


def _values(values: pa.Array) -> list[Any]:
    """As Python's; texts whose bytes are no UTF-8, which Spark may have, with a mark for these."""
    kind = values.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        raw = values.cast(pa.large_string()).cast(pa.large_binary()).to_pylist()
        return [None if one is None else one.decode("utf-8", "replace") for one in raw]
    if pa.types.is_float32(kind) or pa.types.is_float16(kind):
        # The nearest double has digits that nobody wrote: 0.10000000149011612.
        return [None if one is None else float(str(one)) for one in values.to_numpy(zero_copy_only=False)]
    found: list[Any] = values.to_pylist()
    return found


def _text(value: object) -> str:
    if isinstance(value, float):
        return number_text(value) if math.isfinite(value) else _ENDLESS.get(value, "NaN")
    return format(value, "f") if type(value).__name__ == "Decimal" else str(value)
