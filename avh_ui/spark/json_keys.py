"""Which files of a JSON batch have other keys than the rest.

JSON has no header, and Spark gives a row without a key a null. So two things tell: the keys of each file's first lines, and which
columns have no value in any row of a file, which the tasks note while they measure. Not seen: a key that is rare where it stands, files
of a few rows, and files whose first lines cannot be read here (another encoding, other quotes).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from avh_ui.metrics.delivery import NAMED_FILES, Delivery, FileDifference, columns_named
from avh_ui.metrics.fields import Within
from avh_ui.spark.csv_header import HEAD_BYTES, text_reader

# So many rows say which keys a writer writes; those that stand in none of them Spark's tasks find.
_ROWS = 20
# A key that is missing by chance: with so small a likelihood a table of 100 columns and 100 files alarms once in 100 batches at worst.
_CHANCE = 1e-6
_NEXT = re.compile(r"[\s,\[]*")


@dataclass(frozen=True)
class FileKeys:
    """A file by the name that people call it, and the keys of its first rows: those of objects within as `geo.lat`."""

    name: str
    keys: frozenset[str]


def first_keys(path: str, stream: Any) -> frozenset[str]:
    """The keys of a file's first rows, from its stream of bytes; none when they cannot be read, of which Spark says what is wrong."""
    try:
        read = text_reader(stream, path)
        text = "" if read is None else read(HEAD_BYTES).decode("utf-8-sig", "replace")
    except (OSError, pa.ArrowException):
        return frozenset()
    found: set[str] = set()
    decoder, at = json.JSONDecoder(), 0
    for _ in range(_ROWS):
        at = _NEXT.match(text, at).end()  # type: ignore[union-attr]  # it matches everywhere
        try:
            row, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at = text.find("\n", at)
            if at < 0:
                break
            continue
        found |= _keys(row)
    return frozenset(found)


def key_differences(
    files: Mapping[str, FileKeys], rows: Mapping[str, int], without: Mapping[str, set[str]], values: Mapping[str, int]
) -> Delivery:
    """The files, by path, that lack keys of the rest or have others: `rows` of each file, the columns `without` a value in it, and how
    many `values` each column has in all files.
    """
    known = [path for path, file in files.items() if file.keys and rows.get(path)]
    lacks: dict[str, list[str]] = {}
    has: dict[str, list[str]] = {}
    for column in values:
        lackers = [p for p in known if column in without.get(p, ()) and column.removesuffix(".size()") not in files[p].keys]
        holders = [p for p in known if column not in without.get(p, ())]
        if not lackers or not holders:
            continue
        share = values[column] / (sum(rows[p] for p in holders) + 1)
        if len(lackers) > len(holders):
            if (1 - share) ** sum(rows[p] for p in lackers) < _CHANCE:
                for path in holders:
                    has.setdefault(path, []).append(column)
            continue
        for path in lackers:
            if (1 - share) ** rows[path] < _CHANCE:
                lacks.setdefault(path, []).append(column)
    odd = sorted({*lacks, *has}, key=lambda path: files[path].name)
    told = (FileDifference(files[p].name, _said(lacks.get(p, []), has.get(p, []))) for p in odd[:NAMED_FILES])
    return Delivery(others=len(odd), differing=tuple(told))


def _said(lacks: list[str], has: list[str]) -> str:
    # Of an object that is not there its fields are not named.
    lacking, having = ([name for name in names if name not in Within(names)] for names in (lacks, has))
    told = [f"lacks {columns_named(lacking)}"] if lacking else []
    return " and ".join([*told, f"has {columns_named(having)} besides"] if having else told)


def _keys(row: Any, above: str = "") -> set[str]:
    if not isinstance(row, dict):
        return set()
    return {name for key, value in row.items() for name in ({above + key} | _keys(value, f"{above}{key}."))}
