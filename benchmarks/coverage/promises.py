"""The promise, kept or not: real files of the next delivery, spoiled one by one and judged by a program of everything suggested."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

import avh_ui as avh
from avh_ui.validator.stale import RULE as STALE
from avh_ui.workflows.coverage import Coverage
from benchmarks.coverage.spoiled import QUANTITIES, UNITS, Spoiled, moved, several_days, spoiled
from benchmarks.incidents import deliveries
from benchmarks.incidents.deliveries import Deliveries

PIPELINE = "table"
_LEAST, _BATCHES, _ROWS = 30, 120, 1_000_000
_DAY = re.compile(r"\d{4}-\d\d-\d\d$")
FAULTS = ("half the rows lost", "half a column null", "yesterday's file", *UNITS)
CALENDAR = ("next day", "next month", "next year")
# By the name of a fault the class, the severity and the way that coverage knows it by.
_CELLS = {
    "half the rows lost": ("rows lost", 0.5, ""), "half a column null": ("nulls", 0.5, ""), "yesterday's file": ("stale", 1.0, ""),
    "x1000": ("unit or range", 1.0, "x10"), "x1.6": ("unit or range", 1.0, "x1.609"),
}  # fmt: skip
SETTINGS = """\
pipelines:
  table:
    source: {format: csv, path: 'data/{batch}.csv', options: {header: true}}
    cadence: daily
engine: local
"""


def measure(data: Path, folder: Path, names: Sequence[str] = ()) -> dict[str, Any]:
    """By table and fault what became of each copy: noticed, said to be uncovered, or neither."""
    found = {}
    for name in names or list(deliveries.tables(data)):
        table = deliveries.load(name, data)
        start = time.process_time()
        if (made := prepared(table, folder / name)) is not None:
            found[name] = _of_table(folder / name, made) | {"seconds": round(time.process_time() - start, 1)}
            print("\n".join(_line(name, found[name])), flush=True)
    return found


def _kept(table: Deliveries) -> list[int] | None:
    """The newest sound deliveries with a date of their own, so many as have a million rows; None of fewer than 31."""
    known = table.explained()
    usable = [k for k, one in enumerate(table.ids) if _DAY.match(one) and k not in known]
    rows = max(1, table.cells(usable[-1]).num_rows) if usable else 1
    kept = usable[-(1 + max(_LEAST, min(_BATCHES, _ROWS // rows))) :]
    return kept if len(kept) > _LEAST else None


@dataclass(frozen=True)
class Prepared:
    """A table learned from all deliveries but the newest, everything suggested published, and the newest one's cells."""

    ws: avh.Workspace
    draft: Any
    kept: Sequence[int]
    batch: str
    cells: pa.Table
    before: pa.Table


def prepared(table: Deliveries, folder: Path) -> Prepared | None:
    """A workspace of a table's newest sound deliveries; None where it has too few."""
    if (kept := _kept(table)) is None:
        return None
    (folder / "data").mkdir(parents=True)
    (folder / "avh.yml").write_text(SETTINGS, encoding="utf-8")
    for k in kept[:-1]:
        (folder / "data" / f"{table.ids[k]}.csv").write_bytes(table.content(k))
    ws = avh.open(folder)
    ws.profile(PIPELINE)
    draft = ws.suggest(PIPELINE)
    ws.decide(PIPELINE, [item.suggestion.id for item in draft.items], "accept")
    ws.publish(PIPELINE, message="all of it")
    return Prepared(ws, draft, kept, table.ids[kept[-1]], table.cells(kept[-1]), table.cells(kept[-2]))


def _of_table(folder: Path, made: Prepared) -> dict[str, Any]:
    ws, draft, kept, cells, batch = made.ws, made.draft, made.kept, made.cells, made.batch
    before, kinds = made.before, {name: known.kind for name, known in draft.run.kinds.items()}
    clean = alarms(ws, folder, Spoiled("clean", "", batch, cells))
    coverage = ws.coverage(PIPELINE)
    outcomes = [_outcome(ws, folder, one, coverage, clean) for one in spoiled(cells, before, batch, kinds)]
    calendar = {one.fault: sorted(alarms(ws, folder, one, by_key=not several_days(cells)) - clean) for one in moved(cells, batch)}
    quantities = sum(kind in QUANTITIES for kind in kinds.values())
    return {
        "batches": len(kept) - 1, "rules": len(draft.items), "clean": sorted(clean), "outcomes": outcomes, "calendar": calendar,
        "quantities": quantities,
    }  # fmt: skip


