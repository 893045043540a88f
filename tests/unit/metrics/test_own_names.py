"""Names with a dot in conditions, as fields of structs or as columns of a table."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.metrics.sql.own_names import as_own, own_parts
from avh_ui.metrics.sql.parsing import columns_of

NAMES = ["net.amount", "tax.amount", "geo", "geo.lat", "a.b.c", "a.b", "x.`y", "größe.m", "id"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("net.amount > 1", "`net.amount` > 1"), ("`net`.`amount`+tax.amount>1.5", "`net.amount`+`tax.amount`>1.5"),
        ("NET.Amount IS NULL", "`NET.Amount` IS NULL"), ("`net.amount` > 1", "`net.amount` > 1"), ("net . amount > 1", "net . amount > 1"),
        # A field where the struct is a column; the longest name that is one; what follows a column's name is a field of it.
        ("geo.lat > 1", "geo.lat > 1"), ("a.b.c > 1", "`a.b.c` > 1"), ("a.b.`d e` > 1", "`a.b`.`d e` > 1"), ("b.a > 1", "b.a > 1"),
        # Texts, and names behind what is no name.
        ("s = 'net.amount' AND t = \"net.amount\"", "s = 'net.amount' AND t = \"net.amount\""), ("f(x).net.amount", "f(x).net.amount"),
        ("m[0].net.amount > tax.amount", "m[0].net.amount > `tax.amount`"), ("x.```y` = 1", "`x.``y` = 1"), ("größe.m>0", "`größe.m`>0"),
        ("`net`.`amount` <= `tax`.`amount` /* texts as numbers */", "`net.amount` <= `tax.amount` /* texts as numbers */"),
    ],
)  # fmt: skip
def test_what_is_the_name_of_a_column_gets_backticks(text: str, told: str) -> None:
    assert as_own(text, NAMES) == told
    assert as_own(told, NAMES) == told


def test_the_case_of_names_matters_where_the_session_says_so() -> None:
    assert as_own("NET.amount > net.amount", NAMES, exact=True) == "NET.amount > `net.amount`"
    assert own_parts(("A", "B", "c"), NAMES, exact=True) == ("A", "B", "c")
    assert own_parts(("A", "B", "c", "d"), NAMES, exact=False) == ("A.B.c", "d")


@given(st.lists(st.sampled_from(["a", "b.c", "d", "e f", "g`h", "ß", "1"]), min_size=1, max_size=4))
def test_a_name_of_any_parts_names_its_column(parts: list[str]) -> None:
    text = ".".join("`" + part.replace("`", "``") + "`" for part in parts)
    whole = ".".join(parts)
    assert columns_of(f"{as_own(text, [whole])} > 1") == ((whole,),)
    assert as_own(text, [parts[0], whole]) == text


@given(st.text(max_size=30))
def test_any_text_is_as_it_was_without_such_names(text: str) -> None:
    assert as_own(text, ["a", "no.such_name_anywhere"]) == text
