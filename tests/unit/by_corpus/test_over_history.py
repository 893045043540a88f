"""Rules by corpus and history: what later batches keep to wins, and nothing is learned from a batch that is judged."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, replace
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.constraints.evidence import FromCorpus
from avh_ui.constraints.pattern_constraint import METRIC, PatternConstraint, judge_pattern
from avh_ui.constraints.pattern_words import in_words
from avh_ui.constraints.rising import NO_PRIOR
from avh_ui.inference.by_corpus.constraining import constraint_of, readable
from avh_ui.inference.by_corpus.corpus_index import starter_index
from avh_ui.inference.by_corpus.fmdv import Thresholds
from avh_ui.inference.by_corpus.over_history import HistoryPattern, ValueHistory, infer_over
from avh_ui.inference.by_corpus.suggesting import ladder_of
from avh_ui.metrics.conformance import conformance_of
from avh_ui.metrics.regexes import END, START
from avh_ui.review.explaining import promise
from avh_ui.review.plain import plain

LEVEL = 0.001


def history(make: Callable[[int, np.random.Generator], list[str]], batches: int = 30) -> ValueHistory:
    return ValueHistory.of({f"b{k:02}": Counter(make(k, np.random.default_rng(k))) for k in range(batches)})


TABLES = st.lists(st.dictionaries(st.sampled_from(["", "a", "b7", "é", "\udc80", "7"]), st.integers(1, 9)), min_size=1, max_size=6)


@given(tables=TABLES, stop=st.integers(0, 7))
def test_a_history_counts_as_its_tables_do(tables: list[dict[str, int]], stop: int) -> None:
    """Law: sums over entries are those of the tables without empty texts, and what is drawn of few values is all of them."""
    found = ValueHistory.of({f"b{k}": table for k, table in enumerate(tables)})
    kept = [{text: n for text, n in table.items() if text} for table in tables]
    assert found.totals.tolist() == [sum(table.values()) for table in kept]
    assert Counter(dict(zip(found.texts, found.counts.tolist(), strict=True))) == sum(map(Counter, kept), Counter())
    letters = found.bad(f"{START}[a-z]+{END}").tolist()
    assert letters == [sum(n for text, n in table.items() if text != "a") for table in kept]
    assert found.is_single == all(len(table) <= 1 for table in kept)
    assert Counter(found.drawn(stop)) == sum(map(Counter, kept[:stop]), Counter())


def tail(rng: np.random.Generator) -> str:
    return f"N{rng.integers(100, 1000)}{''.join(rng.choice(list('ABCDEFGHJK'), 2))}"


def rule(values: ValueHistory) -> HistoryPattern | None:
    return infer_over(values, starter_index(), Thresholds(), LEVEL)


def test_one_case_is_kept_where_the_history_has_one() -> None:
    found = rule(history(lambda _, rng: [tail(rng) for _ in range(200)]))
    assert found is not None
    assert "alphanum" not in found.chosen.rule.pattern
    assert "letter" not in found.chosen.rule.pattern
    assert found.chosen.alarms == 0
    mixed = rule(history(lambda _, rng: [t if rng.random() < 0.5 else t.lower() for t in (tail(rng) for _ in range(200))]))
    assert mixed is not None
    assert not mixed.chosen.rule.pattern.startswith("<ALNUM>")


@pytest.mark.parametrize(("told", "pattern"), [(str.lower, "UUID in lower case"), (str.upper, "UUID in upper case")])
def test_a_type_of_hexadecimal_digits_is_kept_in_its_case(told: Callable[[str], str], pattern: str) -> None:
    made = history(lambda _, rng: [told(str(UUID(bytes=rng.bytes(16)))) for _ in range(200)])
    found = rule(made)
    assert found is not None
    assert readable(found.chosen.rule) == pattern
    assert found.chosen.bad.sum() == 0
    assert not made.bad(found.chosen.rule.regex).any()
    either = rule(history(lambda k, rng: [(str.lower, str.upper)[k % 2](str(UUID(bytes=rng.bytes(16)))) for _ in range(200)]))
    assert either is not None
    assert readable(either.chosen.rule) == "UUID"


@pytest.mark.parametrize(("told", "words"), [(str.lower, "6 digits or a to f"), (str.upper, "6 digits or A to F")])
@pytest.mark.parametrize("batches", [1, 30])
def test_codes_of_hexadecimal_digits_are_told_by_their_history(told: Callable[[str], str], words: str, batches: int) -> None:
    """Colours: each has other runs of digits and letters."""
    found = rule(history(lambda _, rng: [told(rng.bytes(3).hex()) for _ in range(200)], batches))
    assert found is not None
    assert in_words(readable(found.chosen.rule)) == words


@pytest.mark.parametrize(("size", "between"), [(6, "-"), (16, ":"), (32, ":")])
def test_fingerprints_are_bytes_with_a_sign_between(size: int, between: str) -> None:
    """Of 32 bytes a pattern has more slots than are looked at: "95 small letters, digits or :" was told."""
    found = rule(history(lambda _, rng: [rng.bytes(size).hex(between) for _ in range(150)]))
    assert found is not None
    assert in_words(readable(found.chosen.rule)) == f"{size} times 2 digits or a to f, “{between}” between"


@pytest.mark.parametrize("make", [lambda rng: rng.bytes(3).hex() + rng.choice(["", "0"]), lambda rng: str(rng.integers(10**5, 10**6))])
def test_other_codes_are_no_hexadecimal_digits(make: Callable[[np.random.Generator], str]) -> None:
    found = rule(history(lambda _, rng: [make(rng) for _ in range(200)]))
    assert found is None or "hex" not in found.chosen.rule.pattern or "{" not in found.chosen.rule.pattern


def test_a_rule_that_later_batches_broke_is_not_suggested() -> None:
    # Two letters at first, three later on: what holds is one that allows both.
    found = rule(history(lambda k, rng: ["".join(rng.choice(list("ABCDEFG"), 2 if k < 28 else 3)) for _ in range(200)]))
    assert found is not None
    assert found.chosen.bad.sum() == 0
    broken = [rung for rung in found.ladder if rung.alarms]
    assert broken
    assert found.chosen not in broken


def test_nothing_where_every_batch_is_another_thing() -> None:
    words = ["a-b", "1/2", "x y z", "(q)", "#7", "é", "a.b.c", "&&", "k=v", "<t>", "[1]", "{2}", "~", "^^", "a:b:c:d"]
    assert rule(history(lambda k, _: [f"{words[k % 15]}{k}"] * 100)) is None


def test_a_batch_too_small_to_fail_gets_no_rule() -> None:
    assert rule(history(lambda _, rng: [tail(rng)])) is None


def test_no_values_no_rule() -> None:
    assert rule(history(lambda *_: [])) is None
    assert rule(history(lambda *_: [""] * 50)) is None


def test_one_batch_is_left_to_the_corpus() -> None:
    found = rule(history(lambda _, rng: [f"2020-01-{rng.integers(1, 29):02}" for _ in range(200)], batches=1))
    assert found is not None
    assert (found.chosen.rule.kind, found.chosen.tried) == ("type", 0)


def test_what_the_explanation_says_is_counted() -> None:
    values = history(lambda k, rng: [tail(rng) for _ in range(100)] + (["?"] if k == 3 else []))
    found = rule(values)
    assert found is not None
    constraint = constraint_of("t", found.chosen, values, LEVEL)
    told = ladder_of(found, values)
    assert (constraint.metric, constraint.pattern.values, constraint.pattern.bad, constraint.usual) == (METRIC, 3_001, 1, 100)
    rung = told.chosen
    assert rung is not None
    assert (told.batches[3], told.totals[3], rung.failing[3]) == ("b03", 101, 1)
    assert sum(rung.failing) == 1
    assert (rung.pattern.regex, rung.deviating, len(rung.matching)) == (constraint.pattern.regex, ("?",), 5)
    regexes = [r.pattern.regex for r in told.rungs]
    assert regexes == list(dict.fromkeys(regexes))
    assert len(regexes) <= 9


def test_broken_texts_are_no_reason_to_fail() -> None:
    values = history(lambda _, rng: [*(tail(rng) for _ in range(100)), "N1\udce9"])
    found = rule(values)
    assert found is not None
    assert found.chosen.bad.sum() == 30


def test_a_rule_that_columns_keep_to_is_believed_and_says_so() -> None:
    values = history(lambda k, _: [f"2026-0{1 + k % 9}-{day:02}" for day in range(1, 26)], batches=4)
    found = rule(values)
    assert found is not None
    made = constraint_of("day", found.chosen, values, LEVEL)
    assert made.pattern.prior == found.chosen.rule.prior != NO_PRIOR
    assert (
        "before any value is seen 3% of them are expected to fail, with the weight of 5 values, and fewer are enough to alarm"
        in promise(made, FromCorpus(ladder=ladder_of(found, values)))
    )
    chosen = ladder_of(found, values).chosen
    assert chosen is not None
    assert chosen.pattern.prior == made.pattern.prior
    plain = replace(made, pattern=replace(made.pattern, prior=NO_PRIOR))
    assert made.limit(1000) < plain.limit(1000)


def test_what_many_values_of_many_batches_kept_to_no_value_breaks() -> None:
    """ "sku is like <upper>{3}-<digit>{5}, but for at most 0.26% of the values" let one mistyped number of 380 pass."""

    def made(batches: int, different: int = 99_999, rows: int = 200) -> PatternConstraint:
        values = history(lambda _, rng: [f"TOY-{n:05}" for n in rng.integers(0, different, rows)], batches)
        found = rule(values)
        assert found is not None
        return constraint_of("sku", found.chosen, values, LEVEL)

    strict = made(30)
    assert (strict.upper, strict.significance) == (0.0, 0.0)
    assert plain(strict).endswith(" then 5 digits.")
    one = conformance_of({"TOY-00001": 379, "TOY-1": 1}, strict.pattern.regex)
    assert one is not None
    assert judge_pattern(strict, one).status == "fail"
    assert "one that does 1 time in" in promise(strict, FromCorpus(method="corpus", batches=30))
    # Of fewer batches another one may come; how long few values are they tell as well.
    assert (made(29).significance, made(30, different=60).significance) == (LEVEL, 0.0)
    # Of few rows, too, where one is a large share.
    assert (made(19, rows=40).significance, made(20, rows=40).significance) == (LEVEL, 0.0)


def test_of_few_values_of_any_length_another_one_may_come_for_longer() -> None:
    """ "Hepatitis A" came in the 38th batch of one-word diseases."""

    def made(batches: int) -> PatternConstraint:
        names = [f"{name}{end}" for name in ("Oslo", "Bergen", "Tromso", "Hamar") for end in ("", "vik", "sund", "dal", "heim")]
        values = history(lambda _, rng: rng.choice(names, 200).tolist(), batches)
        found = rule(values)
        assert found is not None
        return constraint_of("town", found.chosen, values, LEVEL)

    assert (made(59).significance, made(60).significance) == (LEVEL, 0.0)


def test_what_a_batch_of_the_history_broke_is_not_believed() -> None:
    """Fisher's test passes the second batch, what the corpus believes would not: the history knows better."""
    days = [f"2026-01-{1 + k % 25:02}" for k in range(93)]
    found = rule(history(lambda k, _: days + (["n/a"] if k == 1 else ["2026-02-01"]) * 7, batches=5))
    assert found is not None
    rung = found.chosen
    assert (rung.rule.kind, rung.alarms, rung.prior) == ("type", 0, NO_PRIOR)
    assert rung.rule.prior != NO_PRIOR


