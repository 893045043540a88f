"""Files that are packed: by which codec Spark takes them, and their text unpacked."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

import pyarrow as pa

# So many packed bytes are unpacked at a time.
_PIECE_BYTES = 1 << 20
# Spark finds a file's codec by the end of its name; those that are None only Spark can read.
_CODECS = {
    ".gz": "gzip", ".gzip": "gzip", ".bz2": "bz2", ".zst": "zstd", ".zstd": "zstd", ".deflate": "deflate", ".lz4": None, ".snappy": None,
}  # fmt: skip


def codec_of(path: str) -> str | None:
    """The codec that Spark takes a file for by its name; '' for none, None for one that only Spark reads."""
    return next((codec for suffix, codec in _CODECS.items() if path.lower().endswith(suffix)), "")


def packed_as(name: str) -> str:
    """The end of a file's name that says how it is packed; '' for one that is not."""
    return next((name[-len(suffix) :] for suffix in _CODECS if name.lower().endswith(suffix)), "")


def text_reader(stream: Any, path: str) -> Callable[[int], bytes] | None:
    """What reads on in a file's text, decompressed; None when only Spark can."""
    codec = codec_of(path)
    if codec is None:
        return None
    if codec == "deflate":
        return _Inflating(stream).read
    opened = pa.CompressedInputStream(pa.PythonFile(stream, "r"), codec) if codec else stream
    return lambda size: bytes(opened.read(size))


class _Inflating:
    """A zlib stream, which Arrow does not read."""

    def __init__(self, stream: Any) -> None:
        self._stream, self._zlib = stream, zlib.decompressobj()

    def read(self, size: int) -> bytes:
        try:
            return self._zlib.decompress(self._zlib.unconsumed_tail or self._stream.read(_PIECE_BYTES), size)
        except zlib.error as error:
            raise OSError(str(error)) from error
