"""Functions of texts as Spark has them: characters are code points, blanks are spaces alone."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial, reduce
from unicodedata import ucd_3_2_0

import pyarrow as pa
import pyarrow.compute as pc

from avh_ui.metrics.declined import DeclinedError
from avh_ui.metrics.sql import types as t
from avh_ui.metrics.sql.casts import cast
from avh_ui.metrics.sql.nodes import Constant, Datum, Node, call, constant, scalar_of
from avh_ui.metrics.sql.searching import search

# Letters of Unicode 3.2 to which Unicode 16 gave one of the other case; Spark's library knows it, Python 3.13 does not.
_LATE = frozenset("\u019b\u0264")
# As far as an int reaches.
_FAR = 2**31


def text(node: Node) -> Node:
    """The node's values as texts."""
    return cast(node, t.STRING)


def length(node: Node) -> Node:
    """How many characters."""
    return call(t.INT, _length, text(node))


def upper(node: Node) -> Node:
    """In upper case."""
    return call(t.STRING, partial(_in_case, run=pc.ascii_upper, of_one=str.upper), text(node))


def lower(node: Node) -> Node:
    """In lower case."""
    return call(t.STRING, partial(_in_case, run=pc.ascii_lower, of_one=str.lower), text(node))


def trimmed(node: Node, run: Callable[..., Datum], characters: Node | None = None) -> Node:
    """Without spaces, or some characters, at its ends."""
    which = " " if characters is None else literal(characters, "the characters that trim cuts")
    if not which:
        raise DeclinedError("trim of no characters")
    return call(t.STRING, partial(run, characters=which), text(node))


def concat(*nodes: Node) -> Node:
    """One after the other; null where one is."""
    if not nodes:
        return constant(t.STRING, "")
    return reduce(lambda one, other: call(t.STRING, _joined, one, other), map(text, nodes))


def part(node: Node, start: Node, size: Node | None) -> Node:
    """`substring(node, start, size)`: counted from 1, from the end below 0."""
    node, first = text(node), _whole(start)
    count = None if size is None else _whole(size)
    if first is None or (size is not None and count is None):
        return constant(t.STRING, None)
    if count is not None and count <= 0:
        return call(t.STRING, _empty, node)
    begin = first - 1 if first > 0 else first
    stop = None if count is None else begin + count
    if first < 0 and stop is not None and stop >= 0:
        stop = None
    return call(t.STRING, _sliced, node, options=(begin, stop))


def last(node: Node, count: Node) -> Node:
    """`right(node, count)`."""
    number = _whole(count)
    if number is None:
        return constant(t.STRING, None)
    return call(t.STRING, _empty, text(node)) if number <= 0 else call(t.STRING, _sliced, text(node), options=(-number, None))


def holds(node: Node, piece: Node, run: Callable[..., Datum]) -> Node:
    """Whether it begins or ends with a piece, or holds it."""
    if isinstance(piece, Constant) and scalar_of(text(piece)) is None:
        return constant(t.BOOLEAN, None)
    return call(t.BOOLEAN, partial(run, pattern=literal(piece, "what is looked for")), text(node))


def replaced(node: Node, old: Node, new: Node) -> Node:
    """With a piece replaced wherever it stands."""
    which = literal(old, "what is replaced")
    if not which:
        return text(node)
    return call(t.STRING, partial(pc.replace_substring, pattern=which, replacement=literal(new, "what takes its place")), text(node))


def like(node: Node, pattern: Node, escape: str = "\\", *, any_case: bool = False) -> Node:
    """`node LIKE pattern`: `%` stands for any characters, `_` for one."""
    if isinstance(pattern, Constant) and scalar_of(pattern) is None:
        return constant(t.BOOLEAN, None)
    wanted = literal(pattern, "a pattern of LIKE")
    wanted = _cased(wanted, str.lower) if any_case else wanted
    run = _plain_like(wanted) if escape not in wanted else None
    run = run or partial(_like, regex=_regex_of_like(wanted, escape))
    return call(t.BOOLEAN, run, lower(node) if any_case else text(node))


