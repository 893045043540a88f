from __future__ import annotations

import math
from dataclasses import replace

import pytest

from avh_ui.constraints.pattern_constraint import METRIC, Pattern, PatternConstraint, judge_pattern
from avh_ui.constraints.rising import Prior
from avh_ui.metrics.conformance import Conformance
from avh_ui.metrics.regexes import portable

PATTERN = Pattern("N<digit>{3}", portable("N\\d{3}"), 10_000, 10)
TESTED = PatternConstraint(
    "tail", METRIC, "string", None, None, origin="corpus", pattern=PATTERN, significance=0.01, usual=1000
).with_test_bound()


def test_the_papers_case() -> None:
    """Section 4: with 0.1 % of 10,000 values in training, 0.11 % is no alarm and 5 % is one."""
    assert judge_pattern(TESTED, Conformance(10_000, 11)).status == "pass"
    verdict = judge_pattern(TESTED, Conformance(10_000, 500, ("n12", "x", "y", "z")))
    assert verdict.status == "fail"
    assert verdict.samples == ("n12", "x", "y", "z")
    assert verdict.message == (
        "500 of 10,000 values of tail (5%) are not “N” then 3 digits: 'n12', 'x', 'y'; when it was learned, all but 10 of 10,000 were."
    )
    assert judge_pattern(TESTED, Conformance(449, 105)).message.startswith("105 of 449 values of tail (23.39%) are not “N”")


def test_the_bound_follows_the_number_of_values() -> None:
    few, many = judge_pattern(TESTED, Conformance(100, 1)), judge_pattern(TESTED, Conformance(10_000, 100))
    assert (few.status, many.status) == ("pass", "fail")
    assert few.upper is not None
    assert many.upper is not None
    assert few.upper > many.upper
    assert TESTED.upper == TESTED.limit(1000)


def test_what_the_corpus_knows_is_said_where_it_decides() -> None:
    few = replace(PATTERN, values=100, bad=0)
    alone = TESTED.with_pattern(few)
    known = TESTED.with_pattern(replace(few, prior=Prior(0.15, 5.0)))
    batch = Conformance(900, 40)
    assert judge_pattern(alone, batch).status == "pass"
    verdict = judge_pattern(known, batch)
    assert verdict.status == "fail"
    assert verdict.upper == known.limit(900) < 40 / 900
    assert verdict.message.endswith("By themselves these would be too few to tell, but in the corpus columns keep to such a pattern.")
    assert "corpus" not in judge_pattern(known, Conformance(900, 200)).message
    # A bound set by hand is that bound.
    assert judge_pattern(known.with_bounds(None, 0.5), batch).status == "pass"


def test_a_bound_set_by_hand_takes_the_place_of_the_test() -> None:
    assert TESTED.with_bounds(None, TESTED.upper) is TESTED
    edited = TESTED.with_bounds(None, 0.5)
    assert (edited.significance, edited.pattern) == (0.0, PATTERN)
    assert judge_pattern(edited, Conformance(100, 50)).status == "pass"
    assert judge_pattern(edited, Conformance(100, 51)).status == "fail"


def test_another_pattern_has_another_bound() -> None:
    wider = TESTED.with_pattern(Pattern("<alphanum>+", portable("\\w+"), 10_000, 0))
    assert wider.upper is not None
    assert TESTED.upper is not None
    assert wider.upper < TESTED.upper
    assert wider.key == TESTED.key


def test_what_was_not_counted_is_not_passed() -> None:
    verdict = judge_pattern(TESTED, None)
    assert verdict.status == "not_evaluated"
    assert verdict.message.endswith(" was not measured on this batch: it is counted while the batch is read.")


def test_no_values_are_no_failure() -> None:
    verdict = judge_pattern(TESTED, Conformance())
    assert (verdict.status, verdict.observed) == ("pass", None)


def test_counts_must_make_sense() -> None:
    with pytest.raises(ValueError, match="of 3 values 4"):
        Pattern("x", "x", 3, 4)


@pytest.mark.parametrize("prior", [Prior(1, 0), Prior(0, 1), Prior(2, 1), Prior(1, math.inf), Prior(math.nan, 1)])
def test_a_prior_must_make_sense(prior: Prior) -> None:
    with pytest.raises(ValueError, match="a prior of"):
        Pattern("x", "x", 3, 0, prior=prior)


@pytest.mark.parametrize(
    ("title", "words"),
    [
        ("UUID", "of the type UUID"),
        ("words of letters, one blank between", "words of letters, one blank between"),
        ("written in capital letters and blanks", "written in capital letters and blanks"),
        ("M/D/YYYY h:mm:ss", "written as M/D/YYYY h:mm:ss"),
        ("D.M.YY h:mm AM", "written as D.M.YY h:mm AM"),
        ("Mon D, YYYY", "written as Mon D, YYYY"),
        ("Monday", "of the type Monday"),
    ],
)
def test_a_type_is_told_by_its_name_and_words_by_how_they_are_written(title: str, words: str) -> None:
    assert Pattern(title, "^(?:x)$", 10, 0, "type").words == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("EUR", "EUR"),
        ("DE | AT", "DE or AT"),
        ("DE | AT | CH", "one of DE | AT | CH"),
        (" | ".join(f"SKU-{k:06d}" for k in range(12)), "one of 12 values, such as SKU-000000, SKU-000001, SKU-000002"),
        (
            " | ".join(f"SKU-{k:06d}" for k in range(9)) + " | … (1,291 more)",
            "one of 1,300 values, such as SKU-000000, SKU-000001, SKU-000002",
        ),
    ],
)
def test_a_long_list_is_told_by_its_number_and_its_first_values(text: str, words: str) -> None:
    assert Pattern(text, "^(?:x)$", 10, 0, "dictionary").words == words
