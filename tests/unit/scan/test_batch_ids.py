"""A batch id in a query, in a database's query and in a path: it is one value or one name, whatever it holds."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.config import Source
from avh_ui.errors import SourceError
from avh_ui.scan.batch_ids import bound, compared, in_database
from avh_ui.scan.listing import FileListing

HOSTILE = ("\\' or 1=1 -- ", "' or 'a' = 'a", "it's", 'a"b', "a`b", "x; drop table t", "a\nb", "${env:HOME}")
LEAVING = ("", ".", "..", "../b", "a/b", "/etc/passwd", "a\\b", "*", "2024-*", "{a,b}", "a\x00", "a\nb")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("select * from t where d = '{batch}'", "select * from t where d = :batch"),
        ('d = "{batch}"', "d = :batch"),
        ("d like '{batch}%' or p = 'day={batch}'", "d like concat(:batch, '%') or p = concat('day=', :batch)"),
        ("p = '{batch}-{batch}'", "p = concat(:batch, '-', :batch)"),
        ("p = r'\\{batch}' and q = 'it''s {batch}'", "p = concat(r'\\', :batch) and q = concat('it''s ', :batch)"),
        (
            "d = DATE '{batch}' and t > timestamp'{batch} 06:00'",
            "d = CAST(:batch AS DATE) and t > CAST(concat(:batch, ' 06:00') AS timestamp)",
        ),
        ("n = {batch}", "n = :batch"),
        ("d = '{batch}' -- day {batch}", "d = :batch -- day {batch}"),
        ("d = '{batch}' /* don't */ and x = '{'", "d = :batch /* don't */ and x = '{'"),
    ],
)
def test_a_query_binds_the_id_wherever_it_stands(query: str, expected: str) -> None:
    for batch in ("2024-01-01", *HOSTILE):
        assert bound(query, batch) == (expected, {"batch": batch})


def test_a_number_outside_quotes_is_bound_as_a_number() -> None:
    assert bound("n = {batch} and s = '{batch}'", "20240101") == (
        "n = :batch_number and s = :batch",
        {"batch": "20240101", "batch_number": 20240101},
    )


@pytest.mark.parametrize(
    "query",
    [
        "from t_{batch}",
        "from `t {batch}`",
        "from t version as of '{batch}'",
        "from t VERSION AS OF {batch}",
        "x'{batch}'",
        "from t timestamp AS OF '{batch}'",
    ],
)
def test_where_no_parameter_can_stand_the_characters_are_checked(query: str) -> None:
    assert bound(query, "a1") == (query.replace("{batch}", "a1"), {})
    for batch in HOSTILE:
        with pytest.raises(SourceError, match="cannot be the id of a batch: "):
            bound(query, batch)


def test_a_backslash_before_the_place_is_told() -> None:
    with pytest.raises(SourceError, match=r"has a backslash before \{batch\}"):
        bound("p = 'a\\{batch}'", "1")


@given(st.text())
def test_nothing_of_an_id_reaches_the_text_of_a_query(batch: str) -> None:
    text, values = bound("select '{batch}', 'a{batch}b' from t where n = {batch}", batch)
    assert text.replace(":batch_number", ":batch") == "select :batch, concat('a', :batch, 'b') from t where n = :batch"
    assert values["batch"] == batch


def test_a_database_s_query_takes_harmless_ids_alone() -> None:
    query = """select "x" from EVENTS where "day" = '{batch}'"""
    assert in_database(query, "2024-01-01 06:00") == query.replace("{batch}", "2024-01-01 06:00")
    assert in_database("EVENTS_{batch}", "20240101") == "EVENTS_20240101"
    for batch in HOSTILE:
        with pytest.raises(SourceError, match="cannot be the id of a batch: here it may hold letters"):
            in_database(query, batch)
    for batch in ("2024-01-01", "1 or 1", "1--"):
        with pytest.raises(SourceError, match="outside quotes it may hold letters, digits and _ alone"):
            in_database("select * from EVENTS where n = {batch}", batch)
    with pytest.raises(SourceError, match="may hold no backslash"):
        compared("\\' or 1=1 -- ")


@pytest.mark.parametrize("batch", LEAVING)
@pytest.mark.parametrize("path", ["in/{batch}.csv", "in/{batch}", "in/{batch}/part.csv", "in/{batch}_*.csv"])
def test_a_file_s_id_stays_in_its_folder_and_matches_nothing_else(tmp_path: Path, batch: str, path: str) -> None:
    for name in ("in/a.csv", "in/a_1.csv", "in/2024-01-01.csv", "in/a/part.csv", "part.csv", "b.csv"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("a\n1\n")
    with pytest.raises(SourceError, match=re.escape(f"{batch!r} cannot be the id of a batch: in a path")):
        FileListing(Source(path=path), tmp_path).locate(batch)


def test_brackets_of_a_name_match_themselves_alone(tmp_path: Path) -> None:
    (tmp_path / "a[1].csv").write_text("a\n1\n")
    listing = FileListing(Source(path="{batch}.csv"), tmp_path)
    (root,) = listing.locate("a[1]").roots
    assert (root, listing.url_of(root)) == (str(tmp_path / "a[1].csv"), str(tmp_path / "a\\[1\\].csv"))
