"""What may be a table's key, and what may be no part of one."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.inference.by_key.finding import find_key


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


def test_in_few_rows_none_is_looked_for_and_that_is_said() -> None:
    rates = pa.table({"currency": ["USD", "GBP", "JPY"], "rate": [1.09, 0.86, 160.0]})
    found = find_key(rates, rates, whole=True)
    assert (found.columns, found.few) == ((), True)
    assert found.words.startswith("None is looked for in fewer than 5 rows, which columns tell apart by chance: rows are not matched.")
    five = pa.table({"currency": ["USD", "GBP", "JPY", "CHF", "SEK"]})
    assert find_key(five, five, whole=True).columns == ("currency",)
