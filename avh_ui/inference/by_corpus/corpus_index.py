"""The offline index (Auto-Validate, section 2.4): pattern -> FPR_T and Cov_T as sorted arrays in one file, opened by memory map.

Layout, little-endian: magic (8 bytes), version, length and CRC-32 of the header (3 x uint32), the header as JSON, then, each on a
multiple of 64 bytes, `keys` (uint64, ascending), `columns` and `group_columns` (uint32), `whole` and `within` (uint16, in 1/65535).
"""

from __future__ import annotations

import hashlib
import json
import os
import zlib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from avh_ui import durable
from avh_ui.errors import DeliveryError, NewerVersionError, SourceError, UsageError
from avh_ui.inference.by_corpus.impurities import IndexRules

VERSION = 1
_MAGIC = b"AVHPIDX\n"
_ALIGN = 64
# Up to this size the payload's digest is checked at every opening (about 1 GB/s); `verify` checks larger files.
_CHECKED_BYTES = 24 * 1024**2
_SCALE = 65535
_ARRAYS: tuple[tuple[str, str], ...] = (("keys", "<u8"), ("columns", "<u4"), ("group_columns", "<u4"), ("whole", "<u2"), ("within", "<u2"))


class Totals(NamedTuple):
    """Sums over the corpus per key, shape (P,) each: in how many columns the pattern was inferred of all values, and of one skeleton's
    values, with the summed impurities of both.
    """

    keys: NDArray[np.uint64]
    columns: NDArray[np.int64]
    whole: NDArray[np.float64]
    group_columns: NDArray[np.int64]
    within: NDArray[np.float64]


@dataclass(frozen=True)
class KeyAnswers:
    """What the index says of Q keys: coverage and impurity of the pattern as a column's, and within one skeleton of it; 0 where unknown."""

    columns: NDArray[np.int64]
    whole: NDArray[np.float64]
    group_columns: NDArray[np.int64]
    within: NDArray[np.float64]


@dataclass(frozen=True)
class CorpusIndex:
    """An index in memory or behind a memory map; `about` says of what: rules, columns, families, values, licence, prior."""

    keys: NDArray[np.uint64]
    columns: NDArray[np.uint32]
    group_columns: NDArray[np.uint32]
    whole: NDArray[np.uint16]
    within: NDArray[np.uint16]
    about: dict[str, Any]

    @property
    def rules(self) -> IndexRules:
        """How its columns were indexed."""
        return IndexRules(**self.about["rules"])

    def find(self, keys: NDArray[np.uint64]) -> KeyAnswers:
        """Look up keys, shape (Q,)."""
        if not len(self.keys):
            zeros, floats = np.zeros(len(keys), np.int64), np.zeros(len(keys))
            return KeyAnswers(zeros, floats, zeros, floats)
        at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        known = self.keys[at] == keys
        columns, group_columns = (np.where(known, a[at].astype(np.int64), 0) for a in (self.columns, self.group_columns))
        whole, within = (np.where(known, a[at] / _SCALE, 0.0) for a in (self.whole, self.within))
        return KeyAnswers(columns, whole, group_columns, within)

    def merge(self, other: CorpusIndex) -> CorpusIndex:
        """The index of both corpora, as if built together but for patterns below `least_columns` in one of them.

        Their tables must be different ones; `UsageError` when they were built by different rules.
        """
        self.check_rules(other.rules)
        totals = add_up([self.totals(), other.totals()])
        about = {**self.about}
        for name in ("columns", "families", "values", "value_bytes"):
            about[name] = self.about[name] + other.about[name]
        licences = [text for text in (self.about["licence"], other.about["licence"]) if text]
        about["licence"] = " ".join(dict.fromkeys(licences))
        about["least_columns"] = max(self.about["least_columns"], other.about["least_columns"])
        return from_totals(totals, about)

    def check_rules(self, rules: IndexRules) -> None:
        """`UsageError` when an index that was built by these rules does not merge with this one."""
        if self.rules != rules:
            raise UsageError("The indexes were built by different rules.", hint="Build one of them again by the rules of the other.")

    def totals(self) -> Totals:
        """The sums that its means came from, within the rounding of 1/65535."""
        columns, group_columns = self.columns.astype(np.int64), self.group_columns.astype(np.int64)
        return Totals(self.keys, columns, columns * (self.whole / _SCALE), group_columns, group_columns * (self.within / _SCALE))

    def save(self, path: Path) -> int:
        """Write the file whole or not at all, and return its size in bytes; `DeliveryError` when it cannot be written."""
        payload = b"".join(_padded(np.ascontiguousarray(getattr(self, name), dtype=kind).tobytes()) for name, kind in _ARRAYS)
        header = {**self.about, "patterns": len(self.keys), "sha256": hashlib.sha256(payload).hexdigest(), "bytes": len(payload)}
        text = json.dumps(header, sort_keys=True).encode()
        head = _MAGIC + np.array([VERSION, len(text), zlib.crc32(text)], dtype="<u4").tobytes()
        try:
            durable.replace(path, _padded(head + text) + payload)
        except OSError as error:
            raise DeliveryError(f"The pattern index {path} could not be written: {error.strerror or error}.") from error
        return path.stat().st_size

    def verify(self) -> None:
        """Read the whole payload and check its digest; `SourceError` when it was damaged."""
        payload = b"".join(_padded(np.asarray(getattr(self, name)).tobytes()) for name, _ in _ARRAYS)
        if hashlib.sha256(payload).hexdigest() != self.about["sha256"]:
            raise SourceError("The pattern index is damaged: its content does not match its checksum.", hint="Copy or build it again.")


