"""Character classes of many texts at once: code points, their classes and where each text begins, as NumPy arrays.

Classes follow AVH's Algorithm 2 (digit, letter, punctuation, other) extended from ASCII to Unicode: letters are what
`str.isalpha` says, digits what `str.isdecimal` says, punctuation the categories P and S. Blanks and controls are other.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

OTHER, DIGIT, LETTER, PUNCTUATION = 0, 1, 2, 3


@dataclass(frozen=True)
class Characters:
    """Texts laid end to end: `points` and `classes` of shape (C,), `starts` of shape (D + 1,): text i is points[starts[i]:starts[i+1]]."""

    points: NDArray[np.uint32]
    classes: NDArray[np.uint8]
    starts: NDArray[np.int64]

    @classmethod
    def of(cls, texts: pa.Array) -> Characters:
        """The characters of an Arrow string array without nulls; bytes that are no UTF-8 count as one replacement character each."""
        try:
            joined = "".join(texts.to_pylist()) if len(texts) < 64 else _decode(texts)
            lengths = pc.utf8_length(texts).to_numpy(zero_copy_only=False)
            points = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
            if int(lengths.sum()) != len(points):
                raise UnicodeDecodeError("utf-8", b"", 0, 1, "lengths disagree")
        except UnicodeDecodeError:
            values = [v.decode("utf-8", "replace") for v in texts.cast(pa.large_binary()).to_pylist()]
            lengths = np.array([len(v) for v in values])
            points = np.frombuffer("".join(values).encode("utf-32-le"), dtype=np.uint32)
        return cls(points, classify(points), np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64))

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Code points per text, shape (D,)."""
        return np.diff(self.starts)

    def per_text(self, wanted: int) -> NDArray[np.int64]:
        """How many characters of the class each text has, shape (D,)."""
        upto = np.concatenate([[0], np.cumsum(self.classes == wanted)])
        return np.diff(upto[self.starts])


def classify(points: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """The class of each code point."""
    classes = _ASCII[np.minimum(points, 128)]
    beyond = points > 127
    if beyond.any():
        rare, where = np.unique(points[beyond], return_inverse=True)
        classes[beyond] = np.array([_class_of(chr(p)) for p in rare.tolist()], dtype=np.uint8)[where]
    return classes


def _class_of(character: str) -> int:
    if character.isdecimal():
        return DIGIT
    if character.isalpha():
        return LETTER
    return PUNCTUATION if unicodedata.category(character)[0] in "PS" else OTHER


# Entry 128 stands for everything beyond ASCII until it is looked up.
_ASCII = np.array([_class_of(chr(p)) for p in range(128)] + [OTHER], dtype=np.uint8)


def _decode(texts: pa.Array) -> str:
    """All texts joined, straight from Arrow's buffer: no Python string per text."""
    array = texts.cast(pa.large_string())
    offsets = np.frombuffer(array.buffers()[1], dtype=np.int64)[array.offset : array.offset + len(array) + 1]
    data = array.buffers()[2]
    return data[int(offsets[0]) : int(offsets[-1])].to_pybytes().decode("utf-8") if data is not None else ""
