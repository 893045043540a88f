"""What suggestion runs measured, `<url>/<pipeline>/suggested.npz`: one file per pipeline, beside its history.

A file that is lost, damaged or of a newer release costs another suggestion run.
"""

from __future__ import annotations

import io
import json
import math
import zipfile
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from avh_ui.history.series import ColumnHistory
from avh_ui.inference.by_history.candidates import Unconstrained
from avh_ui.inference.by_history.measured import MeasuredColumn
from avh_ui.store.folder import Folder, Stamp
from avh_ui.store.names import to_file_name

NAME = "suggested.npz"
# Raised whenever what is written changes. Releases read what those before them wrote, and take a newer file for none.
# 2: the `limits` of a column, which one of version 1 is read without. 3: `untaught` batches and lasting changes, likewise.
# 4: the `tail` of the table, likewise. 5: whether a column's values `stay`, likewise.
VERSION = 5
_UNLIMITED = (-math.inf, math.inf)
_CHANGES = ("untaught", "begins", "rows_begin")
_TUPLES = ("season_lags", "metrics", "variants")


class MeasuredFiles:
    """`MeasuredRepository` under a path or an fsspec URL: that of the history."""

    def __init__(self, url: str) -> None:
        self._folder = Folder(url)
        self._read: dict[str, tuple[Stamp, tuple[MeasuredColumn, ...]]] = {}

    def save(self, pipeline: str, columns: Sequence[MeasuredColumn]) -> None:
        """Replace the pipeline's file; `DeliveryError` leaves the one there may be as it was."""
        self._folder.replace(f"{to_file_name(pipeline)}/{NAME}", encode(columns))

    def load(self, pipeline: str) -> tuple[MeasuredColumn, ...]:
        """What is kept, in the order saved; empty when there is no file, or none that this release reads.

        The same objects as long as the file is the same, so that callers can tell.
        """
        folder = to_file_name(pipeline)
        stamp = self._folder.list(folder).get(NAME)
        if stamp is None:
            return ()
        kept = self._read.get(pipeline)
        if kept is None or kept[0] != stamp:
            try:
                kept = stamp, decode(self._folder.read(f"{folder}/{NAME}"))
            except (FileNotFoundError, ValueError, KeyError, TypeError, IndexError, EOFError, zipfile.BadZipFile):
                kept = stamp, ()
            self._read[pipeline] = kept
        return kept[1]


def encode(columns: Sequence[MeasuredColumn]) -> bytes:
    """As bytes: the numbers of all columns end to end, and a JSON description.

    A column of 60 batches takes some 16 KB; compressing it would save a third and take ten times as long to read.
    """
    heads = [_head(c) for c in columns]
    series = [np.asarray(c.history.values[name], dtype=np.float64) for c, h in zip(columns, heads, strict=True) for name in h["series"]]
    target = io.BytesIO()
    np.savez(
        target,
        head=np.frombuffer(json.dumps({"version": VERSION, "columns": heads}).encode(), dtype=np.uint8),
        series=np.concatenate([np.empty(0), *series]),
        present=np.concatenate([np.empty(0, dtype=bool), *(c.history.present for c in columns)]),
        values=np.concatenate([np.empty(0), *(c.values.ravel() for c in columns)]),
    )
    return target.getvalue()


def _head(column: MeasuredColumn) -> dict[str, Any]:
    history = column.history
    return {
        **{name: getattr(history, name) for name in ("column", "kind", "type", "batches")},
        "series": list(history.values),
        **{name: getattr(column, name) for name in ("rows", "method", *_TUPLES)},
        **({"limits": column.limits} if column.limits != _UNLIMITED else {}),
        **({"tail": column.tail} if column.tail else {}),
        **({"stay": True} if column.stay else {}),
        **{name: found for name in _CHANGES if (found := getattr(column, name))},
        "left_out": [(m.metric, m.reason) for m in column.left_out],
    }


def decode(record: bytes) -> tuple[MeasuredColumn, ...]:
    """From `encode` of this release or one before; `ValueError` and the like for anything else, and for a newer version."""
    with np.load(io.BytesIO(record), allow_pickle=False) as data:
        head = json.loads(data["head"].tobytes())
        series, present, values = data["series"], data["present"], data["values"]
    if not 1 <= head["version"] <= VERSION:
        raise ValueError(f"measurements of version {head['version']} are not read by version {VERSION}")
    found, next_series, next_present, next_values = [], _taking(series), _taking(present), _taking(values)
    for h in head["columns"]:
        batches, shape = tuple(h["batches"]), (len(h["metrics"]), len(h["variants"]))
        named = {name: next_series(len(batches)) for name in h["series"]}
        history = ColumnHistory(h["column"], h["kind"], h["type"], batches, named, next_present(len(batches)))
        tuples = {name: tuple(h[name]) for name in _TUPLES}
        left_out = tuple(Unconstrained(*pair) for pair in h["left_out"])
        caught = next_values(shape[0] * shape[1]).reshape(shape)
        changes = {"untaught": tuple(h.get("untaught", ())), **{name: h.get(name, "") for name in _CHANGES[1:]}}
        limits = tuple(h.get("limits", _UNLIMITED))
        about: dict[str, Any] = {
            "rows": h["rows"],
            "method": h["method"],
            "limits": limits,
            "tail": h.get("tail", 0.0),
            "stay": h.get("stay", False),
            **tuples,
            **changes,
        }
        found.append(MeasuredColumn(history=history, values=caught, left_out=left_out, **about))
    return tuple(found)


def _taking(numbers: NDArray[Any]) -> Callable[[int], NDArray[Any]]:
    """What gives the next so many of the numbers."""
    at = 0

    def take(count: int) -> NDArray[Any]:
        nonlocal at
        at += count
        return numbers[at - count : at]

    return take
