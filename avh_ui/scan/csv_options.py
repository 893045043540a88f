"""How a source's options say that CSV is read; what only Spark's reader does is declined, by name."""

from __future__ import annotations

import codecs
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from avh_ui.metrics.declined import DeclinedError
from avh_ui.scan.csv_lines import NONE
from avh_ui.scan.csv_trimming import Trimming

if TYPE_CHECKING:
    from avh_ui.config import Source

# They say how texts become other types, how files are written, or what Spark is told anyway: none changes a row of texts.
_WITHOUT_EFFECT = frozenset(
    {
        "inferschema", "samplingratio", "preferdate", "dateformat", "timestampformat", "timestampntzformat", "timeformat",
        "enabledatetimeparsingfallback", "locale", "timezone", "nanvalue", "positiveinf", "negativeinf", "prefersdecimal",
        "columnnameofcorruptrecord", "ignorecorruptfiles", "ignoremissingfiles", "compression", "codec", "escapequotes", "quoteall",
    }
)  # fmt: skip
# With these values they ask for what is done without them.
_DEFAULTS = {
    "enforceschema": "true",
    "unescapedquotehandling": "stop_at_delimiter", "maxcharspercolumn": "-1", "maxcolumns": "20480", "recursivefilelookup": "false",
}  # fmt: skip
_READ = frozenset(
    {
        "header", "sep", "delimiter", "quote", "escape", "nullvalue", "emptyvalue", "mode", "encoding", "charset", "comment", "multiline",
        "ignoreleadingwhitespace", "ignoretrailingwhitespace",
    }
)  # fmt: skip
# Java and Python know these by the same names, and a line of them ends at a byte that is nothing else.
_ENCODINGS = frozenset({"utf-8", "us-ascii", "iso-8859-1", "windows-1252"})
_TRUTHS = frozenset({"true", "false"})
_MODES = frozenset({"permissive", "dropmalformed", "failfast"})


@dataclass(frozen=True)
class CsvOptions:
    """`sep`, `quote` and `escape` are one ASCII character each, NUL for none; `null` is the text that means null, `empty` what a quoted
    field with nothing in it means; `encoding` as Python's codecs call it. A line that begins with `comment` is none ('' = no such lines).
    With `breaks` a quoted text goes on over line breaks. With `trimming` blanks around cells are no part of them.
    """

    header: bool
    sep: str
    quote: str
    escape: str
    null: str
    empty: str
    encoding: str
    fail_fast: bool
    comment: str = ""
    breaks: bool = False
    trimming: Trimming | None = None

    @classmethod
    def of(cls, source: Source) -> CsvOptions:
        """Those of a source; `DeclinedError` for what is not read here as Spark reads it."""
        options = {name.lower(): value for name, value in source.options.items()}
        if len(options) < len(source.options):
            raise DeclinedError("its options name one option twice")
        for name, value in source.options.items():
            if name.lower() not in _READ | _WITHOUT_EFFECT and _DEFAULTS.get(name.lower()) != value.lower():
                # A value may be a secret, and the reason is kept.
                raise DeclinedError(f"its options name {name}")
        sep = options.get("sep", options.get("delimiter", ","))
        quote, escape = (_character(options, name, usual) for name, usual in (("quote", '"'), ("escape", "\\")))
        sep = _ascii("sep", "\t" if sep == "\\t" else sep)
        # A NUL is told apart from no separator by nobody.
        if sep in (quote, escape, NONE, "\\"):
            raise DeclinedError(f"its separator is {sep!r}")
        breaks = options.get("multiline", "false").lower() == "true"
        if breaks and (NONE in (quote, escape) or options.get("comment", "").strip(NONE)):
            raise DeclinedError("its options name multiLine, and comments, or no quote or escape")
        return cls(
            options.get("header", "false").lower() == "true",  # another is refused where avh.yml is read
            sep,
            quote,
            escape,
            options.get("nullvalue", ""),
            options.get("emptyvalue", ""),
            codecs.lookup(_one_of(options, "encoding" if "encoding" in options else "charset", "utf-8", _ENCODINGS)).name,
            _one_of(options, "mode", "permissive", _MODES) == "failfast",
            _comment(options, sep),
            breaks,
            _trimming(options),
        )


def _trimming(options: Mapping[str, str]) -> Trimming | None:
    """On which sides blanks are taken away; None where on none."""
    sides = [_one_of(options, f"ignore{side}whitespace", "false", _TRUTHS) == "true" for side in ("leading", "trailing")]
    if any(sides) and options.get("multiline", "false").lower() == "true":
        raise DeclinedError("its options name multiLine, and take blanks away")
    if sides == [False, True]:
        # Of a line that begins with a cell of blanks Spark's parser fails then.
        raise DeclinedError("its options name ignoreTrailingWhiteSpace alone")
    return Trimming(trailing=sides[1]) if any(sides) else None


def _character(options: Mapping[str, str], name: str, usual: str) -> str:
    return _ascii(name, options.get(name, usual) or NONE)


def _comment(options: Mapping[str, str], sep: str) -> str:
    """The character that begins a line which is no row; Spark takes NUL for none."""
    text = options.get("comment", "").strip(NONE)
    if text and (_ascii("comment", text) <= " " or text in (sep, options.get("quote", '"'), options.get("escape", "\\"))):
        raise DeclinedError(f"its options have comment: {text!r}")
    return text


def _ascii(name: str, value: str) -> str:
    if len(value) != 1 or not value.isascii() or value in "\r\n":
        raise DeclinedError(f"its options have {name}: {value!r}, which is not one ASCII character")
    return value


def _one_of(options: Mapping[str, str], name: str, usual: str, known: frozenset[str]) -> str:
    value = options.get(name, usual).lower()
    if value not in known:
        raise DeclinedError(f"its options have {name}: {value}")
    return value
