"""How often each class of fault is noticed when everything that is suggested is accepted."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from avh_ui.issues.faults import CLASSES, SEVERITIES, TABLE
from benchmarks.coverage.tables import NAMES, PIPELINE, load, sound, workspace

# As many rows of a table are profiled at most, and from so many batches at most: those of the largest table take two minutes.
_ROWS, _BATCHES, _LEAST = 1_500_000, 120, 30
# What README.md promises: a class, of whole rows or of a column, its way ('' = every way), and from which severity on.
PROMISES = {
    "half of the rows lost": ("rows lost", True, ""),
    "half of the rows twice": ("rows doubled", True, ""),
    "half of a column null": ("nulls", False, ""),
    "another unit (x10) in half of a column": ("unit or range", False, "x10"),
    "miles as kilometres in half of a column": ("unit or range", False, "x1.609"),
}


def measure(data: Path, folder: Path, names: tuple[str, ...] = NAMES) -> dict[str, Any]:
    """Counts of (noticed, all) by class and severity over the columns of all tables, whole rows by table, and the seconds it took."""
    noticed, of = Counter[str](), Counter[str]()
    tables: dict[str, Any] = {}
    for name in names:
        table = load(name, data)
        clean = sound(table)
        kept = clean[-max(_LEAST, min(_BATCHES, _ROWS // max(1, len(next(iter(table.batch(clean[-1]).values())))))) :]
        if len(kept) < _LEAST:
            continue
        ws = workspace(folder / name, table, kept)
        draft = ws.suggest(PIPELINE, window=len(kept))
        ws.decide(PIPELINE, [item.suggestion.id for item in draft.items], "accept")
        found = ws.coverage(PIPELINE, "draft")
        table_found: dict[str, Any] = {"batches": len(kept), "rules": found.rules, "columns": len(found.columns), "seconds": found.seconds}
        for cell in found.cells:
            for one in cell.findings:
                keys = [f"{cell.cls}|{one.fault.severity:g}"]
                keys += [p for p, (cls, whole, way) in PROMISES.items() if _is(p, cell, one, cls, whole, way)]
                keys += (
                    ["the file of the batch before again"]
                    if cell.column == TABLE and cell.cls == "stale" and one.fault.severity == 1
                    else []
                )
                for key in keys:
                    of[key] += 1
                    noticed[key] += bool(one.by)
                    if "|" not in key:
                        hit, all_of = table_found.get(key, (0, 0))
                        table_found[key] = (hit + bool(one.by), all_of + 1)
        tables[name] = table_found
        print(name, table_found, flush=True)
    return {"classes": {key: [noticed[key], of[key]] for key in of}, "tables": tables}


def _is(_: str, cell: Any, one: Any, cls: str, whole: bool, way: str) -> bool:
    return cell.cls == cls and (cell.column == TABLE) == whole and one.fault.severity == 0.5 and way in ("", one.fault.way)


def lines(found: dict[str, Any]) -> list[str]:
    """The counts as lines of a Markdown table."""
    made = ["| class of fault | 1 % | 10 % | 50 % | 100 % |", "| --- | --- | --- | --- | --- |"]
    for cls in CLASSES:
        cells = [found["classes"].get(f"{cls}|{severity:g}", (0, 0)) for severity in SEVERITIES]
        made.append(f"| {cls} | {' | '.join(f'{100 * a / b:.0f} % of {b}' if b else '' for a, b in cells)} |")
    return made
