"""Whole columns gone wrong, one by one, in a table's next delivery: what the suggested program notices, what coverage says it does not,
and what is missed in silence.

A column of numbers is 0, one value, another unit, empty, or in the place of a sibling, in all of its rows and in half of them. Everything
that is suggested is accepted. A fault that nothing notices is said where coverage names it, with what would notice it or why nothing does.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import avh_ui as avh
from avh_ui.workflows.coverage import Coverage
from benchmarks.coverage.promises import PIPELINE, alarms, prepared
from benchmarks.coverage.spoiled import Spoiled, number_cells, with_cells
from benchmarks.incidents import deliveries

KINDS = (
    "count", "counter", "measure", "share", "latitude", "coordinate", "clock code", "hour", "minute", "code",
)  # fmt: skip
SHARES = {"all": 1.0, "half": 0.5}
FACTORS = {"x10": 10.0, "x100": 100.0, "x1000": 1000.0, "/10": 0.1, "/100": 0.01, "/1000": 0.001}
# By the fault the class and the way that coverage knows it by; a larger factor is noticed where a smaller one is.
_CELLS = {
    "zero": ("unit or range", "becomes 0"), "one value": ("unit or range", "one value throughout"), "null": ("nulls", "null"),
    "sibling": ("unit or range", "another column's values"), **dict.fromkeys(("x10", "x100", "x1000"), ("unit or range", "x10")),
    **dict.fromkeys(("/10", "/100", "/1000"), ("unit or range", "a tenth")),
}  # fmt: skip
_LEAST_CELLS, _SEED = 10, 13


def column_faults(cells: pa.Table, before: pa.Table, batch: str, kinds: Mapping[str, str]) -> Iterator[Spoiled]:
    """Every fault of every column of numbers of a delivery, called `FAULT SHARE`; what changes nothing is left out, and so are columns that
    had one value in all rows of the delivery `before`, as numbers of admissions that are 0 on a quiet day: one value is no fault there.
    """
    numbers = {name: number_cells(cells[name]) for name in cells.column_names if kinds.get(name) in KINDS}
    known = {
        name: found
        for name, found in numbers.items()
        if found is not None and np.isfinite(found).sum() >= _LEAST_CELLS and _varied(before, name)
    }
    rng = np.random.default_rng(_SEED)
    for name, found in known.items():
        there = np.flatnonzero(np.isfinite(found))
        sibling = _sibling(name, known, kinds)
        for share, part in SHARES.items():
            some = rng.permutation(there)[: max(1, round(part * len(there)))]
            for fault, values in _ways(found):
                if np.any(values[some] != found[some]):
                    yield Spoiled(f"{fault} {share}", name, batch, _placed(cells, name, values, some))
            yield Spoiled(f"null {share}", name, batch, _placed(cells, name, np.full(len(found), np.nan), some))
            if sibling is not None and np.any(known[sibling][some] != found[some]):
                one = _placed(cells, name, known[sibling], some)
                yield Spoiled(f"sibling {share}", name, batch, _placed(one, sibling, found, some))


def _varied(before: pa.Table, name: str) -> bool:
    return name in before.column_names and len({text for text in before[name].to_pylist() if text}) > 1


def _ways(numbers: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    there = np.sort(numbers[np.isfinite(numbers)])
    yield "zero", np.zeros(len(numbers))
    yield "one value", np.full(len(numbers), there[len(there) // 2])
    for fault, factor in FACTORS.items():
        yield fault, numbers * factor


def _sibling(name: str, known: Mapping[str, np.ndarray], kinds: Mapping[str, str]) -> str | None:
    """The next column of the same kind, around the end of the table; None where it is the only one."""
    same = [other for other in known if kinds[other] == kinds[name]]
    other = same[(same.index(name) + 1) % len(same)]
    return None if other == name else other


def _placed(cells: pa.Table, name: str, values: np.ndarray, some: np.ndarray) -> pa.Table:
    texts = cells[name].to_pylist()
    for row in some.tolist():
        texts[row] = "" if np.isnan(values[row]) else f"{values[row]:.10g}"
    return with_cells(cells, name, pa.array(texts, pa.string()))


def measure(data: Path, folder: Path, names: Sequence[str] = ()) -> dict[str, Any]:
    """By table what became of each fault of each column."""
    found = {}
    for name in names or list(deliveries.tables(data)):
        table = deliveries.load(name, data)
        if (made := prepared(table, folder / name)) is None:
            continue
        start = time.process_time()
        ws, draft, cells, batch = made.ws, made.draft, made.cells, made.batch
        kinds = {column: known.kind for column, known in draft.run.kinds.items()}
        clean, coverage = alarms(ws, folder / name, Spoiled("", "", batch, cells)), ws.coverage(PIPELINE)
        told = [_outcome(ws, folder / name, one, coverage, clean) for one in column_faults(cells, made.before, batch, kinds)]
        seconds = round(time.process_time() - start, 1)
        found[name] = {"rules": len(draft.items), "columns": len(cells.column_names), "outcomes": told, "seconds": seconds}
        print("\n".join([row(name, found[name]), *(_said(one) for one in told if one["outcome"] != "noticed")]), flush=True)
    return found


def _outcome(ws: avh.Workspace, folder: Path, one: Spoiled, coverage: Coverage, clean: set[str]) -> dict[str, str]:
    made = {"fault": one.fault, "column": one.column}
    if by := alarms(ws, folder, one) - clean:
        return made | {"outcome": "noticed", "by": ", ".join(sorted(by)[:3])}
    fault, share = one.fault.rsplit(" ", 1)
    cls, way = _CELLS[fault]
    cell = coverage.by_place.get((one.column, cls))
    holes = [] if cell is None else [f for f in cell.missed if f.fault.severity == SHARES[share] and f.fault.way == way]
    advice = next((hole.advice for hole in holes if hole.advice), "")
    return made | {"outcome": "said" if advice else "silent", "by": advice}


def _said(one: dict[str, str]) -> str:
    return f"  {one['column']} {one['fault']}: {one['outcome']} {one['by']}"


def row(name: str, found: dict[str, Any]) -> str:
    """A table's counts, as a line of a Markdown table."""
    cells = []
    for share in SHARES:
        count = Counter(one["outcome"] for one in found["outcomes"] if one["fault"].endswith(f" {share}"))
        cells += [f"{count['noticed']} of {count.total()}", str(count["said"]), str(count["silent"])]
    return f"| {name} | {found['columns']} | {found['rules']} | {' | '.join(cells)} |"


def lines(found: dict[str, Any]) -> list[str]:
    """The table, in Markdown."""
    head = ["table", "columns", "rules", *(f"{what}, {share}" for share in SHARES for what in ("noticed", "said", "in silence"))]
    return [f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}", *(row(name, one) for name, one in found.items())]
