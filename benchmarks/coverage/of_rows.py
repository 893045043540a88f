"""Faults of single rows, tried on real files: a table's next delivery with rows lost, exchanged, shifted, or wrong in one column.

A table is learned from 60 sound deliveries at two places of its history; everything that is suggested is accepted. Two more deliveries come
as they are, then one spoiled in every way, each column by itself. A fault counts as noticed where something fails or warns that does
not of the same file as it came, or says something else of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import avh_ui as avh
from benchmarks.coverage.promises import PIPELINE, SETTINGS
from benchmarks.coverage.spoiled import Spoiled
from benchmarks.incidents import deliveries
from benchmarks.incidents.deliveries import Deliveries

LEARNED, SPOILED_AFTER = 60, 3
# Where in the history, as shares of the deliveries.
PLACES = (0.55, 1.0)
_SEED = 11
# Fewer rows have no block of a twentieth of them; of fewer numbers, or values, nothing is exchanged.
_BLOCK, _NUMBERS, _VALUES = 20, 5, 4
_TRIES = 20


def row_faults(cells: pa.Table, before: pa.Table, key: Sequence[str], batch: str) -> Iterator[Spoiled]:
    """The faults of rows in a delivery; `before` is the one before it."""
    rng = np.random.default_rng(_SEED)
    yield Spoiled("yesterday's file", "", batch, before)
    rows = cells.num_rows
    if rows >= _BLOCK:
        start, size = int(rng.integers(0, rows - rows // _BLOCK)), rows // _BLOCK
        yield Spoiled("a block lost", "", batch, cells.take(pa.array(np.r_[:start, start + size : rows])))
        yield Spoiled("a block twice", "", batch, cells.take(pa.array(np.r_[:rows, start : start + size])))
    old = _old_rows(cells, before, key)
    for name in (name for name in cells.column_names if name not in key):
        texts = cells[name].to_pylist()
        stale = [text if row is None else row.get(name, text) for row, text in zip(old, texts, strict=True)]
        if sum(a != b for a, b in zip(stale, texts, strict=True)) >= max(3, rows // _BLOCK):
            yield _column(cells, name, batch, "as the day before", stale)
        numbers = np.array([_number(text) for text in texts])
        there = np.flatnonzero(np.isfinite(numbers))
        if len(there) >= max(_NUMBERS, rows // 4) and len(set(numbers[there])) >= _VALUES:
            yield from _of_numbers(cells, name, batch, (numbers, there), rng)


def _of_numbers(cells: pa.Table, name: str, batch: str, known: tuple[Any, Any], rng: np.random.Generator) -> Iterator[Spoiled]:
    texts, (numbers, there) = cells[name].to_pylist(), known
    largest = there[np.argsort(-np.abs(numbers[there]))]
    upper = largest[: max(_VALUES, len(largest) // 2)]
    for one, other in (rng.choice(upper, 2, replace=False) for _ in range(_TRIES)):
        if abs(numbers[one] - numbers[other]) > 0.2 * max(abs(numbers[one]), abs(numbers[other])):
            yield _column(cells, name, batch, "two rows exchanged", _placed(texts, {one: texts[other], other: texts[one]}))
            break
    yield _column(cells, name, batch, "the largest 0", _placed(texts, {largest[0]: "0"}))
    if numbers[row := rng.choice(upper)]:
        yield _column(cells, name, batch, "a row x10", _placed(texts, {row: f"{numbers[row] * 10:.10g}"}))
    yield _column(cells, name, batch, "shifted by a row", [texts[-1], *texts[:-1]])


def _old_rows(cells: pa.Table, before: pa.Table, key: Sequence[str]) -> list[dict[str, Any] | None]:
    if not key or not {*key} <= {*before.column_names} & {*cells.column_names}:
        return [None] * cells.num_rows
    known = {tuple(row[name] for name in key): row for row in before.to_pylist()}
    return [known.get(tuple(row[name] for name in key)) for row in cells.select(list(key)).to_pylist()]


def _column(cells: pa.Table, name: str, batch: str, fault: str, values: Sequence[str | None]) -> Spoiled:
    return Spoiled(fault, name, batch, cells.set_column(cells.column_names.index(name), name, pa.array(values, pa.string())))


def _placed(texts: Sequence[str | None], others: dict[Any, str | None]) -> list[str | None]:
    return [others.get(place, text) for place, text in enumerate(texts)]


def _number(text: str | None) -> float:
    try:
        return float(text or "nan")
    except ValueError:
        return float("nan")


def measure(data: Path, folder: Path, names: Sequence[str] = ()) -> dict[str, Any]:
    """By table and fault how many were noticed of how many, and on how many of the days as they came nothing alarmed."""
    found: dict[str, Any] = {}
    for name in names or list(deliveries.tables(data)):
        table = deliveries.load(name, data)
        known = table.explained()
        usable = [k for k in range(len(table.ids)) if k not in known and table.cells(k).num_rows]
        if len(usable) < LEARNED + SPOILED_AFTER:
            continue
        counts: dict[str, Counter[bool]] = {}
        for place in PLACES:
            end = max(round(place * len(usable)), LEARNED + SPOILED_AFTER)
            _at(table, folder / f"{name}-{place}", usable[end - LEARNED - SPOILED_AFTER : end], counts)
        found[name] = {fault: [count[True], count.total()] for fault, count in counts.items()}
        print(f"{name}: {'; '.join(f'{fault} {hit} of {of}' for fault, (hit, of) in found[name].items())}", flush=True)
    return found


def _at(table: Deliveries, folder: Path, days: Sequence[int], counts: dict[str, Counter[bool]]) -> None:
    (folder / "data").mkdir(parents=True)
    (folder / "avh.yml").write_text(SETTINGS, encoding="utf-8")
    for k in days[:LEARNED]:
        _deliver(table, folder, k)
    ws = avh.open(folder)
    ws.profile(PIPELINE)
    draft = ws.suggest(PIPELINE)
    if draft.run.row_key is not None and draft.run.row_key.waits:
        ws.say_key(PIPELINE)
    ws.decide(PIPELINE, [item.suggestion.id for item in draft.items], "accept")
    ws.publish(PIPELINE, message="all of it")
    key = draft.run.row_key.columns if draft.run.row_key is not None else ()
    quiet = counts.setdefault("nothing of a day as it came", Counter())
    for k in days[LEARNED:-1]:
        _deliver(table, folder, k)
        quiet[not _alarms(ws.validate(PIPELINE, batch=table.ids[k]))] += 1
    cells, before = (table.cells(k) for k in (days[-1], days[-2]))

    def judged(content: pa.Table) -> dict[str, str]:
        (folder / "copy.csv").write_bytes(deliveries.as_file(content))
        return _alarms(ws.validate(PIPELINE, batch=table.ids[days[-1]], input=str(folder / "copy.csv"), store=False, record=False))

    clean = judged(cells)
    quiet[not clean] += 1
    for one in row_faults(cells, before, key, table.ids[days[-1]]):
        counts.setdefault(one.fault, Counter())[judged(one.cells) != clean] += 1


def _deliver(table: Deliveries, folder: Path, k: int) -> None:
    (folder / "data" / f"{table.ids[k]}.csv").write_bytes(table.content(k))


def _alarms(run: Any) -> dict[str, str]:
    """What fails or warns, and what it says."""
    bad = [r for r in run.results if r.status in ("fail", "warn")]
    return {f"{r.rule} {r.column or ''}" if hasattr(r, "rule") else r.constraint.title: r.message for r in bad}
