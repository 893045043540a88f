"""How a JSON file nobody described is written: told from its first bytes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from avh_ui.errors import SourceError
from avh_ui.scan.csv_nulls import Cells
from avh_ui.scan.first_lines import utf16_of

# One object whose rows stand in a list below one of its first keys; keys before it hold no list and no object.
_WRAPPED = re.compile(rb'\{[^{}\[\]]*"([^"\\]+)"\s*:\s*\[\s*\{')
# Of lines of objects the second begins so.
_NEXT = re.compile(rb"\n\{")


@dataclass(frozen=True)
class Written:
    """How a file is written: the reader's `options`, `remarks`, the names of its `columns`, more `fields` of its source, and of CSV what
    the `cells` of its columns are.
    """

    options: dict[str, str]
    columns: tuple[str, ...]
    remarks: tuple[str, ...] = ()
    fields: dict[str, Any] = field(default_factory=dict)
    cells: dict[str, Cells] = field(default_factory=dict)


def look_at_json(content: bytes, path: Path) -> Written:
    """The look of a file by its first bytes: lines of objects, or one value over several. One object with its rows in a list is told.
    `SourceError` for UTF-16.
    """
    if wide := utf16_of(content):
        said = f"{path} is UTF-16, which is read of CSV alone."
        raise SourceError(said, hint=f"Write it as UTF-8: `iconv -f {wide} -t UTF-8 FILE > NEW`.")
    start = content.removeprefix(b"\xef\xbb\xbf").strip()
    if start.startswith(b"["):
        return Written({"multiLine": "true"}, ())
    if not start.startswith(b"{") or _NEXT.search(start):
        return Written({}, ())
    first, _, more = start.partition(b"\n")
    options = {"multiLine": "true"} if more and not first.rstrip().endswith(b"}") else {}
    if (found := _WRAPPED.match(start)) is None:
        return Written(options, ())
    key = found[1].decode("utf-8", "replace")
    said = (
        f"Each file is one object with its rows in a list, {key!r}, and to a reader one row. Write an object a line, so that each is a row"
    )
    return Written(options, (), (f"{said}: `jq -c '.{key}[]'`.",))