def rlike(node: Node, pattern: Node) -> Node:
    """`node RLIKE pattern`: whether it has a match of a regular expression."""
    if isinstance(pattern, Constant) and scalar_of(pattern) is None:
        return constant(t.BOOLEAN, None)
    return call(t.BOOLEAN, search(literal(pattern, "a regular expression")), text(node))


def matched(node: Node, regex: str) -> Node:
    """Whether the first match of a regular expression is not empty (Deequ's PatternMatch): false for null.

    `DeclinedError` for one that may have an empty match: RE2 says whether there is one, and not of how many characters.
    """
    if r"\b" in regex or scalar_of(rlike(constant(t.STRING, ""), constant(t.STRING, regex))):
        raise DeclinedError(f"the regex {regex[:60]!r} may match nothing")
    return call(t.BOOLEAN, pc.fill_null, rlike(node, constant(t.STRING, regex)), constant(t.BOOLEAN, False))


def literal(node: Node, what: str) -> str:
    """A constant's text; `DeclinedError` for what is another in each row."""
    found = scalar_of(text(node))
    if not isinstance(found, str):
        raise DeclinedError(f"{what} is no literal")
    return found


def _whole(node: Node) -> int | None:
    if node.type not in (t.NULL, *t.INTEGRAL) or not isinstance(node, Constant):
        raise DeclinedError("where a text is cut is no literal")
    found = scalar_of(node)
    if found is not None and not -_FAR <= int(found) < _FAR:
        raise DeclinedError("where a text is cut is no int")  # of which Spark takes what is left of its bits
    return None if found is None else int(found)


def _length(values: Datum) -> Datum:
    return pc.utf8_length(values)


def _joined(one: Datum, other: Datum) -> Datum:
    return pc.binary_join_element_wise(one, other, "")


def _empty(values: Datum) -> Datum:
    return pc.if_else(pc.is_valid(values), "", pa.scalar(None, t.STRING))


def _sliced(values: Datum, start: int, stop: int | None) -> Datum:
    return pc.utf8_slice_codeunits(values, start=start, stop=stop)


def _in_case(values: Datum, run: Callable[..., Datum], of_one: Callable[[str], str]) -> Datum:
    if pc.all(pc.string_is_ascii(values), min_count=0).as_py():
        return run(values)
    distinct = values.dictionary_encode()
    cased = [_cased(value, of_one) for value in distinct.dictionary.to_pylist()]
    return pa.array(cased, t.STRING).take(distinct.indices)


def _cased(value: str, of_one: Callable[[str], str]) -> str:
    """Python's case is that of Spark's Unicode library for letters that both have known for long."""
    if any(character in _LATE or ucd_3_2_0.category(character) == "Cn" for character in value if not character.isascii()):
        raise DeclinedError("upper or lower case of rare letters")
    return of_one(value)


def _like(values: Datum, regex: str) -> Datum:
    return pc.match_substring_regex(values, regex)


def _plain_like(pattern: str) -> Callable[[Datum], Datum] | None:
    """What tells of a pattern with `%` at its ends alone, which no regular expression is needed for: ten times as fast."""
    piece = pattern.strip("%")
    if not piece or set(piece) & set("%_\\") or pattern.startswith("%%") or pattern.endswith("%%"):
        return None
    ends = pattern.startswith("%"), pattern.endswith("%")
    run = {(False, False): pc.equal, (False, True): pc.starts_with, (True, False): pc.ends_with, (True, True): pc.match_substring}[ends]
    return partial(_equals, text=piece) if run is pc.equal else partial(run, pattern=piece)


def _equals(values: Datum, text: str) -> Datum:
    return pc.equal(values, text)


def _regex_of_like(pattern: str, escape: str) -> str:
    """A regex of the whole value; `DeclinedError` for an escape that Spark refuses."""
    made, at = [], 0
    while at < len(pattern):
        character = pattern[at]
        if character == escape:
            at += 1
            if at == len(pattern) or pattern[at] not in ("_", "%", escape):
                raise DeclinedError("LIKE with an escape before what needs none")
            made.append(re.escape(pattern[at]))
        else:
            made.append(".*" if character == "%" else "." if character == "_" else _quoted(character))
        at += 1
    return rf"(?s)\A{''.join(made)}\z"


def _quoted(character: str) -> str:
    return f"\\x{{{ord(character):x}}}" if not character.isalnum() or not character.isascii() else character
