"""The options of Spark's readers of files that have a name much like theirs, or are true or false; and addresses of Spark that are none.

Spark passes over an option that it does not know: with `headr: true` each file's header is one more row. It says of `header: yes please`
that it is no boolean when it reads the first file, seconds after it was started.
"""

from __future__ import annotations

import codecs
import difflib
import re
from collections.abc import Mapping, Sequence
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

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

# How java.util.Locale reads a language and country; of another text it makes the locale of no language, without a word.
_LOCALE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|\d{3}))?")
# Offsets, which Spark takes for time zones too.
_OFFSET = re.compile(r"(UTC|GMT|UT)?[+-]\d{1,2}(:?\d\d){0,2}|Z")
_MASTERS = re.compile(r"local(\[(\d+|\*)(, *\d+)?\])?|local-cluster\[[\d, ]+\]|yarn|(spark|k8s|mesos)://.+")
_REMOTES = re.compile(r"sc://.+|local(\[.*\])?")
_MODES = ("PERMISSIVE", "DROPMALFORMED", "FAILFAST")


def no_zone(value: str) -> str:
    """What is wrong with a name of a time zone; '' where there is such a zone."""
    try:
        ZoneInfo(value)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        known = sorted(available_timezones())
        like = difflib.get_close_matches(value, [name for name in known if value.casefold() in name.casefold()] or known, n=2)
        meant = f" Did you mean {' or '.join(map(repr, like))}?" if like else ""
        return f"{value!r} is no time zone, e.g. Europe/Berlin.{meant}"
    return ""


# As people call databases whose drivers have another name, in what stands behind `jdbc:`.
_NO_DATABASES = {"postgres": "postgresql", "mssql": "sqlserver", "sqlite3": "sqlite"}


def _wrong_value(name: str, value: str) -> str:
    """What is wrong with the value of an option, of which Spark says nothing, or not before it reads; `name` in small letters."""
    if name == "locale" and not _LOCALE.fullmatch(value):
        return f"locale is {value!r}, which is none: write a language, or one with a country, such as de or de-DE"
    if name == "timezone" and not _OFFSET.fullmatch(value):
        return no_zone(value)
    if name == "mode" and value.upper() not in _MODES:
        return f"mode is {value!r}, and it has to be {', '.join(_MODES[:-1])} or {_MODES[-1]}"
    if name in ("sep", "delimiter") and not value:
        return f"{name} is empty: write the character between columns in quotes, such as '|'"
    if name in ("dateformat", "timestampformat", "timestampntzformat") and "Y" in re.sub("'[^']*'", "", value):
        return f"{name} is {value!r}, and Y is the year of a week, which Spark reads none by: write yyyy-MM-dd in the order that yours has"
    # Java has encodings of its own, which begin so.
    if name in ("encoding", "charset") and not value.lower().startswith(("x-", "ibm")):
        try:
            codecs.lookup(value)
        except (LookupError, ValueError):
            return f"{name} is {value!r}, which is no encoding: write UTF-8, ISO-8859-1, windows-1252 or another that Java knows"
    return ""


def _no_url(url: str) -> str:
    """What is wrong with the address of a database, by how it begins; '' where nothing is seen to be."""
    if not url:
        return "format jdbc needs the address of its database: write url: jdbc:postgresql://HOST:5432/DATABASE, or that of another"
    scheme, _, rest = url.partition(":")
    kind = rest.partition(":")[0] if scheme == "jdbc" else scheme
    if scheme != "jdbc" or kind in _NO_DATABASES:
        # The rest may hold a password.
        begins = f"{scheme}:" if scheme != "jdbc" else f"jdbc:{kind}:"
        return f"url begins with {begins!r}, and it has to begin with jdbc:{_NO_DATABASES.get(kind, kind)}:"
    return ""


def check_reader_options(form: str, options: Mapping[str, str]) -> None:
    """`ValueError` where an option of csv or json is a slip of a known one's name, or is neither true nor false and has to be, and where
    xml lacks the one that it needs; options that are like none are the reader's to judge.
    """
    if form == "xml" and "rowtag" not in map(str.lower, options):
        raise ValueError("format xml needs the element that is a row: write options: {rowTag: order}, by its name in the files")
    if form == "jdbc" and (wrong := _no_url({name.lower(): value for name, value in options.items()}.get("url", ""))):
        raise ValueError(f"options: {wrong}")
    truths = {name.lower(): name for name in _FILES | _TRUE_OR_FALSE.get(form, set())}
    known = truths | {name.lower(): name for name in _OTHERS}
    for name, value in options.items() if form in _TRUE_OR_FALSE else ():
        if name.lower() in truths:
            if value.lower() not in ("true", "false"):
                raise ValueError(f"options: {name} is {value!r}, and it has to be true or false")
        elif name.lower() not in known and (close := difflib.get_close_matches(name.lower(), known, n=1, cutoff=_LIKE)):
            raise ValueError(f"options: the reader of {form} knows no {name!r}. Did you mean {known[close[0]]!r}?")
        elif wrong := _wrong_value(name.lower(), value):
            raise ValueError(f"options: {wrong}")


def check_commas(form: str, decimal: Sequence[str], thousands: Sequence[str]) -> None:
    """`ValueError` where columns whose numbers are written with a comma are not of csv, or are called both."""
    for field, named in (("decimal_comma", decimal), ("thousands_comma", thousands)):
        if named and form != "csv":
            raise ValueError(f"{field}: is of columns of csv, and the format is {form}")
    if both := next((name for name in decimal if name in thousands), None):
        raise ValueError(f"{both!r} is under decimal_comma (1.234,5) and under thousands_comma (1,234.5): leave it in one of the two")


def no_master(master: str, remote: str = "") -> str:
    """That Spark cannot be reached by these settings, as a sentence without its full stop; '' where nothing is seen to be wrong."""
    if remote:
        known = _REMOTES.fullmatch(remote)
        return "" if known else f"`remote: {remote}` of avh.yml is no address of Spark Connect: write sc://HOST:PORT"
    return (
        "" if _MASTERS.fullmatch(master) else f"`master: {master}` of avh.yml is none: write local[N], spark://HOST:PORT, yarn or k8s://..."
    )
