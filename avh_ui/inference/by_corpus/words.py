"""Names of words, more or less of them, as cities and products are: how many is no form, but what a word is and the single blanks between.

Of the cities of 9,994 orders a union of one word, two and three said nothing of what comes; that all are words of letters tells small
letters, blanks around, digits and markup.
"""

from __future__ import annotations

from dataclasses import replace

from avh_ui.inference.by_corpus.candidates import Candidate, patterns_of
from avh_ui.inference.by_corpus.language import END, Elements, canonical_text, parse

# One name or two may be a form; from here on their number is free.
_WORDS = 3
# What a word is, as people call it.
_CAPITAL = "<upper>{1}<lower>+"
_TITLES = {
    "<letter>+": "words of letters",
    _CAPITAL: "words with a capital each",
    "<upper>+": "words in capitals",
    "<lower>+": "words in small letters",
    "<alphanum>+": "words of letters or digits",
    "<ALNUM>+": "words of capital letters or digits",
    "<alnum>+": "words of small letters or digits",
}


def word_of(rule: Candidate) -> Elements | None:
    """The one kind of word that its alternatives have once, twice and more often, with blanks between; None of any other rule, and of words
    that are called nothing.
    """
    patterns = [canonical_text(pattern).split(" ") for pattern in patterns_of(rule)]
    kinds = {word for words in patterns for word in words}
    return parse(kinds.pop()) if len(patterns) >= _WORDS and len(kinds) == 1 and kinds <= _TITLES.keys() else None


def with_capitals(rule: Candidate) -> Candidate:
    """In the place of a rule that a value is words with a capital each."""
    return any_number_of(rule, parse(_CAPITAL))


def any_number_of(rule: Candidate, word: Elements) -> Candidate:
    """The rule that a value is one such word or more, with a blank between each two."""
    text, body = canonical_text(word), "".join(element.regex for element in word)
    title, regex = _TITLES[text], f"^(?:{body}(?: {body})*){END}"
    return replace(rule, kind="type", pattern=f"{title}, one blank between", regex=regex)
