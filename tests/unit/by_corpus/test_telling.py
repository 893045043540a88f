"""Of what is inferred the rule that a person reads at once is taken: a sentence, a mask, or what words are written in."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest

from avh_ui.inference.by_corpus.alphabets import alphabet_of, needs_of
from avh_ui.inference.by_corpus.constraining import constraint_of
from avh_ui.inference.by_corpus.corpus_index import starter_index
from avh_ui.inference.by_corpus.fmdv import Thresholds
from avh_ui.inference.by_corpus.over_history import HistoryPattern, ValueHistory, infer_over
from avh_ui.inference.by_corpus.telling import LOOSE, as_told, bound_of, is_told

LEVEL = 0.001
CLUBS = [
    "Liverpool", "West Ham United", "FC Augsburg", "1. FC Köln", "Mainz 05", "SC Freiburg", "A.C. Milan", "Borussia M'gladbach",
    "Real Madrid", "Club Atletico de Madrid", "Hannover 96", "Crystal Palace", "TSG 1899 Hoffenheim", "Roma", "VfB Stuttgart",
    "West Bromwich Albion",
]  # fmt: skip
TEAMS = [*CLUBS, *(f"{a} {b}" for a in CLUBS for b in ("Reserves", "II", "Women", "U 19", "Juniors"))]
Make = Callable[[int, np.random.Generator], list[str]]


def told(make: Make, batches: int = 40) -> tuple[HistoryPattern | None, ValueHistory]:
    values = ValueHistory.of({f"b{k:02}": Counter(make(k, np.random.default_rng(k))) for k in range(batches)})
    return as_told(infer_over(values, starter_index(), Thresholds(), LEVEL), values, Thresholds(), LEVEL), values


def words(make: Make, batches: int = 40) -> str:
    found, values = told(make, batches)
    return constraint_of("c", found.chosen, values, LEVEL).pattern.words if found else ""


def of(texts: list[str], size: int = 150) -> Make:
    return lambda _, rng: rng.choice(texts, size).tolist()


def test_names_are_words_of_the_characters_that_they_are_written_in() -> None:
    """ "home_team is in one of 4 forms, as “abc” and “a1b a1b”, of letters, letters or digits, blanks and “.”, but for at most 8.8 %"."""
    found, values = told(of(TEAMS))
    assert found is not None
    assert found.chosen.rule.pattern == "words of letters, digits and usual punctuation (& ' ( ) , - . / :), one blank between"
    assert bound_of(found.chosen, values, LEVEL) < 0.02
    match = re.compile(found.chosen.rule.regex).search
    assert match("St. Pauli von 1910 am Millerntor eins zwei")
    assert not [text for text in (" Roma", "Roma ", "West  Ham", "Roma;", "K\ufffdln", "KÃ¶ln©", "<b>Roma</b>", "Ro\tma") if match(text)]
    assert found.chosen in found.ladder


def test_capitals_stay_capitals() -> None:
    shouted = [team.upper() for team in TEAMS]
    # Ö is a letter of no case that is looked at.
    assert (
        words(of([team for team in shouted if team.isascii()]))
        == "words of capital letters, digits and usual punctuation (& ' ( ) , - . / :), one blank between"
    )
    plain = ["NO DAMAGE", "ENGINE FIRE", "BIRD", "AMERICAN AIRLINES", "US AIRWAYS EXPRESS INC", "GULLS-TERNS"]
    assert words(of(plain)) == "words of capital letters and “-”, one blank between"


def test_a_word_that_is_frequent_is_no_form() -> None:
    """ "sky is like <upper>{1}<lower>+ <upper>{1}<lower>+ | Overcast"."""
    assert words(of(["No Cloud", "Some Cloud", "Overcast"])) == "words with a capital each, one blank between"


def test_more_signs_are_usual_punctuation() -> None:
    firms = ["Smith & Sons", "O'Neil (Ltd.)", "Rasmussen/Pulse", "Selzer, Inc.", "EPIC-MRA", "Ipsos", "Google Consumer Surveys", "YouGov"]
    assert (
        words(of([f"{firm} {of}" for firm in firms for of in ("", "Research", "Polling", "Data for Progress", "of Iowa") if of]))
        == "words of letters and usual punctuation (& ' ( ) , - . / :), one blank between"
    )


def test_what_is_spaced_otherwise_is_written_in_blanks_too() -> None:
    texts = ["ASSAULT  3", "MENACING", "LARCENY  PETIT", "ROBBERY 1", "ARSON 2,1", "HARASSMENT 1ST"]
    assert words(of(texts)) in (
        "written in capital letters, digits, blanks and “,”",
        "capital letters, digits, blanks or “,”",
        "letters, digits, blanks or “,”",
    )


@pytest.mark.parametrize(
    ("way", "said"),
    [
        ("{m}/{d}/2024 0:00:00", "written as M/D/YYYY h:mm:ss"),
        ("{mon} {d}, 2024", "written as Mon D, YYYY"),
        ("{d}.{m}.2024", "written as D.M.YYYY"),
        ("{m:02}/{d:02}/2024", "written as MM/DD/YYYY"),
    ],
)
def test_days_are_told_as_people_write_them(way: str, said: str) -> None:
    def make(_: int, rng: np.random.Generator) -> list[str]:
        months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        return [way.format(m=m, d=d, mon=months[m - 1]) for m, d in zip(rng.integers(1, 13, 120), rng.integers(1, 29, 120), strict=True)]

    assert words(make) == said


def test_a_code_is_a_mask_beside_what_stands_for_none() -> None:
    def make(_: int, rng: np.random.Generator) -> list[str]:
        return [f"{'ABC'[n % 3]}{n // 10**7:04}-{n // 1000 % 10**4:04}-{n % 100:02}" for n in rng.integers(0, 10**11, 150)] + ["None"] * 20

    assert words(make) == "written as A9999-9999-99 (A for any capital letter, 9 for any digit), or “None”"


def test_one_shifted_row_makes_a_day_no_words() -> None:
    def make(k: int, rng: np.random.Generator) -> list[str]:
        months, days = rng.choice(["Jan", "Jul"], 120), rng.integers(1, 29, 120)
        return [*(f"{m} {d}, 2024" for m, d in zip(months, days, strict=True)), *(["Career"] if k == 5 else [])]

    assert words(make) == "written as Mon D, YYYY"


@pytest.mark.parametrize("signs", ["AB12", "ab12", "aB12", "Ab", "x+-"])
@pytest.mark.parametrize("length", [2, 5])
def test_no_sentence_has_the_signs_of_a_pattern(signs: str, length: int) -> None:
    """ "words like <ALNUM>+, one blank between" is no sentence."""

    def make(_: int, rng: np.random.Generator) -> list[str]:
        return [" ".join("".join(rng.choice([*signs], length)) for _ in range(rng.integers(1, 5))) for _ in range(150)]

    assert "<" not in words(make)


def test_grades_are_a_letter_with_a_sign() -> None:
    grades = ["A", "A-", "A+", "B", "B-", "B+", "C", "C-", "C+", "D"]
    assert words(of(grades)) in {f"a capital letter, then {signs} or nothing" for signs in ("“+”, “-”", "“-”, “+”")}


def test_what_so_many_values_break_is_not_taken() -> None:
    def make(k: int, rng: np.random.Generator) -> list[str]:
        signs = list("#$%*+<=>@^~{}[]|;")
        return [f"{rng.choice(signs)}{n}{rng.choice(signs)}" if n % 9 == 0 else f"{n}" for n in rng.integers(0, 999, 100)]

    found, values = told(make)
    assert found is None or (bound_of(found.chosen, values, LEVEL) < LOOSE and is_told(found.chosen.rule))


def test_a_sign_that_comes_with_every_few_batches_is_no_alphabet() -> None:
    """Which characters they are written in is told by when each came: the next one comes, too."""
    signs = "#$%*+<=>@^~{}[]|;!?_§€£¥¤¶µ°¬±×÷"
    found, _ = told(lambda k, rng: [f"ab{signs[k % len(signs)]}cd {n}" for n in rng.integers(0, 99, 100)], batches=33)
    assert found is None or not found.chosen.rule.pattern.startswith("words of")


def test_numbers_with_a_word_now_and_then_are_no_words() -> None:
    """Years of harvest, "2014" mostly and "March 2010" or "4T/10" in a few rows: letters, digits and signs let nearly everything pass."""

    def make(_: int, rng: np.random.Generator) -> list[str]:
        odd = ["2013/2014", "March 2010", "4T/10", "Jan - Mar"]
        return [*rng.choice(["2012", "2013", "2014"], 110).tolist(), *rng.choice(odd, 10).tolist()]

    found, _ = told(make)
    assert found is None or not re.search("words of|blanks", found.chosen.rule.pattern)
    half = alphabet_of(list(needs_of(["2014", "March 2010"])), np.array([0.6, 0.4]))
    assert half is None


def test_one_name_a_batch_may_have_digits() -> None:
    """The next tournament is the "3M Open"."""
    names = [f"{a} {b}" for a in ("Farmers", "Sony", "Texas", "Genesis") for b in ("Open", "Classic", "Championship", "Pro-Am")]
    found, _ = told(lambda k, rng: [names[(k * 7) % 16] + " of " + names[k % 16]] * 100)
    assert found is not None
    assert found.chosen.rule.pattern.startswith("words of letters, digits")


def test_a_letter_that_an_encoding_lost_is_no_sign() -> None:
    needs = list(needs_of(["Cote d?Ivoire", "really? yes", "http://a.b/c?x=1"]))
    assert (needs[0], "?" in (needs[1] or ()), "?" in (needs[2] or ())) == (None, True, True)


def test_a_letter_of_another_script_is_no_sign() -> None:
    """ "Words of letters, “گ” and “ی”": names of a country in Persian, among others."""
    assert list(needs_of(["گی", "ab"])) == [None, frozenset({"lower"})]


@pytest.mark.parametrize(("sign", "share", "named"), [("¡", 0.01, False), ("¡", 0.05, True), ("’", 0.01, True), ("&", 0.01, True)])
def test_a_sign_that_an_encoding_made_is_none(sign: str, share: float, *, named: bool) -> None:
    """ "contact_first_name is words of letters and “¡”": a Martín."""
    found = alphabet_of(list(needs_of(["Anna Maria", f"Mart{sign}n"])), np.array([1 - share, share]))
    assert found is not None
    assert (sign in found.signs) is named


def test_a_text_needs_what_it_is_written_in() -> None:
    needs = list(needs_of(["Ab 1", "x-(y)", " x", "x  y", "a\tb", "\ufffd", "é", ""]))
    assert needs[0] == frozenset({"upper", "lower", " ", "digit"})
    assert needs[1] == frozenset({"lower", "-", "("})
    assert "gap" in (needs[2] or ())
    assert "gap" in (needs[3] or ())
    assert needs[4] is None
    assert needs[5] is None
    assert needs[6:] == [{"letter"}, frozenset()]


def test_digits_that_come_with_usual_signs_are_told_with_them() -> None:
    """ "Mixed Breed, Large (over 44 lbs fully grown)" has three things that other breeds have not, and is 1 of 600."""
    texts = ["Terrier-Mix, Boston", "Poodle, Standard", "Retriever, Labrador", "Mixed Breed, Large (over 44 lbs fully grown)"]
    found = alphabet_of(list(needs_of(texts)), np.array([0.5, 0.3, 0.198, 0.002]))
    assert found is not None
    assert found.classes == ("letter", "digit")
    assert {"(", ",", "-"} <= {*found.signs}
