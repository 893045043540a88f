"""Which patterns Spark may search for by the faster function: those of which no first match is empty."""

from __future__ import annotations

import re
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.spark.conditions import never_empty

PARTS = ["a", "b", "^", "[a-c]", "[^a]", ".", r"\d", r"\.", "*", "?", "+", "{0,2}", "{2}", "{,2}", "(", ")", "|", "$", "(?i)", r"\b"]


@pytest.mark.parametrize("pattern", ["^N[0-9]", "^[A-Z]{3}$", r"\d+", "a+?", "[a-z]+@", ".x*"])
def test_usual_patterns_are_searched_for_fast(pattern: str) -> None:
    assert never_empty(pattern)


@pytest.mark.parametrize("pattern", ["", "a*", "a?", "a{0,2}", "a|", "^", "$", "(a)?", "[a]*b*", "x?y", r"\b", "^.*", r"\Qa\E*", "[a&&b]"])
def test_others_are_not(pattern: str) -> None:
    assert not never_empty(pattern)


@given(st.lists(st.sampled_from(PARTS), min_size=1, max_size=6).map("".join), st.text("abc1.\n", max_size=6))
def test_no_first_match_is_empty(pattern: str, text: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = re.search(pattern, text)
        except re.error:
            return
    assert not (never_empty(pattern) and found is not None and found.group() == "")