@pytest.mark.parametrize(
    "values",
    [
        ["x" * 1_000_000],
        [f"{k}" * 100_000 for k in range(10)],
        ["a\x00b", "\x1b[31m", "\x00\x01", "\x7f", "\n"],
        ["日本", "Ünï", "عربى", "mixed日x", "\U0001f600", "क्षि"],
        ["one"],
        [""],
        [],
    ],
    ids=["1 MB alike", "1 MB", "control characters", "mixed scripts", "one value", "empty texts", "all null"],
)
@pytest.mark.parametrize("batches", [1, 4])
def test_bad_input_gets_a_short_rule_or_none(values: list[str], batches: int) -> None:
    given = history(lambda *_: values * 10, batches)
    found = rule(given)
    if found is not None:
        made = constraint_of("c", found.chosen, given, LEVEL)
        assert len(made.pattern.regex) < 10_000
        assert len(json.dumps(asdict(ladder_of(found, given)))) < 100_000
        assert judge_pattern(made, conformance_of(dict.fromkeys(values, 10), made.pattern.regex)).status == "pass"


WORDS = [
    f"{a}{b}"
    for a in ("Spring", "Green", "West", "River", "Oak", "Maple", "Clay")
    for b in ("field", "wood", "ton", "dale", "port", "ville")
]


