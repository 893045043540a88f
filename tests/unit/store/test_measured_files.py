"""What suggestion runs measured, on disk and back."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.inference.by_history.measured import MeasuredColumn
from avh_ui.inference.by_history.reprogramming import reprogram
from avh_ui.store import measured_files
from avh_ui.store.measured_files import NAME, MeasuredFiles, decode, encode
from tests.fakes.builders import HOSTILE
from tests.unit.by_history.making import ByHistorySettings, batches_of, history_of, latest_of, measure_column


def measured(kind: str = "numbers", method: str = "calibrated") -> MeasuredColumn:
    def make(rng: np.random.Generator) -> pa.Array:
        return pa.array(rng.normal(size=300)) if kind == "numbers" else pa.array(rng.choice(["a", "bb", "C"], 300))

    arrays = batches_of(make, 12)
    history, profiles = history_of(arrays)
    return measure_column(history, latest_of(arrays, profiles, arrays[3]), ByHistorySettings(method=method))  # type: ignore[arg-type]


def same(a: MeasuredColumn, b: MeasuredColumn) -> bool:
    ours, theirs = (replace(c.history, values={}, present=np.empty(0, dtype=bool)) for c in (a, b))
    plain = ("rows", "method", "season_lags", "metrics", "variants", "left_out")
    return (
        repr(ours) == repr(theirs)
        and all(getattr(a, name) == getattr(b, name) for name in plain)
        and list(a.history.values) == list(b.history.values)
        and all(np.array_equal(a.history.values[m], b.history.values[m], equal_nan=True) for m in a.history.values)
        and np.array_equal(a.history.present, b.history.present)
        and np.array_equal(a.values, b.values, equal_nan=True)
    )


@pytest.fixture(scope="module")
def columns() -> list[MeasuredColumn]:
    return [measured(), measured("texts"), measured("texts", "paper")]


def test_what_is_read_is_what_was_written(columns: list[MeasuredColumn]) -> None:
    again = decode(encode(columns))
    assert len(again) == 3
    assert all(same(a, b) for a, b in zip(columns, again, strict=True))
    for a, b in zip(columns, again, strict=True):
        ours, theirs = reprogram(a.fitted(), 0.01), reprogram(b.fitted(), 0.01)
        assert ours == theirs
        assert ours.suggestions
    assert decode(encode([])) == ()


@pytest.mark.parametrize("name", HOSTILE)
def test_any_name(columns: list[MeasuredColumn], name: str, tmp_path: Path) -> None:
    column = replace(columns[0], history=replace(columns[0].history, column=name))
    MeasuredFiles(str(tmp_path)).save(name, [column])
    (again,) = MeasuredFiles(str(tmp_path)).load(name)
    assert same(column, again)


def test_pipelines_are_apart_and_replaced(columns: list[MeasuredColumn], tmp_path: Path) -> None:
    files = MeasuredFiles(str(tmp_path))
    assert files.load("a") == ()
    files.save("a", columns)
    files.save("b", columns[:1])
    first = files.load("a")
    assert (len(first), len(files.load("b"))) == (3, 1)
    assert files.load("a") is first
    MeasuredFiles(str(tmp_path)).save("a", columns[:2])
    assert len(files.load("a")) == 2


@pytest.mark.parametrize("content", [b"", b"PK", b"not a zip file at all", b"\x00" * 100])
def test_damage_is_nothing_kept(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / NAME).write_bytes(content)
    assert MeasuredFiles(str(tmp_path)).load("a") == ()


def test_a_truncated_file_and_a_newer_version_are_nothing_kept(
    columns: list[MeasuredColumn], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / NAME).write_bytes(encode(columns)[:-200])
    assert MeasuredFiles(str(tmp_path)).load("a") == ()
    MeasuredFiles(str(tmp_path)).save("a", columns)
    monkeypatch.setattr(measured_files, "VERSION", measured_files.VERSION - 1)
    assert MeasuredFiles(str(tmp_path)).load("a") == ()


def test_limits_are_kept_and_a_file_of_version_1_is_read_without(columns: list[MeasuredColumn], monkeypatch: pytest.MonkeyPatch) -> None:
    limited = replace(columns[0], limits=(0.0, math.inf))
    written = encode([limited])
    assert decode(written)[0].limits == (0.0, math.inf)
    with monkeypatch.context() as older:
        older.setattr(measured_files, "VERSION", 1)
        with pytest.raises(ValueError, match="of version 5 are not read by version 1"):
            decode(written)
        written = encode(columns)
    assert all(same(a, b) and b.limits == (-math.inf, math.inf) for a, b in zip(columns, decode(written), strict=True))


def test_whether_values_stay_is_kept(columns: list[MeasuredColumn]) -> None:
    kept = decode(encode([replace(column, stay=place == 0) for place, column in enumerate(columns)]))
    assert [column.stay for column in kept] == [place == 0 for place in range(len(columns))]
