"""Known vocabularies and checked numbers: which of them a column's values belong to, and whether chance could have made it so.

The lists are those of pycountry and airportsdata, the extra `vocabularies`; what is suggested carries its list in the program, so
that whoever validates needs neither, and a new release of theirs changes no verdict.
"""

from __future__ import annotations

import csv
import math
import string
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from avh_ui.metrics.check_digits import CHECKED, marked
from avh_ui.metrics.regexes import anchored, conforming, listed

# Letters drawn evenly would make such a column once in a billion: words are not drawn evenly, and columns are many.
CHANCE = 1e-9
# Of the distinct values so many may be no such value: what people type for nothing known.
MOST_STRANGE = 0.02
# Fewer distinct values are a closed set of their own, whatever names they are.
LEAST_DISTINCT = 8


@dataclass(frozen=True)
class Vocabulary:
    """A named list: its `title`, what its values look like as a regex without anchors, and the values, read when a column looks like it."""

    title: str
    format: str
    package: str
    read: Callable[[Any], Iterator[str]]


def _field(of: str, field: str, change: Callable[[str], str] = str) -> Callable[[Any], Iterator[str]]:
    return lambda pycountry: (change(getattr(one, field)) for one in getattr(pycountry, of) if hasattr(one, field))


def _airports(of: str) -> Callable[[Any], Iterator[str]]:
    def read(airportsdata: Any) -> Iterator[str]:
        # Its `load` makes a dict of each of 28,000 lines, which takes 80 ms; one column of its file takes 30.
        if not (path := Path(airportsdata.__file__).with_name("airports.csv")).exists():
            return iter(airportsdata.load(of))
        with path.open(encoding="utf8", newline="") as file:
            lines = csv.reader(file)
            at = next(lines).index(of.lower())
            return iter([line[at] for line in lines])

    return read


# In the order of their sizes: of several that fit the smallest says most.
VOCABULARIES = (
    Vocabulary("ISO 4217 currency code", "[A-Z]{3}", "pycountry", _field("currencies", "alpha_3")),
    Vocabulary("ISO 639-1 language code", "[a-z]{2}", "pycountry", _field("languages", "alpha_2")),
    Vocabulary("ISO 3166-1 alpha-2 country code", "[A-Z]{2}", "pycountry", _field("countries", "alpha_2")),
    Vocabulary("ISO 3166-1 alpha-2 country code in small letters", "[a-z]{2}", "pycountry", _field("countries", "alpha_2", str.lower)),
    Vocabulary("ISO 3166-1 alpha-3 country code", "[A-Z]{3}", "pycountry", _field("countries", "alpha_3")),
    Vocabulary("ISO 3166-1 numeric country code", "[0-9]{3}", "pycountry", _field("countries", "numeric")),
    Vocabulary("ISO 3166-2 subdivision code", "[A-Z]{2}-[0-9A-Z]{1,3}", "pycountry", _field("subdivisions", "code")),
    Vocabulary("IATA airport code", "[0-9A-Z]{3}", "airportsdata", _airports("IATA")),
    Vocabulary("ISO 639-3 language code", "[a-z]{3}", "pycountry", _field("languages", "alpha_3")),
    Vocabulary("ICAO airport code", "[0-9A-Z]{4}", "airportsdata", _airports("ICAO")),
)


@dataclass(frozen=True)
class Known:
    """What a column's values are: the `title` of a vocabulary or a checked number, the regex that enforces it, and of `distinct` values how
    many are `strange` to it.
    """

    title: str
    regex: str
    distinct: int
    strange: int


def missing() -> tuple[str, ...]:
    """The packages of vocabularies that are not installed."""
    return tuple(name for name in dict.fromkeys(v.package for v in VOCABULARIES) if find_spec(name) is None)


def known_as(texts: Sequence[str]) -> Known | None:
    """The checked number, or the vocabulary, of these distinct texts; None where they are none, or too few to exclude chance."""
    if len(texts) < LEAST_DISTINCT:
        return None
    array = pa.array([text.encode("utf-8", "replace").decode() for text in texts], pa.large_string())
    most = int(MOST_STRANGE * len(texts))

    def looks(like: str) -> bool:
        # Matching 1,000 texts takes 0.1 ms, reading a list 20 to 220.
        return int(np.count_nonzero(~conforming(array, anchored(like)))) <= most

    def surely(strange: int, chance: float) -> bool:
        return strange <= most and (len(texts) - strange) * math.log(chance) <= math.log(CHANCE)

    for name, number in CHECKED.items():
        if looks(number.format):
            regex = anchored(marked(name))
            strange = int(np.count_nonzero(~conforming(array, regex)))
            if surely(strange, number.chance):
                return Known(number.title, regex, len(texts), strange)
    for at, vocabulary in enumerate(VOCABULARIES):
        if looks(vocabulary.format) and find_spec(vocabulary.package) is not None:
            strange = sum(text not in values_of(at) for text in texts)
            if surely(strange, _density(at)):
                return Known(vocabulary.title, listed(sorted(values_of(at))), len(texts), strange)
    return None


@lru_cache
def values_of(at: int) -> frozenset[str]:
    """The values of a vocabulary by its place."""
    vocabulary = VOCABULARIES[at]
    return frozenset(value for value in vocabulary.read(import_module(vocabulary.package)) if value)


@lru_cache
def _density(at: int) -> float:
    """The share of all texts of these lengths and characters that are in the list: how likely chance gives one."""
    values = values_of(at)
    used = set().union(*values)
    alphabet = sum(len(kind) for kind in (string.ascii_uppercase, string.ascii_lowercase, string.digits) if used & set(kind))
    lengths = {len(value.replace("-", "")) for value in values}
    every: int = sum(alphabet**length for length in lengths)
    return len(values) / every
