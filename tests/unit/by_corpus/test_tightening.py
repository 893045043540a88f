"""Patterns as narrow as the column's own values, and no narrower than what stands behind them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.constraints.pattern_words import in_words
from avh_ui.inference.by_corpus.candidates import Candidate
from avh_ui.inference.by_corpus.formats import DOMAINS
from avh_ui.inference.by_corpus.language import parse, to_regex
from avh_ui.inference.by_corpus.tightening import tightened
from tests.unit.by_corpus.making import VALUE, matches


def rule(pattern: str) -> Candidate:
    parts = [parse(part) for part in pattern.split(" | ")]
    return Candidate("union" if len(parts) > 1 else "pattern", pattern, to_regex(parts), 0.01, 20, 100.0, 1.0)


def narrow(pattern: str, texts: Sequence[str], *, settled: bool = False) -> str:
    found = tightened(rule(pattern), texts, settled=settled)
    return found.pattern if found else pattern


SKUS = [f"SKU-{k:06}" for k in range(150)]
MD5 = [hashlib.md5(f"{k}".encode(), usedforsecurity=False).hexdigest() for k in range(120)]
CLOCK = [f"{k % 24:02}:{k * 7 % 60:02}" for k in range(120)]


def test_a_constant_word_a_length_and_hexadecimal_digits_are_kept() -> None:
    assert narrow("<upper>+-<digit>+", SKUS) == "SKU-<digit>{6}"
    assert narrow("<alnum>+", MD5) == "<hex>{32}"
    assert narrow("<ALNUM>+", [text.upper() for text in MD5]) == "<HEX>{32}"
    assert narrow("<ALNUM>+", [f"AB{k:04}" for k in range(150)]) == "<ALNUM>{6}"


@pytest.mark.parametrize(
    ("way", "kept"),
    [
        ("2026-03-{:02}T{:02}:30:00Z", "<digit>{4}-<month>-<day>T<hour>:<sixtieth>:<sixtieth>Z"),
        ("2026-03-{:02} {:02}:30:00", "<digit>{4}-<month>-<day> <hour>:<sixtieth>:<sixtieth>"),
        ("2026-03-{:02}T{:02}:30", ""),
        ("2026-03-{:02}T{:02}:30:00.5Z", ""),
    ],
)
def test_timestamps_that_are_all_written_alike_stay_so(way: str, kept: str) -> None:
    """The type takes a T for a blank, and no zone for one: "is always 20 characters long" stood beside it."""
    texts = [way.format(1 + k % 28, k % 24) for k in range(120)]
    of_type = Candidate("type", "<iso_timestamp>", DOMAINS["iso_timestamp"].regex, 0.01, 20, 50.0, 1.0)
    found = tightened(of_type, texts, settled=True)
    assert (found.pattern if found else "") == kept
    assert tightened(of_type, [*texts, "2026-03-01T10:30:00+01:00"], settled=True) is None
    # Of one sample nobody knows whether the next is written so.
    assert tightened(of_type, texts, settled=False) is None
    assert found is None or (found.kind, in_words(kept)[:10]) == ("pattern", "written as")


def test_a_clock_has_24_hours_and_60_minutes() -> None:
    assert narrow("<digit>{2}:<digit>{2}", CLOCK) == "<hour>:<sixtieth>"
    assert not matches("<hour>:<sixtieth>", "99:99")
    assert not matches("<hour>:<sixtieth>", "24:00")
    assert narrow("<digit>{2}:<digit>{2}:<digit>{2}", [f"{text}:{k % 60:02}" for k, text in enumerate(CLOCK)]).endswith("<sixtieth>")
    # Minutes and seconds, or a score, go beyond.
    assert narrow("<digit>{2}:<digit>{2}", [*CLOCK, "73:10"]) == "<digit>{2}:<digit>{2}"


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("{d:02}/{m:02}/{y}", "<day>/<month>/<digit>{4}"),
        ("{m:02}/{d:02}/{y}", "<month>/<day>/<digit>{4}"),
        ("{y}.{m:02}.{d:02}", "<digit>{4}.<month>.<day>"),
        ("{d:02}.{m:02}", "<digit>{2}.<digit>{2}"),
    ],
)
def test_a_date_has_12_months_and_31_days(form: str, expected: str) -> None:
    texts = [form.format(y=1990 + k % 30, m=1 + k % 12, d=1 + k * 5 % 28) for k in range(200)]
    pattern = form.replace("{y}", "<digit>{{4}}").format(d=0, m=0).replace("00", "<digit>{2}")
    assert narrow(pattern, texts) == expected


def test_few_values_say_nothing_by_themselves() -> None:
    assert narrow("<upper>+-<digit>+", SKUS[:50]) == "<upper>+-<digit>+"
    assert narrow("<upper>+-<digit>+", SKUS[:50], settled=True) == "SKU-<digit>{6}"


def test_numbers_that_grow_keep_their_length_open_unless_batches_follow() -> None:
    grow = [f"{k}" for k in range(1000, 1200)]
    assert narrow("<digit>+", grow) == "<digit>+"
    assert narrow("<digit>+", grow, settled=True) == "<digit>{4}"


def test_no_word_with_digits_is_frozen() -> None:
    assert narrow("<ALNUM>+-<digit>+", [f"Y2020-{k:04}" for k in range(200)]) == "<ALNUM>{5}-<digit>{4}"


def test_each_part_of_a_union_is_its_own() -> None:
    assert narrow("<upper>+-<digit>+ | <digit>+/<digit>+", [*SKUS, "1/2", "33/4"]) == "SKU-<digit>{6} | <digit>+/<digit>+"


def test_what_is_expected_to_break_is_added() -> None:
    found = tightened(rule("<upper>+-<digit>+"), SKUS, settled=False)
    assert found is not None
    assert found.fpr == pytest.approx(0.01 + 1 / 152)
    assert found.bits < 100


PATTERNS = [
    "<alphanum>+-<alphanum>+",
    "<letter>+ <digit>+",
    "<alphanum>+/<alphanum>+ | <alphanum>+:<alphanum>+",
    "<[letter digit -:/ ]>{1,40}",
]


@given(st.lists(VALUE, min_size=1, max_size=60, unique=True), st.sampled_from(PATTERNS))
def test_no_value_that_the_rule_matched_is_lost(texts: list[str], pattern: str) -> None:
    found = tightened(rule(pattern), texts, settled=True)
    if found is not None:
        for text in texts:
            assert any(matches(part, text) for part in found.pattern.split(" | ")) == any(matches(p, text) for p in pattern.split(" | "))


def test_a_corpus_that_holds_names_of_months_leaves_numbers_to_a_column_of_its_own() -> None:
    dates = [f"{1 + k * 5 % 28:02}.{1 + k % 12:02}.2026" for k in range(200)]
    mixed = "<digit>{2}.<alphanum>{2}.<alphanum>{4}"
    assert narrow(mixed, dates, settled=True) == "<day>.<month>.<digit>{4}"
    # Nothing later to try it on, and four characters of a year: these may be letters.
    assert narrow(mixed, dates).endswith("<alphanum>{4}")
    assert narrow("<alphanum>{2}", ["1a", *(f"{k:02}" for k in range(99))], settled=True) == "<alphanum>{2}"
