"""What rules on segments notice that no rule on all rows does, and what they alarm on, walking forward.

    python -m benchmarks.segments FILE --by origin [--start 60] [--every 28] [--spoil 4]

FILE is a Parquet file with the columns `batch_seq` and `batch_id` beside the table's. A workspace is made that is split by the column
`--by`; everything suggested of its first batches is accepted, and so again every so many batches. Each later batch is judged and kept. Of
every `--spoil`-th batch two more are judged and not kept: half of one segment's rows missing, and half of a column's values null in it, the
segment and the column drawn by chance. Prints how many faults were noticed, by rules on segments alone among them, and how many quiet
batches these alarmed on, against what they expect.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

import avh_ui as avh
from avh_ui.inference.by_segment.suggesting import LEAST_ROWS
from avh_ui.validator.run import Run
from avh_ui.workspace import Workspace

_BATCH = ["batch_seq", "batch_id"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--by", required=True)
    for name, default in (("start", 60), ("every", 28), ("spoil", 4)):
        parser.add_argument(f"--{name}", type=int, default=default)
    options = parser.parse_args()
    ids, batches = _batches(options.file)
    rng, found = np.random.default_rng(0), Counter[str]()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "data").mkdir()
        source = "source: {format: parquet, path: 'data/{batch}.parquet'}"
        (folder / "avh.yml").write_text(f"pipelines:\n  t:\n    {source}\n    segments: [{options.by}]\nengine: local\n", encoding="utf-8")
        for batch in ids[: options.start]:
            pq.write_table(batches[batch], folder / "data" / f"{batch}.parquet")
        ws = avh.open(folder)
        ws.profile("t")
        for k, batch in enumerate(ids[options.start :]):
            if k % options.every == 0:
                found["suggested"] += _published(ws, batch)
            path = folder / "data" / f"{batch}.parquet"
            for name, table in _spoiled(batches[batch], options.by, rng) if k % options.spoil == 0 else ():
                pq.write_table(table, path)
                _count(found, name, ws.validate("t", batch=batch, store=False))
            pq.write_table(batches[batch], path)
            _count(found, "quiet", ws.validate("t", batch=batch))
    print(options.file.stem, options.by, dict(found))


def _batches(file: Path) -> tuple[list[str], dict[str, pa.Table]]:
    """The batches in order, with numbers for columns of texts that are all numbers."""
    table = pq.read_table(file)
    for place, name in enumerate(table.column_names):
        if name not in _BATCH and pa.types.is_large_string(table.schema.field(name).type):
            try:
                table = table.set_column(place, name, pc.cast(table.column(name), pa.float64()))
            except pa.ArrowInvalid:
                table = table.set_column(place, name, pc.cast(table.column(name), pa.string()))
    ids = [row["batch_id"] for row in table.select(_BATCH).group_by(_BATCH).aggregate([]).sort_by("batch_seq").to_pylist()]
    return ids, {batch: table.filter(pc.equal(table.column("batch_id"), batch)).drop_columns(_BATCH) for batch in ids}


def _published(ws: Workspace, batch: str) -> int:
    """Suggest, accept all and publish: how many rules are on segments."""
    draft = ws.suggest("t")
    ws.decide("t", [item.suggestion.id for item in draft.items], "accept")
    if draft.run.row_key is not None and draft.run.row_key.waits:
        ws.say_key("t")
    ws.publish("t", message="walk")
    rules = [item.current for item in draft.items if item.current.measure.where is not None]
    for rule in rules:
        print(batch, rule.column, rule.metric, rule.lower, rule.upper, f"{rule.fpr:.5f}", flush=True)
    return len(rules)


def _spoiled(table: pa.Table, by: str, rng: np.random.Generator) -> list[tuple[str, pa.Table]]:
    told = np.array(table.column(by).to_pylist(), dtype=object)
    large = sorted(name for name, count in Counter(told.tolist()).items() if name is not None and count >= LEAST_ROWS)
    others = [name for name in table.column_names if name != by]
    if not large:
        return []
    rows = rng.permutation(np.flatnonzero(told == large[rng.integers(len(large))]))
    half = np.isin(np.arange(len(table)), rows[: len(rows) // 2])
    column = others[rng.integers(len(others))]
    values = table.column(column).combine_chunks()
    emptied = pc.if_else(pa.array(half), pa.scalar(None, values.type), values)
    return [
        ("rows", table.filter(pa.array(~half))),
        ("nulls", table.set_column(table.column_names.index(column), column, emptied)),
    ]


def _count(found: Counter[str], name: str, run: Run) -> None:
    alarmed = [v.constraint for v in run.verdicts if v.status in ("fail", "warn")]
    of_parts = [c for c in alarmed if c.measure.where is not None]
    found[name] += 1
    found[f"{name}: noticed"] += run.status in ("fail", "warn")
    found[f"{name}: by segments"] += bool(of_parts)
    found[f"{name}: by segments alone"] += bool(of_parts) and len(of_parts) == len(alarmed)
    if name == "quiet":
        rules = [v.constraint for v in run.verdicts if v.constraint.measure.where is not None]
        found["verdicts"] += len(rules)
        found["a million times the expected alarms"] += round(1_000_000 * sum(c.fpr for c in rules))


if __name__ == "__main__":
    main()
