"""Mergeable states: a metric's sufficient statistics as a commutative monoid (differential Deequ, ICDE 2019, section 2).

`identity` is the neutral element, `merge` is associative and commutative, and `of(A) merge of(B)` is `of(A union B)`: exactly for
counts and exact frequencies, to rounding for moments, within the stated error for sketches.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Protocol, Self, TypeVar, runtime_checkable

from avh_ui.metrics.column import Column


@runtime_checkable
class State(Protocol):
    """Sufficient statistics of some rows; of one column, where it can be measured of one (`of`), else as its `of_rows` says."""

    key: ClassVar[str]

    @classmethod
    def identity(cls) -> Self:
        """The state of no rows."""
        ...

    def merge(self, other: Self) -> Self:
        """The state of both sets of rows; neither operand changes."""
        ...

    def to_record(self) -> bytes:
        """As bytes for storage."""
        ...

    @classmethod
    def from_record(cls, record: bytes) -> Self:
        """From `to_record`."""
        ...


class ColumnState(State, Protocol):
    """Sufficient statistics of one column."""

    @classmethod
    def of(cls, column: Column) -> Self:
        """The state of a column's rows."""
        ...


S = TypeVar("S", bound=State)
Header = dict[str, Any]
# Made once: a state's header takes less time than its encoder. NaN and infinities are numbers here.
_JSON = json.JSONEncoder(separators=(",", ":"))
_FROM_JSON = json.JSONDecoder()


class InParts:
    """A state that is stored as a JSON header and buffers, so that many states can share one header."""

    def parts(self) -> tuple[Header, tuple[bytes, ...]]:
        """What it is stored as."""
        raise NotImplementedError

    @classmethod
    def of_parts(cls, header: Header, buffers: Sequence[bytes]) -> Self:
        """The inverse of `parts`."""
        raise NotImplementedError

    def to_record(self) -> bytes:
        """As bytes."""
        header, buffers = self.parts()
        return pack(header, *buffers)

    @classmethod
    def from_record(cls, record: bytes) -> Self:
        """From `to_record`."""
        return cls.of_parts(*unpack(record))


class InFields(InParts):
    """A state whose fields are numbers, which are stored as they are named."""

    def parts(self) -> tuple[Header, tuple[bytes, ...]]:
        """Its fields, and no buffers."""
        return vars(self), ()

    @classmethod
    def of_parts(cls, header: Header, buffers: Sequence[bytes]) -> Self:  # noqa: ARG003 (as every state)
        """From `parts`."""
        return cls(**header)


def mergeable(state: State | type[State]) -> bool:
    """Whether the states of parts give that of the whole, as all do that do not say otherwise: exact quantiles need the column itself."""
    return bool(getattr(state, "mergeable", True))


def merge_many(states: Sequence[S]) -> S:
    """The state of the rows of all (at least one): by the state's own class method `merge_many` where it has one, else in pairs.

    Pairs are merged as a tree, so that rounding grows with the logarithm of their number.
    """
    own: Callable[[Sequence[S]], S] | None = getattr(states[0], "merge_many", None)
    if own is not None and len(states) > 1:
        return own(states)
    level = list(states)
    while len(level) > 1:
        # Of a column that stands still the batches of a run share one state.
        made: dict[tuple[int, int], S] = {}
        pairs = list(zip(level[::2], level[1::2], strict=False))
        for a, b in pairs:
            if (id(a), id(b)) not in made:
                made[id(a), id(b)] = a.merge(b)
        level = [*(made[id(a), id(b)] for a, b in pairs), *([level[-1]] if len(level) % 2 else [])]
    return level[0]


def pack(header: Header, *buffers: bytes) -> bytes:
    """A record: length-prefixed JSON header, then raw buffers with their lengths in the header."""
    text = _JSON.encode({**header, "#": [len(b) for b in buffers]}).encode("utf-8")
    return struct.pack("<I", len(text)) + text + b"".join(buffers)


def unpack(record: bytes) -> tuple[Header, list[bytes]]:
    """The header and buffers of `pack`; `ValueError` on a truncated record."""
    if len(record) < 4:
        raise ValueError("a state record is at least 4 bytes long")
    (size,) = struct.unpack_from("<I", record)
    header = _FROM_JSON.decode(record[4 : 4 + size].decode("utf-8"))
    at, buffers = 4 + size, []
    for length in header.pop("#"):
        buffers.append(record[at : at + length])
        at += length
    if at != len(record):
        raise ValueError(f"a state record of {len(record)} bytes should have {at}")
    return header, buffers
