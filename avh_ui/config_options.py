"""The options of Spark's readers of files that have a name much like theirs, or are true or false.

Spark passes over an option that it does not know: with `headr: true` each file's header is one more row. It says of `header: yes please`
that it is no boolean when it reads the first file, seconds after it was started.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence

# https://spark.apache.org/docs/latest/sql-data-sources-generic-options.html, and those of the formats beside it.
_FILES = {"ignoreCorruptFiles", "ignoreMissingFiles", "recursiveFileLookup", "mergeSchema"}
_TRUE_OR_FALSE: Mapping[str, set[str]] = {
    "csv": {
        "header", "inferSchema", "preferDate", "enforceSchema", "ignoreLeadingWhiteSpace", "ignoreTrailingWhiteSpace", "multiLine",
        "enableDateTimeParsingFallback", "escapeQuotes", "quoteAll", "columnPruning",
    },
    "json": {
        "primitivesAsString", "prefersDecimal", "allowComments", "allowUnquotedFieldNames", "allowSingleQuotes", "allowNumericLeadingZeros",
        "allowBackslashEscapingAnyCharacter", "allowUnquotedControlChars", "allowNonNumericNumbers", "dropFieldIfAllNull", "multiLine",
        "enableDateTimeParsingFallback", "inferTimestamp", "preferDate",
    },
}  # fmt: skip
_OTHERS = {
    "pathGlobFilter", "modifiedBefore", "modifiedAfter", "sep", "delimiter", "encoding", "charset", "quote", "escape", "comment",
    "charToEscapeQuoteEscaping", "nullValue", "emptyValue", "nanValue", "positiveInf", "negativeInf", "dateFormat", "timestampFormat",
    "timestampNTZFormat", "maxColumns", "maxCharsPerColumn", "mode", "columnNameOfCorruptRecord", "unescapedQuoteHandling", "lineSep",
    "locale", "samplingRatio", "compression", "codec", "timeZone", "datetimeRebaseMode", "int96RebaseMode", "extension", "timeFormat",
}  # fmt: skip
# By how much names agree (difflib): `headr` and `header` by 0.91, `infer_schema` and `inferSchema` by 0.96; `nullValue` and `nanValue`,
# which are two, by 0.82.
_LIKE = 0.85


def check_reader_options(form: str, options: Mapping[str, str]) -> None:
    """`ValueError` where an option of csv or json is a slip of a known one's name, or is neither true nor false and has to be; options that
    are like none are the reader's to judge.
    """
    truths = {name.lower(): name for name in _FILES | _TRUE_OR_FALSE.get(form, set())}
    known = truths | {name.lower(): name for name in _OTHERS}
    for name, value in options.items() if form in _TRUE_OR_FALSE else ():
        if name.lower() in truths:
            if value.lower() not in ("true", "false"):
                raise ValueError(f"options: {name} is {value!r}, and it has to be true or false")
        elif name.lower() not in known and (close := difflib.get_close_matches(name.lower(), known, n=1, cutoff=_LIKE)):
            raise ValueError(f"options: the reader of {form} knows no {name!r}. Did you mean {known[close[0]]!r}?")


def check_commas(form: str, decimal: Sequence[str], thousands: Sequence[str]) -> None:
    """`ValueError` where columns whose numbers are written with a comma are not of csv, or are called both."""
    for field, named in (("decimal_comma", decimal), ("thousands_comma", thousands)):
        if named and form != "csv":
            raise ValueError(f"{field}: is of columns of csv, and the format is {form}")
    if both := next((name for name in decimal if name in thousands), None):
        raise ValueError(f"{both!r} is under decimal_comma (1.234,5) and under thousands_comma (1,234.5): leave it in one of the two")