@pytest.mark.parametrize(
    ("write", "pattern", "passes", "fails"),
    [
        (
            str,
            "words with a capital each, one blank between",
            "San Spring Dale Wood",
            ["springfield", " Oakton", "Oakton ", "Oak  Ton", "Oak2"],
        ),
        (str.upper, "words in capitals, one blank between", "SAN OAK PARK CITY", ["Oakton", "OAK_TON"]),
        (str.swapcase, "words of letters, one blank between", "Oak pARK mAPLE oak", ["oak-ton", "oak."]),
    ],
)
def test_names_of_one_word_or_more_are_words(write: Callable[[str], str], pattern: str, passes: str, fails: list[str]) -> None:
    """Of how many words a city's name is says nothing; that it is one of words says what a blank or a digit in it breaks."""
    values = history(lambda _, rng: [write(" ".join(rng.choice(WORDS, rng.integers(1, 5)))) for _ in range(100)])
    found = rule(values)
    assert found is not None
    assert (found.chosen.rule.kind, found.chosen.rule.pattern) == ("type", pattern)
    match = re.compile(found.chosen.rule.regex).search
    assert match(write(passes) if write is not str.swapcase else passes)
    assert not [text for text in fails if match(text)]


def test_one_or_two_words_are_a_form() -> None:
    values = history(lambda _, rng: [" ".join(rng.choice(WORDS, 2)) for _ in range(100)])
    found = rule(values)
    assert found is not None
    assert "between" not in found.chosen.rule.pattern
