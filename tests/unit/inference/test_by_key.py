"""Suggestions from rows matched by key, and keys that are found."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.config import Pipeline
from avh_ui.errors import NotFoundError
from avh_ui.inference.by_key.finding import find_key
from avh_ui.metrics.asked import profiled_measures
from avh_ui.metrics.profiler import KnownTypes, Watch
from avh_ui.review.suggestion import SuggestionRun
from avh_ui.store.history_files import HistoryFiles
from avh_ui.workflows.frames import profile_table
from avh_ui.workflows.suggesting import SuggestOptions, suggest
from tests.fakes.profiler import FakeProfiler

BATCHES = [f"2026-{1 + k // 28:02}-{1 + k % 28:02}" for k in range(50)]
# One batch has a row at 0 that was mended the next day.
FAULT = 25


def pipeline(**more: object) -> Pipeline:
    return Pipeline.model_validate({"name": "p", "source": {"path": "{batch}.parquet"}, **more})


def counters() -> dict[str, pa.Table]:
    """100 counters that rise by 0 to 2 % a day, of 10 regions, by an integer key."""
    rng, total, found = np.random.default_rng(4), np.geomspace(100, 1e6, 100).round(), {}
    for k, batch in enumerate(BATCHES):
        total = np.round(total * (1 + rng.uniform(0, 0.02, 100)))
        shown = np.where(np.arange(100) == 7, 0, total) if k == FAULT else total
        regions = [f"region {i % 10}" for i in range(100)]
        found[batch] = pa.table({"day": [batch] * 100, "id": np.arange(100), "region": regions, "cases": shown.astype(np.int64)})
    return found


def suggested(folder: Path, tables: dict[str, pa.Table], exclude: frozenset[str] = frozenset(), **more: object) -> SuggestionRun:
    settings, history = pipeline(**more), HistoryFiles(str(folder))
    known = KnownTypes(measures=profiled_measures(settings))
    for batch, table in tables.items():
        history.save(profile_table(table, "p", batch, known))
    return suggest(settings, FakeProfiler({"p": tables}), history, SuggestOptions(sources=("history",), exclude=exclude), Watch())


def test_matched_rows_get_bounds_within_a_columns_budget(tmp_path: Path) -> None:
    run = suggested(tmp_path, counters(), key=["id"])
    found = {(s.constraint.column, s.constraint.metric): s for s in run.suggestions if s.constraint.measure.key}
    assert ("rows by id", "keys_gone") in found
    assert ("region by id", "changed_share") in found
    # The day is one in all rows: its own metrics say all of it.
    assert not any(column == "day by id" for column, _ in found)
    spent: dict[str, float] = {}
    for (column, _), suggestion in found.items():
        spent[column] = spent.get(column, 0.0) + suggestion.constraint.fpr
    # A column that varies may have what others leave, and all together no more than a column's budget each.
    assert max(spent.values()) <= 0.003 * (1 + 1e-9)
    assert sum(spent.values()) <= 0.001 * 3 * (1 + 1e-9)
    # The fault of one row is not taken for a habit: what is learned is as if it had not been, and the evidence names it.
    (cases,) = [s for (column, metric), s in found.items() if column == "cases by id" and metric in ("largest_fall", "fallen_share")]
    assert cases.constraint.upper is not None
    assert cases.constraint.upper < 0.05
    assert cases.evidence.backtest is not None
    assert BATCHES[FAULT] in cases.evidence.backtest.fired
    assert {"exchanged:two", "zero:one"} <= set(cases.caught)


def test_small_rows_that_fall_do_not_hide_a_large_one(tmp_path: Path) -> None:
    rng, tables = np.random.default_rng(6), counters()
    for batch, table in tables.items():
        cases = table["cases"].to_numpy().copy()
        # Every week or so a small row is set back to almost nothing.
        cases[rng.integers(0, 8)] = 1
        tables[batch] = table.set_column(3, "cases", pa.array(cases))
    run = suggested(tmp_path, tables, key=["id"])
    caught = {name for s in run.suggestions if s.constraint.column == "cases by id" for name in s.evidence.caught}
    assert {"zero:largest", "tenth:largest"} <= caught


def test_what_a_column_is_does_not_follow_from_batches_that_are_wrong(tmp_path: Path) -> None:
    rng, wrong = np.random.default_rng(9), BATCHES[20]
    tables = {batch: pa.table({"id": np.arange(60), "new": rng.integers(0, 90, 60)}) for batch in BATCHES}
    tables[wrong] = tables[wrong].set_column(1, "new", pa.array([-18, *tables[wrong]["new"].to_pylist()[1:]]))
    assert suggested(tmp_path / "all", tables).kinds["new"].kind == "measure"
    run = suggested(tmp_path / "sound", tables, exclude=frozenset({wrong}))
    assert run.kinds["new"].kind == "count"
    # By nature no count is negative.
    assert any(s.constraint.metric == "min" and s.constraint.lower == 0 for s in run.suggestions if s.constraint.column == "new")


def window(step: int = 1) -> dict[str, pa.Table]:
    """30 days of counts; each delivery is a day later and has the day's end at another hour, as a text of another order."""
    rng = np.random.default_rng(8)
    days, cases = np.arange(120), rng.integers(100, 200, 120)
    cases[35] = 900
    names = [f"{1 + d % 28:02}.{1 + d // 28:02}.2026" for d in days]
    return {
        batch: pa.table({"day": names[at : at + 30], "cases": cases[at : at + 30]}) for k, batch in enumerate(BATCHES) for at in [k * step]
    }


