"""What makes no numbers of texts that people would read as such: leading zeros, a currency sign, a comma; in words."""

from __future__ import annotations

import re
from collections import Counter

from avh_ui.metrics.frequencies import FrequencyState
from avh_ui.metrics.written_numbers import is_number

# A number with or without decimals, and with a sign.
_PLAIN = r"[-+]?\d+(\.\d+)?"
# `1,234` may be either, which others of the column tell.
_COMMA, _THOUSANDS, _DECIMAL = "have a comma", "have a comma between thousands", "have a comma for the decimal point"
# The first that fits tells: what is around a number before what is within it.
_SLIPS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(regex), words)
    for regex, words in (
        (r"\ufeff.*", "begin with a byte order mark"),
        (r"\s.*\d.*|.*\d.*\s", "have blanks around them"),
        (r"""(['"\u2018\u2019\u201c\u201d`]).*\d.*|.*\d['"\u2019\u201d]""", "have quotation marks"),
        (r"[-+]?0\d+(\.\d*)?", "begin with 0, as codes do"),
        (r"[-+]?[1-9]\d{0,2},\d{3}", _COMMA),
        (r"[-+]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?", _THOUSANDS),
        (r"[-+]?\d*,\d+", _DECIMAL),
        (r"[-+]?\d{1,3}([.' \u2019\u00a0\u202f]\d{3})+(,\d+)?", "have a mark between thousands"),
        (r"[-+]?[.,\d]+\s?%", "have a percent sign"),
        (r"[-+]?\s?[$\u20ac\u00a3\u00a5]\s?[-+]?[.,\d]+|[-+]?[.,\d]+\s?[$\u20ac\u00a3\u00a5]", "have a currency sign"),
        (r"\([$\u20ac\u00a3\u00a5]?[.,\d]+\)", "are in brackets, as negative amounts are"),
        (r"\d+([.,]\d+)?-", "have the minus behind"),
        (rf"{_PLAIN}\s?[^\W\d_]+", "have a unit behind"),
    )
)


def number_slips(texts: FrequencyState) -> str:
    """What of a column's texts makes that they are no numbers: `501 of 501 have a currency sign`; '' where it is nothing of this kind."""
    found: Counter[str] = Counter()
    for text, count in texts.table.items():
        if not is_number(text):
            found[_slip(text)] += count
    told = [words for words in (_THOUSANDS, _DECIMAL) if words in found]
    if len(told) == 1:
        found[told[0]] += found.pop(_COMMA, 0)
    words, count = max(found.items(), key=lambda one: (one[1], one[0]), default=("", 0))
    if not words:
        return ""
    # Of more values than a history holds only the most frequent are known.
    return f"{count:,} of {texts.n:,} {words}" if texts.exact else f"some {words}"


def _slip(text: str) -> str:
    return next((words for regex, words in _SLIPS if regex.fullmatch(text)), "")
