"""The key of a table: found when it is first profiled, accepted or put right by a person, kept in the program, and gone by ever after."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pytest

import avh_ui as avh
from avh_ui.errors import NotFoundError, UsageError
from avh_ui.metrics.sampled_rows import sample_in
from avh_ui.workspace import Workspace

DAYS = [f"2026-01-{k:02}" for k in range(1, 13)]


def write(folder: Path, day: str, cases: np.ndarray, **more: pa.Array) -> None:
    table = pa.table({"id": np.arange(len(cases)), "town": [f"t{k}" for k in range(len(cases))], "cases": cases, **more})
    pc.write_csv(table, folder / "data" / f"{day}.csv")


def workspace(folder: Path, count: int = 40, **settings: str) -> Workspace:
    (folder / "data").mkdir()
    said = "".join(f", {name}: {value}" for name, value in settings.items())
    source = "source: {format: csv, path: 'data/{batch}.csv', options: {header: true}}"
    (folder / "avh.yml").write_text(f"pipelines:\n  t: {{{source}{said}}}\nengine: local\n", encoding="utf-8")
    rng, cases = np.random.default_rng(3), np.geomspace(50, 90_000, count).round()
    for day in DAYS:
        cases = np.round(cases * (1 + rng.uniform(0, 0.02, count)))
        write(folder, day, cases.astype(int))
    ws = avh.open(folder)
    ws.profile("t", batches=f"{DAYS[0]}..{DAYS[-2]}")
    return ws


def keys_of(ws: Workspace, day: str) -> tuple[str, ...]:
    found = sample_in(ws.services.batches.load("t", day).columns)
    return () if found is None else found.by


def test_a_new_table_is_matched_by_what_is_found_from_its_first_profile_to_its_program(tmp_path: Path) -> None:
    ws = workspace(tmp_path)
    assert keys_of(ws, DAYS[0]) == ("id",)
    draft = ws.suggest("t", sources=["history"])
    key = draft.run.row_key
    assert key is not None
    assert (key.columns, key.waits, key.why) == (
        ("id",), True, "Unique in 11 of 11 batches, 100% of the keys in common with the batch before.",
    )  # fmt: skip
    before = draft.digest
    draft = ws.say_key("t", by="ann")
    assert draft.run.row_key is not None
    assert (draft.run.row_key.by, draft.digest == before) == ("ann", False)
    assert draft.run.row_key.why == key.why, "whoever takes what was found keeps its evidence"
    # What was suggested stays: it is the key that was found.
    ids = [item.suggestion.id for item in draft.items]
    assert any(item.current.measure.key for item in draft.items)
    ws.decide("t", ids, "accept")
    program = ws.publish("t", message="m")
    assert program.key == ("id",)
    rows = pc.read_csv(tmp_path / "data" / f"{DAYS[-1]}.csv")["cases"].to_numpy().copy()
    rows[[30, 33]] = rows[[33, 30]]
    write(tmp_path, DAYS[-1], rows)
    run = ws.validate("t", batch=DAYS[-1])
    assert any(r.status == "fail" and r.constraint.measure.key == ("id",) for r in run.results if hasattr(r, "constraint"))
    assert keys_of(ws, DAYS[-1]) == ("id",)


def test_of_a_larger_table_so_many_rows_are_compared_as_somebody_says(tmp_path: Path) -> None:
    ws = workspace(tmp_path, 1_200, rows_kept="1000")
    key = ws.suggest("t", sources=["history"]).run.row_key
    assert key is not None
    assert key.why.endswith("in common with the batch before. 1,000 of 1,200 rows are compared: `rows_kept` in avh.yml says how many.")
    sample = sample_in(ws.services.batches.load("t", DAYS[3]).columns)
    assert sample is not None
    assert (sample.keys, sample.more) == (1_000, True)


def test_other_columns_or_none_take_the_place_of_what_was_found(tmp_path: Path) -> None:
    ws = workspace(tmp_path)
    ws.suggest("t", sources=["history"])
    with pytest.raises(NotFoundError, match="twon"):
        ws.say_key("t", ["twon"])
    draft = ws.say_key("t", ["town"])
    # Rules of rows matched by another key say nothing of this one.
    assert not any(item.current.measure.key for item in draft.items)
    draft = ws.suggest("t", sources=["history"])
    assert draft.run.row_key is not None
    assert (draft.run.row_key.columns, draft.run.row_key.waits) == (("town",), False)
    assert {item.current.measure.key for item in draft.items} == {(), ("town",)}
    draft = ws.say_key("t", [])
    assert draft.run.row_key is not None
    assert draft.run.row_key.title == "no key"
    assert not any(item.current.measure.key for item in ws.suggest("t", sources=["history"]).items)
    ws.profile("t")
    assert keys_of(ws, DAYS[-1]) == ()
    with pytest.raises(UsageError, match="No key was found"):
        ws.say_key("t")


def test_avh_yml_wins(tmp_path: Path) -> None:
    ws = workspace(tmp_path, key="[town]")
    draft = ws.suggest("t", sources=["history"])
    assert draft.run.row_key is not None
    assert (draft.run.row_key.columns, draft.run.row_key.filed) == (("town",), True)
    with pytest.raises(UsageError, match=r"avh\.yml says that the key is town"):
        ws.say_key("t", ["id"])


def test_a_column_of_the_key_in_avh_yml_that_is_not_there_is_told(tmp_path: Path) -> None:
    workspace(tmp_path, key="[ids]")
    for day in DAYS[:-4]:
        (tmp_path / "history" / "t" / f"{day}.parquet").unlink()
    key = avh.open(tmp_path).suggest("t").run.row_key
    assert key is not None
    assert key.why == f"There is no column 'ids' in batch {DAYS[-2]!r}, or it is left out. Did you mean 'id'?"


def test_a_batch_whose_profile_is_damaged_keeps_no_other_from_a_new_key(tmp_path: Path) -> None:
    ws = workspace(tmp_path)
    ws.suggest("t", sources=["history"])
    chosen = ws.say_key("t", ["id", "town"], by="ann").run.row_key
    assert chosen is not None
    assert chosen.why == "ann said so"
    (tmp_path / "history" / "t" / f"{DAYS[3]}.parquet").write_bytes(b"damaged")
    draft = ws.suggest("t", sources=["history"])
    assert draft.run.row_key is not None
    assert draft.run.row_key.why.startswith("Unique in 10 of 10 batches")
    assert keys_of(ws, DAYS[4]) == ("id", "town")