def test_a_window_that_moves_is_held_to_its_new_rows_and_to_no_extreme(tmp_path: Path) -> None:
    run = suggested(tmp_path / "moving", window(), key=["day"])
    found = {(s.constraint.column, s.constraint.metric) for s in run.suggestions}
    assert not {metric for column, metric in found if column == "cases"} & {"min", "max", "range"}
    why = {out["metric"]: out["reason"] for out in run.left_out if out["column"] == "cases"}
    assert "window that moves" in why["max"]
    assert any(s.constraint.metric == "beyond" for s in run.suggestions)
    # The same rows every day are no window.
    still = suggested(tmp_path / "still", window(0), key=["day"])
    assert not any("window that moves" in out["reason"] for out in still.left_out)


def test_a_key_that_no_batch_has_names_the_nearest_column(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="idd") as error:
        suggested(tmp_path, counters(), key=["idd"])
    assert "id" in str(error.value.hint)


def test_a_table_without_a_key_says_which_it_may_have(tmp_path: Path) -> None:
    run = suggested(tmp_path, counters())
    (said,) = [out for out in run.left_out if out.get("key") is not None]
    assert said["key"] == "id"
    assert "`key: [id]`" in said["reason"]
    assert not any(s.constraint.measure.key for s in run.suggestions)


def test_keys_are_the_fewest_columns_that_come_again() -> None:
    rng = np.random.default_rng(0)

    def table(day: str) -> pa.Table:
        places = {"day": [day] * 60, "state": [f"s{i // 10}" for i in range(60)], "town": [i % 10 for i in range(60)]}
        return pa.table({**places, "measured": rng.normal(size=60), "event": rng.integers(0, 10**12, 60)})

    found = find_key(table("b"), table("a"), whole=True)
    # The event's number is unique too, and no batch has one again.
    assert (found.columns, found.overlap) == (("state", "town"), 1.0)
    events = pa.table({"event": rng.integers(0, 10**12, 60), "measured": rng.normal(size=60)})
    none = find_key(events, pa.table({"event": rng.integers(0, 10**12, 60), "measured": rng.normal(size=60)}), whole=True)
    assert none.columns == ()
    assert none.words.startswith("No set of up to 3 columns")
    assert find_key(table("b").slice(0, 3), table("a"), whole=True).columns == ()


def test_samples_estimate_whether_keys_come_again() -> None:
    rng = np.random.default_rng(1)
    rows = 100_000

    def drawn(start: int = 0) -> pa.Table:
        # 4,000 of 100,000 rows: two of such samples of one table share 4 % of them.
        return pa.table({"id": start + rng.choice(rows, 4_000, replace=False), "measured": rng.normal(size=4_000)})

    found = find_key(drawn(), drawn(), whole=False, rows_before=rows)
    assert found.columns == ("id",)
    assert found.overlap == pytest.approx(1, abs=0.3)
    assert "in a sample of the latest batch, and about" in found.words
    # Events are new every day, however large the day.
    assert find_key(drawn(), drawn(rows), whole=False, rows_before=rows).columns == ()
    # Of a batch that is there whole a sample's keys come again as often as all do.
    every = pa.table({"id": np.arange(rows), "measured": rng.normal(size=rows)})
    assert find_key(drawn(), every, whole=False, rows_before=rows).overlap == 1
    untold = find_key(drawn(), drawn(), whole=False, rows_before=10**9)
    assert (untold.columns, untold.overlap) == ((), None)
    assert "cannot tell whether a key comes again" in untold.words


def test_a_large_batch_before_a_small_one_is_a_sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("avh_ui.workflows.suggesting.SAMPLE_ROWS", 80)
    tables = counters()
    tables[BATCHES[-1]] = tables[BATCHES[-1]].slice(0, 50)
    (said,) = [out for out in suggested(tmp_path, tables).left_out if out.get("key") is not None]
    assert said["key"] == "id"
    assert "about" in said["reason"]
