"""A table of five rows a batch, the same every day, or of five of its rows that have a value: its average is held, and the batch's date."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pytest

import avh_ui as avh
from avh_ui.validator.run import Run
from avh_ui.workspace import Workspace

DAYS = [f"2026-{1 + k // 28:02}-{1 + k % 28:02}" for k in range(34)]
BOROUGHS, LEARNED = ("Bronx", "Brooklyn", "Manhattan", "Queens", "Staten Island"), 30


def deliveries(*, others: bool) -> list[pa.Table]:
    """Beds in use, which move by a percent or two a day; of `others` one of six boroughs is missing, another one each day."""
    rng = np.random.default_rng(5)
    beds, found = np.array([900.0, 1_700, 2_400, 1_400, 300, 800]), []
    for k, day in enumerate(DAYS):
        beds = beds * np.exp(rng.normal(0, 0.01, len(beds)))
        there = [at for at in range(6) if at != k % 6] if others else range(5)
        names = [(*BOROUGHS, "Yonkers")[at] for at in there]
        found.append(pa.table({"date": [day] * 5, "borough": names, "beds": np.round(beds[list(there)])}))
    return found


def learned(folder: Path, *, others: bool) -> Workspace:
    (folder / "data").mkdir()
    source = "source: {format: csv, path: 'data/{batch}.csv', options: {header: true}}"
    (folder / "avh.yml").write_text(f"pipelines:\n  t: {{{source}, key: [borough]}}\nengine: local\n", encoding="utf-8")
    for day, table in zip(DAYS[:LEARNED], deliveries(others=others), strict=False):
        pc.write_csv(table, folder / "data" / f"{day}.csv")
    found = avh.open(folder)
    found.profile("t")
    draft = found.suggest("t")
    found.decide("t", [item.suggestion.id for item in draft.items], "accept")
    found.publish("t", message="first")
    return found


@pytest.fixture(scope="module")
def ws(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    return learned(tmp_path_factory.mktemp("beds"), others=False)


def judged(ws: Workspace, table: pa.Table) -> Run:
    path = Path(ws.root) / "copy.csv"
    pc.write_csv(table, path)
    return ws.validate("t", batch=DAYS[LEARNED], input=str(path), store=False, record=False)


def failed(run: Run) -> set[tuple[str, str]]:
    return {(r.constraint.column, r.constraint.metric) for r in run.results if r.status in ("fail", "warn")}


def with_column(table: pa.Table, name: str, values: object) -> pa.Table:
    return table.set_column(table.column_names.index(name), name, [values])


def test_the_next_day_passes(ws: Workspace) -> None:
    assert judged(ws, deliveries(others=False)[LEARNED]).status == "pass"


@pytest.mark.parametrize("factor", [1.609, 1_000.0, 0.001])
def test_another_unit_fails_by_the_average(ws: Workspace, factor: float) -> None:
    table = deliveries(others=False)[LEARNED]
    assert ("beds", "mean") in failed(judged(ws, with_column(table, "beds", np.asarray(table["beds"]) * factor)))


@pytest.mark.parametrize("date", [DAYS[LEARNED - 1], "2026-01-04"])
def test_another_date_fails(ws: Workspace, date: str) -> None:
    found = failed(judged(ws, with_column(deliveries(others=False)[LEARNED], "date", [date] * 5)))
    assert {metric for column, metric in found if column == "date"} & {"first_date", "last_date"}


def test_of_other_rows_each_day_the_average_is_chance(tmp_path: Path) -> None:
    ws = learned(tmp_path, others=True)
    program = ws.program("t")
    assert not {c.metric for c in program.constraints if c.column == "beds"} & {"mean", "median", "max", "range"}


@pytest.mark.parametrize("others", [False, True])
def test_the_average_of_the_few_rows_that_have_a_value_is_held(tmp_path: Path, *, others: bool) -> None:
    """Of twelve wards five have ventilators; of `others` another five each day."""
    (tmp_path / "data").mkdir()
    source = "source: {format: csv, path: 'data/{batch}.csv', options: {header: true}}"
    (tmp_path / "avh.yml").write_text(f"pipelines:\n  t: {{{source}, key: [ward]}}\nengine: local\n", encoding="utf-8")
    rng = np.random.default_rng(6)
    for k, day in enumerate(DAYS[:LEARNED]):
        there = [(at + k * others) % 12 for at in range(5)]
        ventilated = [str(value) if at in there else None for at, value in enumerate(rng.integers(38, 43, 12))]
        table = pa.table({"date": [day] * 12, "ward": [f"w{at}" for at in range(12)], "ventilated": ventilated})
        pc.write_csv(table, tmp_path / "data" / f"{day}.csv")
    ws = avh.open(tmp_path)
    ws.profile("t")
    made = {(one.suggestion.constraint.column, one.suggestion.constraint.metric) for one in ws.suggest("t").items}
    assert (("ventilated", "mean") in made) is not others
