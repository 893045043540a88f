"""Portable regexes: one meaning in RE2, which we match by, and in Python; Java is asked in tests/spark/test_patterns.py."""

from __future__ import annotations

import re

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.errors import ConstraintError
from avh_ui.metrics.regexes import anchored, body_of, conforming, portable

TYPED = [
    *[
        "N[0-9]+",
        "^N\\d{3}[A-Z]{2}$",
        "(ab|cd)?-\\w+",
        "a.c",
        "[^\\d]x",
        "é+",
        "[à-ü]{2,3}",
        "\\.\\*\\(",
        "a|b|",
        "[\\]\\-]",
        "\U0001f600?",
    ],
    *["\\s\\S", "\\u0041", "[\\x41-\\x43]", "(?:a{2}){3}", "(?:ab)+", "a\\$", "[.+]"],
]
PIECES = st.sampled_from(
    ["a", "A", "1", "9", "é", "\n", ".", "-", " ", "\U0001f600", "١", "N", "x", "y", "c", "$", "\r", "_", "ab", "\x0b", "ü"]
)
VALUES = st.lists(PIECES, max_size=6).map("".join)


@given(st.sampled_from(TYPED), VALUES)
def test_re2_and_python_agree(typed: str, value: str) -> None:
    regex = portable(typed)
    assert conforming(pa.array([value], pa.large_string()), regex)[0] == (re.search(regex, value) is not None)


@pytest.mark.parametrize(
    ("typed", "good", "bad"),
    [
        ("N\\d{3}", ["N123"], ["N12", "N123\n", "xN123", "N1٢3"]),
        ("a.c", ["abc", "a\rc"], ["a\nc"]),
        ("A|B", ["A", "B"], ["AB", "A "]),
    ],
)
def test_whole_values_match(typed: str, good: list[str], bad: list[str]) -> None:
    assert conforming(pa.array([*good, *bad]), portable(typed)).tolist() == [True] * len(good) + [False] * len(bad)


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ("(a+)+", "exponential time"),
        ("(?:a|aa)*", "exponential time"),
        ("((ab*)+){2,}", "exponential time"),
        ("(?=a)", "groups that begin with"),
        ("(?i)a", "groups that begin with"),
        ("(a", "not closed"),
        ("a)", "not opened"),
        ("[a", "not closed"),
        ("[]", "not closed or empty"),
        ("a{", "means nothing"),
        ("*a", "means nothing"),
        ("a++", "a count follows"),
        ("[a&&b]", "in a class"),
        ("[[a]", "in a class"),
        ("\\bword", "not read alike"),
        ("(a)\\1", "not read alike"),
        ("\\p{L}", "not read alike"),
        ("a\\", "backslash"),
        ("a{3,2}", "cannot be read"),
        ("[z-a]", "cannot be read"),
        ("a{2000}", "cannot be used"),
        ("", "empty"),
        ("^$", "empty"),
    ],
)
def test_what_engines_read_differently_is_refused(typed: str, why: str) -> None:
    with pytest.raises(ConstraintError, match=why):
        portable(typed)


@given(st.text(st.sampled_from("ab1()[]{}|*+?.\\^$-,:d&"), max_size=10))
def test_any_text_is_read_or_refused(typed: str) -> None:
    try:
        regex = portable(typed)
    except ConstraintError:
        return
    assert portable(regex) == regex
    for value in ("", "a", "ab", "1-", "a\n", "aab1"):
        assert conforming(pa.array([value], pa.large_string()), regex)[0] == (re.search(regex, value) is not None)


def test_the_form_of_a_regex_is_checked() -> None:
    assert body_of(anchored("a")) == "a"
    with pytest.raises(ConstraintError, match="no regex for whole values"):
        body_of("^a$")
