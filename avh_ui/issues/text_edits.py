"""Typing errors in many texts at once, on their UTF-8 bytes: characters replaced, inserted and deleted (AVH, Appendix B, types 7 to 9)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Mask = NDArray[np.bool_]
_ZERO = ord("0")
# Inserted characters are printable ASCII: extraneous characters of all classes, and never half of a code point.
_PRINTABLE = np.arange(33, 127, dtype=np.uint8)
_DIGITS = np.arange(48, 58, dtype=np.uint8)
# First byte and size of the classes within which a character is perturbed; other bytes belong to no class.
_CLASSES = ((ord("0"), 10), (ord("a"), 26), (ord("A"), 26))


def _table() -> tuple[Bytes, Bytes]:
    first, size = np.zeros(256, dtype=np.uint8), np.zeros(256, dtype=np.uint8)
    for start, length in _CLASSES:
        first[start : start + length], size[start : start + length] = start, length
    return first, size


_FIRST, _SIZE = _table()


@dataclass(frozen=True)
class TextBytes:
    """Texts laid end to end: `data` of shape (C,), text i is `data[starts[i]:starts[i + 1]]`, `starts` of shape (D + 1,)."""

    data: Bytes
    starts: NDArray[np.int64]

    @classmethod
    def of(cls, texts: pa.Array) -> TextBytes:
        """The bytes of an Arrow string array without nulls."""
        array = texts.cast(pa.large_string())
        starts = np.frombuffer(array.buffers()[1], dtype=np.int64)[array.offset : array.offset + len(array) + 1]
        data = array.buffers()[2]
        if data is None or not len(array):
            return cls(np.empty(0, dtype=np.uint8), np.zeros(len(array) + 1, dtype=np.int64))
        return cls(np.frombuffer(data, dtype=np.uint8)[starts[0] : starts[-1]], starts - starts[0])

    def to_arrow(self) -> pa.Array:
        """As an Arrow array of type large_string."""
        buffers = [None, pa.py_buffer(self.starts.astype(np.int64).tobytes()), pa.py_buffer(self.data.tobytes())]
        return pa.Array.from_buffers(pa.large_string(), len(self.starts) - 1, buffers)

    @property
    def owner(self) -> NDArray[np.int64]:
        """Which text each byte belongs to, shape (C,)."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))


def leading(data: Bytes) -> Mask:
    """The first byte of each code point."""
    lead: Mask = (data & 0xC0) != 0x80
    return lead


def mantissa_digits(texts: TextBytes) -> Mask:
    """The digits of decimal texts, without those of an exponent: editing these keeps a number a number."""
    digit: Mask = (texts.data >= _ZERO) & (texts.data < _ZERO + 10)
    exponent = (texts.data == ord("e")) | (texts.data == ord("E"))
    if not exponent.any():
        return digit
    upto = np.cumsum(exponent)
    before = np.concatenate([[0], upto])[texts.starts[:-1]]
    digit &= upto == before[texts.owner]
    return digit


def perturb(texts: TextBytes, share: float, rng: np.random.Generator, eligible: Mask | None = None) -> TextBytes:
    """Each ASCII letter or digit (of the `eligible` bytes) becomes another of its class with probability `share`."""
    chosen = _SIZE[texts.data] > 0
    if eligible is not None:
        chosen &= eligible
    if share < 1:
        chosen &= rng.random(len(texts.data), dtype=np.float32) < share
    data = texts.data.copy()
    old = data[chosen]
    first, size = _FIRST[old], _SIZE[old]
    # Shifted by 1 to size - 1 within the class, so that it is another character.
    shift = 1 + (rng.random(len(old), dtype=np.float32) * (size - 1)).astype(np.uint8)
    data[chosen] = first + (old - first + np.minimum(shift, size - 1)) % size
    return TextBytes(data, texts.starts)


def insert(texts: TextBytes, rng: np.random.Generator, eligible: Mask | None = None) -> TextBytes:
    """One random character into each text, anywhere; with `eligible`, a digit before one of these bytes (nothing without any)."""
    number = eligible is not None
    allowed = leading(texts.data) if eligible is None else eligible
    at, found = _pick(texts, allowed, rng, ends=not number)
    size = np.diff(texts.starts) + found
    starts = np.concatenate([[0], np.cumsum(size)])
    data = np.empty(int(starts[-1]), dtype=np.uint8)
    owner = texts.owner
    moved = np.arange(len(texts.data)) + (starts[:-1] - texts.starts[:-1])[owner]
    moved += found[owner] & (np.arange(len(texts.data)) >= at[owner])
    data[moved] = texts.data
    alphabet = _DIGITS if number else _PRINTABLE
    places = (at + starts[:-1] - texts.starts[:-1])[found]
    data[places] = rng.choice(alphabet, size=len(places))
    return TextBytes(data, starts)


def delete(texts: TextBytes, rng: np.random.Generator, eligible: Mask | None = None) -> TextBytes:
    """One random character (of the `eligible` bytes) less in each text; the empty text stays."""
    lead = leading(texts.data)
    at, found = _pick(texts, lead if eligible is None else eligible, rng, ends=False)
    gone = np.zeros(len(texts.data) + 1, dtype=bool)
    gone[at[found]] = True
    # The continuation bytes go with their first byte.
    for _ in range(3):
        gone[1:-1] |= gone[:-2] & ~lead[1:]
    keep = ~gone[:-1]
    starts = np.concatenate([[0], np.cumsum(keep)])[texts.starts]
    return TextBytes(texts.data[keep], starts)


def without_digits(texts: TextBytes) -> Mask:
    """Texts in which no digit of the mantissa is left, shape (D,)."""
    upto = np.concatenate([[0], np.cumsum(mantissa_digits(texts))])
    none: Mask = np.diff(upto[texts.starts]) == 0
    return none


def _pick(texts: TextBytes, allowed: Mask, rng: np.random.Generator, *, ends: bool) -> tuple[NDArray[np.int64], Mask]:
    """One of the allowed bytes of each text at random (or its end, with `ends`), and whether there was one."""
    upto = np.concatenate([[0], np.cumsum(allowed)])
    choices = np.diff(upto[texts.starts]) + ends
    found = choices > 0
    nth = np.minimum((rng.random(len(choices)) * choices).astype(np.int64), np.maximum(choices - 1, 0))
    places = np.append(np.flatnonzero(allowed), len(texts.data))
    at = places[np.minimum(upto[texts.starts[:-1]] + nth, len(places) - 1)]
    return np.where(ends & (nth == choices - 1), texts.starts[1:], at), found
