"""The columns of a sample of rows that was stored: none is read before somebody looks at it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from avh_ui.metrics.sampled_values import Codes, SampledValues


class StoredColumns(Mapping[str, SampledValues]):
    """The columns of a stored sample of so many rows, each read when somebody looks at it. `headers` are names with what
    `SampledValues.to_record` gave, `buffers` those of all, in that order; `names` those of all texts, None where each column has its own.
    """

    def __init__(self, headers: Sequence[tuple[str, dict[str, Any]]], buffers: Sequence[bytes], count: int, names: pa.Array | None) -> None:
        self._headers, self._count, self._names = dict(headers), count, names
        self._buffers: dict[str, list[bytes]] = {}
        self._read: dict[str, SampledValues] = {}
        self._codes: dict[str, Codes] = {}
        at = 0
        for name, header in headers:
            own = 2 * ("numbers" in header) + (3 if names is None else 1) * ("texts" in header)
            self._buffers[name] = list(buffers[at : at + own])
            at += own

    def form(self, name: str) -> str:
        """How a column's numbers are shown."""
        return str(self._headers[name]["form"])

    def unchanged(self, before: StoredColumns) -> Iterator[str]:
        """The columns that are stored as they were in a sample of the same keys, and mean the same texts."""
        others = None if self._names is None or before._names is None else _other_names(self._names, before._names)
        for name, header in self._headers.items():
            alike = header == before._headers.get(name) and self._buffers[name] == before._buffers[name]
            if alike and "texts" in header:
                # Read once of all samples that have them.
                self._codes[name] = before._codes_of(name)
            if alike and ("texts" not in header or (others is not None and not others[self._codes[name]].any())):
                yield name

    def _codes_of(self, name: str) -> Codes:
        return self._codes[name] if name in self._codes else self[name].codes

    def __getitem__(self, name: str) -> SampledValues:
        if name not in self._read:
            self._read[name] = SampledValues.from_record(self._headers[name], self._buffers[name], self._count, self._names)
        return self._read[name]

    def __contains__(self, name: object) -> bool:
        # `Mapping` reads the column.
        return name in self._headers

    def __iter__(self) -> Iterator[str]:
        return iter(self._headers)

    def __len__(self) -> int:
        return len(self._headers)


def _other_names(names: pa.Array, before: pa.Array) -> NDArray[np.bool_]:
    """Which codes mean another text than they did before; the last is of none."""
    both = min(len(names), len(before))
    found = np.ones(len(names) + 1, dtype=bool)
    found[:both] = pc.not_equal(names[:both], before[:both]).to_numpy(zero_copy_only=False)
    found[-1] = False
    return found
