"""A sample's columns laid back into the structs that they are fields of."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from avh_ui.errors import UsageError

_PART = re.compile(r"`((?:``|[^`])*)`|([^.`]+)")
_LISTS = ("array<", "map<")


def nested(table: pa.Table, types: Mapping[str, str]) -> pa.Table:
    """The rows with `user.id` as the field `id` of `user`, where the profile's `types` say that `user` is a struct.

    `UsageError` where a column is a list or map: of these a sample has the size alone.
    """
    if lists := [name for name, kind in types.items() if kind.startswith(_LISTS)]:
        hint = "Try its faults without a copy: on the page Trial of `avh review`, or by `avh coverage`."
        raise UsageError(f"A copy cannot be written: of {', '.join(lists)}, a list or map, only the size is known.", hint=hint)
    structs = [name for name, kind in types.items() if kind.startswith("struct<")]
    tree: dict[str, Any] = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        within = name not in structs and any(name.startswith(f"{struct}.") for struct in structs)
        *above, last = (
            [found[1].replace("``", "`") if found[1] is not None else found[2] for found in _PART.finditer(name)] if within else [name]
        )
        at = tree
        for part in above:
            at = at.setdefault(part, {})
        at[last] = column.combine_chunks()
    return pa.table({name: _array(value) for name, value in tree.items()})


def _array(value: Any) -> pa.Array:
    if isinstance(value, dict):
        return pa.StructArray.from_arrays([_array(inner) for inner in value.values()], list(value))
    return value
