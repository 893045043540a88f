"""Files that are something else than their names and their source say: told by their first bytes, before a reader of lines takes them."""

from __future__ import annotations

import re

from avh_ui.errors import SourceError
from avh_ui.scan.packed import codec_of, packed_as

# By what a file begins with: what it is, and the end of a name by which Spark unpacks it ('' where it opens no such file).
_PACKED = {b"\x1f\x8b": ("gzip", ".gz"), b"BZh": ("bzip2", ".bz2"), b"\x28\xb5\x2f\xfd": ("zstd", ".zst"), b"PK\x03\x04": ("ZIP", "")}
# Parquet goes on with the first field of a structure. ORC goes on with bytes of which hardly any are text, as a column called so does not.
_COLUMNAR = {"Parquet": re.compile(rb"PAR1\x15"), "ORC": re.compile(rb"ORC.{0,60}?[\0-\x08\x0e-\x1f]", re.DOTALL)}

# How a format is written in sentences, and the end of a name by which it is known.
_SAID = {"parquet": "Parquet", "orc": "ORC"}
_BEGINS = {"parquet": b"PAR1", "orc": b"ORC"}
_ENDINGS = {"CSV": ".csv", "JSON": ".json", "XML": ".xml", "Parquet": ".parquet", "ORC": ".orc"}
_NO_TEXT = re.compile(rb"[\0-\x08\x0e-\x1a\x1c-\x1f]")
_OBJECTS = re.compile(rb'(\xef\xbb\xbf)?\s*(\[\s*)?\{\s*"[^"\n]*"\s*:')
# So many bytes at the beginning of a file tell what it is.
HEAD_BYTES = 4096


def another_kind(head: bytes, path: str, kind: str) -> SourceError | None:
    """What a file that cannot be read as its name and format `kind` say is instead, by its first bytes; None where these do not tell."""
    if kind in _BEGINS and head.startswith(_BEGINS[kind]):
        return None  # it is cut, or damaged behind its first bytes
    packing = next((name for magic, (name, _) in _PACKED.items() if head.startswith(magic)), "")
    columnar = next((name for name, begins in _COLUMNAR.items() if begins.match(head)), "")
    if not (found := packing or columnar or _text_of(head)):
        return None
    ending = _ENDINGS.get(found, "")
    looks = f"it is {found}" if packing or columnar else f"it looks like {found}"
    if kind in _SAID:
        name = f"Name it {ending} (in avh.yml: `format: {ending[1:]}`), or" if ending else "Unpack it, or" if packing else ""
        hint = f"{name} deliver it as {_SAID[kind]}.".strip()
        return SourceError(f"{path} is no {_SAID[kind]}: {looks}.", hint=f"{hint[:1].upper()}{hint[1:]}")
    # What Spark calls bz2 is bzip2; of deflate no first bytes tell.
    codec, suffix = (codec_of(path) or "").replace("bz2", "bzip2"), packed_as(path)
    if codec in ("", "deflate", packing):
        return None
    right = f"End its name as {found} files end" if packing else f"Take {suffix} off its name (and off `path` in avh.yml)"
    return SourceError(f"{path} is not compressed as its name says ({codec}): {looks}.", hint=f"{right}, or compress it by {codec}.")


def another_text(head: bytes, path: str, kind: str) -> SourceError | None:
    """What text a file is instead of `kind`, which is CSV or JSON, by its unpacked beginning; None where it may be what its name says."""
    found = _text_of(head)
    # A title of a CSV file may stand in brackets: only an object, or a list of them, is JSON.
    wrong = found in ("CSV", "XML") if kind == "json" else found == "JSON" and _OBJECTS.match(head)
    if not wrong:
        return None
    ending = _ENDINGS[found]
    said = f"{path} is no {kind.upper()}: it looks like {found}."
    return SourceError(said, hint=f"Name it {ending} (in avh.yml: `format: {ending[1:]}`), or deliver it as {kind.upper()}.")


def _text_of(head: bytes) -> str:
    """As what a text begins; '' for what is none."""
    if not head.strip() or _NO_TEXT.search(head):
        return ""
    begins = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    first = head.lstrip().split(b"\n", 1)[0]
    known = {b"{": "JSON", b"[": "JSON", b"<": "XML"}.get(begins)
    return known or ("CSV" if any(sep in first for sep in (b",", b";", b"\t", b"|")) else "plain text")


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
