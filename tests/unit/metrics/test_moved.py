"""The rows behind a change, and what tells them from the others: right with one row, with all rows, and where nothing does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.metrics.by_key import FALLEN, SPOILED, WIPED
from avh_ui.metrics.keys_matched import KEYS_TWICE
from avh_ui.metrics.matching import Matched
from avh_ui.metrics.moved import Moved, moved, moved_keys, moved_values
from avh_ui.metrics.row_drawing import Drawing
from avh_ui.metrics.row_groups import explaining
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.rows import Need, Rows

REGIONS, EACH = 20, 6
ROWS = REGIONS * EACH
CASES = np.random.default_rng(5).integers(500, 90_000, ROWS)


def sample(cases: Any, ids: Any = None, **more: Any) -> RowSample:
    ids = np.arange(1, ROWS + 1) if ids is None else np.asarray(ids)
    regions = [f"Region {chr(65 + (i - 1) // EACH)}" for i in ids]
    columns = {"id": ids, "code": (ids - 1) // EACH, "region": regions, "town": [f"Town {i:03}" for i in ids], "cases": cases, **more}
    arrays = {name: pa.array(values) for name, values in columns.items()}
    return RowSample.of_rows(Rows(len(ids), arrays), Need(RowSample, tuple(arrays), None, Drawing(1)))


def change(rows: list[int], by: float = 0.0) -> Moved:
    after = CASES.astype(float) if np.isnan(by) else CASES.copy()
    after[rows] = np.nan if np.isnan(by) else (after[rows] * by).astype(int)
    return moved_values(sample(after), sample(CASES), "cases")


def test_of_numbers_with_fractions_the_middle_is_told_and_no_sum() -> None:
    before = 40 + np.arange(ROWS) / 100
    after = before.copy()
    after[12:18] = 8.5 + np.arange(6) / 100
    found = moved_values(sample(after), sample(before), "cases")
    assert found.said == "6 of 6 rows with region Region C went from 40.145 to 8.525 in the middle."


def test_a_region_is_named_by_the_words_and_not_by_its_code_that_says_the_same() -> None:
    found = change(list(range(12, 18)))
    assert (found.count, found.among, found.far, found.sampled) == (6, ROWS, 6, False)
    total = f"{CASES[12:18].sum():,}"
    assert found.said == f"6 of 6 rows with region Region C went from {total} to 0 together."
    most = int(np.argmax(CASES[12:18])) + 13
    assert found.named[0] == f"{most} (Town {most:03}): {CASES[most - 1]:,} → 0"
    assert found.to_record()["group"] == {"column": "region", "value": "Region C", "changed": 6, "rows": 6, "before": total, "after": "0"}


def test_numbers_that_are_gone_did_not_become_0() -> None:
    found = change(list(range(12, 18)), np.nan)
    assert found.said == "6 of 6 rows with region Region C became null."
    assert found.to_record()["group"] == {"column": "region", "value": "Region C", "changed": 6, "rows": 6, "after": "null"}


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([40], ""),  # one row is told by its key
        (list(range(ROWS)), "All 120 rows are 0 now."),
        ([3, 27, 61, 88, 110], ""),  # one each of five regions
        ([12, 13], ""),  # two neighbours of twenty pairs: chance
        ([12, 13, 14, 15, 16], "5 of 6 rows with region Region C went from"),  # not quite all of it
        ([*range(12, 18), 77], "6 of 6 rows with region Region C went from"),  # and one more elsewhere
        ([*range(6, 18), *range(30, 36)], "18 of 18 rows with region Region B, Region C or Region F went from"),  # a few of them, whole
        (list(range(36)), ""),  # of six a sentence would say little more than their list
    ],
    ids=["one", "all", "scattered", "two", "nearly", "beside", "several", "many"],
)
def test_a_group_is_named_only_where_it_tells_the_rows_from_the_others(rows: list[int], said: str) -> None:
    found = change(rows)
    assert found.count == len(rows)
    assert found.said.startswith(said)
    assert bool(found.said) == bool(said), found.said


def test_a_group_of_which_no_more_changed_than_elsewhere_explains_nothing() -> None:
    """Where all descriptions were lost, 79.8 % of the rows in euros had had one, and 78.7 % of the others."""
    sizes, hit = {"EUR": (2_557, 2_040), "CHF": (380, 299), "USD": (376, 296)}, []
    money = [name for name, (rows, _) in sizes.items() for _ in range(rows)]
    for rows, some in sizes.values():
        hit += [True] * some + [False] * (rows - some)
    arrays = {"id": pa.array(np.arange(len(money))), "currency": pa.array(money)}
    rows = RowSample.of_rows(Rows(len(money), arrays), Need(RowSample, tuple(arrays), None, Drawing(1, k=10_000)))
    every = np.arange(len(money))
    order = np.array([rows.column("id").numbers[k] for k in every], dtype=int)
    assert explaining(rows, every, np.array(hit)[order]) is None
    found = explaining(rows, every, (np.array(money) == "EUR")[order] & np.array(hit)[order])
    assert found is not None
    assert found[0].value == "EUR"


def test_small_rows_that_fell_to_the_same_nothing_fell_with_the_large_ones() -> None:
    cases = CASES.copy()
    cases[17] = 12
    after = cases.copy()
    after[12:18] = 0
    assert moved_values(sample(after), sample(cases), "cases").said.startswith("6 of 6 rows with region Region C went from")


def test_the_small_rows_that_became_0_are_listed_with_the_large_ones_that_did() -> None:
    cases = CASES.copy()
    cases[17] = 12  # too few to alarm of by itself
    after = cases.copy()
    after[12:18] = 0
    found = moved(WIPED, Matched(sample(after), "cases"), Matched(sample(cases), "cases"), limit=50)
    assert (found.count, len(found.rows), found.did) == (6, 6, "are 0 now")
    assert "18 (Town 018)" in {row.key for row in found.rows}
    after[12:18] = -1  # of another sign, and not 0: small numbers of many columns turn every day
    large = int((cases[12:18] >= np.median(cases)).sum())
    assert moved(WIPED, Matched(sample(after), "cases"), Matched(sample(cases), "cases")).count == large


def test_rows_that_a_metric_counts_are_told_by_what_they_did() -> None:
    after = CASES + 1
    after[7] = 0
    found = moved(FALLEN, Matched(sample(after), "cases"), Matched(sample(CASES), "cases"))
    assert (found.count, found.among, found.did) == (1, ROWS, "fell"), "all rows changed, and one fell"


def test_a_row_that_lost_its_value_moved_farther_than_any_number() -> None:
    after = pa.array([None if k == 7 else int(v) * (3 if k == 8 else 1) for k, v in enumerate(CASES)])
    found = moved_values(sample(after), sample(CASES), "cases")
    assert [(row.before, row.after) for row in found.rows] == [(f"{CASES[7]:,}", "null"), (f"{CASES[8]:,}", f"{3 * CASES[8]:,}")]
    assert [row.by for row in found.rows] == [None, 2.0 * CASES[8]]


def test_one_row_that_lost_its_value_is_named() -> None:
    after = pa.array([None if k == 7 else int(v) for k, v in enumerate(CASES)])
    assert moved_values(sample(after), sample(CASES), "cases").listed == f"Most of all 8 (Town 008): {CASES[7]:,} → null."


def test_numbers_that_differ_in_a_digit_that_is_not_shown_are_shown_whole() -> None:
    # "9.69263 → 9.69263" was said of a place that was measured again.
    before = CASES + 0.1234567
    after = before.copy()
    after[7] += 1e-7
    found = moved_values(sample(after), sample(before), "cases")
    assert found.named == (f"8 (Town 008): {before[7]:,} → {after[7]:,}",)


def test_a_group_of_texts_that_read_otherwise_did_not_become_null() -> None:
    regions = np.array([f"Region {chr(65 + at // EACH)}" for at in range(ROWS)], dtype=object)
    before = sample(CASES, area=regions.tolist())
    inside = regions == "Region C"
    said = [moved_values(sample(CASES, area=np.where(inside, now, regions).tolist()), before, "area").said for now in ("Area C", None)]
    assert [text.endswith("became null.") for text in said] == [False, True]
    assert "with region Region C" in said[0]


def test_a_lost_name_names_no_row_and_blanks_at_an_end_are_seen() -> None:
    towns = [f"Town {i:03}" for i in range(1, ROWS + 1)]
    before = sample(CASES, towns=towns)
    gone, padded = ([*towns[:7], town, *towns[8:]] for town in (None, "Town 008 "))
    need, ids = Need(RowSample, ("id", "town"), None, Drawing(1)), pa.array(range(ROWS))
    lost, had = (RowSample.of_rows(Rows(ROWS, {"id": ids, "town": pa.array(names)}), need) for names in (gone, towns))
    assert moved_values(lost, had, "town").named == ("7: Town 008 → null",)
    assert moved_values(sample(CASES, towns=padded), before, "towns").named == ("8 (Town 008): Town 008 → 'Town 008 '",)


def test_what_changed_together_explains_nothing() -> None:
    """Both columns are set to 0 in five scattered rows: that the other is 0 is no reason."""
    rows = [3, 27, 61, 88, 110]
    after, old = CASES.copy(), np.full(ROWS, 3)
    new = old.copy()
    after[rows], new[rows] = 0, 0
    assert moved_values(sample(after, deaths=new), sample(CASES, deaths=old), "cases").group is None


def test_keys_that_went_and_came_have_a_group_too() -> None:
    kept = [i for i in range(1, ROWS + 1) if not 13 <= i <= 18]
    fewer = sample(CASES[: len(kept)], kept)
    lost, new = moved_keys(fewer, sample(CASES)), moved_keys(sample(CASES), fewer)
    assert (lost.what, lost.count, lost.said) == ("lost keys", 6, "6 of 6 keys with region Region C.")
    assert lost.listed.endswith(" and 1 more.")
    assert (new.what, new.count, new.said) == ("new keys", 6, "6 of 6 keys with region Region C.")
    assert {row.key for row in lost.rows} <= {f"{i} (Town {i:03})" for i in range(13, 19)}
    # Orders are new each day: that all of yesterday's are lost is no news.
    orders = list(range(ROWS + 1, ROWS + 1 + len(kept)))
    assert not moved_keys(sample(CASES[: len(kept)], orders), sample(CASES)).rows


def test_a_number_in_a_key_is_a_name() -> None:
    def flights(*numbers: int) -> RowSample:
        arrays = {"carrier": pa.array(["UA", "DL"][: len(numbers)]), "flight": pa.array(numbers), "delay": pa.array([0] * len(numbers))}
        return RowSample.of_rows(Rows(len(numbers), arrays), Need(RowSample, tuple(arrays), None, Drawing(2)))

    assert moved_keys(flights(1402), flights(1402, 2505)).named == ("DL, 2505",)


def test_days_of_a_group_are_not_added_up() -> None:
    days = np.datetime64("2026-01-10") + np.arange(ROWS)
    after = days.copy()
    after[12:18] += 300
    found = moved_values(sample(CASES, expires=after), sample(CASES, expires=days), "expires")
    assert found.said == "6 of 6 rows with region Region C."
    assert found.named[0] == "13 (Town 013): 2026-01-22 → 2026-11-18"


def test_matched_rows_have_the_same_key() -> None:
    # A key that stands in two rows keeps no values but its own: it was told as one that changed, "1 → 1".
    twice = sample(CASES, np.r_[1, 1, np.arange(3, ROWS + 1)])
    assert moved_values(twice, sample(CASES), "id") == Moved()


@pytest.mark.parametrize(
    ("after", "did"),
    [
        (CASES * 1000, "are 1,000 times what they were"),
        (np.round(CASES / 1.609), "are 1/1.609 of what they were"),
        (-CASES, "changed their sign"),
        (np.full(ROWS, 7), "are 7 now"),
        (np.where(np.arange(ROWS) % 12 == 0, 3, CASES * 10), "are 10 times what they were"),  # but for a twelfth
        (np.where(np.arange(ROWS) % 4 == 0, 3, CASES * 10), "changed"),
        (CASES + np.arange(1, ROWS + 1), "changed"),
    ],
    ids=["unit", "miles", "sign", "one", "nearly", "three quarters", "each otherwise"],
)
def test_what_most_rows_did_alike_is_said(after: Any, did: str) -> None:
    found = moved_values(sample(after), sample(CASES), "cases")
    assert (found.did, bool(found.alike)) == (did, did != "changed")


def test_of_rows_that_nearly_all_did_the_same_those_are_counted_and_named() -> None:
    """ "522 of 522 matched rows are 1.609 times what they were, such as DL 2165: 488 → 3,464" named the one that was not."""
    other = np.arange(ROWS) % 12 == 0
    found = moved_values(sample(np.where(other, CASES * 7, CASES * 2)), sample(CASES), "cases", limit=ROWS)
    did = ROWS - int(other.sum())
    assert found.counted == f"cases: {did} of {ROWS} matched rows are 2 times what they were"
    assert (found.count, found.said) == (ROWS, "")
    factors = [row.now / row.was for row in found.rows if row.now is not None and row.was is not None]
    assert factors == pytest.approx([2] * did + [7] * (ROWS - did))


def test_one_text_in_the_place_of_another_is_said() -> None:
    before = ["a" if k % 3 else "b" for k in range(ROWS)]
    after = ["A" if value == "a" else value for value in before]
    named = moved_values(sample(CASES, who=after), sample(CASES, who=before), "who")
    assert named.counted == "who: 80 of 120 matched rows changed from a to A"
    mixed = ["A" if k % 6 == 1 else "x" if k % 3 else "b" for k in range(ROWS)]
    assert moved_values(sample(CASES, who=mixed), sample(CASES, who=before), "who").did == "changed"


def test_the_mistakes_that_rows_have_are_said_and_no_others() -> None:
    after = CASES.copy()
    after[[5, 9]] = after[[9, 5]]
    both = [Matched(sample(some), "cases") for some in (after, CASES)]
    assert moved(SPOILED, *both).counted == f"cases: 2 of {ROWS} matched rows took each other's values"
    after[40] *= 10
    assert moved(SPOILED, Matched(sample(after), "cases"), both[1]).did == "took each other's values or are 8 times as much or more"


def test_of_nulls_the_rows_that_lost_their_value_are_meant() -> None:
    after = pa.array([None if k == 7 else int(v) + 1 for k, v in enumerate(CASES)])
    assert moved_values(sample(after), sample(CASES), "cases", emptied=True).count == 1


def test_rows_of_a_renamed_value_come_before_those_whose_value_is_another_one_each_day() -> None:
    couriers = np.array(["Bring", "Posten", "Helthjem"])
    before, after = (couriers[np.random.default_rng(seed).integers(0, 3, ROWS)] for seed in (1, 2))
    renamed = np.where((after == "Posten") & (np.arange(ROWS) // EACH == 4), "Posten Norge", after)
    found = moved_values(sample(CASES, courier=renamed), sample(CASES, courier=before), "courier", limit=ROWS)
    assert found.count == int((renamed != before).sum())
    new = int((renamed == "Posten Norge").sum())
    assert found.far == new > 1
    assert {row.after for row in found.rows[:new]} == {"Posten Norge"}
    assert "Posten Norge" not in {row.after for row in found.rows[new:]}
    # A new one before one that is gone.
    whole = np.where(after == "Posten", "Posten Norge", after)
    found = moved_values(sample(CASES, courier=whole), sample(CASES, courier=before), "courier", limit=ROWS)
    order = [(row.after == "Posten Norge", row.before == "Posten") for row in found.rows]
    places = [0 if new else 1 if gone else 2 for new, gone in order]
    assert places == sorted(places)
    assert set(places) == {0, 1, 2}
    # Where every text is another one each day none is news: those that lost theirs come first, as ever.
    texts, others = (np.array([f"{word} {at}" for at in range(ROWS)], dtype=object) for word in ("now", "then"))
    texts[70] = None
    found = moved_values(sample(CASES, note=list(texts)), sample(CASES, note=list(others)), "note", limit=ROWS)
    assert [row.after for row in found.rows[:1]] == ["null"]


def test_values_that_come_and_go_each_day_are_not_those_that_moved_farthest() -> None:
    """Of a delay that came in seconds the alarm told of the few flights that were cancelled on one of both days."""
    then, now = CASES.astype(float), CASES * 60.0
    then[[3, 27, 61]], now[[88, 110]] = np.nan, np.nan
    found = moved_values(sample(now), sample(then), "cases")
    assert (found.count, found.group) == (ROWS, None)
    assert all(row.by is not None for row in found.rows)
    # Where more went than came, it is news.
    gone = moved_values(sample(np.where(np.arange(ROWS) < 9, np.nan, now)), sample(then), "cases")
    assert gone.rows[0].now is None


def test_keys_of_several_rows_are_told_by_no_value_that_the_sample_does_not_keep() -> None:
    """Such keys have no values in a sample: they were said to be those "with year null"."""
    ids = [*range(1, ROWS + 1), *range(5, 30)]
    found = moved(KEYS_TWICE, *[sample([1] * len(ids), ids)] * 2)
    assert (found.count, found.among, found.group) == (25, ROWS, None)
