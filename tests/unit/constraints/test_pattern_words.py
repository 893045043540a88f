"""Patterns read aloud."""

from __future__ import annotations

import pytest

from avh_ui.constraints.pattern_words import CLASSES, in_words
from avh_ui.inference.by_corpus.language import CLASSES as LANGUAGE


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<ALNUM>{6}", "6 capital letters or digits"),
        ("<digit>{1}", "a digit"),
        ("C<digit>{7}", "“C” then 7 digits"),
        ("<digit>+ <upper>{2}", "digits, then a blank, then 2 capital letters"),
        ("<digit>+ | <digit>+-<digit>+", "digits; or digits, then “-”, then digits"),
        # Of what has other signs, or too many, the pattern itself is read.
        ("<b>{3}", ""),
        (r"<digit>+\|", ""),
        ("<[letter digit _]>{2,5}", "2 to 5 letters, digits or “_”"),
        ("<[lower digit :]>{95,95}", "95 small letters, digits or “:”"),
        ("<[digit  .]>{1,}", "1 or more digits, blanks or “.”"),
        (r"<[letter \]]>{1,2}", ""),
        ("abc", ""),
        ("<digit>-<digit>-<digit>-<digit>", "4 times a digit, “-” between"),
        ("<digit>{4}-<digit>{4}-<digit>{3}", "4 digits, then “-”, then 4 digits, then “-”, then 3 digits"),
        ("<digit>-<digit>-<digit>_<digit>", "written as 9-9-9_9 (9 for any digit)"),
        ("<digit>{2}.<digit>{3}.<digit>{3}/<digit>{4}-<digit>{2}", "written as 99.999.999/9999-99 (9 for any digit)"),
        ("<digit>+-<digit>-<digit>_<digit>", ""),
        (
            " | ".join(["<letter>+/<letter>+", "Etc/<letter>+_<letter>+", "<letter>+/<letter>+-<letter>+", "<letter>+ <digit>{1}"]),
            "in one of 4 forms, as “abc/abc” and “Etc/abc_abc”, of letters, “/”, “_”, “-”, blanks and digits",
        ),
        (
            "<upper>{1}<lower>+|<upper>{1}<lower>+|<upper>{1}<lower>+ | <upper>{1}<lower>+|<upper>{1}<lower>+",
            "2 to 3 times a capital letter then small letters, “|” between",
        ),
        (
            "<lower>+,<lower>+ | <lower>+,<lower>+,<lower>+ | <lower>+,<lower>+,<lower>+,<lower>+ | none",
            "2 to 4 times small letters, “,” between; or “none”",
        ),
        ("<digit>+ | <digit>+.<digit>+.<digit>+", "digits; or 3 times digits, “.” between"),
        ("<digit>{3}|<digit>{2}", "3 digits, then “|”, then 2 digits"),
        (" | ".join(["<digit>{1}", "<upper>{1}", "<lower>{1}", "<b>{3}"]), ""),
        (" | ".join(["<[letter ;]>{1,2}"] * 4), ""),
        ("<digit>{4}-<month>-<day> <hour>:<sixtieth>:<sixtieth>", "written as YYYY-MM-DD hh:mm:ss"),
        ("<day>.<month>.<digit>{4}", "written as DD.MM.YYYY"),
        ("<digit>{4}-<month>-<day> | <digit>+", ""),
        ("<hour>:<sixtieth>", "written as hh:mm"),
        ("", ""),
    ],
)
def test_signs_are_words(text: str, said: str) -> None:
    assert in_words(text) == said


def test_each_class_of_the_language_has_words() -> None:
    assert CLASSES.keys() >= set(LANGUAGE)
