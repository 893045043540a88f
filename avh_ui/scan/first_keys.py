"""The keys of a JSON file's first rows: what they say of its columns."""

from __future__ import annotations

import json
import re
from typing import Any

import pyarrow as pa

from avh_ui.scan.first_lines import HEAD_BYTES
from avh_ui.scan.other_formats import refuse_other_format
from avh_ui.scan.packed import text_reader

_BETWEEN_ROWS = re.compile(r"[\s,\[]*")
# So many rows say which keys a writer writes.
_ROWS = 20


def first_keys(path: str, stream: Any) -> frozenset[str]:
    """The keys of a JSON file's first rows, from its stream of bytes, those of objects within as `geo.lat`; none when they cannot be read,
    of which Spark says what is wrong. `SourceError` for a file that is no text.
    """
    try:
        read = text_reader(stream, path)
        head = b"" if read is None else read(HEAD_BYTES)
    except (OSError, pa.ArrowException):
        return frozenset()
    refuse_other_format(head, path)
    text = head.decode("utf-8-sig", "replace")
    found: set[str] = set()
    decoder, at = json.JSONDecoder(), 0
    for _ in range(_ROWS):
        at = _BETWEEN_ROWS.match(text, at).end()  # type: ignore[union-attr]  # it matches everywhere
        try:
            row, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at = text.find("\n", at)
            if at < 0:
                break
            continue
        found |= _keys(row)
    return frozenset(found)


def _keys(row: Any, above: str = "") -> set[str]:
    if not isinstance(row, dict):
        return set()
    return {name for key, value in row.items() for name in ({above + key} | _keys(value, f"{above}{key}."))}
