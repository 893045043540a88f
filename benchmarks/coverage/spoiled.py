"""Spoiled copies of a delivery: what README.md promises to notice, and the same rows on other days of the calendar."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

_SEED = 7
# Kinds of columns that have a unit; of codes, hours and calendar parts a thousandfold is another fault.
QUANTITIES = ("count", "counter", "measure", "share", "latitude", "coordinate")
UNITS = {"x1000": 1000.0, "x1.6": 1.6}
# Of fewer cells half of them is no share.
_LEAST_CELLS = 10
_YEAR_FIRST = re.compile(r"(\d{4})([-/])(\d\d)\2(\d\d)")
_MONTH_FIRST = re.compile(r"(\d\d)/(\d\d)/(\d{4})")


@dataclass(frozen=True)
class Spoiled:
    """A copy of a delivery: which fault, of which column ('' the rows), under which id, and its cells as texts."""

    fault: str
    column: str
    batch: str
    cells: pa.Table


def spoiled(cells: pa.Table, before: pa.Table, batch: str, kinds: dict[str, str]) -> Iterator[Spoiled]:
    """The faults of `README.md` in a delivery; `kinds` say what its columns are."""
    rng = np.random.default_rng(_SEED)
    yield Spoiled("half the rows lost", "", batch, cells.take(np.sort(rng.permutation(cells.num_rows)[: (cells.num_rows + 1) // 2])))
    yield Spoiled("yesterday's file", "", batch, before)
    for name in cells.column_names:
        texts = cells[name].combine_chunks()
        there = np.flatnonzero(np.array([bool(text) for text in texts.to_pylist()], dtype=bool))
        if len(there) < _LEAST_CELLS:
            continue
        gone = np.zeros(cells.num_rows, dtype=bool)
        gone[rng.permutation(there)[: (len(there) + 1) // 2]] = True
        yield Spoiled("half a column null", name, batch, with_cells(cells, name, pc.if_else(pa.array(gone), "", texts)))
        numbers = number_cells(texts) if kinds.get(name) in QUANTITIES else None
        if numbers is None or not np.nan_to_num(numbers).any():
            continue
        for unit, factor in UNITS.items():
            made = [text if np.isnan(n) else f"{n * factor:.10g}" for n, text in zip(numbers, texts.to_pylist(), strict=True)]
            yield Spoiled(unit, name, batch, with_cells(cells, name, pa.array(made, pa.string())))


def moved(cells: pa.Table, batch: str) -> Iterator[Spoiled]:
    """The same rows on the next day, on the first of the next month and on the next 1 January: nothing that should alarm."""
    day = date.fromisoformat(batch[:10])
    days = {
        "next day": day + timedelta(1),
        "next month": (day.replace(day=1) + timedelta(32)).replace(day=1),
        "next year": date(day.year + 1, 1, 1),
    }
    for name, to in days.items():
        yield Spoiled(name, "", to.isoformat(), on_another_day(cells, day, to))


def several_days(cells: pa.Table) -> bool:
    """Whether some column names several days, as a window of days does: moved to another time, none of its rows is that of a day before."""
    step = timedelta(1)
    return any(
        len({day for text in cells[name].to_pylist() if text and (day := _shifted(text, step)[:10]) != text[:10]}) > 1
        for name in cells.column_names
    )


def on_another_day(cells: pa.Table, day: date, to: date) -> pa.Table:
    """Every date in its texts so many days later, and the columns that are the year, month or day of `day` those of `to`."""
    for name in cells.column_names:
        texts = cells[name].to_pylist()
        only = set(texts)
        for part in ("year", "month", "day"):
            if part in name.casefold() and only == {str(getattr(day, part))}:
                texts = [str(getattr(to, part))] * len(texts)
        known = {text: _shifted(text, to - day) for text in only if text}
        cells = with_cells(cells, name, pa.array([known.get(text, text) for text in texts], pa.string()))
    return cells


def _shifted(text: str, step: timedelta) -> str:
    """The text with its date so much later, where it begins with one."""
    if (found := _YEAR_FIRST.match(text)) is not None:
        return _later(text, found, (found[1], found[3], found[4]), step, f"%Y{found[2]}%m{found[2]}%d")
    if (found := _MONTH_FIRST.match(text)) is not None:
        return _later(text, found, (found[3], found[1], found[2]), step, "%m/%d/%Y")
    return text


def _later(text: str, found: re.Match[str], said: tuple[str, ...], step: timedelta, written: str) -> str:
    try:
        return f"{date(*map(int, said)) + step:{written}}{text[found.end() :]}"
    except ValueError:
        return text


def number_cells(texts: pa.Array | pa.ChunkedArray) -> np.ndarray | None:
    """The numbers that the cells write, NaN of empty ones; None where some cell writes none."""
    read: Callable[[str], float] = float
    try:
        return np.array([read(text) if text else np.nan for text in texts.to_pylist()])
    except ValueError:
        return None


def with_cells(cells: pa.Table, name: str, values: pa.Array) -> pa.Table:
    """The table with other cells in one column."""
    return cells.set_column(cells.column_names.index(name), name, values)
