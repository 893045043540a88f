"""The bytes of a file of lines, in blocks of whole lines: of the whole file, or of the lines that begin within a range of its bytes.

A line ends at a line feed, at a carriage return, or at both, as Hadoop's reader of lines has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import IO

import pyarrow as pa

from avh_ui.metrics.declined import DeclinedError
from avh_ui.scan.listing import ListedFile
from avh_ui.scan.packed import codec_of
from avh_ui.scan.shares import Opener, Share

# Enough that the fixed cost of a read of Arrow vanishes, few enough that a few of them fit into a worker's memory.
BLOCK_BYTES = 1 << 24
# A file is cut where it is longer than two shares: 32 MB are a third of a second of one core, less than that a scheduler's own cost.
SHARE_BYTES = 1 << 25
# A line end is looked for so many bytes at a time, which one request of an object store has anyway.
_LOOK_BYTES = 1 << 16
_END = re.compile(rb"\r\n|\n|\r")
_BOM = b"\xef\xbb\xbf"


def shares_of(batch: str, part: ListedFile, *, cut: bool = True) -> Iterator[Share]:
    """A file's shares: ranges of about `SHARE_BYTES` where it is long, not compressed and may be `cut`. `DeclinedError` for a codec of
    Spark's alone.
    """
    codec = codec_of(part.path)
    if codec is None or codec == "deflate":
        raise DeclinedError(f"{part.path.rsplit('/', 1)[-1]} is compressed with a codec that Arrow has not")
    count = 1 if codec or not cut else max(1, part.size // SHARE_BYTES)
    if count == 1:
        yield Share(batch, part.path, part.size)
        return
    cuts = [part.size * k // count for k in range(count)]
    for start, stop in zip(cuts, [*cuts[1:], None], strict=True):
        yield Share(batch, part.path, (part.size if stop is None else stop) - start, start=start, stop=stop)


def line_blocks(share: Share, open_file: Opener, size: int = BLOCK_BYTES) -> Iterator[bytes]:
    """The lines that begin in a share's bytes, about `size` bytes at a time, without the mark of UTF-8 at the beginning of a file.

    `OSError` and `pa.ArrowException` for a file that cannot be read to its end.
    """
    codec = codec_of(share.path)
    with open_file(share.path) as file:
        if codec:
            with pa.CompressedInputStream(file if isinstance(file, pa.NativeFile) else pa.PythonFile(file, "r"), codec) as stream:
                yield from _whole_lines(stream, None, size)
            return
        begin = _line_from(file, share.start)
        end = None if share.stop is None else _line_from(file, share.stop)
        file.seek(begin)
        blocks = _whole_lines(file, None if end is None else end - begin, size)
        if not begin:
            first = next(blocks, b"")
            yield first.removeprefix(_BOM)
        yield from blocks


def _line_from(file: pa.NativeFile | IO[bytes], place: int) -> int:
    """Where the first line begins that does not begin before a place; the file's end where none does."""
    if place == 0:
        return 0
    file.seek(place - 1)
    at, text = place - 1, b""
    while more := bytes(file.read(_LOOK_BYTES)):
        text += more
        # What follows a carriage return says where the next line begins.
        if (found := _END.search(text)) and (found.end() < len(text) or found[0] != b"\r"):
            return at + found.end()
        kept = len(text) - text.endswith(b"\r")
        at, text = at + kept, text[kept:]
    return at + len(text)


def _whole_lines(stream: pa.NativeFile | IO[bytes], left: int | None, size: int) -> Iterator[bytes]:
    """The stream's bytes, all or the next so many, cut behind line ends."""
    pieces: Sequence[bytes] = []
    while left is None or left > 0:
        text = bytes(stream.read(size if left is None else min(size, left)))
        if not text:
            break
        left = None if left is None else left - len(text)
        end = max(text.rfind(b"\n"), text.rfind(b"\r")) + 1
        if not end:
            pieces = [*pieces, text]
            continue
        yield b"".join([*pieces, text[:end]])
        pieces = [text[end:]]
    if rest := b"".join(pieces):
        yield rest
