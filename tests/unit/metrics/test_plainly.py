"""What happened to a column since another batch, in one plain sentence; nothing where it is an ordinary day."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.metrics.plainly import plain_change, plain_rows
from avh_ui.metrics.profile import ColumnProfile

RNG = np.random.default_rng(7)
USUAL = RNG.lognormal(3, 1, 400).round(2)
NAMES = [f"K{k % 40:03}" for k in range(400)]


def told(now: object, then: object, **asked: bool) -> str:
    ours, theirs = (ColumnProfile.from_arrow("c", values if isinstance(values, pa.Array) else pa.array(values)) for values in (now, then))
    return plain_change("c", ours, theirs, "b6", **asked).words


def half(values: object, other: object) -> list[object]:
    return [other if k % 2 else value for k, value in enumerate(values)]  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("now", "then", "said"),
    [
        ([None] * 400, USUAL, "c is null in all 400 rows; in batch b6 in none."),
        (half(NAMES, None), NAMES, "c is null in 200 of 400 rows; in batch b6 in none."),
        (half(USUAL, None), [None, *USUAL], "c is null in 200 of 400 rows; in batch b6 in 1 of 401."),
        (half(USUAL, 0.0), USUAL, "c is 0 in 200 of 400 rows; in batch b6 in none."),
        (-USUAL, USUAL, "c is below 0 in all 400 rows; in batch b6 in none."),
        (half(USUAL, 7.5), USUAL, "c is 7.5 in 200 of 400 rows; in batch b6 in none."),
        (["K001"] * 400, NAMES, "c is 'K001' in all 400 rows; in batch b6 in 10 of 400."),
        (1_000 * USUAL, USUAL, "c is about 1,000 times as large as in batch b6."),
        (USUAL / 10, USUAL, "c is about a tenth as large as in batch b6."),
        ([n.lower() for n in NAMES], NAMES,
         "c is written otherwise (upper and lower case) in all 400 rows: 'k039', which in batch b6 is 'K039'."),
        (half(NAMES, "K001 "), NAMES, "c is 'K001 ' in 200 of 400 rows; in batch b6 in none."),
        ([f"T{k % 300}" for k in range(400)], [f"T{k}" for k in range(400)],
         "c repeats the value of another row in 100 of 400 rows; in batch b6 in none."),
        ([float(k % 380) for k in range(400)], [float(k) for k in range(400)],
         "c repeats the value of another row in 20 of 400 rows; in batch b6 in none."),
        ([f"T{k % 90}" for k in range(400)], [f"T{k % 300}" for k in range(400)],
         "c repeats the value of another row in 310 of 400 rows; in batch b6 in 100 of 400."),
        ([f"{n} " for n in NAMES], NAMES, "c is written otherwise (blanks) in all 400 rows: 'K039 ', which in batch b6 is 'K039'."),
    ],
)  # fmt: skip
def test_the_plainest_fact_is_told(now: object, then: object, said: str) -> None:
    now = pa.array(now, pa.float64()) if all(value is None for value in now) else now  # type: ignore[attr-defined]
    assert told(now, then) == said


def test_half_in_another_unit_is_told_by_how_many_are_beyond() -> None:
    now = USUAL.copy()
    now[::2] *= 1_000
    said = told(now, USUAL)
    assert said.endswith("times what was in the middle then.")
    assert f"{sum(now > USUAL.max())} of 400 values of c are above {USUAL.max():.4g}, the largest in batch b6" in said


@pytest.mark.parametrize(
    ("now", "then"),
    [
        (RNG.lognormal(3, 1, 400).round(2), USUAL),
        (NAMES[1:], NAMES),
        ([None] * 5 + NAMES, [None] * 2 + NAMES),  # a few more nulls than there were
        ([0.0] * 12 + [*USUAL], [0.0] * 8 + [*USUAL]),
        ([8.0] * 9, [7.0] * 9),  # one value in each batch, as the day of a delivery is
        (np.arange(500, 900), np.arange(100, 500)),  # a number that goes on
        ([k % 90 for k in range(200)], [k % 90 for k in range(400)]),  # fewer rows, and as many different values
        ([f"T{k % 16}" for k in range(800)], [f"T{k % 16}" for k in range(400)]),
        ([1.0], ["a"]),
        (pa.array([], pa.float64()), USUAL),
    ],
)
def test_of_an_ordinary_day_nothing_is_told(now: object, then: object) -> None:
    assert told(now, then) == ""


def test_whole_numbers_that_are_all_multiples_now_may_be_in_another_unit() -> None:
    """A delay is seldom that of the day before: no quartile tells of seconds, and each of them does."""
    delays = [int(n) for n in RNG.integers(-10, 40, 400)]
    late = [60 * int(n) for n in RNG.integers(-5, 90, 400)]
    assert told(late, delays).startswith("c may be in another unit: all its numbers are multiples of 60, and ")
    assert told(late, delays).endswith("% in batch b6 (minutes as seconds, or hours as minutes?).")
    for now in ([late[0] + 1, *late], [n + 0.5 for n in late], late[:3] * 100):
        assert "multiples" not in told(now, delays)
    # What always was in such steps is in no other unit.
    assert "multiples" not in told(late, [60 * n for n in delays])


@pytest.mark.parametrize(("nulls", "of", "told_of"), [(31, 137, False), (310, 1370, True), (60, 137, True)])
def test_of_a_small_table_chance_is_not_told(nulls: int, of: int, told_of: bool) -> None:
    """31 of 137 null, and 18 of 131 the day before, is no news; ten times as many rows of both say it."""
    then = [1.0 + k for k in range(131 * of // 137)]
    before = [None if k < len(then) * 18 // 131 else value for k, value in enumerate(then)]
    now = [None if k < nulls else 1.0 + k for k in range(of)]
    assert ("is null" in told(now, before)) == told_of


def test_of_a_code_list_that_has_fewer_codes_it_is_not_told_that_they_repeat() -> None:
    """It was written anew: `'us' is gone` says so, and that nearly all rows repeat a code was so before."""
    assert not told([f"N{k % 7}" for k in range(137)], [f"c{k % 14}" for k in range(131)])


def test_a_rule_on_nulls_tells_a_single_one() -> None:
    assert told([None, *USUAL], USUAL, nulls=True) == "c is null in 1 of 401 rows; in batch b6 in none."


def test_of_a_column_among_several_only_what_is_plain_by_itself_is_told() -> None:
    some = [0.0] * 40 + [*USUAL]
    more = [0.0] * 90 + [*USUAL]
    assert told(more, some) == "c is 0 in 90 of 490 rows; in batch b6 in 40 of 440."
    assert told(more, some, among=True) == ""
    assert told(more, USUAL, among=True) == "c is 0 in 90 of 490 rows; in batch b6 in none."


def test_of_a_sketch_it_says_about() -> None:
    then = RNG.normal(100, 5, 20_000)
    now = then.copy()
    now[:8_000] = 0
    assert told(now, then).startswith("c is 0 in ")
    assert told(now, then).endswith("of 20,000 rows; in batch b6 in none.")


@given(
    st.lists(st.sampled_from([0, 1, 2, None]), min_size=1, max_size=30), st.lists(st.sampled_from([0, 1, 2, None]), min_size=1, max_size=30)
)
def test_the_numbers_told_are_what_a_loop_counts(now: list[int | None], then: list[int | None]) -> None:
    said = told(pa.array(now, pa.int64()), pa.array(then, pa.int64()))
    what, _, rest = said.removeprefix("c is ").partition(" in ")
    value = {"null": None, "0": 0, "1": 1, "2": 2}.get(what, "")
    if value != "":
        count = now.count(value)
        assert rest.startswith(f"all {len(now)} rows" if count == len(now) else f"{count} of {len(now)} rows")
        assert count / len(now) > then.count(value) / len(then)


@pytest.mark.parametrize(
    ("now", "then", "said"),
    [
        (511, 979, "There are about half as many rows as in batch b6: 511, and 979 there."),
        (700, 1_000, "There are 30% fewer rows than in batch b6: 700, and 1,000 there."),
        (500, 1_000, "There are about half as many rows as in batch b6: 500, and 1,000 there."),
        (2_010, 1_000, "There are about twice as many rows as in batch b6: 2,010, and 1,000 there."),
        (1_040, 1_000, ""),
        (5, 0, ""),
    ],
)
def test_rows_are_told_beside_those_before(now: int, then: int, said: str) -> None:
    assert plain_rows(now, then, "batch b6") == said
