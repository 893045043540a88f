"""The faults that coverage is told of: each happens to the share of the rows that it names, and to nothing else."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.issues.faults import CLASSES, SEVERITIES, THINNED, Fault, column_faults, row_faults
from avh_ui.issues.one_value import of_one_value
from avh_ui.issues.renaming import _names_like
from avh_ui.issues.sample import Sample
from avh_ui.issues.thinning import rows_left

ROWS = 400
RNG = np.random.default_rng(5)
AMOUNTS = Sample.from_arrow(pa.array(RNG.normal(100, 10, ROWS)))
CODES = Sample.from_arrow(pa.array(RNG.choice(["DE", "FR", "IT"], ROWS)))
KEYS = Sample.from_arrow(pa.array([f"k{k:04d}" for k in range(ROWS)]))
TIMES = Sample.from_arrow(pa.array(np.arange(ROWS) * 3_600, pa.timestamp("s")))
DAYS = Sample.from_arrow(pa.array([f"2024-03-{1 + k % 9:02d}T{k % 24:02d}:00:00Z" for k in range(ROWS)]))
FLAGS = Sample.from_arrow(pa.array(RNG.random(ROWS) < 0.5))


def made(sample: Sample, before: Sample | None = None) -> dict[tuple[str, str, float], Sample]:
    return {(fault.cls, fault.way, fault.severity): changed for fault, changed in column_faults("a", sample, before)}


def changed_rows(before: Sample, after: Sample) -> int:
    return sum(a != b for a, b in zip(before.to_arrow().to_pylist(), after.to_arrow().to_pylist(), strict=True))


@pytest.mark.parametrize(
    ("sample", "cls", "way"),
    [
        (AMOUNTS, "nulls", "null"),
        (AMOUNTS, "unit or range", "x10"),
        (AMOUNTS, "unit or range", "x1.609"),
        (AMOUNTS, "unit or range", "the sign turned"),
        (AMOUNTS, "unit or range", "becomes 0"),
        (CODES, "nulls", "null"),
        (CODES, "type or format", "a blank after"),
        (CODES, "type or format", "the other case"),
        (CODES, "type or format", "one character less"),
        (DAYS, "type or format", "days in another order"),
        (DAYS, "unit or range", "a year later"),
        (TIMES, "unit or range", "a year later"),
        (DAYS, "unit or range", "a day later"),
        (DAYS, "unit or range", "a day earlier"),
        (TIMES, "unit or range", "a day later"),
        (FLAGS, "nulls", "null"),
    ],
)
def test_a_share_of_the_rows_is_changed(sample: Sample, cls: str, way: str) -> None:
    found = made(sample)
    for severity in SEVERITIES:
        assert changed_rows(sample, found[cls, way, severity]) == round(severity * ROWS)


def test_days_in_another_order_are_of_columns_whose_texts_are_all_dates() -> None:
    turned = made(DAYS)["type or format", "days in another order", 1.0].to_arrow().to_pylist()
    assert turned[:2] == ["01.03.2024T00:00:00Z", "02.03.2024T01:00:00Z"]
    later = made(Sample.from_arrow(pa.array(["2024-02-28", "2024-02-29", "31.12.1999"])))["unit or range", "a year later", 1.0]
    assert later.to_arrow().to_pylist() == ["2025-02-28", "2024-02-29", "31.12.2000"]
    mixed = Sample.from_arrow(pa.array(["2024-03-01"] * 9 + ["soon"]))
    for other in (CODES, KEYS, mixed, Sample.from_arrow(pa.array(["", None]))):
        assert not any(way in ("days in another order", "a year later", "a day later") for _, way, _ in made(other))


def test_every_kind_has_the_faults_that_can_happen_to_it() -> None:
    ways = {name: {(cls, way) for cls, way, _ in made(sample, sample.thin(50, RNG))} for name, sample in (("codes", CODES), ("keys", KEYS))}
    assert ("new or lost values", "renamed throughout") in ways["codes"]
    assert ("duplicates", "values of other rows") not in ways["codes"]
    assert ("duplicates", "values of other rows") in ways["keys"]
    assert [way for cls, way in ways["keys"] if cls == "new or lost values"] == ["one value throughout"]
    assert {cls for cls, _, _ in made(FLAGS)} == {"nulls", "new or lost values", "mixed-up rows"}
    assert {cls for cls, _, _ in made(TIMES, TIMES)} == {"nulls", "stale", "unit or range", "duplicates", "mixed-up rows"}
    assert ("stale", "values of the batch before", 1.0) not in made(TIMES, TIMES)  # the batch before was the same


def test_where_some_numbers_are_zero_few_more_of_them_are_no_fault_and_a_tenth_is() -> None:
    numbers = np.append(np.arange(1, ROWS), 0.0)
    found = {severity for _, way, severity in made(Sample.from_arrow(pa.array(numbers))) if way == "becomes 0"}
    assert found == {0.1, 0.5, 1.0}


def test_a_column_takes_one_value_a_tenth_or_its_neighbours() -> None:
    beside = Sample.from_arrow(pa.array(RNG.normal(3, 1, ROWS)))
    found = {(fault.way, fault.severity): changed for fault, changed in column_faults("a", AMOUNTS, None, beside)}
    numbers = np.sort(AMOUNTS.to_arrow().to_numpy())
    assert found["one value throughout", 1.0].to_arrow().to_pylist() == [numbers[ROWS // 2]] * ROWS
    assert changed_rows(AMOUNTS, found["one value throughout", 0.1]) in (ROWS // 10, ROWS // 10 - 1)
    assert ("one value throughout", 0.01) not in found
    assert np.allclose(found["a tenth", 1.0].to_arrow().to_numpy(), AMOUNTS.to_arrow().to_numpy() / 10)
    assert found["another column's values", 1.0].to_arrow().equals(beside.to_arrow())
    assert not any(way == "another column's values" for _, way, _ in made(AMOUNTS))


def test_values_that_were_two_stay_two() -> None:
    # 'a' has to go past 'b', and 'b' comes to where it went.
    short = _names_like(["a", "b", "y", "z", "-", "-x"])
    assert len(set(short)) == 6
    assert not set(short) & {"a", "b", "y", "z", "-", "-x"}


def test_a_renamed_value_is_gone_and_the_new_one_looks_like_it() -> None:
    found = made(CODES)["new or lost values", "renamed throughout", 0.1]
    old, new = set(CODES.to_arrow().to_pylist()), set(found.to_arrow().to_pylist())
    (gone,), (come,) = old - new, new - old
    assert changed_rows(CODES, found) == CODES.to_arrow().to_pylist().count(gone) >= 0.1 * ROWS
    assert (len(come), come.isalpha(), come.isupper()) == (2, True, True)


@pytest.mark.parametrize("values", [[1e16, -1e16], [2.0**53, 1.0], [1e300, 2.5], [float("inf"), 3.0], [-float("inf"), -1e17], [7.0, 9.0]])
def test_numbers_are_renamed_to_others(values: list[float]) -> None:
    sample = Sample.from_arrow(pa.array(np.repeat(values, 50)))
    found = made(sample)["new or lost values", "renamed throughout", 1.0].to_arrow().to_pylist()
    assert len(set(found)) == 2
    assert not set(found) & set(values)
    assert np.isfinite(found).all()


@pytest.mark.parametrize("values", [[float("inf"), -float("inf")], [float(np.finfo(float).max), 1.0]])
def test_numbers_beyond_which_there_are_none_are_not_renamed(values: list[float]) -> None:
    found = made(Sample.from_arrow(pa.array(np.repeat(values, 50))))
    assert not any(way == "renamed throughout" for _, way, _ in found)
    assert any(way == "lost to another" for _, way, _ in found)


def test_lost_values_leave_no_new_ones() -> None:
    for severity in SEVERITIES:
        lost = set(made(CODES)["new or lost values", "lost to another", severity].to_arrow().to_pylist())
        assert lost < set(CODES.to_arrow().to_pylist())


def test_of_the_most_frequent_value_half_of_the_rows_are_missing_or_all() -> None:
    """Spread over them; not a tenth, which is no news, nor of few rows."""
    found = {severity: changed for (_, way, severity), changed in made(CODES).items() if way == THINNED}
    counts = Counter(CODES.to_arrow().to_pylist())
    value, most = counts.most_common(1)[0]
    assert {severity: Counter(changed.to_arrow().to_pylist()) for severity, changed in found.items()} == {
        0.5: counts - Counter({value: most // 2}),
        1.0: Counter({other: count for other, count in counts.items() if other != value}),
    }
    few = Sample.from_arrow(pa.array(["a"] * 90 + ["b"] * 80 + ["c"] * 70))
    assert not any(way == THINNED for _, way, _ in made(few))


@given(st.lists(st.integers(0, 2), min_size=300, max_size=500), st.sampled_from([0.1, 0.25, 0.5, 1.0]))
def test_a_share_of_the_rows_of_one_value_is_missing_and_no_other(values: list[int], share: float) -> None:
    sample = Sample.from_arrow(pa.array([f"v{value}" for value in values]))
    counts = Counter(values)
    (_, most), *others = counts.most_common()
    left = rows_left(sample, share)
    if most > len(values) - 100 or not others:
        assert left is None
    else:
        assert left is not None
        gone = sorted(set(range(len(values))) - set(left.tolist()))
        assert len(gone) == math.floor(most * share)
        assert len({counts[values[at]] for at in gone}) == 1
        assert all(counts[values[at]] == most for at in gone)


def test_constants_and_empty_columns() -> None:
    constant = Sample.from_arrow(pa.array(["x"] * 50))
    assert {cls for cls, _, _ in made(constant, constant)} == {"nulls", "type or format"}
    assert made(Sample.from_arrow(pa.nulls(50, pa.string()))) == {}
    assert made(Sample.from_arrow(pa.array([], pa.int64()))) == {}
    assert {cls for cls, _, _ in made(Sample.from_arrow(pa.array([7])))} == {"nulls", "unit or range"}


@given(st.integers(1, 300), st.integers(0, 300), st.integers(0, 3))
def test_whole_rows(rows: int, before: int, seed: int) -> None:
    found = {(one.fault.cls, one.fault.severity): one for one in row_faults(rows, before, seed=seed)}
    for (cls, severity), one in found.items():
        share = max(1, round(severity * rows))
        today = one.rows[one.rows < rows]
        if cls == "rows lost":
            assert len(set(one.rows.tolist())) == len(one.rows) == rows - share > 0
        elif cls == "rows doubled":
            assert (len(one.rows), len(set(one.rows.tolist()))) == (rows + share, rows)
        elif cls == "stale":
            assert (len(one.rows), len(today)) == (rows, rows - share)
            assert set(one.rows.tolist()) <= set(range(rows + before))
        else:
            assert len(one.rows) == rows
            twice = sum(int(n) for n in np.unique(one.rows, return_counts=True)[1] if n == 2)
            assert twice == 2 * max(1, min(round(severity * rows / 2), rows // 2))
    assert ("rows lost", 1.0) not in found
    assert all(("stale", severity) in found for severity in SEVERITIES if before and severity < 1)
    assert {cls for cls, _ in found} <= set(CLASSES)


def test_rows_of_the_batch_before_come_with_their_values() -> None:
    stale = next(one for one in row_faults(3, 2) if one.fault == Fault("", "stale", 0.5, "rows of the batch before"))
    today, yesterday = Sample.from_arrow(pa.array(["a", "b", "c"])), Sample.from_arrow(pa.array(["x", None]))
    changed = stale.of(today, yesterday)
    assert changed is not None
    both = ["a", "b", "c", "x", None]
    assert changed.to_arrow().to_pylist() == [both[k] for k in stale.rows.tolist()]
    assert stale.of(today, None) is None
    assert stale.of(today, Sample.from_arrow(pa.array([1, 2]))) is None


def test_a_column_of_texts_becomes_one_of_them() -> None:
    """Of texts that repeat the most frequent one; of others the first."""
    beds = Sample.from_arrow(pa.array([f"A-{k}" for k in range(40)] + ["B-7"] * 4))
    changed = of_one_value(beds, np.arange(44))
    assert changed is not None
    assert set(changed.to_arrow().to_pylist()) == {"B-7"}
    assert of_one_value(Sample.from_arrow(pa.array(["x"] * 9)), np.arange(9)) is None
    assert of_one_value(Sample.from_arrow(pa.array([None], pa.string())), np.arange(1)) is None
    unique = Sample.from_arrow(pa.array([f"A-{k}" for k in range(40)]))
    found = {(one.cls, one.severity) for one, _ in column_faults("c", unique, None, None) if one.way == "one value throughout"}
    assert found == {("new or lost values", share) for share in (0.1, 0.5, 1.0)}


def test_texts_and_truth_values_take_those_of_the_column_beside() -> None:
    cities = Sample.from_arrow(pa.array([f"city {k % 7}" for k in range(ROWS)]))
    flags = Sample.from_arrow(pa.array([k % 3 == 0 for k in range(ROWS)]))
    for sample, beside in ((CODES, cities), (FLAGS, flags)):
        found = {(f.cls, f.severity): one for f, one in column_faults("a", sample, None, beside) if f.way == "another column's values"}
        assert found["new or lost values", 1.0].to_arrow().equals(beside.to_arrow())
        assert 0 < changed_rows(sample, found["new or lost values", 0.1]) <= ROWS // 10
    assert not any(fault.way == "another column's values" for fault, _ in column_faults("a", CODES, None, flags))