def alarms(ws: avh.Workspace, folder: Path, one: Spoiled, *, by_key: bool = True) -> set[str]:
    """What alarms on a copy, as rule and column; without rules on rows matched `by_key` where the rows of another time have other keys."""
    path = folder / "copy.csv"
    path.write_bytes(deliveries.as_file(one.cells))
    return _titles(ws.validate(PIPELINE, batch=one.batch, input=str(path), store=False, record=False), by_key=by_key)


def _titles(run: Any, *, by_key: bool = True) -> set[str]:
    bad = [result for result in run.results if result.status in ("fail", "warn")]
    bad = [r for r in bad if by_key or hasattr(r, "rule") or not r.constraint.measure.key]
    return {f"{r.rule} {r.column or ''}" if hasattr(r, "rule") else r.constraint.title for r in bad}


def _outcome(ws: avh.Workspace, folder: Path, one: Spoiled, coverage: Coverage, clean: set[str]) -> dict[str, str]:
    """Noticed, or what is said of the hole: by the run itself (a file that comes again as others did), or by coverage, which must name it
    with what would close it or why nothing does.
    """
    made = {"fault": one.fault, "column": one.column}
    path = folder / "copy.csv"
    path.write_bytes(deliveries.as_file(one.cells))
    run = ws.validate(PIPELINE, batch=one.batch, input=str(path), store=False, record=False)
    if alarms := _titles(run) - clean:
        return made | {"outcome": "noticed", "by": ", ".join(sorted(alarms)[:3])}
    if told := [r.message for r in run.rules if r.rule == STALE]:
        return made | {"outcome": "said", "by": told[0]}
    cls, severity, way = _CELLS[one.fault]
    cell = coverage.by_place.get((one.column, cls))  # type: ignore[call-overload]
    holes = [] if cell is None else [f for f in cell.missed if f.fault.severity == severity and way in ("", f.fault.way)]
    advice = next((hole.advice for hole in holes if hole.advice), "")
    return made | {"outcome": "said" if advice else "neither", "by": advice}


def counts(found: dict[str, Any], fault: str) -> tuple[int, int, int]:
    """Of one fault how many copies were noticed, said to be uncovered, and neither."""
    told = [one["outcome"] for one in found["outcomes"] if one["fault"] == fault]
    return told.count("noticed"), told.count("said"), told.count("neither")


def lines(found: dict[str, Any]) -> list[str]:
    """The table, in Markdown."""
    head = ["table", "batches", "rules", *FAULTS, *CALENDAR]
    made = [f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}"]
    return made + [_row(name, one) for name, one in found.items()]


def _row(name: str, found: dict[str, Any]) -> str:
    cells = [name, str(found["batches"]), str(found["rules"])]
    for fault in FAULTS:
        noticed, said, neither = counts(found, fault)
        more = [f"{said} said"] * bool(said) + [f"**{neither} neither**"] * bool(neither)
        cells.append(
            f"{noticed} of {noticed + said + neither}" + (f" ({', '.join(more)})" if more else "") if noticed + said + neither else ""
        )
    cells += ["quiet" if not found["calendar"][day] else f"**{len(found['calendar'][day])} alarm**" for day in CALENDAR]
    return f"| {' | '.join(cells)} |"


def _line(name: str, found: dict[str, Any]) -> list[str]:
    missed = [one for one in found["outcomes"] if one["outcome"] != "noticed"]
    told = [f"  {one['fault']} {one['column']}: {one['outcome']}: {one['by']}" for one in missed]
    alarmed = [f"  {day}: {', '.join(rules)}" for day, rules in found["calendar"].items() if rules]
    return [_row(name, found), f"  clean: {', '.join(found['clean']) or 'quiet'}; {found['seconds']} s", *told, *alarmed]
