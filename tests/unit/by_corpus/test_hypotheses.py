from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings

from avh_ui.inference.by_corpus.groups import groups_of
from avh_ui.inference.by_corpus.hypotheses import MOST_PATTERNS, enumerated
from avh_ui.inference.by_corpus.language import key_of, to_regex
from avh_ui.inference.by_corpus.slots import level_of
from avh_ui.inference.by_corpus.tokens import LONGEST, lex, merge_numbers, runs_of
from tests.unit.by_corpus.making import COLUMN


def skeletons(value: str) -> list[str]:
    return list(lex([value]).skeletons)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("9:07", ["a:a"]),
        ("1.2.3.4", ["a.a.a.a"]),
        ("x-173E-4463-y", ["a-a-a-a"]),
        ("550e8400-e29b-41d4-a716-446655440000", ["a-a-a-a-a"]),
        ("-3.5", ["-a.a", "a"]),
        ("1.5,2", ["a.a,a", "a,a"]),
        ("1e5", ["a", "a"]),
        ("", [""]),
        ("x" * (LONGEST + 1), [""]),
        ("\ue000", [""]),
        ("a\ud800b", ["a\ud800a"]),
        ("日本 2", ["a a"]),
    ],
)
def test_skeletons(value: str, expected: list[str]) -> None:
    assert skeletons(value) == expected


@pytest.mark.parametrize(("value", "merged"), [("-1.5 kg", "\ue000 kg"), ("12", None), ("a-1", None), ("1.2.3", None), ("$-2", "$\ue000")])
def test_numbers_that_stand_free(value: str, merged: str | None) -> None:
    assert merge_numbers(value) == merged


def test_runs_of_a_slot() -> None:
    assert runs_of(int(lex(["AB123"]).subshape[0])) == [(False, 2), (True, 3)]
    assert int(lex(["abc"]).subshape[0]) == 0


@settings(max_examples=40)  # some 25 regexes each
@given(COLUMN)
def test_hypotheses_match_what_their_regexes_match(column: list[str]) -> None:
    """Weights that the product counts by masks are those that the regex finds by reading."""
    counts = Counter(column)
    texts, weights = list(counts), np.array([[float(n)] for n in counts.values()])
    for group in groups_of(lex(texts)):
        patterns = enumerated([group], weights, [1.0])[0].whole
        # Every so-manieth of them: compiling thousands of regexes takes minutes and says no more.
        for k in range(0, len(patterns.keys), 1 + len(patterns.keys) // 25):
            regex = to_regex([patterns.pattern(k)])
            expected = sum(n for value, n in counts.items() if re.search(regex, value))
            assert patterns.matched[patterns.masks[k], 0] == expected, regex
            assert int(patterns.keys[k]) == key_of(patterns.text(k))


@settings(max_examples=40)
@given(COLUMN)
def test_the_product_is_all_combinations_of_options(column: list[str]) -> None:
    """Without a threshold the hypotheses are the full product of each slot's options of the level."""
    texts = list(dict.fromkeys(column))
    weights = np.ones((len(texts), 1))
    for group in groups_of(lex(texts)):
        enumeration = enumerated([group], weights, [0.0])[0]
        patterns = enumeration.whole
        sizes = [sum(o.level >= level_of(group.slots) for o in options) for options in enumeration.options]
        assert len({patterns.text(k) for k in range(len(patterns.keys))}) == len(patterns.keys)
        if np.prod(sizes) <= MOST_PATTERNS:
            assert len(patterns.keys) == np.prod(sizes)


def test_figure_5_generalises_a_digit_in_the_papers_ways() -> None:
    """The seven ways of "9" but for the constant (no constant carries a digit) and the root."""
    (group,) = groups_of(lex(["9"]))
    found = {option.text for option in enumerated([group], np.ones((1, 1)), [1.0])[0].options[0]}
    assert found == {"<digit>{1}", "<digit>+", "<num>", "<alphanum>{1}", "<alphanum>+"}


def test_hypotheses_are_consistent_with_all_values() -> None:
    texts = ["9/12/2019 12:01:32", "10/02/2019 9:15:00"]
    (group,) = groups_of(lex(texts))
    patterns = enumerated([group], np.ones((2, 1)), [2.0])[0].whole
    found = {patterns.text(k) for k in range(len(patterns.keys))}
    assert "<digit>+/<digit>{2}/<digit>{4} <digit>+:<digit>{2}:<digit>{2}" in found
    assert not any(text.startswith("<digit>{") for text in found)


def test_a_product_too_large_is_cut_and_not_refused() -> None:
    value = "-".join("AB12" for _ in range(20))
    (group,) = groups_of(lex([value]))
    assert 0 < len(enumerated([group], np.ones((1, 1)), [1.0])[0].whole.keys) <= MOST_PATTERNS
