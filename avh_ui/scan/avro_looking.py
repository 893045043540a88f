"""How an Avro file nobody described is written: its header has the schema, so that no rows are read."""

from __future__ import annotations

import json
from pathlib import Path

from avh_ui.errors import SourceError
from avh_ui.scan.json_looking import Written

_MAGIC, _SCHEMA = b"Obj\x01", b"avro.schema"


def look_at_avro(content: bytes, path: Path) -> Written:
    """The columns that the first bytes of a file name; `SourceError` for what is no Avro file."""
    if not content.startswith(_MAGIC):
        raise SourceError(f"{path} does not begin as an Avro file does.", hint="Deliver it again, or name it by what it is.")
    remarks = ("Spark reads Avro, by the package under `spark:` below.",)
    at = content.find(_SCHEMA)
    try:
        length, begin = _long(content, at + len(_SCHEMA))
        fields = json.loads(content[begin : begin + length])["fields"]
        return Written({}, tuple(str(field["name"]) for field in fields), remarks)
    except (IndexError, KeyError, TypeError, ValueError):
        return Written({}, (), remarks)


def _long(content: bytes, at: int) -> tuple[int, int]:
    """A number as Avro writes it, seven bits a byte with the sign in the last one, and where it ends."""
    value, shift = 0, 0
    while True:
        byte = content[at]
        value, shift, at = value | (byte & 0x7F) << shift, shift + 7, at + 1
        if byte < 0x80:
            return (value >> 1) ^ -(value & 1), at
