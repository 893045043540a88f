"""Tables that nobody hopes for, from the first profile on: each is learned from, judged as it is, and alarms when it is broken."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import avh_ui as avh
from avh_ui.issues.faults import TABLE

RNG = np.random.default_rng(0)
DAYS = [date(2026, 10, 1) + timedelta(k) for k in range(40)]
PLACES = [f"{colour}{letter}" for letter in "abcdefgh" for colour in ("red", "blue", "green", "pear", "plum")]
Tables = Iterator[tuple[str, pd.DataFrame]]


def rows(day: date, count: int = 80) -> pd.DataFrame:
    numbers = RNG.normal(50, 5, count).round(2)
    return pd.DataFrame({"d": day.isoformat(), "k": np.arange(count) + 1000, "x": numbers, "c": RNG.choice(list("abc"), count)})


def one_batch() -> Tables:
    yield "2026-10-01", rows(DAYS[0])


def one_batch_of_one_row() -> Tables:
    yield "2026-10-01", rows(DAYS[0], 1)


def one_row() -> Tables:
    yield from ((day.isoformat(), rows(day, 1)) for day in DAYS)


def constants() -> Tables:
    yield from ((day.isoformat(), pd.DataFrame({"a": [1] * 50, "b": ["x"] * 50, "t": [True] * 50, "n": [None] * 50})) for day in DAYS)


def without_order() -> Tables:
    yield from ((place, rows(day).drop(columns="d")) for place, day in zip(PLACES, DAYS, strict=True))


def numbered() -> Tables:
    yield from ((f"run_{k + 1}", rows(day)) for k, day in enumerate(DAYS))


def holes() -> Tables:
    yield from ((day.isoformat(), rows(day)) for k, day in enumerate(DAYS) if k % 7 not in (2, 3) and not 12 < k < 20)


def another_kind_since() -> Tables:
    for k, day in enumerate(DAYS):
        found = rows(day)
        yield day.isoformat(), found.assign(x=found["x"].astype(str) + " kg") if k >= 30 else found


def another_kind_at_last() -> Tables:
    for k, day in enumerate(DAYS):
        found = rows(day)
        yield day.isoformat(), found.assign(k=[f"K{number}" for number in found["k"]]) if k == 39 else found


ODD: tuple[Callable[[], Tables], ...] = (
    one_batch, one_batch_of_one_row, one_row, constants, without_order, numbered, holes, another_kind_since, another_kind_at_last,
)  # fmt: skip


def published(batches: dict[str, pd.DataFrame], root: Path) -> avh.Workspace:
    (root / "data").mkdir()
    source = "source: {format: csv, path: 'data/{batch}.csv', options: {header: true, inferSchema: true}}"
    (root / "avh.yml").write_text(f"pipelines:\n  t: {{{source}}}\nengine: local\n", encoding="utf-8")
    for name, frame in batches.items():
        frame.to_csv(root / "data" / f"{name}.csv", index=False)
    ws = avh.open(root)
    ws.profile("t")
    draft = ws.suggest("t")
    assert draft.items
    ws.decide("t", [item.suggestion.id for item in draft.items], "accept")
    ws.publish("t", message="all of it")
    return ws


@pytest.mark.parametrize("table", ODD)
def test_an_odd_table_is_learned_from_and_judged(table: Callable[[], Tables], tmp_path: Path) -> None:
    batches = dict(table())
    ws = published(batches, tmp_path)
    last = list(batches)[-1]
    as_it_is = ws.validate("t", batch=last, store=False, record=False)
    assert not [result.message for result in as_it_is.results if result.status in ("fail", "warn")]
    # Half of the rows, and a column without a value.
    broken = batches[last].head(len(batches[last]) // 2).copy()
    broken[broken.columns[1]] = None
    broken.to_csv(tmp_path / "copy.csv", index=False)
    spoiled = ws.validate("t", batch=last, input=str(tmp_path / "copy.csv"), store=False, record=False)
    assert [result.message for result in spoiled.results if result.status in ("fail", "warn")]
    assert all(len(result.message) > 20 for result in spoiled.results)
    told = ws.coverage("t")
    assert told.by_place[TABLE, "rows lost"].findings
    assert all(finding.advice for cell in told.holes for finding in cell.missed)


@pytest.mark.parametrize(("texts", "alarms"), [(lambda k: k >= 15, True), (lambda k: k % 2 == 1, False)])
def test_numbers_that_have_become_texts_for_good_do_not_come_again(texts: Callable[[int], bool], alarms: bool, tmp_path: Path) -> None:
    """Prices written as $13.25 for weeks, and as 13.25 before and in the next batch; what alternates may be either."""
    sizes = {day.isoformat(): RNG.choice(["13.25", "14.5", "20.75"], 60) for day in DAYS}
    numbers = {name: pd.DataFrame({"price": some, "k": np.arange(60)}) for name, some in sizes.items()}
    written = {name: frame.assign(price="$" + frame["price"]) if texts(k) else frame for k, (name, frame) in enumerate(numbers.items())}
    ws = published(written, tmp_path)
    numbers[DAYS[-2].isoformat()].to_csv(tmp_path / "copy.csv", index=False)
    run = ws.validate("t", batch="2026-11-10", input=str(tmp_path / "copy.csv"), store=False, record=False)
    found = [r.constraint.column for r in run.results if r.status in ("fail", "warn") and r.constraint.metric == "nonconforming_ratio"]
    assert found == (["price"] if alarms else [])
