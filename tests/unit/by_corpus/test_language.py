from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.inference.by_corpus.formats import DOMAINS, matching
from avh_ui.inference.by_corpus.language import (
    CLASSES,
    MASK,
    Element,
    canonical_text,
    finish,
    key_of,
    literal,
    parse,
    quote,
    rolling,
    to_regex,
)
from tests.unit.by_corpus.making import matches

ELEMENTS = st.one_of(
    st.builds(lambda k, n: Element(k, length=n), st.sampled_from(sorted(CLASSES)), st.integers(0, 5)),
    st.builds(Element, st.sampled_from(["num", *DOMAINS])),
    st.builds(literal, st.text(min_size=1, max_size=4)),
    st.builds(
        lambda words, symbols, least, more: Element("set", words + symbols, least, more and least + more),
        st.sampled_from(["letter ", "digit ", "letter digit ", "upper ", "lower digit "]),
        st.text("-]\\[^<> \n\ue000é}{", max_size=4).filter(lambda text: "é" not in text),
        st.integers(1, 9),
        st.integers(0, 9),
    ),
)


@given(st.lists(ELEMENTS, max_size=6))
def test_canonical_text_is_read_back(elements: list[Element]) -> None:
    text = canonical_text(elements)
    assert canonical_text(parse(text)) == text


@given(st.text(max_size=8), st.text(max_size=8))
def test_hashes_of_parts_make_the_hash_of_the_whole(first: str, second: str) -> None:
    (a, _), (b, shift) = rolling(first), rolling(second)
    assert rolling(first + second)[0] == (a * shift + b) & MASK
    assert key_of(first + second) == finish((a * shift + b) & MASK)


@given(st.text(max_size=20))
def test_quoted_text_matches_itself_and_nothing_longer(text: str) -> None:
    regex = f"^(?:{quote(text)})(?![\\s\\S])"
    assert re.search(regex, text)
    assert not re.search(regex, text + "\n")
    assert not re.search(regex, text + "x")


# Section 2.1: patterns of "9:07"; Figures 2 and 5.
@pytest.mark.parametrize(
    "pattern",
    ["<digit>{1}:<digit>{2}", "<digit>+:<digit>{2}", "<digit>{1}:<digit>+", "<num>:<digit>+", "9:<digit>{2}", "<alphanum>+:<alphanum>{2}"],
)
def test_the_papers_patterns_match(pattern: str) -> None:
    assert matches(pattern, "9:07")
    assert not matches(pattern, "9-07")
    assert not matches(pattern, "9:07\n")


@pytest.mark.parametrize(
    ("pattern", "good", "bad"),
    [
        ("<letter>{3} <digit>{2} <digit>{4}", ["Mar 01 2019", "Apr 30 2019"], ["Mar 1 2019", "March 01 2019", "Mar 01 2019 "]),
        ("<digit>+/<digit>{2}/<digit>{4} <digit>+:<digit>{2}:<digit>{2} <letter>{2}", ["9/12/2019 12:01:32 PM"], ["9/12/2019 12:01:32"]),
        ("<num>", ["1", "-1.5", "+2e-10"], ["1.", ".5", "1.2.3", "e5", "٣"]),
        ("<upper>{2}", ["AB"], ["ab", "A", "ÄB"]),
        ("<letter>+", ["Äb", "日本"], ["a1", "", "a b"]),
        ("\\<<digit>{1}", ["<5"], ["5"]),
        ("a\\u{a}b", ["a\nb"], ["anb"]),
    ],
)
def test_what_matches(pattern: str, good: list[str], bad: list[str]) -> None:
    assert all(matches(pattern, value) for value in good)
    assert not any(matches(pattern, value) for value in bad)


@pytest.mark.parametrize("text", ["<digit>", "<digit>{", "<nothing>", "a<", "a\\", "<[letter ]>", "<[letter >{1,}"])
def test_what_is_no_pattern_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="character"):
        parse(text)


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("uuid", ["123e4567-e89b-12d3-a456-426614174000"], ["123e4567e89b12d3a456426614174000"]),
        ("ipv4", ["0.0.0.0", "255.255.255.255"], ["256.1.1.1", "1.2.3", "01.2.3.4"]),
        ("ipv6", ["::", "::1", "1::", "2001:db8::8a2e:370:7334", "1:2:3:4:5:6:7:8"], ["1:2:3", ":::", "1::2::3", "1:2:3:4:5:6:7:8:9"]),
        ("iso_date", ["2020-02-29"], ["2020-13-01", "2020-1-1", "20200101"]),
        ("iso_timestamp", ["2020-02-29T10:00:00Z", "2020-02-29 10:00:00.123+02:00", "2020-02-29T10:00"], ["2020-02-29T25:00:00"]),
        ("email", ["a.b+c@example.co.uk"], ["a@b", "@example.com", "a b@example.com"]),
        ("url", ["http://a.b/c?d=e#f", "https://a:8080"], ["ftp://a.b", "http:/a", "http://a b"]),
        ("semver", ["1.2.3", "v1.0.0-rc.1+build.5"], ["1.2", "01.2.3", "1.2.3.4"]),
    ],
)
def test_named_types(name: str, good: list[str], bad: list[str]) -> None:
    assert all(name in matching(value) for value in good)
    assert not any(name in matching(value) for value in bad)


@pytest.mark.parametrize("text", ["1" * 50_000, "a." * 25_000, "1:" * 25_000, "a@" + "b-" * 25_000, "http://" + "a" * 50_000 + " "])
@pytest.mark.parametrize("pattern", [f"<{name}>" for name in DOMAINS] + ["<num> <num>", "<alphanum>+.<alphanum>+", "<digit>+<letter>+"])
def test_no_pattern_backtracks_without_end(pattern: str, text: str) -> None:
    regex = re.compile(to_regex([parse(pattern)]))
    started = time.process_time()
    regex.search(text + "!")
    assert time.process_time() - started < 1
