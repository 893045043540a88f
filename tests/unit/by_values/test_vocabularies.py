"""Vocabularies and checked numbers are named where chance is excluded, and only there."""

from __future__ import annotations

import random
import re

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from avh_ui.inference.by_values import vocabularies
from avh_ui.inference.by_values.vocabularies import VOCABULARIES, Known, known_as, values_of
from avh_ui.metrics.regexes import conforming


def fits(known: Known, *texts: str) -> list[bool]:
    return conforming(pa.array(texts, pa.large_string()), known.regex).tolist()


COUNTRIES = re.findall(
    "[A-Z]{2}",
    "DE FR IT ES PT NL BE AT CH PL CZ SK HU RO BG GR SE NO FI DK EE LV LT IE GB US CA MX BR AR CL PE CO JP CN KR IN ID AU NZ",
)
AIRPORTS = re.findall(
    "[A-Z]{3}",
    "JFK LGA EWR BOS ORD LAX SFO SEA MIA ATL DFW DEN IAH PHX LAS MCO CLT MSP DTW PHL FLL BWI SLC DCA SAN TPA PDX STL BNA AUS HNL",
)


@pytest.mark.parametrize(
    ("texts", "title", "other"),
    [
        (COUNTRIES, "ISO 3166-1 alpha-2 country code", "UK"),
        (["EUR", "USD", "GBP", "JPY", "CHF", "SEK", "NOK", "DKK", "PLN", "CZK"], "ISO 4217 currency code", "EURO"),
        (AIRPORTS, "IATA airport code", "XQ7"),
        (["DE-BE", "DE-BY", "FR-75C", "US-CA", "US-NY", "IT-25", "ES-CT", "GB-LND", "CA-ON"], "ISO 3166-2 subdivision code", "DE-XX"),
        (["EDDF", "EGLL", "LFPG", "KJFK", "EHAM", "LEMD", "LIRF", "LSZH", "LOWW", "EKCH"], "ICAO airport code", "ZZZZ"),
    ],
)
def test_a_vocabulary_is_named_and_knows_what_is_not_in_it(texts: list[str], title: str, other: str) -> None:
    found = known_as(texts)
    assert found is not None
    assert (found.title, found.strange) == (title, 0)
    assert fits(found, *texts) == [True] * len(texts)
    assert fits(found, other, texts[0].lower() if texts[0].isupper() else texts[0].upper(), f"{texts[0]} ", "") == [False] * 4


def test_two_letters_of_few_values_are_no_country_by_accident() -> None:
    assert known_as(COUNTRIES[:13]) is None
    assert known_as(["AA", "AB", "AC", "AD", "AE", "AF", "AG", "AH", "AI", "AJ", "AK", "AL", "AM", "AN", "AO", "AP", "AQ", "AR"]) is None


def test_states_that_share_half_of_their_codes_with_countries_are_none() -> None:
    states = re.findall(
        "[A-Z]{2}",
        "AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD",
    )
    assert known_as(states) is None


@given(st.lists(st.from_regex("[A-Z]{2}|[A-Z]{3}|[a-z]{2}|[0-9]{13}|[0-9]{16}", fullmatch=True), min_size=8, max_size=60, unique=True))
@settings(max_examples=60)
def test_random_codes_are_no_vocabulary(texts: list[str]) -> None:
    found = known_as(texts)
    assert found is None or found.strange <= 0.02 * len(texts)


def test_numbers_of_shuffled_digits_are_not_checked_numbers() -> None:
    draw = random.Random(3)
    assert known_as([f"{draw.randrange(10**13):013}" for _ in range(200)]) is None


def isbn(number: int) -> str:
    text = f"978{number:09}"
    return f"{text}{-sum(int(d) * (3 if k % 2 else 1) for k, d in enumerate(text)) % 10}"


def test_isbns_are_named_and_a_wrong_digit_is_seen() -> None:
    texts = [isbn(k * 7919 + 100_000_000) for k in range(100)]
    found = known_as(texts)
    assert found is not None
    assert found.title == "ISBN"
    wrong = texts[0][:-1] + str((int(texts[0][-1]) + 1) % 10)
    assert fits(found, texts[0], wrong, texts[0][:-1]) == [True, False, False]


def test_without_the_extra_nothing_breaks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vocabularies, "find_spec", lambda _: None)
    assert known_as(COUNTRIES) is None
    assert known_as([isbn(k) for k in range(100)]) is not None
    assert vocabularies.missing() == ("pycountry", "airportsdata")


@pytest.mark.parametrize("at", range(len(VOCABULARIES)))
def test_every_list_is_whole_and_looks_as_it_says(at: int) -> None:
    values = sorted(values_of(at))
    assert len(values) > 150
    looks = conforming(pa.array(values, pa.large_string()), f"^(?:{VOCABULARIES[at].format})(?![\\s\\S])")
    assert looks.mean() > 0.99


def test_no_list_is_read_for_a_thousand_texts_of_another_format(monkeypatch: pytest.MonkeyPatch) -> None:
    # 2 % of them may be strange: as many as were tried first.
    monkeypatch.setattr(vocabularies, "values_of", lambda at: pytest.fail(f"{VOCABULARIES[at].title} was read"))
    assert known_as([f"N{k}AA" for k in range(1_000)]) is None


def test_airports_are_those_of_their_package(monkeypatch: pytest.MonkeyPatch) -> None:
    airports = pytest.importorskip("airportsdata")
    at = next(k for k, one in enumerate(VOCABULARIES) if one.title == "IATA airport code")
    assert values_of(at) == set(airports.load("IATA"))
    monkeypatch.setattr(airports, "__file__", "/lost/__init__.py")
    monkeypatch.setattr(airports, "load", lambda of: {of: None})
    assert [*VOCABULARIES[at].read(airports)] == ["IATA"]
