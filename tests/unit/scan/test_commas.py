"""Numbers with a comma, held to a naive reading of each text."""

from __future__ import annotations

import re

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.config import Source
from avh_ui.errors import SourceError
from avh_ui.scan.commas import DECIMAL_COMMA, THOUSANDS_COMMA, plain, require_commas


def naive(text: str) -> str:
    """One text, by hand."""
    if text.endswith("-") and text[:1] not in ("+", "-"):
        before = "-" + text[:-1]
        return read if (read := naive(before)) != before or re.fullmatch("-[0-9]+", before) else text
    head, comma, tail = text.partition(",")
    sign, digits = (head[:1], head[1:]) if head[:1] in ("+", "-") else ("", head)
    groups = re.split("[.' ’\xa0\u202f]", digits)
    whole = all(re.fullmatch("[0-9]+", g) for g in groups) and (
        len(groups) == 1 or (len(groups[0]) <= 3 and groups[0][0] != "0" and all(len(g) == 3 for g in groups[1:]))
    )
    if not whole or (comma and not re.fullmatch("[0-9]+", tail)):
        return text
    return sign + "".join(groups) + ("." + tail if comma else "")


@given(
    st.lists(
        st.none()
        | st.text("0123456789.,' -+’\xa0\u202fa\n", max_size=12)
        | st.from_regex(r"[-+]?\d{1,3}([. ]\d{3}){0,3}(,\d+)?-?", fullmatch=True)
    )
)
def test_each_text_is_read_as_by_hand(texts: list[str | None]) -> None:
    found = plain(pa.array(texts, pa.string()), DECIMAL_COMMA).to_pylist()
    assert found == [None if text is None else naive(text) for text in texts]


def test_a_fraction_is_no_thousand_and_an_absent_column_is_refused() -> None:
    assert plain(pa.array(["0.125", "-0.125", "1.125"]), DECIMAL_COMMA).to_pylist() == ["0.125", "-0.125", "1125"]
    source = Source(format="csv", path="{batch}.csv", decimal_comma=("price", "amout"))
    require_commas(source, ["amout", "price"], "It")
    with pytest.raises(SourceError, match=r"It has no column 'amout', which `decimal_comma` names. Did you mean 'amount'"):
        require_commas(source, ["amount", "price"], "It")
    with pytest.raises(SourceError, match=r"which `thousands_comma` names"):
        require_commas(Source(format="csv", path="{batch}.csv", thousands_comma=("price",)), [], "It")


def test_a_minus_behind_a_number_belongs_before_it() -> None:
    """As SAP writes it."""
    texts = pa.array(["1.234,50-", "7-", "0,5-", "-7-", "-", "7--", "1.23-", "7-\n", "a-"])
    assert plain(texts, DECIMAL_COMMA).to_pylist() == ["-1234.50", "-7", "-0.5", "-7-", "-", "7--", "1.23-", "7-\n", "a-"]
    points = pa.array(["1,234.50-", "7.25-", "7-", "7.25", "12,34-"])
    assert plain(points, THOUSANDS_COMMA).to_pylist() == ["-1234.50", "-7.25", "-7", "7.25", "12,34-"]


@given(st.lists(st.text("0123456789.,-+a\n", max_size=12) | st.from_regex(r"[-+]?\d{1,3}(,\d{3}){0,3}([.]\d+)?-?", fullmatch=True)))
def test_thousands_with_commas_are_read_as_by_hand(texts: list[str]) -> None:
    def by_hand(text: str) -> str:
        if text.endswith("-") and text[:1] not in ("+", "-"):
            before = "-" + text[:-1]
            return read if (read := by_hand(before)) != before or re.fullmatch("-[0-9]+([.][0-9]+)?", before) else text
        groups, _, _ = text.lstrip("+-").partition(".")
        first, *others = groups.split(",")
        # What Python formats in this way is such a number.
        written = (
            bool(others)
            and first[:1] != "0"
            and first.isdigit()
            and all(map(str.isdigit, others))
            and f"{int(''.join([first, *others])):,}" == groups
        )
        return text.replace(",", "") if written and re.fullmatch(r"[-+]?[0-9,]+([.][0-9]+)?", text) else text

    assert plain(pa.array(texts, pa.string()), THOUSANDS_COMMA).to_pylist() == [by_hand(text) for text in texts]
