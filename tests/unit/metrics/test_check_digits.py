"""Check digits against python-stdnum, which looks at one text at a time."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from avh_ui.metrics.check_digits import CHECKED, check_in, marked, valid
from avh_ui.metrics.regexes import anchored, checks, conforming, conforms, portable

KNOWN = {
    "iban": ["GB82WEST12345698765432", "DE89370400440532013000", "NO9386011117947", "MT84MALT011000012345MTLCAST001S"],
    "lei": ["213800KUD8LAJWSQ9D15"],
    "isin": ["US0378331005", "DE000BAY0017", "AU0000XVGZA3"],
    "container": ["CSQU3054383", "MSKU2666542"],
    "issn": ["0317-8471", "03178471", "2434-561X"],
    "isbn": ["9780306406157", "0306406152", "080442957X"],
    "gtin": ["4006381333931", "73513537", "036000291452"],
    "luhn": ["4539578763621486", "490154203237518"],
}
MODULES = {"container": "iso6346", "gtin": "ean"}


def oracle(name: str) -> Callable[[str], bool]:
    return importlib.import_module(f"stdnum.{MODULES.get(name, name)}").is_valid


def found(name: str, texts: list[str]) -> list[bool]:
    return conforming(pa.array(texts, pa.large_string()), anchored(marked(name))).tolist()


@pytest.mark.parametrize("name", list(CHECKED))
def test_known_numbers_are_valid_and_any_other_digit_is_not(name: str) -> None:
    assert found(name, KNOWN[name]) == [True] * len(KNOWN[name])
    for text in (text for text in KNOWN[name] if text[-3].isdigit()):
        others = [text[:-3] + d + text[-2:] for d in "0123456789" if d != text[-3]]
        assert found(name, others) == [False] * len(others)
    assert found(name, ["", "N/A", " ", "é" * 13]) == [False] * 4


@pytest.mark.parametrize("name", [name for name in CHECKED if name != "iban"])
@given(data=st.data())
@settings(max_examples=40)
def test_it_agrees_with_stdnum(name: str, data: st.DataObject) -> None:
    """Not of IBANs: stdnum knows the forms of countries, too, so that it says less often yes; nor of ISINs of no country."""
    texts = data.draw(st.lists(st.from_regex(CHECKED[name].format, fullmatch=True), min_size=1, max_size=30))
    texts = [f"US{text[2:]}" if name == "isin" else text for text in texts if text.isascii()]
    assert found(name, texts) == [bool(oracle(name)(text)) for text in texts]


@given(st.lists(st.from_regex("[A-Z]{2}[0-9]{2}[0-9A-Z]{11,30}", fullmatch=True), min_size=1, max_size=20))
@settings(max_examples=40)
def test_an_iban_leaves_one_of_97(texts: list[str]) -> None:
    def one(text: str) -> bool:
        return int("".join(str(int(c, 36)) for c in text[4:] + text[:4])) % 97 == 1

    assert found("iban", texts) == [one(text) for text in texts]


def test_the_format_is_what_other_engines_enforce() -> None:
    regex = anchored(marked("isin"))
    assert re.search(regex, "US0378331006")
    assert found("isin", ["US0378331006"]) == [False]
    assert portable(regex) == regex
    assert check_in(marked("isin")) == "isin"
    assert check_in("(?:other check){0}[0-9]+") is None
    assert check_in("[0-9]+") is None


@pytest.mark.parametrize("name", list(CHECKED))
def test_of_an_edited_format_only_the_standards_own_texts_have_check_digits(name: str) -> None:
    loose = anchored(f"(?:{name} check){{0}}(?:.*)")
    assert conforming(pa.array([*KNOWN[name], "", "é", "A", "ABCD", "x" * 40], pa.large_string()), loose).tolist() == [
        *[True] * len(KNOWN[name]), *[False] * 5
    ]  # fmt: skip


def test_texts_of_many_lengths_at_once() -> None:
    texts = pa.array([*KNOWN["gtin"], "4006381333932"], pa.large_string())
    assert valid("gtin", texts).tolist() == [True, True, True, False]


def test_a_row_is_told_as_a_column_is() -> None:
    regex = anchored(marked("issn"))
    assert [conforms(text, regex) for text in ("0317-8471", "0317-8472", "x", None)] == [True, False, False, None]
    assert checks(regex)
    assert not checks(anchored("[0-9]+"))
