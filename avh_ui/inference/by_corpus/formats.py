"""Formats that standards define: named types, recognised whole, and the spans of a clock's and a date's two digits.

Each regex is linear: classes with bounded repeats, alternatives that differ in their first characters, no nested quantifier that can divide
a text in two ways. Tests check them against one another, Java against Python.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

_OCTET = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_GROUP = "[0-9A-Fa-f]{1,4}"
_MONTH_DAY = "(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"
_LABEL = "[0-9A-Za-z-]{1,63}"


@dataclass(frozen=True)
class Domain:
    """A named type: its regex without anchors, what it leaves open in bits, and its name in words."""

    title: str
    regex: str
    bits: float

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """For whole values by `fullmatch`."""
        return re.compile(self.regex)


def _ipv6() -> str:
    """All forms of RFC 4291 without an embedded IPv4 address: eight groups, or `::` for one or more groups of zeros."""
    before = [f"(?:{_GROUP}:){{{k}}}(?::{_GROUP}){{1,{7 - k}}}" for k in range(1, 7)]
    return f"(?:(?:{_GROUP}:){{7}}{_GROUP}|{'|'.join(before)}|(?:{_GROUP}:){{1,7}}:|:(?::{_GROUP}){{1,7}}|::)"


# Bits: of a UUID 122 random ones, of the others about what their values use.
DOMAINS = {
    "uuid": Domain("UUID", "[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}", 140),
    "ipv4": Domain("IPv4 address", rf"{_OCTET}(?:\.{_OCTET}){{3}}", 32),
    "ipv6": Domain("IPv6 address", _ipv6(), 128),
    "iso_date": Domain("ISO 8601 date", f"[0-9]{{4}}-{_MONTH_DAY}", 16),
    "iso_timestamp": Domain(
        "ISO 8601 timestamp",
        f"[0-9]{{4}}-{_MONTH_DAY}[T ](?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:[.,][0-9]{{1,9}})?)?(?:Z|[+-][01][0-9]:?[0-5][0-9])?",
        50,
    ),
    "email": Domain("e-mail address", rf"[0-9A-Za-z.!#$%&'*+/=?^_`{{|}}~-]{{1,64}}@{_LABEL}(?:\.{_LABEL}){{1,8}}", 150),
    "url": Domain("URL", r"[Hh][Tt][Tt][Pp][Ss]?://[0-9A-Za-z.-]{1,253}(?::[0-9]{1,5})?(?:[/?#][\x21-\x7E\u00A1-\uFFFD]*)?", 300),
    "semver": Domain(
        "semantic version", r"v?(?:0|[1-9][0-9]{0,8})(?:\.(?:0|[1-9][0-9]{0,8})){2}(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?", 30
    ),
}


@dataclass(frozen=True)
class DigitPair:
    """Two digits of a clock or a date: their regex, and how many of the hundred numbers they are."""

    regex: str
    numbers: int

    @cached_property
    def holds(self) -> Callable[[str], object]:
        """Whether a text is one of them."""
        return re.compile(self.regex).fullmatch


# Not enumerated from values, so an index knows nothing of them: a column's own values show them.
SPANS = {
    "hour": DigitPair("(?:[01][0-9]|2[0-3])", 24),
    "sixtieth": DigitPair("[0-5][0-9]", 60),
    "month": DigitPair("(?:0[1-9]|1[0-2])", 12),
    "day": DigitPair("(?:0[1-9]|[12][0-9]|3[01])", 31),
}


def matching(value: str, among: tuple[str, ...] = tuple(DOMAINS)) -> tuple[str, ...]:
    """The names of the domains that the whole value belongs to."""
    return tuple(name for name in among if DOMAINS[name].compiled.fullmatch(value))


# Days as people write them without leading zeros, by what is read of them.
_DAY_PARTS = {
    "M": "(?:0?[1-9]|1[0-2])", "D": "(?:0?[1-9]|[12][0-9]|3[01])", "YYYY": "[0-9]{4}", "YY": "[0-9]{2}", "h": "(?:[01]?[0-9]|2[0-3])",
    "mm": "[0-5][0-9]", "ss": "[0-5][0-9]", "AM": "[AaPp][Mm]", "Mon": "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)",
    "Month": "(?:January|February|March|April|May|June|July|August|September|October|November|December)",
}  # fmt: skip
_WRITTEN_PART = re.compile("|".join(sorted(_DAY_PARTS, key=len, reverse=True)))
_NUMBERED = (
    f"{order.format(sign)}{sign}{year}{time}"
    for order in ("M{0}D", "D{0}M")
    for sign in "/-."
    for year in ("YYYY", "YY")
    for time in ("", " h:mm", " h:mm:ss", " h:mm AM", " h:mm:ss AM")
)
_NAMED = ("Mon D, YYYY", "Month D, YYYY", "D Mon YYYY", "D Month YYYY", "D-Mon-YYYY", "D-Mon-YY")
# Their text, and its regex without anchors.
WRITTEN = {text: _WRITTEN_PART.sub(lambda found: _DAY_PARTS[found[0]], text.replace(".", r"\.")) for text in (*_NUMBERED, *_NAMED)}
