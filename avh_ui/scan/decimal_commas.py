"""Numbers with a decimal comma, in the CSV columns that avh.yml names (`decimal_comma`): `1.234,5` becomes `1234.5` when it is read.

Thousands may stand apart by a point, a blank (no-break ones too) or an apostrophe. What is no such number stays as it is.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

# Java's regular expressions and RE2 read both alike.
BETWEEN = "[.'\\x{2019} \\x{a0}\\x{202f}]"
NUMBER = rf"^[-+]?(\d+|\d{{1,3}}({BETWEEN}\d{{3}})+)(,\d+)?\z"


def with_points(texts: pa.Array) -> pa.Array:
    """The texts, those that are such numbers written with a point."""
    written = pc.replace_substring(pc.replace_substring_regex(texts, BETWEEN, ""), ",", ".")
    return pc.if_else(pc.match_substring_regex(texts, NUMBER), written, texts)
