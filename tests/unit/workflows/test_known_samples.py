"""Columns of texts with numbers alone in their latest batch, and of numbers with a text in a broken line, are judged as they were."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import avh_ui as avh
from avh_ui.constraints.several import parts_of
from avh_ui.review.draft import Draft
from avh_ui.validator.results import RuleResult
from avh_ui.workspace import Workspace
from tests.fakes.workspaces import FakeWorkspace, day

DAYS = [f"2026-{1 + k // 28:02}-{1 + k % 28:02}" for k in range(48)]
ROWS = 80


def lines(k: int, *, nil: bool) -> list[str]:
    """What a sensor says in a day: in a day of `nil` not every time."""
    rng = np.random.default_rng(k)
    return [f"{at},{'nil' if nil and at % 3 == 0 else f'{rng.normal(50, 5):.2f}'},{rng.integers(9)}" for at in range(ROWS)]


def workspace(folder: Path, of: Callable[[int], list[str]], days: int = 40) -> Workspace:
    (folder / "data").mkdir()
    source = "source: {format: csv, path: 'data/{batch}.csv', options: {header: true}}"
    (folder / "avh.yml").write_text(f"pipelines:\n  t: {{{source}, key: []}}\nengine: local\n", encoding="utf-8")
    deliver(folder, of, range(days))
    return avh.open(folder)


def deliver(folder: Path, of: Callable[[int], list[str]], days: Iterable[int]) -> None:
    for k in days:
        (folder / "data" / f"{DAYS[k]}.csv").write_text("\n".join(["id,level,state", *of(k), ""]), encoding="utf-8")


def suggested(ws: Workspace) -> Draft:
    ws.profile("t")
    return ws.suggest("t")


def metrics_of(draft: Draft, column: str) -> set[str]:
    return {part.metric for item in draft.items for part in parts_of(item.current) if part.column == column}


def test_numbers_alone_in_the_latest_batch_of_a_column_of_texts(tmp_path: Path) -> None:
    ws = workspace(tmp_path, lambda k: lines(k, nil=k in (10, 12, 20, 22)))
    draft = suggested(ws)
    assert "complete_ratio" in metrics_of(draft, "level")
    assert not any("latest batch is" in out["reason"] for out in draft.run.left_out)
    ws.decide("t", [item.suggestion.id for item in draft.items], "accept")
    ws.publish("t", message="first")
    half = [line.replace(line.split(",")[1], "", 1) if k % 2 else line for k, line in enumerate(lines(40, nil=False))]
    copy = tmp_path / "copy.csv"
    for rows, failed in ((lines(40, nil=False), False), (half, True)):
        copy.write_text("\n".join(["id,level,state", *rows, ""]), encoding="utf-8")
        run = ws.validate("t", batch=DAYS[40], input=str(copy), store=False, record=False)
        assert any(r.status == "fail" and not isinstance(r, RuleResult) and r.constraint.column == "level" for r in run.results) is failed


def test_batches_with_text_that_are_long_past_leave_a_column_of_numbers(tmp_path: Path) -> None:
    def of(k: int) -> list[str]:
        return lines(k, nil=k in (2, 3, 4))

    ws = workspace(tmp_path, of, days=0)
    # Profiled nine at a time: what is kept says what each holds.
    for at in range(0, 45, 9):
        deliver(tmp_path, of, range(at, at + 9))
        ws.profile("t")
    assert metrics_of(ws.suggest("t"), "level") & {"mean", "emd"}


def test_a_text_in_a_broken_line_is_no_value_of_the_sample_of_numbers(tmp_path: Path) -> None:
    ws = workspace(tmp_path, lambda k: [*lines(k, nil=False), *(["80,in addition"] if k == 39 else [])])
    draft = suggested(ws)
    assert metrics_of(draft, "level") & {"mean", "emd", "max"}
    assert not any("latest batch is" in out["reason"] for out in draft.run.left_out)


@pytest.mark.parametrize("came", [["a", "b"], [True, False]])
def test_what_came_in_place_of_the_profiled_batch_leaves_what_is_of_any_kind(came: list[object]) -> None:
    ws = FakeWorkspace(days=12).profiled()
    tables = ws.profiler.tables["orders"]
    table = tables[day(11)]
    assert table is not None
    tables[day(11)] = table.set_column(table.column_names.index("amount"), "amount", pa.array(came * (table.num_rows // 2)))
    draft = ws.suggest("orders")
    assert metrics_of(draft, "amount") <= {"complete_ratio", "row_count"}
    assert "complete_ratio" in metrics_of(draft, "amount")
    assert any(out["column"] == "amount" and "and the history numeric" in out["reason"] for out in draft.run.left_out)
