"""Workspaces on disk without Spark: batches are learned, and all that is suggested of them is accepted and published."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pc

import avh_ui as avh
from avh_ui.validator.run import Run
from avh_ui.workspace import Workspace


def enforced(folder: Path, batches: Mapping[str, pa.Table], suggesting: Mapping[str, Any] | None = None, **pipeline: Any) -> Workspace:
    """The workspace of a pipeline "t" of CSV files that learned `batches`; `pipeline` are its settings beside the source."""
    (folder / "data").mkdir()
    source = {"format": "csv", "path": "data/{batch}.csv", "options": {"header": True}}
    settings = {"pipelines": {"t": {"source": source, **pipeline}}, "engine": "local"}
    (folder / "avh.yml").write_text(json.dumps(settings), encoding="utf-8")
    for batch, table in batches.items():
        pc.write_csv(table, folder / "data" / f"{batch}.csv")
    ws = avh.open(folder)
    ws.profile("t")
    draft = ws.suggest("t", **(suggesting or {"sources": ["history"], "fpr": 0.01}))
    ws.decide("t", [item.suggestion.id for item in draft.items], "accept")
    ws.publish("t", message="first")
    return ws


def again(ws: Workspace, folder: Path) -> Workspace:
    """One that has learned and published the same, for a test to change: to learn it anew takes a second of a processor."""
    shutil.copytree(ws.root, folder, dirs_exist_ok=True)
    return avh.open(folder)


def judged(ws: Workspace, batch: str, table: pa.Table, store: bool = True) -> Run:
    """The run of `table` as the delivery `batch`."""
    pc.write_csv(table, Path(ws.root) / "data" / f"{batch}.csv")
    return ws.validate("t", batch=batch, store=store)
