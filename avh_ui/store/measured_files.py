"""What suggestion runs measured, `<url>/<pipeline>/suggested.npz`: one file per pipeline, beside its history.

A file that is lost, damaged or of another release costs another suggestion run.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Sequence
from typing import Any

import numpy as np

from avh_ui.history.series import ColumnHistory
from avh_ui.inference.by_history.candidates import Unconstrained
from avh_ui.inference.by_history.measured import MeasuredColumn
from avh_ui.store.folder import Folder, Stamp
from avh_ui.store.names import to_file_name

NAME = "suggested.npz"
# Raised whenever what is written changes.
VERSION = 1


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
        "column": history.column,
        "kind": history.kind,
        "type": history.type,
        "batches": history.batches,
        "series": list(history.values),
        "rows": column.rows,
        "method": column.method,
        "season_lags": column.season_lags,
        "metrics": column.metrics,
        "variants": column.variants,
        "left_out": [(m.metric, m.reason) for m in column.left_out],
    }


def decode(record: bytes) -> tuple[MeasuredColumn, ...]:
    """From `encode`; `ValueError` and the like for anything else, and for another version."""
    with np.load(io.BytesIO(record), allow_pickle=False) as data:
        head = json.loads(data["head"].tobytes())
        series, present, values = data["series"], data["present"], data["values"]
    if head["version"] != VERSION:
        raise ValueError(f"measurements of version {head['version']} are not read by version {VERSION}")
    found, at, batch, cell = [], 0, 0, 0
    for h in head["columns"]:
        count, shape = len(h["batches"]), (len(h["metrics"]), len(h["variants"]))
        named = {name: series[at + i * count : at + (i + 1) * count] for i, name in enumerate(h["series"])}
        there = present[batch : batch + count]
        history = ColumnHistory(h["column"], h["kind"], h["type"], tuple(h["batches"]), named, there)
        found.append(
            MeasuredColumn(
                history=history,
                rows=h["rows"],
                method=h["method"],
                season_lags=tuple(h["season_lags"]),
                metrics=tuple(h["metrics"]),
                variants=tuple(h["variants"]),
                values=values[cell : cell + shape[0] * shape[1]].reshape(shape),
                left_out=tuple(Unconstrained(*pair) for pair in h["left_out"]),
            )
        )
        at, batch, cell = at + count * len(named), batch + count, cell + shape[0] * shape[1]
    return tuple(found)
