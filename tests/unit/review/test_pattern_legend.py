"""The signs of a pattern in words."""

from __future__ import annotations

import re

import pytest

from avh_ui.inference.by_corpus.language import CLASSES
from avh_ui.review.pattern_legend import legend


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<ALNUM>{6}", "<ALNUM> is a capital letter or a digit, and {6} how many stand there"),
        ("<upper>+-<digit>{5}<upper>{2}", "<upper> is a capital letter, <digit> is a digit, and {5} how many stand there"),
        ("<num> kg", "<num> is a number"),
        ("<b>{3} a|b", ""),
        ("", ""),
    ],
)
def test_signs_are_told_once_each(text: str, said: str) -> None:
    assert legend(text) == said


def test_every_class_of_a_pattern_has_words_that_its_expression_bears_out() -> None:
    words = {name: legend(f"<{name}>+").partition(" is ")[2] for name in CLASSES}
    assert all(words.values())
    takes = {name: {c for c in "09afzAFZ" if re.fullmatch(kind.regex, c)} for name, kind in CLASSES.items()}
    for name, said in words.items():
        assert ("0" in takes[name]) == ("digit" in said), name
        assert ("z" in takes[name]) == (said in ("a letter", "a letter or a digit") or "small" in said), name
        assert ("Z" in takes[name]) == (said in ("a letter", "a letter or a digit") or "capital" in said), name
