"""The guesses: what each says of a column of few batches, and when it is silent."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from avh_ui.history.series import ColumnHistory
from avh_ui.inference.by_few.rules import RULES, Few, Guess, outward
from avh_ui.metrics.column import Kind

NAN = float("nan")
COUNTS: dict[str, Any] = {"row_count": [400, 500], "complete_ratio": [1.0, 1.0]}
NUMBERS = {**COUNTS, "min": [0, 2], "max": [90, 99], "mean": [40, 50], "unique_ratio": [1.0, 1.0]}
TEXTS = {**COUNTS, "dist_val_count": [4, 4], "unique_ratio": [0.01, 0.01], "pat_l1": [np.nan, 0.01], "l1": [np.nan, 0.2]}


def few(values: dict[str, Any], kind: Kind = "numeric", *, whole: bool = True, counted: bool = False, dated: bool = False) -> Few:
    series = {name: np.array(v, dtype=np.float64) for name, v in values.items()}
    count = len(series["row_count"])
    return Few(
        ColumnHistory("a", kind, "", tuple(f"b{k}" for k in range(count)), series, np.ones(count, dtype=bool)), whole, counted, dated
    )


def found(column: Few) -> dict[str, Guess]:
    return {rule.name: guess for rule in RULES if (guess := rule.find(column)) is not None}


def bounds(column: Few) -> dict[str, tuple[float | None, float | None]]:
    return {name: (guess.lower, guess.upper) for name, guess in found(column).items()}


def test_numbers() -> None:
    assert bounds(few(NUMBERS)) == {
        "rows": (220, 900), "values": (0.95, None), "smallest": (0, None), "largest": (None, 500), "level": (10, 200),
    }  # fmt: skip
    # The numbers of a key only count its rows.
    assert bounds(few(NUMBERS, counted=True)) == {
        "rows": (220, 900), "values": (0.95, None), "keys": (1, 1), "size": (None, 800),
    }  # fmt: skip
    # A depth may become negative; and what is far below says nothing.
    assert "smallest" not in bounds(few(NUMBERS, whole=False, counted=True))
    # Of 30 cancelled flights a tenth is far from usual, of 5 it is chance; what is no count may be as small as it likes.
    rare = {**NUMBERS, "mean": [30 / 400, 0.2], "row_count": [400, 400]}
    assert "level" in found(few(rare))
    rare["mean"] = [5 / 400, 0.1]
    assert "level" not in found(few(rare))
    assert "level" in found(few(rare, whole=False))
    # Of few rows the numbers may all differ by chance: no key, and its range counts.
    assert {"smallest", "largest", "level"} < set(found(few({**NUMBERS, "row_count": [21, 21]}, counted=True)))


@pytest.mark.parametrize("high", [123, 1_000, 45_678, 999_999])
def test_identifiers_ten_times_as_large_are_noticed_and_those_that_count_up_are_not(high: int) -> None:
    stands, far = {**NUMBERS, "max": [high, high]}, {**NUMBERS, "min": [0.6 * high] * 2, "max": [0.7 * high, high]}
    for values in (stands, far):
        guess = found(few(values, counted=True))["size"]
        assert guess.upper is not None
        assert 8 * high <= guess.upper < 10 * high
    # From 0 on they may be anywhere in a few batches.
    assert "size" not in found(few({**NUMBERS, "max": [high // 2, high]}, counted=True))
    assert "size" not in found(few({name: values[:1] for name, values in stands.items()}, counted=True))


def test_what_moves_with_its_batch_has_no_range_and_no_mix() -> None:
    # The days of the end of a month, and the file's date: the next batch is not like them.
    days = {
        **COUNTS,
        "min": [30, 31],
        "max": [30, 31],
        "mean": [30, 31],
        "unique_ratio": [0.01, 0.01],
        "dist_val_count": [1, 1],
        "l1": [np.nan, 2],
    }
    assert not {"smallest", "largest", "level", "mix"} & set(found(few(days, dated=True)))
    named = {**TEXTS, "dist_val_count": [1, 1]}
    assert "mix" in found(few(named, "string"))
    assert "mix" not in found(few(named, "string", dated=True))
    # The one value of the only batch may be its name.
    only = {name: series[:1] for name, series in named.items()}
    assert "mix" not in found(few(only, "string"))


def test_texts() -> None:
    made = bounds(few(TEXTS, "string"))
    assert made == {"rows": (220, 900), "values": (0.95, None), "looks": (None, 0.5), "mix": (None, 1)}
    assert bounds(few({**TEXTS, "unique_ratio": [1.0, 1.0]}, "string", counted=True))["keys"] == (1, 1)


def test_half_the_rows_and_twice_as_many_are_noticed() -> None:
    for rows in (1, 2, 7, 128, 400, 999, 48_123):
        guess = found(few({"row_count": [rows], "complete_ratio": [1.0]}))["rows"]
        assert guess.lower is not None
        assert guess.upper is not None
        assert guess.lower <= rows <= guess.upper
        assert rows // 2 < guess.lower
        assert 2 * rows > guess.upper


@pytest.mark.parametrize(
    ("changes", "silent"),
    [
        ({"min": [-5, 2]}, {"level"}),
        ({"min": [7, 7], "max": [7, 7], "mean": [7, 7]}, {"smallest", "largest", "level"}),
        (
            {"complete_ratio": [0.0, 0.0], "min": [np.nan] * 2, "max": [np.nan] * 2, "mean": [np.nan] * 2},
            {"values", "smallest", "largest", "level"},
        ),
        ({"row_count": [1, 1]}, {"values", "level"}),
    ],
)
def test_where_nothing_can_be_said(changes: dict[str, Any], silent: set[str]) -> None:
    assert set(found(few(NUMBERS))) - set(found(few({**NUMBERS, **changes}))) == silent


@pytest.mark.parametrize(
    ("rows", "there", "least"),
    [
        (1_000, 1.0, 0.95),
        (30, 1.0, 0.9),
        (1_000, 0.98, 0.93),
        (1_000, 0.92, 0.84),
        (1_000, 0.7, 0.6),
        (50, 0.98, 0.88),
        (1_000, 0.25, None),
    ],
)
def test_as_many_again_are_null_up_to_a_tenth_of_the_rows_or_a_few_of_these(rows: int, there: float, least: float | None) -> None:
    made = bounds(few({**NUMBERS, "row_count": [rows, rows], "complete_ratio": [1.0, there]}))
    assert made.get("values", (None,))[0] == least


def test_keys_are_texts_or_whole_numbers_that_do_not_differ_by_chance() -> None:
    assert "keys" not in found(few(NUMBERS, whole=False, counted=True))
    assert "keys" not in found(few({**NUMBERS, "row_count": [99, 99]}, counted=True))
    assert "keys" not in found(few({**NUMBERS, "complete_ratio": [1.0, 0.9]}, counted=True))
    assert "keys" in found(few({**TEXTS, "row_count": [20, 20]}, "string", counted=True))


def test_distances_that_were_larger_already_bound_nothing() -> None:
    made = found(few({**TEXTS, "pat_l1": [np.nan, 0.9], "l1": [np.nan, 1.4]}, "string"))
    assert not {"looks", "mix"} & set(made)
    assert "mix" not in found(few({**TEXTS, "dist_val_count": [300, 300]}, "string"))
    assert found(few({name: v[:1] for name, v in TEXTS.items()}, "string"))["mix"].found == "there is one batch"


@pytest.mark.parametrize(
    ("value", "side", "digits", "expected"),
    [
        (421, -1, 1, 400),
        (421, 1, 1, 500),
        (421, -1, 2, 420),
        (-421, -1, 1, -500),
        (0.037, 1, 1, 0.04),
        (400, 1, 1, 400),
        (0, 1, 1, 0),
        (96, 1, 1, 100),
    ],
)
def test_outward(value: float, side: int, digits: int, expected: float) -> None:
    assert outward(value, side, digits) == pytest.approx(expected, rel=1e-12)
