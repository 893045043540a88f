"""Which lines of a block of CSV have quotes that Arrow's parser and Spark's may understand differently.

They agree on a line where each quote opens a field, closes it, or is doubled within it where that is the escape, and where no escape stands
before a quote or another escape. NumPy looks at all characters at once, in pieces that stay in the processor's cache.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from avh_ui.metrics.declined import DeclinedError
from avh_ui.scan.csv_lines import NONE
from avh_ui.scan.csv_options import CsvOptions

# Twice as fast as 16 MB at once.
_PIECE_BYTES = 1 << 20
# Beyond so many characters of a line Spark's parser goes another way, which shows only where quotes have no escape.
_BUFFER = 1 << 20
# What a mark is to the quotes of its line, as bits: a quote (1) behind a separator (2) or before one (4), and a line end (8).
_OPENS, _CLOSES, _ENDS = 1 | 2, 1 | 4, 8


def set_aside(data: bytes, options: CsvOptions) -> tuple[bytes, list[str]]:
    """The lines of a text in UTF-8 that Arrow reads as Spark does, and the others, among them those of blanks alone.

    `DeclinedError` for lines that Spark's parser reads in two parts where that shows.
    """
    pieces = [_of_piece(piece, options) for piece in _pieces(data)]
    return b"\n".join(regular for regular, _ in pieces if regular), [line for _, lines in pieces for line in lines]


def _pieces(data: bytes) -> Iterator[bytes]:
    """The text cut behind line ends; a line feed whose carriage return is in the piece before ends a line without a character."""
    begin = 0
    while begin < len(data):
        end = begin + _PIECE_BYTES
        cut = max(data.rfind(b"\n", begin, end), data.rfind(b"\r", begin, end)) + 1 if end < len(data) else len(data)
        if not cut:
            found = [at for at in (data.find(b"\n", end), data.find(b"\r", end)) if at >= 0]
            cut = min(found, default=len(data) - 1) + 1
        yield data[begin:cut]
        begin = cut


def _of_piece(data: bytes, options: CsvOptions) -> tuple[bytes, list[str]]:
    """The lines for Arrow, and those that are irregular or blank."""
    # With a line end before and behind, every character has neighbours.
    text = np.frombuffer(b"\n%b\n" % data, np.uint8)
    is_end = (text == 10) | (text == 13)
    ends = np.flatnonzero(is_end)
    blank = _blank_lines(text, ends)
    if options.quote.encode() not in data:
        rest, lines = _without(data, ends, blank)
        return rest, [line.decode() for line in lines]
    rest, lines = _without(data, ends, np.union1d(blank, _doubtful_lines(text, is_end, ends, options)))
    if not lines:
        return rest, []
    # Few lines are left, which are looked at more closely.
    some = b"\n".join(lines)
    text = np.frombuffer(b"\n%b\n" % some, np.uint8)
    is_end = text == 10
    ends = np.flatnonzero(is_end)
    regular, lines = _without(some, ends, np.union1d(_blank_lines(text, ends), _irregular_lines(text, is_end, ends, options)))
    return b"\n".join(filter(None, (rest, regular))), [line.decode() for line in lines]


def _doubtful_lines(text: np.ndarray, is_end: np.ndarray, ends: np.ndarray, options: CsvOptions) -> np.ndarray:
    """Which lines may be irregular: those where not every other quote follows a separator or the line's begin, and the others precede
    a separator or the line's end. It takes a third of the time of `_irregular_lines`, which finds doubled quotes regular.
    """
    if options.escape == NONE and np.diff(ends).max() > _BUFFER:
        raise DeclinedError(f"it has lines of more than {_BUFFER:,} bytes, and its quotes have no escape")
    is_quote = text == ord(options.quote)
    beside = is_end | (text == ord(options.sep))
    kinds = is_quote.view(np.uint8) | (is_end.view(np.uint8) << 3)
    kinds[1:] |= (is_quote[1:] & beside[:-1]).view(np.uint8) << 1
    kinds[:-1] |= (is_quote[:-1] & beside[1:]).view(np.uint8) << 2
    # Nothing drops what is 0 as fast.
    marks = np.frombuffer(kinds.tobytes().translate(None, b"\0"), np.uint8)
    opens, closes = marks == _OPENS, marks == _CLOSES
    wrong = ~(opens | closes | (marks == _ENDS))
    wrong[1:] |= opens[:-1] != closes[1:]
    doubtful = np.flatnonzero(kinds)[wrong] if wrong.any() else np.flatnonzero(wrong)
    return _lines_of(np.concatenate([doubtful, *_special(text, options)]), ends)


def _special(text: np.ndarray, options: CsvOptions) -> list[np.ndarray]:
    """Where characters stand that within quotes mean more to Spark: NUL, and an escape before these two; without one, two quotes."""
    quote, escape = ord(options.quote), ord(options.escape)
    found = [np.flatnonzero(text == 0)]
    if quote != escape:
        at = np.flatnonzero(text == (escape or quote))
        found.append(at[np.isin(text[at + 1], (quote, escape or quote))])
    return found


def _irregular_lines(text: np.ndarray, is_end: np.ndarray, ends: np.ndarray, options: CsvOptions) -> np.ndarray:
    """Which lines have quotes that Arrow and Spark may understand differently; line k is between the ends k and k + 1."""
    quote, escape, sep = (ord(c) for c in (options.quote, options.escape, options.sep))
    is_quote = text == quote
    marks = np.flatnonzero(is_quote | is_end)
    quotes = is_quote[marks]
    passed = np.cumsum(quotes)
    # The first quote of each line is an opening one, and then every other.
    opening = ((passed - np.maximum.accumulate(np.where(quotes, 0, passed))) & 1)[quotes].astype(bool)
    places = marks[quotes]
    fits = np.zeros(256, bool)
    fits[[sep, 10, 13]] = True
    fits[quote] = quote == escape
    stray = places[~fits[text[places + np.where(opening, -1, 1)]]]
    uneven = np.flatnonzero(np.diff(passed[~quotes]) & 1)
    special = _lines_of(np.concatenate(_special(text, options)), ends)
    return np.concatenate([uneven, _lines_of(stray, ends), special[np.isin(special, _lines_of(places, ends))]])


def _blank_lines(text: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """The lines of blanks alone, in their order; those without a character, which Arrow passes over, are not among them."""
    lines = np.flatnonzero((text[ends[:-1] + 1] <= 32) & (np.diff(ends) > 1))
    at = ends[lines] + 1
    blank = []
    while len(lines):
        at += 1
        done = at == ends[lines + 1]
        blank.append(lines[done])
        on = ~done & (text[at] <= 32)
        lines, at = lines[on], at[on]
    return np.sort(np.concatenate(blank)) if blank else lines


def _without(data: bytes, ends: np.ndarray, lines: np.ndarray) -> tuple[bytes, list[bytes]]:
    """The text without some of its lines, and these; `ends` as of the text with a line end before it."""
    if not len(lines):
        return data, []
    spans = list(zip(ends[lines].tolist(), (ends[lines + 1] - 1).tolist(), strict=True))
    kept = zip([0, *(end for _, end in spans)], [*(start for start, _ in spans), len(data)], strict=True)
    return b"".join(data[start:end] for start, end in kept), [data[start:end] for start, end in spans]


def _lines_of(places: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """The lines that places stand in; a line end stands in the line before it."""
    return np.unique(np.searchsorted(ends, places) - 1)
