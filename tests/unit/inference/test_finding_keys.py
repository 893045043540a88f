"""What may be a table's key, and what may be no part of one."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.inference.by_key.finding import find_key, key_of_few


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("price", pa.array(np.arange(60) + 0.25)),  # it measures something
        ("id", pa.array([None, *range(1, 60)])),  # one row has none
        ("__index_level_0__", pa.array(range(60))),  # how pandas writes its index into Parquet
        ("__index_level_1__", pa.array(range(60))),
        ("Unnamed: 0", pa.array(range(60))),  # and into CSV
        ("id", pa.array([{"n": n} for n in range(60)])),
        ("id", pa.array([[n] for n in range(60)])),
    ],
)
def test_what_may_be_no_key_is_none_though_it_tells_rows_apart_and_comes_again(name: str, values: pa.Array) -> None:
    table = pa.table({name: values, "kind": ["a", "b"] * 30})
    found = find_key(table, table, whole=True)
    assert (found.columns, found.unique) == ((), ())
    # Nor is it a part of one: beside a column that would be a key it is left out.
    beside = table.append_column("code", pa.array(range(60)))
    assert find_key(beside, beside, whole=True).columns == ("code",)


def test_a_truth_value_is_no_part_of_a_key() -> None:
    table = pa.table({"id": [n // 2 for n in range(60)], "first": [n % 2 == 0 for n in range(60)]})
    assert find_key(table, table, whole=True).columns == ()
    words = table.set_column(1, "first", pa.array(["yes", "no"] * 30))
    assert find_key(words, words, whole=True).columns == ("id", "first")


@pytest.mark.parametrize("name", ["Unnamed: 0", "__index_level_0__"])
def test_a_name_that_only_looks_like_that_of_an_index_may_be_a_key(name: str) -> None:
    table = pa.table({f"{name} id": range(60), "kind": ["a", "b"] * 30})
    assert find_key(table, table, whole=True).columns == (f"{name} id",)


def test_whole_numbers_that_are_kept_as_fractions_may_be_a_key() -> None:
    """So pandas keeps numbers of a column that had a null once."""
    table = pa.table({"id": np.arange(60.0), "kind": ["a", "b"] * 30})
    assert find_key(table, table, whole=True).columns == ("id",)


def test_a_column_that_one_batch_lacks_is_no_key() -> None:
    ours = pa.table({"id": range(60), "kind": ["a", "b"] * 30})
    theirs = ours.rename_columns(["number", "kind"])
    assert find_key(ours, theirs, whole=True).columns == ()
    assert find_key(theirs, ours, whole=True).columns == ()


def test_no_key_has_more_than_three_columns() -> None:
    four = pa.table({name: [n // 2**k % 2 for n in range(16)] for k, name in enumerate("abcd")})
    assert find_key(four, four, whole=True).columns == ()
    # Eight of these rows the first three tell apart.
    eight = four.slice(0, 8)
    assert find_key(eight, eight, whole=True).columns == ("a", "b", "c")


def test_what_was_a_key_before_comes_first() -> None:
    """Labels that happen to differ in the newest batches, and that two rows shared in one before, beside fingerprints."""
    now = pa.table({"label": [f"Root CA {n}" for n in range(40)], "print": [f"{n * 7_919:06x}" for n in range(40)]})
    then = now.set_column(0, "label", pa.array(["Root CA 1", *now["label"].to_pylist()[1:]]))
    assert find_key(now, now, whole=True).columns == ("label",)
    assert find_key(now, now, whole=True, earlier=[now, then]).columns == ("print",)
    # Where none was, or a batch lacks the column, it is as without.
    assert find_key(now, now, whole=True, earlier=[now.slice(0, 1).append_column("more", pa.array([1])), then.slice(0, 0)]).columns == (
        "label",
    )
    assert find_key(now.select(["label"]), now, whole=True, earlier=[then]).columns == ("label",)
    assert find_key(now, now, whole=True, earlier=[then.select(["print"])]).columns == ("label",)


def test_what_tells_few_rows_of_an_earlier_batch_apart_is_no_key() -> None:
    now = pa.table({"mass": [4, 4, 3, 1, 5], "engines": [2, 3, 2, 1, 2]})
    then = pa.table({"mass": [4] * 40 + [3, 1], "engines": [2] * 40 + [2, 1]})
    assert find_key(now, now, whole=True).columns == ("mass", "engines")
    assert find_key(now, now, whole=True, earlier=[then]).columns == ()
    half = pa.table({"mass": [4, 4, 3, 1], "engines": [2, 2, 2, 1]})
    assert find_key(now, now, whole=True, earlier=[half]).columns == ("mass", "engines")


def test_of_many_columns_those_of_the_most_values_are_tried() -> None:
    """The last of 40 columns is one of the key's two."""
    rows = np.arange(60)
    many = {f"c{k:02}": rows % 3 for k in range(38)}
    table = pa.table({"town": rows // 6, **many, "part": [f"p{n % 6}" for n in rows]})
    assert find_key(table, table, whole=True).columns == ("town", "part")


TEAMS = np.array([f"t{n:02}" for n in range(20)])


def league(teams: np.ndarray, number: str) -> pa.Table:
    return pa.table({number: range(1, len(teams) + 1), "team": teams, "points": [60 - n // 2 for n in range(len(teams))]})


@pytest.mark.parametrize(
    ("number", "after", "key"),
    [
        ("no", TEAMS[::-1], "team"),
        ("no", np.roll(TEAMS, 1), "team"),
        # As an id, and as the place of each in a week without a match.
        ("id", TEAMS, "id"),
        ("position", TEAMS, "team"),
        # One pair changed places, or one was renamed: of lists that are kept by hand some are.
        ("no", TEAMS[[1, 0, *range(2, 20)]], "no"),
        ("no", np.where(TEAMS == "t07", "t7", TEAMS), "no"),
        # Nine of the twenty are others: a place is all that stays.
        ("no", np.array([f"n{n}" if n % 2 or n < 3 else team for n, team in enumerate(TEAMS[::-1])]), "no"),
    ],
)
def test_the_place_in_a_table_gives_way_to_who_is_there(number: str, after: np.ndarray, key: str) -> None:
    now, then = league(after, number), league(TEAMS, number)
    for kept_as in (pa.int64(), pa.float64()):
        now, then = (table.set_column(0, number, table.column(number).cast(kept_as)) for table in (now, then))
        found = find_key(now, then, whole=True)
        assert (found.columns, found.overlap) == ((key,), 1.0)


def test_of_a_chart_of_songs_that_come_and_go_the_place_is_the_key() -> None:
    """Of twenty four are new, and the others go up and down."""
    after = np.array([*TEAMS[4:][::-1], "n1", "n2", "n3", "n4"])
    assert find_key(league(after, "no"), league(TEAMS, "no"), whole=True).columns == ("no",)


RATES = pa.table({"day": ["a"] * 3, "number": [3, 1, 2], "currency": ["USD", "GBP", "JPY"], "rate": [1.09, 0.86, 160.5]})


def test_in_few_rows_none_is_found_by_two_batches_and_that_is_said() -> None:
    found = find_key(RATES, RATES, whole=True)
    assert (found.columns, found.few) == ((), True)
    assert found.words.startswith("Fewer than 5 rows are told apart by chance, and none by the same values in 14 batches: rows are not")
    five = pa.table({"currency": ["USD", "GBP", "JPY", "CHF", "SEK"]})
    assert find_key(five, five, whole=True).columns == ("currency",)


def test_of_few_rows_the_key_is_what_names_them_in_two_weeks_of_batches() -> None:
    """In whatever order they come; of texts before numbers, which may stand still."""
    batches = [RATES.take(np.random.default_rng(k).permutation(3)) for k in range(20)]
    found = key_of_few(batches)
    assert (found.columns, found.overlap) == (("currency",), 1.0)
    assert found.words == "currency tells the few rows apart, by the same values in the newest 14 batches."
    assert key_of_few([batch.drop_columns("currency") for batch in batches]).columns == ("number",)


@pytest.mark.parametrize(
    "other",
    [
        RATES.slice(0, 2),
        RATES.drop_columns("currency"),
        RATES.set_column(2, "currency", [["USD", "GBP", "CHF"]]),
        RATES.set_column(2, "currency", [["USD", "GBP", "GBP"]]),
        RATES.set_column(2, "currency", [["USD", "GBP", None]]),
    ],
    ids=["fewer rows", "no such column", "another value", "one twice", "a null"],
)
@pytest.mark.parametrize("at", [6, 12, 19])
def test_of_few_rows_one_batch_that_is_otherwise_is_enough_to_doubt(other: pa.Table, at: int) -> None:
    found = key_of_few([other.drop_columns("number") if k == at else RATES.drop_columns("number") for k in range(20)])
    assert (found.columns, found.few) == ((), True)


def test_of_few_rows_the_latest_batches_count_and_so_many_of_them() -> None:
    assert key_of_few([RATES.slice(0, 2), *[RATES] * 14]).columns == ("currency",)
    assert key_of_few([RATES] * 13).columns == ()
    assert key_of_few([RATES.slice(0, 1)] * 14).columns == ()
    pairs = pa.table({"of": ["USD", "USD", "GBP"], "to": ["GBP", "JPY", "JPY"], "rate": [0.75, 150.5, 190.5]})
    assert key_of_few([pairs] * 14).columns == ("of", "to")


def test_events_of_few_rows_have_no_key() -> None:
    """Three a day, each of one of three kinds: in 22 % of days each kind comes once. Every day is looked at in two windows: in all fourteen
    that it is in took 12 seconds.
    """
    rng = np.random.default_rng(7)
    tables = [pa.table({"kind": rng.choice(["a", "b", "c"], 3), "id": np.arange(3 * k, 3 * k + 3)}) for k in range(2_000)]
    assert not any(key_of_few(tables[k : k + 14]).columns for k in range(0, len(tables) - 14, 7))


@pytest.mark.parametrize(("nulls", "found"), [(1, ("plane",)), (2, ("plane",)), (3, ())])
def test_a_row_without_a_key_is_beside_those_that_have_one(nulls: int, found: tuple[str, ...]) -> None:
    """The flights of which no aeroplane is known are a row of a table by aeroplane."""
    planes = [*(f"N{k:03}" for k in range(200 - nulls)), *[None] * nulls]
    day = pa.table({"plane": pa.array(planes), "legs": [1] * 100 + [2] * 100})
    assert find_key(day, day, whole=True).columns == found
    twice = day.set_column(0, "plane", pa.array(["N001", *planes[1:]]))
    assert find_key(twice, day, whole=True).columns == ()


def brands(rows: int = 300, alike: int = 1) -> pa.Table:
    """Brands of which the first few stand there twice."""
    every = [*range(rows - alike), *range(alike)]
    return pa.table({"kind": [f"k{n % 7}" for n in every], "name": [f"brand {n}" for n in every], "size": every})


def test_texts_that_tell_nearly_all_rows_apart_are_a_key_where_nothing_tells_all() -> None:
    found = find_key(brands(), brands(), whole=True)
    assert (found.columns, found.apart) == (("name",), pytest.approx(298 / 300))
    assert found.words == "name is 99.3% unique in the latest batch, and 100% of its keys are in the batch before."
    # What tells all of them apart is one before it.
    beside = brands().append_column("code", pa.array(range(300)))
    assert find_key(beside, beside, whole=True).columns == ("code",)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (brands(300, 2), brands(300, 2)),  # 98.7 % have a name of their own
        (brands(300, 1), brands(300, 2)),  # and in the batch before
        (brands(90), brands(90)),  # of few rows one is more than a few
        (brands().drop_columns(["name"]),) * 2,  # numbers are so by chance
        (brands(), brands().set_column(1, "name", pa.array([f"other {n}" for n in range(300)]))),  # none comes again
    ],
)
def test_what_is_no_key_is_not_nearly_one(ours: pa.Table, theirs: pa.Table) -> None:
    assert find_key(ours, theirs, whole=True).columns == ()