def open_index(path: Path) -> CorpusIndex:
    """Open an index by memory map; `SourceError` says what is wrong with a file, `NewerVersionError` that a newer avh_ui wrote it."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            head = file.read(len(_MAGIC) + 12)
            about, offset = _header(path, head, file.read(_header_length(path, head)))
    except OSError as error:
        raise SourceError(f"The pattern index {path} cannot be read: {error.strerror or error}.") from error
    if size != offset + about["bytes"]:
        raise _damaged(path, f"it has {size:,} bytes where {offset + about['bytes']:,} were written")
    arrays: dict[str, Any] = {}
    for name, kind in _ARRAYS:
        count = about["patterns"]
        # A map of nothing is an error to NumPy.
        arrays[name] = np.memmap(path, dtype=kind, mode="r", offset=offset, shape=(count,)) if count else np.empty(0, dtype=kind)
        offset += _aligned(count * np.dtype(kind).itemsize)
    index = CorpusIndex(**arrays, about=about)
    if about["bytes"] <= _CHECKED_BYTES:
        index.verify()
    return index


def check_target(path: Path) -> None:
    """Before the work of an index: `DeliveryError` when its file cannot be written, or is one that is no index and would be lost."""
    if not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        raise DeliveryError(f"{path} cannot be written: there is no folder {path.parent} that can be written to.", hint="Make it first.")
    if path.exists():
        with path.open("rb") as file:
            if file.read(len(_MAGIC)) != _MAGIC:
                raise DeliveryError(f"{path} exists and is not a pattern index: it is not overwritten.", hint="Give another name.")


def starter_index() -> CorpusIndex:
    """The index that ships with the package."""
    return open_index(Path(__file__).with_name("starter.avhpidx"))


def add_up(parts: list[Totals]) -> Totals:
    """The sums of several corpora by key."""
    keys, where = np.unique(np.concatenate([part.keys for part in parts]), return_inverse=True)
    columns, whole, group_columns, within = (
        np.bincount(where, np.concatenate([np.asarray(part[k], dtype=np.float64) for part in parts]), len(keys)).astype(np.float64)
        for k in range(1, 5)
    )
    return Totals(keys, np.rint(columns).astype(np.int64), whole, np.rint(group_columns).astype(np.int64), within)


def from_totals(totals: Totals, about: dict[str, Any]) -> CorpusIndex:
    """An index of the patterns that `least_columns` columns have, with the corpus' mean impurities as its prior."""
    kept = np.maximum(totals.columns, totals.group_columns) >= about["least_columns"]
    order = np.flatnonzero(kept)[np.argsort(totals.keys[kept])]
    columns, group_columns = totals.columns[order], totals.group_columns[order]
    whole = totals.whole[order] / np.maximum(columns, 1)
    within = totals.within[order] / np.maximum(group_columns, 1)
    return CorpusIndex(
        totals.keys[order],
        columns.astype(np.uint32),
        group_columns.astype(np.uint32),
        _quantised(whole),
        _quantised(within),
        {**about, "rules": asdict(IndexRules(**about["rules"]))},
    )


def _quantised(shares: NDArray[np.float64]) -> NDArray[np.uint16]:
    return np.rint(np.clip(shares, 0, 1) * _SCALE).astype(np.uint16)


def _header_length(path: Path, head: bytes) -> int:
    if head[: len(_MAGIC)] != _MAGIC:
        raise SourceError(f"{path} is not a pattern index.", hint="`avh patterns index` makes one.")
    if len(head) < len(_MAGIC) + 12:
        raise _damaged(path, "its header is cut off")
    version, length, _ = np.frombuffer(head, dtype="<u4", offset=len(_MAGIC)).tolist()
    if version > VERSION:
        raise NewerVersionError(f"The pattern index {path} has version {version}; this avh_ui reads {VERSION}.", hint="Update avh_ui.")
    if version < VERSION:
        raise SourceError(f"The pattern index {path} has version {version}; this avh_ui reads {VERSION}.", hint="Build it again.")
    return int(length)


def _header(path: Path, head: bytes, text: bytes) -> tuple[dict[str, Any], int]:
    _, length, crc = np.frombuffer(head, dtype="<u4", offset=len(_MAGIC)).tolist()
    if len(text) != length or zlib.crc32(text) != crc:
        raise _damaged(path, "its header does not match its checksum")
    about: dict[str, Any] = json.loads(text)
    return about, _aligned(len(head) + length)


def _damaged(path: Path, why: str) -> SourceError:
    return SourceError(f"The pattern index {path} is damaged: {why}.", hint="Copy or build it again.")


def _aligned(size: int) -> int:
    return -(-size // _ALIGN) * _ALIGN


def _padded(data: bytes) -> bytes:
    return data + bytes(_aligned(len(data)) - len(data))
