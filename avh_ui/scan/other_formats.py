"""Files that are something else than their names and their source say: told by their first bytes, before a reader of lines takes them."""

from __future__ import annotations

import re

from avh_ui.errors import SourceError

# By what a file begins with: what it is, and the end of a name by which Spark unpacks it ('' where it opens no such file).
_PACKED = {b"\x1f\x8b": ("gzip", ".gz"), b"BZh": ("bzip2", ".bz2"), b"\x28\xb5\x2f\xfd": ("zstd", ".zst"), b"PK\x03\x04": ("ZIP", "")}
# Parquet goes on with the first field of a structure. ORC goes on with bytes of which hardly any are text, as a column called so does not.
_COLUMNAR = {"Parquet": re.compile(rb"PAR1\x15"), "ORC": re.compile(rb"ORC.{0,60}?[\0-\x08\x0e-\x1f]", re.DOTALL)}


def refuse_other_format(head: bytes, path: str) -> None:
    """`SourceError` where a file of lines begins as one that is packed, or is no file of lines."""
    for magic, (kind, suffix) in _PACKED.items():
        if head.startswith(magic):
            known = f"its name does not end in {suffix}, so Spark would read it as text" if suffix else "Spark opens no archive"
            hint = "Rename it; the option `compression` is for writing." if suffix else "Unpack it first."
            raise SourceError(f"{path} cannot be read: it is compressed ({kind}), and {known}.", hint=hint)
    for kind, begins in _COLUMNAR.items():
        if begins.match(head):
            text = f"{path} cannot be read as text: it is {kind}."
            raise SourceError(text, hint="Deliver it in the format of the others, or set `format` and `path` of its source to what it is.")
    if head and not head.strip(b"\0"):
        text = f"{path} cannot be read: its first {len(head):,} bytes are NUL."
        raise SourceError(text, hint="A disk that was full, or a writer that died, leaves such files: deliver it again.")
