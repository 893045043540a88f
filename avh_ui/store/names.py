"""Any text as a file name and as UTF-8, and back: batch ids and column names may hold slashes, newlines and lone surrogates."""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache
from urllib.parse import quote, unquote

# File systems stop at 255 bytes; this leaves room for a suffix.
_LONGEST = 200
# `quote` never leaves this mark in a name (a "~" of the text is escaped below).
_CUT = "~"
_UNSAFE = re.compile("[\\\\\x00\ud800-\udfff]")
_ESCAPED = re.compile(r"\\u([0-9a-f]{4})")


# Asked some ten times of each batch that is saved, at 7 microseconds.
@lru_cache(maxsize=1 << 12)
def to_file_name(text: str) -> str:
    """A file name that stands for one text alone; a long one is cut and ends with a hash (see `is_cut`)."""
    name = quote(text, safe="", errors="surrogatepass").replace("~", "%7E")
    if name.startswith("."):
        name = "%2E" + name[1:]
    if len(name) > _LONGEST:
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
        return f"{name[: _LONGEST - 40]}{_CUT}{digest}"
    return name or "%"


def is_cut(name: str) -> bool:
    """Whether the text cannot be read from the file name, but only from inside the file."""
    return _CUT in name


# A long history is listed several times for each batch that is new; 3 microseconds per name add up.
@lru_cache(maxsize=1 << 16)
def from_file_name(name: str) -> str:
    """The text of a file name that is not cut."""
    return "" if name == "%" else unquote(name, errors="surrogatepass")


def to_utf8(text: str) -> str:
    """The text with NUL, lone surrogates and backslashes escaped: what every file format and database can keep."""
    return _UNSAFE.sub(lambda m: f"\\u{ord(m[0]):04x}", text)


def from_utf8(text: str) -> str:
    """The inverse of `to_utf8`."""
    return _ESCAPED.sub(lambda m: chr(int(m[1], 16)), text) if "\\" in text else text
