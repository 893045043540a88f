from __future__ import annotations

import re

import pytest

from avh_ui.inference.by_corpus.candidates import Candidate, candidate, in_one_case
from avh_ui.inference.by_corpus.fmdv import ChosenPattern
from avh_ui.inference.by_corpus.language import parse


def rule(*patterns: str) -> Candidate:
    kind = "union" if len(patterns) > 1 else "pattern"
    return candidate(kind, [ChosenPattern(parse(p), 0.02, 9, 20.0) for p in patterns], {"x": 1.0}, 0.02)


@pytest.mark.parametrize(
    ("wide", "narrow"),
    [
        (["<letter>+-<digit>+"], ["<upper>+-<digit>+", "<lower>+-<digit>+", "<upper>{1}<lower>+-<digit>+"]),
        (["<letter>{2}", "<alphanum>+:"], ["<upper>{2} | <ALNUM>+:", "<lower>{2} | <alnum>+:"]),
        (["<[letter digit -]>{1,8}"], ["<[upper digit -]>{1,8}", "<[lower digit -]>{1,8}"]),
        (["<[digit -]>{1,8}"], []),
        (["<digit>+"], []),
    ],
)
def test_letters_in_each_case(wide: list[str], narrow: list[str]) -> None:
    made = in_one_case(rule(*wide), 0.01)
    assert [one.pattern for one in made] == narrow
    assert all(one.fpr == pytest.approx(0.03) and one.bits < 20 for one in made)


def test_capitals_are_one_and_then_small_letters() -> None:
    capital = in_one_case(rule("<letter>+ <letter>+"), 0.0)[-1].regex
    assert re.search(capital, "New York")
    assert not any(re.search(capital, text) for text in ("new York", "NEW York", "New york", "NewYork City", "N York"))
