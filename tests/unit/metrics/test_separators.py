"""By what a batch of CSV seems to be cut: from its names, or from its texts where it has none."""

from __future__ import annotations

import pytest

from avh_ui.metrics.separators import separator_of_names, separators_of_rows
from tests.fakes.builders import profile


@pytest.mark.parametrize(
    ("come", "separator"),
    [
        (["id;city;price"], ";"),
        (['"id"|"city"|"price"'], "|"),
        (["id; city; price; new"], ";"),
        (["id\tcity\tprice"], "\t"),
        (["price_eur"], ""),
        (["id_city"], ""),
        ([], ""),
    ],
)
def test_a_name_that_holds_the_others(come: list[str], separator: str) -> None:
    assert separator_of_names(["id", "city", "price"], come) == separator


def test_one_name_is_not_enough() -> None:
    assert separator_of_names(["id"], ["id;x"]) == ""


def test_texts_that_nothing_cut() -> None:
    whole = profile("d1", _c0=[f"{n};Oslo;open" for n in range(10)])
    assert separators_of_rows(whole.columns.values()) == {";": 2.0}
    # A decimal comma cuts them once, in the middle of what a semicolon would cut.
    cut = profile("d1", _c0=[f"{n};Oslo;5" for n in range(10)], _c1=["20;open"] * 10)
    assert separators_of_rows(cut.columns.values()) == {";": 3.0}


def test_texts_with_a_separator_now_and_then() -> None:
    assert separators_of_rows(profile("d1", _c0=["a;b", *"cdefghijk"]).columns.values()) == {}
    assert separators_of_rows(profile("d1", note=["a;b"] * 10).columns.values()) == {}
    assert separators_of_rows(profile("d1", _c0=[1.0, 2.0]).columns.values()) == {}
