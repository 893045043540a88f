"""Which batch another is compared with: the last one that did not fail and that nobody called wrong."""

from __future__ import annotations

import numpy as np
import pytest

from avh_ui.history.looking_back import compared_with, looked_back, places_back
from avh_ui.history.regimes import TABLE, Labels, begun, labels_from_json, labels_to_json, teaching
from avh_ui.history.standings import (
    FARTHEST,
    REACH,
    Baseline,
    Said,
    Standing,
    baseline_of,
    baselines_of,
    outcome,
)


def standing(batch: str, status: str = "", said: Said | None = None) -> Standing:
    return Standing.of(batch, "c", outcome(status, stale=False) if status else {}, said)


GOOD, FAILED = standing("good"), standing("bad", "fail")


@pytest.mark.parametrize(
    ("status", "said", "sound"),
    [
        ("", None, True),
        ("pass", None, True),
        ("warn", None, True),
        ("not_evaluated", None, True),
        ("fail", None, False),
        ("fail", "right", True),
        ("fail", "wrong", False),
        ("warn", "wrong", False),
        ("", "wrong", False),
        ("pass", "wrong", True),  # it was mended since
    ],
)
def test_who_may_be_compared_with(status: str, said: Said | None, sound: bool) -> None:
    assert standing("b", status, said).sound == sound


def test_the_newest_that_is_sound() -> None:
    assert baseline_of([]) is None
    assert baseline_of([GOOD, FAILED]) == Baseline("good", 1)
    assert baseline_of([FAILED, FAILED, GOOD]) == Baseline("good", 3)
    assert baseline_of([FAILED] * (REACH - 1) + [GOOD]) == Baseline("good", REACH)


def test_a_change_that_lasts_is_compared_with_its_newest_batch() -> None:
    assert baseline_of([FAILED]) == Baseline("bad", 1, lasting=True)
    assert baseline_of([FAILED] * REACH + [GOOD]) == Baseline("bad", 1, lasting=True)
    wrong = standing("wrong", "fail", "wrong")
    assert baseline_of([wrong, FAILED] + [wrong] * REACH + [GOOD]) == Baseline("bad", 2, lasting=True)


def test_what_is_labelled_as_wrong_is_never_compared_with() -> None:
    wrong = standing("wrong", "fail", "wrong")
    assert baseline_of([wrong] * 5) is None
    # Beyond reach any other batch will do, and beyond `FARTHEST` none.
    assert baseline_of([wrong] * REACH + [GOOD]) == Baseline("good", REACH + 1, lasting=True)
    assert baseline_of([wrong] * FARTHEST + [GOOD]) is None


def test_no_more_is_asked_for_than_it_takes() -> None:
    def asked() -> object:
        yield GOOD
        pytest.fail("the second was asked for")

    assert baseline_of(asked()) == Baseline("good", 1)  # type: ignore[arg-type]


def test_of_a_whole_history() -> None:
    found = baselines_of([standing("b1"), standing("b2", "fail"), standing("b3"), standing("b4", "fail", "right"), standing("b5")])
    assert [one.batch if one else None for one in found] == [None, "b1", "b1", "b3", "b4"]


def test_words() -> None:
    assert Baseline("b1", 1).words == ""
    assert Baseline("b1", 6).words == "batch b1, 6 batches ago, since those after it failed or are labelled as wrong"
    assert Baseline("b1", 1, lasting=True).words == "batch b1, since all of the last 7 failed or are labelled as wrong"


def test_a_lag_looks_back_by_whole_steps() -> None:
    days = [f"b{k}" for k in range(20)]
    assert (looked_back(days, 7), looked_back(days, 20), looked_back(days, 21)) == (["b6", "b13"], ["b0"], [])
    assert looked_back(days, 1) == days[-7:]
    assert Baseline("b19", 1).looked_back(1) == "batch b19, the batch before"
    assert Baseline("b13", 1).looked_back(7) == "batch b13, 7 batches before"
    unread = Baseline("b6", 2, unread=("Damaged.",)).looked_back(7)
    assert unread == "batch b6, 14 batches before, since those at steps of 7 after it cannot be used: Damaged."


def test_a_week_back_is_the_same_weekday() -> None:
    """A day that did not come moves no Monday to a Sunday; batches without a day of their own are counted."""
    days = [f"2024-01-{k:02d}" for k in range(1, 31) if k != 17]
    assert places_back(days, 7).tolist() == [*[-1] * 7, *range(9), *range(10, 16), 9, *range(16, 22)]
    assert looked_back(days, 7, "2024-01-31") == ["2024-01-03", "2024-01-10", "2024-01-24"]
    assert looked_back(days, 1, "2024-01-31") == days[-7:]
    working = [f"2024-01-{k:02d}" for k in range(1, 31) if k % 7 not in {6, 0}]
    assert places_back(working, 7).tolist() == [*[-1] * 5, *range(len(working) - 5)]
    for others in ([f"b{k}" for k in range(9)], ["2024-01-02", *days[:8]], [f"2024-{k:02d}" for k in range(1, 10)]):
        assert places_back(others, 7).tolist() == [*[-1] * 7, 0, 1]
    sound = np.ones(len(days), dtype=bool)
    back = places_back(days, 7)
    assert compared_with(back, 22, sound) == (9, 1)
    sound[9] = False
    assert compared_with(back, 22, sound) == (2, 2)
    sound[2] = False
    assert compared_with(back, 22, sound) == (9, 1)


def test_labels_as_a_file() -> None:
    said: dict[str, Said] = {"b2": "wrong", "ü\udc80": "right"}
    labels = Labels(said, {"b2": ("x", TABLE)})
    assert labels_from_json(labels_to_json(labels)) == Labels(said, {"b2": (TABLE, "x")})
    assert b"begins" not in labels_to_json(Labels(said))
    assert labels_from_json(b'{"said": {"b2": "right"}}') == Labels({"b2": "right"})
    for damaged in (b"", b"[]", b'{"said": 3}', b"\xff", b'{"said": {}, "begins": ["x"]}', b'{"said": {}, "begins": {"b": "x"}}'):
        with pytest.raises(ValueError):
            labels_from_json(damaged)


def told(batch: str, column: str = "", said: Said | None = None, begins: tuple[str, ...] = ()) -> Standing:
    return Standing.of(batch, "c", outcome("fail" if column else "pass", stale=False, failed_in=[column] if column else ()), said, begins)


def test_what_failed_for_a_change_that_is_expected_teaches_and_what_failed_later_does_not() -> None:
    days = [told("0"), told("1", "x", begins=("x",)), told("2", "x"), told("3", "x", "wrong"), told("4", "x"), told("5"), told("6", "x")]
    assert begun(days, "x") == [1]
    assert begun(days, "y") == []
    assert teaching(days, "x") == [True, True, True, False, True, True, False]
    assert teaching(days, "y") == [True, True, True, False, True, True, True]
    # The number of rows is every column's; a batch that is wrong itself begins nothing, and one of which nothing is known teaches nothing.
    rows = [told("0"), standing("1", "fail"), standing("2", "fail")]
    assert teaching(rows, "x") == [True, False, False]
    assert teaching([rows[0], Standing.of("1", "c", outcome("fail", stale=False), None, (TABLE,)), rows[2]], "x") == [True] * 3
    assert teaching([told("1", "x", "wrong", ("x",)), told("2", "x")], "x") == [False, False]
    assert teaching([told("1", "x", begins=("x",)), Standing("2", unread="damaged")], "x") == [True, False]
