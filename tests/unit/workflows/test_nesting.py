"""Laying a sample's columns back into their structs."""

from __future__ import annotations

import pyarrow as pa
import pytest

from avh_ui.errors import UsageError
from avh_ui.workflows.nesting import nested


def test_fields_go_back_into_their_structs() -> None:
    flat = pa.table({"x": [1], "user.id": [7], "user.`a.b`.c": ["s"], "flat.name": [2.5]})
    types = {
        "x": "bigint",
        "user": "struct<...>",
        "user.id": "bigint",
        "user.`a.b`": "struct<...>",
        "user.`a.b`.c": "string",
        "flat.name": "double",
    }
    assert nested(flat, types).to_pylist() == [{"x": 1, "user": {"id": 7, "a.b": {"c": "s"}}, "flat.name": 2.5}]
    # Without a profile nothing says that a dot is no part of a name.
    assert nested(flat, {}).equals(flat)


def test_what_only_has_its_size_is_not_written() -> None:
    with pytest.raises(UsageError, match="of tags, a list or map, only the size is known"):
        nested(pa.table({"tags.size()": [2]}), {"tags": "array<string>", "tags.size()": "size"})
