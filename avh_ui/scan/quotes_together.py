"""Quotes within quotes, and texts of several lines, of CSV files that are read alike: one file that has them says so for all.

Whether the newest has them is chance: of 116 months of bird strikes 93 have remarks with doubled quotes, two a text of two lines, and the
newest neither. Read as that one, 69 texts of other columns came to stand among the times of day.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Sequence, Set
from contextlib import suppress
from dataclasses import replace

from avh_ui.errors import SourceError
from avh_ui.scan.csv_padding import TAKEN_AWAY
from avh_ui.scan.file_names import OneFile
from avh_ui.scan.json_looking import Written

# So many files are looked at, spread over all: a batch a day of half a year.
_FILES = 200
# So many of them are cut into rows to tell: where quotes say nothing of it (inches), most files have such.
_CUT = 20
# One within a row: before more of its line.
_RETURN = re.compile(rb"\r(?!\n|$)")
_SAID = {"escape": "have quotes or backslashes within quotes", "multiLine": "go on over line breaks"}


def with_quotes(found: Written, files: Sequence[OneFile], start: Callable[[OneFile], bytes], look: Callable[[OneFile], Written]) -> Written:
    """How the newest file is written, as `found`, with the options that texts of others take; `start` gives a file's first bytes, `look`
    how it is written.
    """
    lacking = {"escape", "multiLine"} - set(found.options)
    if {"comment", *TAKEN_AWAY} & set(found.options) or "skip_lines" in found.fields:
        lacking -= {"multiLine"}  # beside these it leaves the files to Spark, or to nobody
    quote, cuts = found.options.get("quote", '"'), 0
    gained: dict[str, tuple[str, str]] = {}
    for one in _spread(files):
        if not lacking or cuts == _CUT:
            break
        try:
            content = start(one)
            if not _is_doubtful(content, quote, lacking):
                continue
            cuts += 1
            other = look(one)
        except SourceError:
            continue  # it is told elsewhere
        alike = other.columns == found.columns and all(
            other.options.get(of) == found.options.get(of) for of in ("sep", "quote", "encoding")
        )
        for name in lacking & set(other.options) if alike else ():
            if name == "escape" or _is_even(content, found):
                gained[name] = (other.options[name], one.path.name)
        lacking -= set(gained)
    if "multiLine" in gained and (left := _mixed(files, start)):
        del gained["multiLine"]
        said = f"A text of {left} has a carriage return, others line breaks: together Spark alone reads them, told by `multiLine: true`"
        found = replace(found, remarks=(*found.remarks, f"{said}. As it is, rows of several lines are malformed."))
    options = {name: value for name, (value, _) in sorted(gained.items())}
    return replace(found, options=options | found.options, remarks=(*found.remarks, *_said(gained)))


def _said(gained: dict[str, tuple[str, str]]) -> list[str]:
    return [
        f"Texts of {file} {_SAID[name]}, those of the newest file do not: all are read so ({name})."
        for name, (_, file) in sorted(gained.items())
    ]


def _mixed(files: Sequence[OneFile], start: Callable[[OneFile], bytes]) -> str:
    """The name of a file whose lines end in different ways, the newest that is looked at; '' where none has."""
    for one in (files[-1], *reversed(_spread(files))):
        with suppress(SourceError):
            content = start(one)
            if b"\n" in content and _RETURN.search(content):
                return one.path.name
    return ""


def _spread(files: Sequence[OneFile]) -> list[OneFile]:
    """At most so many, from the first to the last but one in equal steps."""
    step = max(1, -(-len(files) // _FILES))
    return list(files[:-1:step])


def _is_doubtful(content: bytes, quote: str, lacking: Set[str]) -> bool:
    """Whether quotes are doubled within a text, where `escape` is lacking, or a line has an odd number of them."""
    mark = quote.encode()
    if mark not in content or b"\0" in content:
        return False
    doubled = re.compile(rb'(?<![,;\t|\r\n])""|""(?![,;\t|\r\n]|$)'.replace(b'"', re.escape(mark)))
    return ("escape" in lacking and doubled.search(content) is not None) or any(line.count(mark) % 2 for line in content.splitlines())


def _is_even(content: bytes, found: Written) -> bool:
    """Whether all rows of a text with line breaks in it have the number of cells that the columns have, the last aside, which may be cut
    off: a stray quote would take other rows for a text.
    """
    sep, quote = found.options.get("sep", ",").replace("\\t", "\t"), found.options.get("quote", '"')
    text = io.StringIO(content.decode("utf-8-sig", "replace"), newline="")
    rows = [row for row in csv.reader(text, delimiter=sep, quotechar=quote) if row]
    return all(len(row) == len(found.columns) for row in rows[found.fields.get("skip_lines", 0) : -1])
