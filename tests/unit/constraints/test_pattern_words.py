"""Patterns read aloud."""

from __future__ import annotations

import pytest

from avh_ui.constraints.pattern_words import CLASSES, Characters, at_once, how_many, in_words, listing, of_fixed_lengths
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
        (r"<digit>+\u{9}", ""),
        (r"<digit>+\|", "digits then “|”"),
        ("<upper>{1}+", "a capital letter then “+”"),
        ("<num>", "a number"),
        ("<num>+", "a number then “+”"),
        ("<[letter digit _]>{2,5}", "2 to 5 letters, digits or “_”"),
        ("<[lower digit :]>{95,95}", "95 small letters, digits or “:”"),
        ("<[digit  .]>{1,}", "digits, blanks or “.”"),
        (r"<[letter \]]>{1,2}", "1 to 2 letters or “]”"),
        ("<[letter .]>{4,}", "4 or more letters or “.”"),
        ("abc", ""),
        ("<digit>-<digit>-<digit>-<digit>", "4 times a digit, “-” between"),
        ("<digit>{4}-<digit>{4}-<digit>{3}", "written as 9999-9999-999 (9 for any digit)"),
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
            "2 to 4 times small letters, “,” between, or “none”",
        ),
        ("<digit>+ | <digit>+.<digit>+.<digit>+", "digits; or 3 times digits, “.” between"),
        ("<digit>{3}|<digit>{2}", "3 digits, then “|”, then 2 digits"),
        (" | ".join(["<digit>{1}", "<upper>{1}", "<lower>{1}", "<b>{3}"]), ""),
        (" | ".join(["<[letter ;]>{1,2}"] * 4), ""),
        ("<digit>{4}-<month>-<day> <hour>:<sixtieth>:<sixtieth>", "written as YYYY-MM-DD hh:mm:ss"),
        ("<day>.<month>.<digit>{4}", "written as DD.MM.YYYY"),
        ("<digit>{4}-<month>-<day> | <digit>+", "written as YYYY-MM-DD; or digits"),
        ("<hour>:<sixtieth>", "written as hh:mm"),
        ("None | <digit>{7}", "7 digits, or “None”"),
        ("<digit>{3}.<digit>{9} | None", "3 digits, then “.”, then 9 digits, or “None”"),
        ("<lower>+ | sp.", "small letters, or “sp.”"),
        ("<upper>{1}- | <upper>{1} | <upper>{1}+", "a capital letter, then “-”, “+” or nothing"),
        (
            "<upper>{1}<digit>{4}-<alphanum>{2}-<digit>{3} | None",
            "written as A9999-XX-999 (A for any capital letter, 9 for any digit, X for any letter or digit), or “None”",
        ),
        # A sign of the mask that stands for itself would be read as any.
        ("A<upper>{1}-<digit>{2}-<digit>{3}", "“A”, then a capital letter, then “-”, then 2 digits, then “-”, then 3 digits"),
        ("", ""),
    ],
)
def test_signs_are_words(text: str, said: str) -> None:
    assert in_words(text) == said


@pytest.mark.parametrize(
    ("text", "is_read"),
    [
        ("<upper>{2}", True),
        ("<digit>+ | <digit>+-<digit>+", True),
        ("<upper>{1}<digit>{4}-<alphanum>{2}-<digit>{3} | None", True),
        ("<b>{3}", False),
        ("<letter>+ | <letter>+ <letter>+. | <letter>+’<letter>+ <letter>+.", False),
        (" | ".join(["<letter>+/<letter>+", "Etc/<letter>+_<letter>+", "<letter>+/<letter>+-<letter>+", "<letter>+ <digit>{1}"]), False),
    ],
)
def test_what_is_read_at_once_is_short_or_a_mask(text: str, *, is_read: bool) -> None:
    assert at_once(text) is is_read


def test_a_list_has_a_sign_between_that_is_no_blank() -> None:
    word = "<upper>{1}<lower>+"
    assert listing(" | ".join([word, f"{word} , {word}", f"{word} , {word} , {word}"]))
    assert not listing(" | ".join([word, f"{word} {word}", f"{word} {word} {word}"]))


@pytest.mark.parametrize(
    ("text", "is_fixed"),
    [("<upper>{2}", True), ("<digit>{5} | <digit>{5}-<digit>{4}", True), ("<upper>+", False), ("<[digit .]>{1,}", False)],
)
def test_codes_are_of_so_many_characters(text: str, *, is_fixed: bool) -> None:
    assert of_fixed_lengths(text) is is_fixed


def test_each_class_of_the_language_has_words() -> None:
    assert CLASSES.keys() >= set(LANGUAGE)


@pytest.mark.parametrize(
    ("text", "of", "number"),
    [
        ("<digit>+:<digit>{2}:<digit>{2}", "marks", 2),
        ("<digit>+:<digit>{2}:<digit>{2}", "digits", None),
        ("<digit>+:<digit>{2}:<digit>{2}", "letters", 0),
        ("<upper>{2}-<digit>{3} | <upper>{3}<digit>{3}", "digits", 3),
        ("<upper>{2}-<digit>{3} | <upper>{3}<digit>{3}", "marks", None),
        ("<alphanum>{5}-<digit>{2}", "letters", None),
        ("<alphanum>{5}-<digit>{2}", "marks", 1),
        ("<num>/<digit>{2}", "marks", None),
        ("<[letter -]>{2,5}", "marks", None),
        ("AB1 <digit>{1}", "letters", 2),
        ("<b>{3}", "digits", None),
    ],
)
def test_a_form_says_how_many_of_a_sort_of_characters_a_value_has(text: str, of: Characters, number: int | None) -> None:
    assert how_many(text, of) == number
